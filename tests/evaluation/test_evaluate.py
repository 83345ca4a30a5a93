"""What a scorer is shown in each condition, and the score of every pair."""

import asyncio
import shutil
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from decided import frame_of, line_of
from pairwright.errors import CallFailed, InputError
from pairwright.evaluation.benchmark import Benchmark
from pairwright.evaluation.conditions import (
    CONDITIONS,
    ConditionName,
    ContentSources,
    ScorerHistory,
    Strangers,
    ask_fitting,
    item_of,
)
from pairwright.evaluation.evaluate import score_pair
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
    joined,
    write_scores,
)
from pairwright.models.model import work_through
from pairwright.pairs import Layout, Row
from pairwright.records import Post
from pairwright.settings.rules import HistoryRules


@pytest.fixture(scope="module")
def rows(small_release: Path) -> list[Row]:
    return list(Benchmark(small_release).rows())


class Scripted(NamedTuple):
    """A scorer whose answers a function gives."""

    given: Callable[..., Any]

    async def score(self, shown: PromptContent, response: str) -> ResponseScore | Unscored:
        found: ResponseScore | Unscored = self.given(shown, response)
        return found


class Comparing(NamedTuple):
    """A judge with these verdicts."""

    given: Preference

    async def prefer(self, _: PromptContent, __: str, ___: str) -> Preference:
        return self.given


def scored(rows: list[Row], scorer: Scorer, condition: ConditionName = "profile") -> list[Score]:
    work = partial(score_pair, scorer=scorer, condition=condition, sources=sources_of(rows))
    part = (row for row in rows if CONDITIONS[condition].applies(row))
    return asyncio.run(work_through(part, work, workers=4, stop=lambda: None))


ALL_POSTS = ScorerHistory()


def sources_of(rows: list[Row], rules: HistoryRules = ALL_POSTS) -> ContentSources:
    return ContentSources(rules, Strangers(map(item_of, rows), 0))


def shown_in(row: Row, condition: Any, rows: list[Row], rules: HistoryRules = ALL_POSTS) -> Any:
    return CONDITIONS[condition].content(sources_of(rows, rules), row)


def posts_shown(row: Row, condition: str, rows: list[Row]) -> list[str]:
    return [post.id for post in shown_in(row, condition, rows).posts]


def changed(row: Row, **fields: Any) -> Row:
    return Row(**dict(row) | fields)


# Conditions


def test_each_condition_shows_its_own(rows: list[Row]) -> None:
    for row in rows:
        aspects = tuple(one.aspect for one in row.rubric_aspects)
        assert shown_in(row, "none", rows) == PromptContent(row.question)
        assert shown_in(row, "rubric", rows) == PromptContent(row.question, (), aspects)
        own = [post.id for post in row.profile]
        assert posts_shown(row, "profile", rows) == own
        cited = {post for aspect in row.rubric_aspects for post in aspect.post_ids}
        left = [one for one in own if one not in cited]
        assert posts_shown(row, "profile-without-evidence", rows) == left
        few = shown_in(row, "profile", rows, HistoryRules(posts=1))
        assert len(few.posts) == min(1, len(row.profile))


def test_as_many_posts_are_shown_without_the_evidence_if_there_are_as_many() -> None:
    posts = [{"id": f"p{n}", "text": f"Posts about saws, number {n}."} for n in range(9)]
    aspect = {"aspect": "quiet tools", "post_ids": ["p8"]}
    row = Row.model_validate(
        {"id": "r", "question": "Which saw?", "chosen": "a", "rejected": "b", "profile": posts,
         "rubric_aspects": [aspect]}
    )  # fmt: skip
    for condition in ("profile", "profile-without-evidence"):
        assert len(shown_in(row, condition, [row], HistoryRules(posts=4)).posts) == 4


def test_a_wrong_profile_is_drawn_from_one_other_user_who_is_no_partner(rows: list[Row]) -> None:
    owners = {post.id: row.user for row in rows for post in row.profile}
    askers: dict[str, set[str | None]] = {}
    for row in rows:
        askers.setdefault(row.item_id, set()).add(row.user)
        assert len(posts_shown(row, "wrong-profile", rows)) <= len(row.profile)
    drawn = {
        seed: [Strangers(map(item_of, rows), seed).instead_of(item_of(row)) for row in rows]
        for seed in range(4)
    }
    for row, posts in chain(*(zip(rows, of, strict=True) for of in drawn.values())):
        assert posts
        (user,) = {owners[post.id] for post in posts}
        assert user not in askers[row.item_id]
    assert drawn[1] != drawn[2]
    assert {row.mode for row in rows if CONDITIONS["wrong-profile"].applies(row)} == {"violate"}
    # It has no post younger than the question.
    early = shown_in(changed(rows[0], created="2011-01-01T00:00:00.000"), "wrong-profile", rows)
    assert {post.created for post in early.posts} == {"2010-05-01T12:00:00.000"}


def uncited(row: Row) -> Row:
    bare = (type(one)(**dict(one) | {"post_ids": ()}) for one in row.rubric_aspects)
    return changed(row, rubric_aspects=tuple(bare))


def only_cited(row: Row) -> Row:
    cited = {post for aspect in row.rubric_aspects for post in aspect.post_ids}
    return changed(row, profile=tuple(post for post in row.profile if post.id in cited))


