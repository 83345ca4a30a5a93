"""What a scorer is shown in each condition, and what comes of every pair."""

import asyncio
import math
import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from pairwright.errors import CallFailed, InputError, Interrupted
from pairwright.evaluation.benchmark import Benchmark, posts_of
from pairwright.evaluation.conditions import (
    CONDITIONS,
    ConditionName,
    ContentSources,
    Strangers,
    ask_fitting,
    item_of,
)
from pairwright.evaluation.scorers.scorer import (
    Baseline,
    Preference,
    PromptContent,
    ResponseScore,
    Scorer,
    ScorerRef,
    Unscored,
)
from pairwright.evaluation.scores import (
    Score,
    ScoresOf,
    choices_of,
    joined,
    score_pair,
    write_scores,
)
from pairwright.models.model import work_through
from pairwright.pairs import Layout, Row
from pairwright.records import Item, Post
from pairwright.settings.rules import HistoryRules
from released import PAIRS

ALL = HistoryRules(posts=1000, history_tokens=10_000_000)


@pytest.fixture(scope="session")
def release(small_release: Path) -> Path:
    return small_release


@pytest.fixture(scope="session")
def rows(release: Path) -> list[Row]:
    return list(Benchmark(release).rows())


class Scripted(NamedTuple):
    """A scorer whose answers a function gives."""

    given: Callable[[PromptContent, str], ResponseScore | Unscored]

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        return self.given(shown, response)


class Comparing(NamedTuple):
    """A judge whose verdicts a function gives."""

    given: Callable[[PromptContent, str, str], Preference | Unscored]

    async def prefer(self, shown: PromptContent, first: str, second: str) -> Preference | Unscored:
        return self.given(shown, first, second)


def scored(
    rows: list[Row],
    scorer: Scorer,
    condition: ConditionName = "profile",
    policy: HistoryRules = ALL,
) -> list[Score]:
    work = partial(score_pair, scorer=scorer, condition=condition, sources=sources_of(rows, policy))
    part = (row for row in rows if CONDITIONS[condition].applies(row))
    return asyncio.run(work_through(part, work, workers=4, stop=lambda: None))


def choice_of(score: Score) -> str:
    """The choice that the score makes, as the joined table has it."""
    choices = choices_of(pd.DataFrame([score.model_dump()]))
    return str(choices[0])


def sources_of(rows: list[Row], rules: HistoryRules = ALL) -> ContentSources:
    strangers = Strangers(map(item_of, rows), 0)
    return ContentSources(rules, strangers)


def shown_in(row: Row, condition: Any, rows: list[Row], rules: HistoryRules = ALL) -> Any:
    return CONDITIONS[condition].content(sources_of(rows, rules), row)


def posts_shown(row: Row, condition: str, rows: list[Row]) -> list[str]:
    shown = shown_in(row, condition, rows)
    assert not shown.aspects
    return [post.id for post in shown.posts]


def owners_of(rows: list[Row]) -> dict[str, str | None]:
    """The user of each post."""
    return {post.id: row.user for row in rows for post in row.profile}


# Where the content comes from


def test_nothing_the_own_posts_oldest_first_or_the_aspects_are_shown(rows: list[Row]) -> None:
    row = rows[0]
    aspects = tuple(one.aspect for one in row.rubric_aspects)
    assert shown_in(row, "none", rows) == PromptContent(row.question)
    assert posts_shown(row, "profile", rows) == [post.id for post in row.profile]
    assert shown_in(row, "rubric", rows) == PromptContent(row.question, (), aspects)


def test_a_wrong_profile_is_of_one_other_user_of_the_category(rows: list[Row]) -> None:
    owners = owners_of(rows)
    for row in rows:
        posts = posts_shown(row, "wrong-profile", rows)
        (user,) = {owners[post] for post in posts}
        assert user != row.user
        assert len(posts) <= len(row.profile)
    # It has no post younger than the question.
    early = rows[0].model_copy(update={"created": "2011-01-01T00:00:00.000"})
    shown = shown_in(early, "wrong-profile", rows)
    assert {post.created for post in shown.posts} == {"2010-05-01T12:00:00.000"}
    # A post that is dated by its day alone may be from after a question of that day.
    for day, asked, older in (
        ("2024-03-01", "2024-03-01T08:00", False),
        ("2024-02-29", "2024-03-01", True),
    ):
        other = Item(
            id="o", user="o", question="Why?", category="c", domain="d",
            profile=(Post(id="p", text="Of the day.", category="c", created=day),),
        )  # fmt: skip
        item = other.model_copy(update={"id": "i", "user": "i", "created": asked})
        assert bool(Strangers([item, other], 0).instead_of(item)) is older
    # It is never the partner's.
    twins: dict[str, set[str | None]] = {}
    for row in rows:
        if row.mode == "twin":
            twins.setdefault(row.item_id, set()).add(row.user)
    for seed, row in product(range(8), rows):
        drawn = Strangers(map(item_of, rows), seed).instead_of(item_of(row))
        assert drawn
        assert not twins.get(row.item_id, set()) & {owners[post.id] for post in drawn}


