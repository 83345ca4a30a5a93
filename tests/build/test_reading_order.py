"""Prefix-first: calls that share a history begin with the same bytes and come close together."""

import os.path
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.build_rules import NeighbourRing
from pairwright.construct.candidates import choose_others
from pairwright.construct.corpus import Corpus, UnitTask, all_units
from pairwright.records import Item, Post
from pairwright.settings.domains import Guidance
from pairwright.settings.rules import PlanRules, TwinRules
from pairwright.stages.planner import plan
from pairwright.stages.writer import write_paper
from scripted import Scripted, good, item, model, post, prompts, rubric, settings, wait

OTHERS = 5
NAMES = [f"u{n:02}" for n in range(40)]
TWO_MODES: tuple[str, ...] = ("twin", "violate")
SURVEY: tuple[UnitTask, ...] = ("survey",)
ALL: tuple[UnitTask, ...] = ("survey", "twin", "violate")


def circle(names: list[str] = NAMES, seed: int = 0) -> NeighbourRing:
    return NeighbourRing(names, seed)


def nearest(of: NeighbourRing, name: str, count: int = OTHERS) -> list[str]:
    return list(islice(of.nearest(name), count))


# The circle


def test_the_nearest_stand_on_both_sides_so_that_nearness_is_mutual() -> None:
    for seed in range(20):
        of = circle(seed=seed)
        counted = Counter(other for name in NAMES for other in nearest(of, name))
        assert counted == dict.fromkeys(NAMES, OTHERS)
        # The circle is that of its seed and not of the source's order.
        assert circle(NAMES[::-1], seed).users == of.users
    assert len({tuple(circle(seed=seed).users) for seed in range(10)}) == 10
    place = {name: n for n, name in enumerate(of.users)}
    assert sorted(of.users) == NAMES
    for name in NAMES:
        steps = [(place[other] - place[name]) % len(NAMES) for other in nearest(of, name, 6)]
        assert steps == [1, 39, 2, 38, 3, 37]
        assert all(name in nearest(of, other, 6) for other in nearest(of, name, 6))


# The order of work

CorpusOf = Callable[..., Corpus]


@pytest.fixture
def corpus_of(tmp_path: Path) -> Iterator[CorpusOf]:
    """Write items to a corpus in which anybody suits anybody; it is closed after the test."""
    with ExitStack() as stack:

        def write(items: list[Item], **config: Any) -> Corpus:
            path = tmp_path / f"items-{len(list(tmp_path.iterdir()))}.jsonl"
            corpus = stack.enter_context(closing(Corpus.write(items, path, settings(**config))))
            corpus.tried = choose_others(
                corpus, TwinRules(min_relevant=0), OTHERS, language=lambda _: "en"
            )
            return corpus

        yield write


def history(name: str) -> tuple[Post, ...]:
    return tuple(post(f"{name}-{n}", f"{name} wrote {n}.", f"{2010 + n}-01-01") for n in range(4))


def asked_by(name: str, **changes: Any) -> Item:
    return item(**{"profile": history(name), "id": f"q-{name}", "user": name} | changes)


def test_calls_that_share_a_history_are_few_units_apart(corpus_of: CorpusOf) -> None:
    corpus = corpus_of([asked_by(name) for name in NAMES])
    read: dict[str, list[int]] = {}
    for place, unit in enumerate(all_units(corpus, ("twin",), SURVEY)):
        of = corpus.item(unit.item)
        others = [posts[0].id.split("-")[0] for posts in corpus.others(of, of.user)]
        for name in {of.user, *others}:
            read.setdefault(name, []).append(place)
    gaps = [later - place for n in read.values() for place, later in pairwise(n)]
    # All but the few whose readers stand on both sides of where the circle is cut open.
    assert sum(gap == 1 for gap in gaps) >= len(gaps) - 2 * OTHERS


def test_every_item_and_mode_is_one_unit_at_its_place_of_the_source(corpus_of: CorpusOf) -> None:
    items = [asked_by(name) for name in NAMES]
    items += [asked_by(name, id=f"second-{name}", category="diy") for name in NAMES[::3]]
    items += [asked_by(name, id=f"third-{name}") for name in NAMES[::2]]
    corpus = corpus_of(items)
    work = list(all_units(corpus, TWO_MODES, ALL))
    built = [unit for unit in work if unit.mode != "survey"]
    assert sorted(unit.position for unit in built) == list(range(2 * len(items)))
    for unit in built:
        assert unit.id == f"{unit.mode}:{items[unit.item].id}"
        assert unit.position == 2 * unit.item + TWO_MODES.index(unit.mode)
    surveys = [unit for unit in work if unit.mode == "survey"]
    assert sorted(unit.position for unit in surveys) == list(range(-len(items), 0))
    assert all(unit.position == -1 - unit.item for unit in surveys)
    # The tasks of an item, the items of a user in a category.
    blocks = [(items[unit.item].category, items[unit.item].user) for unit in work]
    assert sum(a != b for a, b in pairwise(blocks)) == len(set(blocks)) - 1


def test_a_limit_takes_the_first_items_and_their_order_decides_nothing(corpus_of: CorpusOf) -> None:
    items = [asked_by(name) for name in NAMES]
    corpus, turned = corpus_of(items), corpus_of(items[::-1])
    limited = all_units(corpus, ("twin",), SURVEY, items=range(7))
    assert sorted(unit.item for unit in limited) == list(range(7))
    first, second = ([u.id for u in all_units(one, TWO_MODES, ALL)] for one in (corpus, turned))
    assert first == second


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
    (as_other,) = [posts for posts in corpus.others(asker, asker.user) if posts == own.profile]
    # For the own question, for the partner's, and as an other.
    plans = [told(own, own.profile), told(partner, own.profile), told(asker, as_other)]
    papers = told_to_writers(own, own.profile) + told_to_writers(partner, own.profile)
    for read_by in (plans, papers):
        shared = common(read_by)
        assert shared.endswith("</post>\n</history>\n\n<question>\n")
        assert all(of.text in shared for of in own.profile)