@pytest.mark.parametrize(
    ("mode", "change", "condition", "reason"),
    [
        ("twin", uncited, "profile-without-evidence", "no_cited_posts"),
        ("twin", only_cited, "profile-without-evidence", "no_other_posts"),
        ("violate", lambda row: row, "wrong-profile", "no_other_profile"),
        ("twin", lambda row: changed(row, profile=()), "profile", "no_profile"),
        ("twin", lambda row: changed(row, rubric_aspects=()), "rubric", "no_rubric"),
        ("twin", lambda row: changed(row, profile=()), "none", ""),
    ],
)
def test_a_pair_without_the_condition_has_a_reason(
    rows: list[Row], mode: str, change: Callable[[Row], Row], condition: str, reason: str
) -> None:
    row = change(next(row for row in rows if row.mode == mode))
    (score,) = scored([row], Baseline("longer"), condition)
    assert score.unscored.split(" (")[0] == reason
    assert (score.chosen is None) is bool(reason)


@pytest.mark.parametrize("limit", [0, 1, 5, 10], ids=str)
def test_what_does_not_fit_loses_the_lowest_ranked_posts(rows: list[Row], limit: int) -> None:
    async def ask(shown: PromptContent) -> int | Unscored:
        posts.append([post.id for post in shown.posts])
        n = len(shown.posts)
        return Unscored("context_length") if n > limit else n

    posts: list[list[str]] = []

    relevant = Post(id="p0", text=rows[0].question, category="c")
    others = [Post(id=f"p{n}", text=f"Nothing {n} of it.", category="c") for n in range(1, 10)]
    shown = PromptContent(rows[0].question, (relevant, *others))
    answer = asyncio.run(ask_fitting(shown, ALL_POSTS, ask))
    kept = posts[-1]
    # Of posts that bear equally little on the question the latest stay.
    assert kept == ["p0", *(f"p{n}" for n in range(10 - len(kept) + 1, 10))]
    if limit:
        assert answer == len(kept) <= limit
    else:  # The last post stays, and then there is no score.
        assert (isinstance(answer, Unscored), len(kept)) == (True, 1)


# Scores


ONE = ResponseScore(1.0)


def scores(chosen: Any, rejected: Any = ONE) -> Callable[[Row], Scorer]:
    return lambda row: Scripted(lambda _, text: chosen if text == row.chosen else rejected)


def verdicts(forward: Any, backward: Any) -> Callable[[Row], Scorer]:
    return lambda _: Comparing(Preference(forward, backward, 7))


@pytest.mark.parametrize(
    ("scorer", "choice", "why"),
    [
        (scores(ResponseScore(2.0, 5)), "chosen", ""),
        (scores(ResponseScore(0.0)), "rejected", ""),
        (scores(ONE), "tie", ""),
        (verdicts("rejected", "rejected"), "rejected", ""),
        (verdicts("chosen", "rejected"), "tie", ""),
        (verdicts("chosen", "tie"), "tie", ""),
        (scores(ONE, Unscored("no_score")), "", "no_score"),
        (verdicts(*[Unscored("unparseable", "both")] * 2), "", "unparseable (both)"),
        (verdicts("chosen", Unscored("cut_short")), "", "cut_short"),
        (verdicts(Unscored("cut_short"), "tie"), "", "cut_short"),
    ],
)
def test_the_higher_score_is_the_choice_and_a_verdict_that_changes_with_the_order_is_a_tie(
    rows: list[Row], scorer: Callable[[Row], Scorer], choice: str, why: str
) -> None:
    (score,) = scored(rows[:1], scorer(rows[0]))
    line = line_of(score.pair, None, None, cluster="user")._replace(score=score)
    assert (frame_of([line]).choice.item(), score.unscored) == (choice, why)
    if why == "cut_short":  # The verdict in one order is kept, and is no score.
        assert (score.forward, score.backward) in {("chosen", None), (None, "tie")}


def test_a_failed_call_is_a_reason_and_the_others_go_on(rows: list[Row]) -> None:
    def given(_: PromptContent, response: str) -> ResponseScore:
        if response == rows[0].chosen:
            raise CallFailed("http_500", "it broke")
        return ResponseScore(float(len(response)))

    found = scored(rows, Scripted(given))
    assert [one.pair for one in found] == [row.id for row in rows]
    failed = {one.pair: one.unscored for one in found if one.unscored}
    assert failed[rows[0].id] == "call_failed:http_500 (it broke)"
    assert len(failed) < len(found)


def test_scores_hold_nothing_of_their_pairs_and_join_with_them(
    rows: list[Row], small_release: Path, tmp_path: Path
) -> None:
    found, benchmark = scored(rows, Baseline("longer")), Benchmark(small_release)
    written = "".join(one.model_dump_json() for one in found)
    assert not any(text in written for row in rows for text in (row.chosen, row.question))
    ref = ScorerRef(name="longer", kind="baseline")
    about = ScoresOf(benchmark=benchmark.ref, path=".", scorer=ref, condition="profile")
    frame = joined(write_scores(tmp_path, about, found), benchmark)
    keys = [(row.id, row.cluster, row.subject) for row in rows]
    assert list(zip(frame.pair, frame.cluster, frame.unit, strict=True)) == keys


# The release


def test_what_is_not_the_release_that_was_written_is_refused(
    small_release: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(small_release, tmp_path / "copy"))
    part = next(copy.glob("data/*/*.parquet"))
    part.write_bytes(part.read_bytes() + b" ")
    with pytest.raises(InputError, match=r"is not the file that checksums\.sha256 names"):
        Benchmark(copy)
    Layout(copy).manifest.unlink()
    with pytest.raises(InputError, match="neither a release"):
        Benchmark(copy)
    with pytest.raises(InputError, match="no such file or folder"):
        Benchmark(tmp_path / "gone")