def test_a_wrong_profile_is_drawn_by_the_seed_and_not_for_twins(rows: list[Row]) -> None:
    def drawn(seed: int) -> list[object]:
        strangers = Strangers(map(item_of, rows), seed)
        return [strangers.instead_of(item_of(row)) for row in rows]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    applies = CONDITIONS["wrong-profile"].applies
    assert {row.mode for row in rows if applies(row)} == {"violate"}
    assert len(scored(rows, Baseline("longer"), "wrong-profile")) == len(PAIRS) // 3


# Controls by what the rubric cites, and by the twin's other user


def test_the_posts_that_the_rubric_cites_are_taken_out_or_shown_alone(rows: list[Row]) -> None:
    for row in rows:
        cited = {post for aspect in row.rubric_aspects for post in aspect.post_ids}
        own = [post.id for post in row.profile]
        assert cited
        assert posts_shown(row, "evidence-only", rows) == [one for one in own if one in cited]
        left = posts_shown(row, "profile-without-evidence", rows)
        assert left == [one for one in own if one not in cited]
        assert left
    # Without the evidence as many posts are shown, where there are as many.
    posts = [{"id": f"p{n}", "text": f"Posts about saws, number {n}."} for n in range(9)]
    aspect = {"aspect": "quiet tools", "post_ids": ["p8"]}
    row = Row.model_validate(
        {"id": "r", "question": "Which saw?", "chosen": "a", "rejected": "b", "profile": posts,
         "rubric_aspects": [aspect]}
    )  # fmt: skip
    for condition in ("profile", "profile-without-evidence"):
        assert len(shown_in(row, condition, [row], HistoryRules(posts=4)).posts) == 4


def test_a_pair_without_the_condition_is_counted_with_its_reason(rows: list[Row]) -> None:
    row = next(row for row in rows if row.mode == "twin")
    gold = [aspect.model_copy(update={"post_ids": ()}) for aspect in row.rubric_aspects]
    uncited = row.model_copy(update={"rubric_aspects": tuple(gold)})
    cited = {post for aspect in row.rubric_aspects for post in aspect.post_ids}
    bare = row.model_copy(update={"profile": tuple(p for p in row.profile if p.id in cited)})
    silent = row.model_copy(update={"profile": ()})
    alone = next(row for row in rows if row.mode == "violate")
    cases: tuple[tuple[Row, ConditionName, str], ...] = (
        (uncited, "profile-without-evidence", "no_cited_posts"),
        (uncited, "evidence-only", "no_cited_posts"),
        (bare, "profile-without-evidence", "no_other_posts"),
        (alone, "wrong-profile", "no_other_profile"),
        (silent, "profile", "no_profile"),
        (row.model_copy(update={"rubric_aspects": ()}), "rubric", "no_rubric"),
    )
    for given, condition, reason in cases:
        (decision,) = scored([given], Baseline("overlap"), condition)
        assert (choice_of(decision), decision.unscored.split(" (")[0]) == ("", reason)
    assert choice_of(scored([silent], Baseline("longer"), "none")[0])


# Histories that do not fit


def too_long(limit: int) -> Callable[[PromptContent], Awaitable[int | Unscored]]:
    async def ask(shown: PromptContent) -> int | Unscored:
        n = len(shown.posts)
        return Unscored("context_length") if n > limit else n

    return ask


@pytest.mark.parametrize("limit", [1, 2, 5, 10], ids=str)
def test_what_does_not_fit_loses_the_lowest_ranked_posts(rows: list[Row], limit: int) -> None:
    post = posts_of(rows[0])[0]
    relevant = post.model_copy(update={"id": "p0", "text": rows[0].question})
    others = [
        post.model_copy(update={"id": f"p{n}", "text": f"Nothing {n} of it."}) for n in range(1, 10)
    ]
    shown = PromptContent(rows[0].question, (relevant, *others))
    answer, fewer = asyncio.run(ask_fitting(shown, ALL, too_long(limit)))
    assert answer == len(fewer.posts) <= limit
    kept = [post.id for post in fewer.posts]
    assert kept[0] == "p0"
    # Of posts that bear equally little on the question the latest stay.
    assert kept[1:] == [f"p{n}" for n in range(10 - len(kept) + 1, 10)]
    # The last post stays, and then there is no score.
    answer, fewer = asyncio.run(ask_fitting(shown, ALL, too_long(0)))
    assert isinstance(answer, Unscored)
    assert len(fewer.posts) == 1


# Decisions


