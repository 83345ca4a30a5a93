"""Prefix-first: calls that share a history begin with the same bytes and come close together."""

import os.path
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct import corpus as corpora
from pairwright.construct.candidates import Candidates
from pairwright.construct.corpus import Corpus, nearest
from pairwright.records import Item, Post
from pairwright.settings.domains import Guidance
from pairwright.settings.rules import PlanRules, TwinRules
from pairwright.stages.planner import plan
from pairwright.stages.writer import write_paper
from scripted import Scripted, good, item, model, post, prompts, rubric, wait

OTHERS = 5
NAMES = [f"u{n:02}" for n in range(40)]


def test_the_nearest_stand_on_both_sides_so_that_nearness_is_mutual() -> None:
    counted = Counter(other for name in NAMES for other in islice(nearest(NAMES, name), OTHERS))
    assert counted == dict.fromkeys(NAMES, OTHERS)
    place = {name: n for n, name in enumerate(NAMES)}
    for name in NAMES:
        near = list(islice(nearest(NAMES, name), 6))
        steps = [(place[other] - place[name]) % len(NAMES) for other in near]
        assert steps == [1, 39, 2, 38, 3, 37]
        assert all(name in islice(nearest(NAMES, other), 6) for other in near)


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


def test_calls_that_share_a_history_are_few_units_apart(corpus_of: CorpusOf) -> None:
    corpus = corpus_of([asked_by(name) for name in NAMES])
    found, read = candidates(corpus), dict[str, list[int]]()
    for place, position in enumerate(corpus.in_reading_order(range(len(NAMES)))):
        of = corpus.item(position)
        others = [posts[0].id.split("-")[0] for posts in found.histories(of, of.user)]
        for name in {of.user, *others}:
            read.setdefault(name, []).append(place)
    gaps = [later - place for n in read.values() for place, later in pairwise(n)]
    # All but the few whose readers stand on both sides of where the circle is cut open.
    assert sum(gap == 1 for gap in gaps) >= len(gaps) - 2 * OTHERS


def test_every_item_is_read_once_and_those_of_a_user_in_a_category_together(
    corpus_of: CorpusOf,
) -> None:
    items = [asked_by(name) for name in NAMES]
    items += [asked_by(name, id=f"second-{name}", category="diy") for name in NAMES[::3]]
    items += [asked_by(name, id=f"third-{name}") for name in NAMES[::2]]
    work = list(corpus_of(items).in_reading_order(range(len(items))))
    assert sorted(work) == list(range(len(items)))
    blocks = [(items[position].category, items[position].user) for position in work]
    assert sum(a != b for a, b in pairwise(blocks)) == len(set(blocks)) - 1


def test_a_limit_takes_the_first_items_and_their_order_decides_nothing(corpus_of: CorpusOf) -> None:
    items = [asked_by(name) for name in NAMES]
    both = corpus_of(items), corpus_of(items[::-1])
    assert sorted(both[0].in_reading_order(range(7))) == list(range(7))
    first, second = (
        [one.item(n).id for n in one.in_reading_order(range(len(NAMES)))] for one in both
    )
    assert first == second
    assert len({corpus_of(items, seed).blocks[0].users for seed in range(10)}) == 10


def test_many_users_of_a_category_are_looked_at_in_blocks(
    corpus_of: CorpusOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "BLOCK", 15)
    corpus = corpus_of([asked_by(name) for name in NAMES])
    assert [len(block.users) for block in corpus.blocks] == [15, 15, 10]
    found = candidates(corpus)
    for block in corpus.blocks:
        for user in block.users:
            assert set(found.of(corpus.longest_item(user)).users) < set(block.users)


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
