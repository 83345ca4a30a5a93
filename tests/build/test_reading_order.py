"""Prefix-first: calls that share a history begin with the same bytes and come close together."""

import os.path
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.corpus import Corpus
from pairwright.construct.partners import Candidates
from pairwright.records import Item, Post
from pairwright.settings.domains import Guidance
from pairwright.settings.rules import PlanRules, TwinRules
from pairwright.stages.planner import plan
from pairwright.stages.writer import write_paper
from scripted import Scripted, good, item, model, post, prompts, rubric, wait

OTHERS = 5


# The order of work

CorpusOf = Callable[..., Corpus]


@pytest.fixture
def corpus_of(tmp_path: Path) -> Iterator[CorpusOf]:
    """Write items to a corpus in which anybody suits anybody; it is closed after the test."""
    with ExitStack() as stack:

        def write(items: list[Item], seed: int = 0) -> Corpus:
            path = tmp_path / f"items-{len(list(tmp_path.iterdir()))}.jsonl"
            return stack.enter_context(closing(Corpus.write(items, path, seed)))

        yield write


def candidates(corpus: Corpus) -> Candidates:
    return Candidates(corpus, TwinRules(min_relevant=0), OTHERS, lambda _: "en")


def history(name: str) -> tuple[Post, ...]:
    return tuple(post(f"{name}-{n}", f"{name} wrote {n}.", f"{2010 + n}-01-01") for n in range(4))


def asked_by(name: str, **changes: Any) -> Item:
    return item(**{"profile": history(name), "id": f"q-{name}", "user": name} | changes)


# What the prompts begin with


def common(texts: list[str]) -> str:
    """What all of them begin with."""
    return os.path.commonprefix(texts)  # noqa: RUF071 - character by character is what is meant


def told(of: Item, posts: tuple[Post, ...]) -> str:
    """All that the planner reads, system text first."""
    llm = Scripted(plan={"aspects": []})
    guidance = Guidance(("a",))
    good(
        plan(
            of.question, posts, model(llm), prompts(), PlanRules(), guidance=guidance, words=100
        )
    )  # fmt: skip
    return "".join(message.content for message in llm.requests[0].messages)


def told_to_writers(of: Item, posts: tuple[Post, ...]) -> list[str]:
    """All that the writers of the paper's setting read."""
    llm = Scripted(paper_expected="Yes.", paper_avoided="No.")
    for stance in ("expected", "avoided"):
        wait(
            write_paper(
                of.question, posts, rubric("an aspect"), stance, model(llm), prompts(),
                PlanRules(), words=100, draw=0,
            )
        )  # fmt: skip
    return ["".join(message.content for message in request.messages) for request in llm.requests]


def test_prompts_with_a_history_share_all_bytes_up_to_the_question(corpus_of: CorpusOf) -> None:
    own, partner = asked_by("u00"), asked_by("u01", question="Where do I keep the bread?")
    asker = asked_by("u02", question="Is rye bread good for the heart?")
    corpus = corpus_of([own, partner, asker])
    (as_other,) = [
        posts for posts in candidates(corpus).histories(asker, asker.user) if posts == own.profile
    ]
    # For the own question, for the partner's, and as an other.
    plans = [told(own, own.profile), told(partner, own.profile), told(asker, as_other)]
    papers = told_to_writers(own, own.profile) + told_to_writers(partner, own.profile)
    for read_by in (plans, papers):
        shared = common(read_by)
        assert shared.endswith("</post>\n</history>\n\n<question>\n")
        assert all(of.text in shared for of in own.profile)