def test_the_higher_score_is_the_choice_and_equal_ones_are_a_tie(rows: list[Row]) -> None:
    first, second, third = rows[:3]
    worth = {first.chosen: 2.0, first.rejected: 1.0}
    decision = scored([first], Scripted(lambda _, text: ResponseScore(worth[text], 5)))[0]
    assert (choice_of(decision), decision.tokens) == ("chosen", 10)
    assert choice_of(scored([second], Baseline("constant"))[0]) == "tie"
    (lower,) = scored([third], Scripted(lambda _, text: ResponseScore(text == third.rejected)))
    assert choice_of(lower) == "rejected"


@pytest.mark.parametrize(
    ("forward", "backward", "choice"),
    [
        pytest.param("first", "first", "chosen", id="stable"),
        pytest.param("second", "second", "rejected", id="stable for the other"),
        pytest.param("first", "second", "tie", id="changes with the order"),
        pytest.param("tie", "tie", "tie", id="tie"),
        pytest.param("first", "tie", "tie", id="tie in one order"),
    ],
)
def test_a_verdict_that_changes_with_the_order_is_a_tie(
    rows: list[Row], forward: str, backward: str, choice: str
) -> None:
    judge = Comparing(lambda *_: Preference(forward, backward, 7))  # type: ignore[arg-type]
    (decision,) = scored(rows[:1], judge)
    assert (choice_of(decision), decision.tokens) == (choice, 7)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "nothing"])
def test_a_side_without_a_score_leaves_the_pair_without_one(rows: list[Row], value: Any) -> None:
    row = rows[0]
    other = Unscored("not_a_number", "") if value == "nothing" else ResponseScore(value)
    half = Scripted(lambda _, text: ResponseScore(1.0) if text == row.chosen else other)
    (decision,) = scored([row], half, "none")
    assert choice_of(decision) == ""
    assert decision.unscored.startswith("not_a_number")
    judge = Comparing(lambda *_: Unscored("unparseable", "both"))
    (decision,) = scored([row], judge)
    assert (choice_of(decision), decision.unscored) == ("", "unparseable (both)")


def test_a_failed_call_is_a_reason_and_the_others_go_on(rows: list[Row]) -> None:
    def given(_: PromptContent, response: str) -> ResponseScore:
        if response == rows[0].chosen:
            raise CallFailed("http_500", "it broke")
        return ResponseScore(float(len(response)))

    decisions = scored(rows, Scripted(given))
    assert [d.pair for d in decisions] == [row.id for row in rows]
    failed = [d for d in decisions if d.unscored]
    assert {d.unscored for d in failed} == {"call_failed:http_500 (it broke)"}
    assert rows[0].id in {d.pair for d in failed}

    def stopping(_: PromptContent, __: str) -> ResponseScore:
        raise Interrupted("stopping")

    with pytest.raises(Interrupted):
        scored(rows, Scripted(stopping))


def test_scores_hold_nothing_of_their_pairs_and_join_with_them(
    rows: list[Row], release: Path, tmp_path: Path
) -> None:
    scores = scored(rows, Baseline("longer"))
    written = "".join(one.model_dump_json() for one in scores)
    for row in rows:
        assert row.chosen not in written
        assert row.question not in written
    benchmark = Benchmark(release)
    ref = ScorerRef(name="longer", kind="baseline")
    about = ScoresOf(benchmark=benchmark.ref, path=".", scorer=ref, condition="profile")
    frame = joined(write_scores(tmp_path, about, scores), benchmark)
    assert list(frame.pair) == [row.id for row in rows]
    assert list(frame.cluster) == [row.cluster for row in rows]
    assert list(frame.unit) == [row.subject for row in rows]


# The release


def test_the_first_subjects_keep_twins_whole(release: Path) -> None:
    some = list(Benchmark(release).rows(limit=5))
    assert len({row.subject for row in some}) == 5
    halves = [row.twin_id for row in some if row.twin_id]
    assert all(halves.count(twin) == 2 for twin in halves)


def other_rows(copy: Path) -> None:
    part = next(copy.glob("data/*/*.parquet"))
    part.write_bytes(part.read_bytes() + b" ")


def other_planner(copy: Path) -> None:
    manifest = Layout(copy).manifest
    manifest.write_text(manifest.read_text().replace("judge-70b", "judge-8b"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (other_rows, r"is not the file that checksums\.sha256 names"),
        (lambda copy: Layout(copy).manifest.write_text("[]"), "is not the file that checksums"),
        (other_planner, "is not the file that checksums"),
        (shutil.rmtree, "no such file or folder"),
        (lambda copy: Layout(copy).manifest.unlink(), "a release without its manifest"),
    ],
    ids=["rows", "no manifest", "planner", "no folder", "no release"],
)
def test_what_is_not_the_release_that_was_written_is_refused(
    release: Path, tmp_path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    spoil(copy)
    with pytest.raises(InputError, match=message):
        Benchmark(copy)


# Results
