"""Completions: what is asked of whom, how near a text comes, and what is compared with what."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from endpoint import Asked, Handler, completion, in_thread
from golden import row, write
from pairwright.construct.folder import to_toml
from pairwright.evaluation.best_of_n import Sample, Sampled, SampleScores
from pairwright.evaluation.completions import (
    ROUGE,
    WRONG,
    refusal,
    result_of,
    rouge,
    shown_posts,
)
from pairwright.evaluation.conditions import Posts
from pairwright.evaluation.downstream import Downstream
from pairwright.evaluation.scorers.scorer import ScorerRef
from pairwright.records import Item
from pairwright.settings.rules import HistoryRules
from scripted import item, posts
from study import Done, pairwright

# ROUGE

GUNMAN = "police killed the gunman"


@pytest.mark.parametrize(
    ("written", "truth", "one", "longest"),
    [
        # Lin 2004, section 3.1: S1 with S2 and S3.
        ("police kill the gunman", GUNMAN, 0.75, 0.75),
        ("the gunman kill police", GUNMAN, 0.75, 0.5),
        ("", GUNMAN, 0.0, 0.0),
        # As rouge-score 0.1.2 gives it, with use_stemmer=False.
        ("It's 3.5 o'clock, isn't it?", "it is 3 5 o clock", 2 / 3, 2 / 3),
        ("a a a b", "a b b", 4 / 7, 4 / 7),
        # It knows no other letters.
        ("Хлеб из ржи", "хлеб РЖИ", 0.8, 0.8),
    ],
)
def test_rouge_is_the_published_one(written: str, truth: str, one: float, longest: float) -> None:
    assert rouge(written, truth) == pytest.approx((one, longest), abs=1e-6)


# Which items can be asked, and with what


def asked(narrative: str | None, *profile: str, question: str = "Which flour?") -> Item:
    return item(posts(*profile or ("I bake rye bread.",)), narrative=narrative, question=question)


OTHER = posts(*(f"Chain number {n} is rusty." for n in range(9)), prefix="other")
BODY = "I have tried two kinds of flour and neither of them rises as it should in my small oven."


@pytest.mark.parametrize(
    ("given", "other", "why"),
    [
        (asked(None), OTHER, "empty_body"),
        (asked(BODY, f"Which flour? {BODY.upper()}"), OTHER, "body_in_posts"),
        (asked(BODY, BODY.replace("two", "three")), OTHER, "body_in_posts"),
        (asked("flour", question="Which flour is best?"), OTHER, "body_in_title"),
        (asked(BODY), (), "no_other_profile"),
        (asked(BODY), OTHER, ""),
    ],
)
def test_an_item_is_asked_or_says_why_not(given: Item, other: Posts, why: str) -> None:
    assert refusal(given, other) == why


def test_own_posts_and_as_many_of_another_are_shown() -> None:
    given = asked(BODY, *(f"Flour number {n}." for n in range(5)))
    shown = shown_posts(given, OTHER, (8, 2), HistoryRules())
    assert list(shown) == ["none", WRONG, "posts-2", "posts-8"]
    assert [len(posts) for posts in shown.values()] == [0, 5, 2, 5]
    assert set(shown[WRONG]) < set(OTHER)
    assert shown["posts-8"] == given.profile


# Figures


def lines(name: str, *drawn: float, user: str = "", missing: str = "") -> list[Sample]:
    """The texts for an item in three conditions, with what they are worth."""
    worths = [("none", 0, 0.1), ("wrong-profile", 0, 0.2)]
    worths += [("posts-1", draw, worth) for draw, worth in enumerate(drawn)]
    return [
        Sample(
            id=name, user=user or f"user-{name}", condition=condition, draw=draw,
            text="a b", worth={} if missing == condition else dict.fromkeys(ROUGE, worth),
            unscored="unusable_reply" if missing == condition else "",
        )
        for condition, draw, worth in worths
    ]  # fmt: skip


def found_of(given: list[Sample], picks: list[SampleScores]) -> Downstream:
    policy = ScorerRef(name="policy", kind="policy", model="m")
    return result_of(Sampled([policy], given, picks), "a.jsonl")


def pick(item: str, *scores: float, **changes: Any) -> SampleScores:
    return SampleScores(question=item, scorer="s", scores=scores, **changes)


def test_a_pick_is_compared_with_the_mean_of_its_draws() -> None:
    given = [*lines("x", 0.2, 0.6), *lines("y", 0.4, 0.0)]
    found = found_of(given, [pick("x", 1, 2), pick("y", 5, 5)])
    expected = {"none": 0.1, "wrong-profile": 0.2, "posts-1": 0.3, "best-of-2-by-s": 0.4}
    for condition, value in expected.items():
        assert found.figure("ROUGE-1", condition).value == pytest.approx(value)
    best = found.figure("ROUGE-1", "best-of-2-by-s less posts-1")
    assert best.value == pytest.approx(0.1)
    assert (best.n, best.clusters) == (2, 2)
    # Every item differs by the same, so nothing shows a spread.
    assert found.figure("ROUGE-1", "wrong-profile less none").low is None
    assert "change ROUGE-1 by +0.200" in found.verdict


def test_an_item_counts_in_all_conditions_or_in_none() -> None:
    short = lines("y", 0.4, 0.0, missing="none")
    given = [*lines("x", 0.2, 0.6), *short, *lines("z", 0.4, 0.0)]
    picks = [pick("x", 1, 2), pick("y", 1, 2), pick("z", unscored="not_a_number")]
    found = found_of(given, picks)
    (part,) = found.parts
    assert (part.asked, part.counted, part.short) == (3, 1, True)
    assert part.unscored == {"best-of-2-by-s: not_a_number": 1, "none: unusable_reply": 1}
    assert found.figure("ROUGE-1", "none").n == 1
    nothing = found_of(short, picks[1:2])
    assert (nothing.figures, nothing.verdict[:7]) == ((), "No item")
    # The items of one user are one cluster.
    found = found_of([*lines("x", 0.2), *lines("y", 0.4, user="user-x")], [])
    assert {one.clusters for one in found.figures} == {1}


# The command


def source(folder: Path, *changes: dict[str, Any], items: int = 4) -> Path:
    """Items of different users, each with a body of its own; `changes` are to the first ones."""
    given = []
    for n in range(items):
        body = f"My loaf {n} does not rise, though dough number {n} was warm and wet."
        change = changes[n] if n < len(changes) else {}
        given.append(row(f"q-{n}", **{"narrative": body} | change))
    return write(folder / "items.jsonl", given)


def ran(folder: Path, handler: Handler, given: Path, *more: object, **sampling: float) -> Done:
    """The command, with the number of calls as the last word of what it says."""
    with in_thread(handler) as server:
        scorers = {
            "endpoints": {"near": {"base_url": server.url, "model": "m", "attempts": 1}},
            "policy": {"endpoint": "near", "sampling": sampling},
        }
        path = folder / "scorers.toml"
        path.write_text(to_toml(scorers))
        options = ("--scorers", path, "--out", folder / "out", *more)
        done = pairwright("downstream", "completions", given, *options)
        return done._replace(err=f"{done.err}\nsent {server.n}")


async def loaf(asked: Asked) -> web.StreamResponse:
    """Writes what was written of every loaf where posts stand in the prompt."""
    text = "My loaf does not rise." if "<post" in asked.said else "No idea."
    return web.json_response(completion(f"{text} {asked.body['seed']}"))


def report(folder: Path) -> Downstream:
    return Downstream.model_validate_json((folder / "out/completions.json").read_bytes())


def test_the_command_writes_in_every_condition_and_goes_on(tmp_path: Path) -> None:
    given = source(tmp_path)
    more = ("-k", 1, "-k", 2, "--scorer", "longer")
    done = ran(tmp_path, loaf, given, *more, seed=7)
    assert done.code == 0, done.said
    assert "This measures imitation of a user's writing" in done.said
    # Three conditions with one draw each, and one with eight.
    assert done.err.split()[-1] == str(4 * (3 + 8))
    found = report(tmp_path)
    rows = ["none", "wrong-profile", "posts-1", "posts-2", "best-of-8-by-longer"]
    assert [row[0] for row in found.table[1:6]] == rows
    none, own = (found.figure("ROUGE-1", name) for name in ("none", "posts-2"))
    assert (none.value or 0) < (own.value or 0)
    assert (own.n, own.clusters) == (4, 4)
    for name in ("completions.md", "completions.html"):
        assert "not evidence about answers" in (tmp_path / "out" / name).read_text()
    again = ran(tmp_path, loaf, given, *more, seed=7)
    assert (again.code, report(tmp_path), again.err.split()[-1]) == (0, found, "0")


def test_items_without_a_body_are_refused_and_counted(tmp_path: Path) -> None:
    told, other = {"narrative": "A question, number 1."}, {"category": "alchemy"}
    done = ran(tmp_path, loaf, source(tmp_path, {"narrative": ""}, told, other, items=5))
    assert done.code == 0, done.said
    found = report(tmp_path)
    for why in ("body_in_posts", "empty_body", "no_other_profile"):
        assert f"1 item was not asked, {why}." in found.notes
    assert found.parts[0].counted == 2
    done = ran(tmp_path, loaf, source(tmp_path, *[{"narrative": None}] * 4))
    assert done.code == 2
    assert "no item can be asked: 4 empty_body" in done.said
    assert done.err.split()[-1] == "0"
