"""`pairwright evaluate` on a real port: what is asked, what is stored, what is written and said."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from decided import RELEASE
from endpoint import Endpoint, double, double_url, in_thread
from pairwright.cli.evaluation import uncovered
from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.leaderboard import gather_results
from pairwright.evaluation.release import Release
from pairwright.evaluation.results import (
    Result,
    ResultSummary,
    ScorerRef,
    summary_lines,
    write_result,
)
from pairwright.evaluation.settings import Scorers, load_scorers
from pairwright.models.store import Store
from pairwright.progress import Note
from pairwright.workflows.evaluation import EvaluationResult, evaluate
from study import pairwright

ALL = tuple(CONDITIONS)


def settings(url: str, **more: object) -> Scorers:
    tables = {
        "endpoints": {"toy": {"base_url": url, "model": "toy-judge", "concurrency": 8}},
        "scorers": {name: {"kind": kind, "endpoint": "toy"}
                    for name, kind in (("judge", "pairwise"), ("rater", "pointwise"))},
        "planner": {"endpoint": "toy"},
    }  # fmt: skip
    return Scorers.model_validate(tables | more)


class Work(NamedTuple):
    """A release, a folder for results, and the server that the scorers ask."""

    release: Path
    folder: Path
    endpoint: Endpoint

    def evaluated(
        self,
        *names: str,
        conditions: tuple[str, ...] = ("profile",),
        out: str = "out",
        limit: int | None = None,
        scorers: Scorers | None = None,
        **more: Any,
    ) -> dict[str, ResultSummary]:
        """`more` are tables of the file of scorers."""
        of, folder = scorers or settings(self.endpoint.url, **more), self.folder / out
        made = evaluate(self.release, of, folder, names=names, conditions=conditions, limit=limit)
        return {one.about.stem: one.about for one in made.results}


@pytest.fixture
def work(small_release: Path, tmp_path: Path) -> Iterator[Work]:
    with in_thread(double()) as endpoint:
        yield Work(small_release, tmp_path, endpoint)


def summary(**changes: object) -> ResultSummary:
    """Of 15 pairs."""
    fields: dict[str, object] = {
        "release": RELEASE, "scorer": ScorerRef(name="mine", kind="python"), "pairs": 15,
        "condition": "wrong-profile", "scored": 0, "ties": 0, "unstable": 0, "unscored": {},
        "units": 15, "units_scored": 0, "shortened": 0, "prompt_tokens": 0,
        "completion_tokens": 0,
    }  # fmt: skip
    return ResultSummary.model_validate(fields | changes)


@pytest.mark.real
def test_an_evaluation_that_is_run_again_asks_nothing_and_writes_the_same(work: Work) -> None:
    def written() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (work.folder / "out").glob("*.json*")}

    made = work.evaluated("judge", "rater", "overlap", conditions=ALL)
    assert len(made) == 3 * len(ALL)
    assert {about.pairs for about in made.values()} == {24, 8}
    assert all(about.scored == about.pairs for about in made.values())
    before, asked = written(), work.endpoint.n
    assert asked > 100
    work.evaluated("judge", "rater", "overlap", conditions=ALL)
    assert work.endpoint.n == asked
    assert written() == before


def test_tokens_in_and_out_are_those_of_the_stored_calls_and_are_priced(work: Work) -> None:
    of = settings(work.endpoint.url)
    toy = of.endpoints["toy"].model_copy(update={"price_in": 2.0, "price_out": 5.0})
    priced = of.model_copy(update={"endpoints": {"toy": toy}})
    made = work.evaluated("rater", conditions=("none",), scorers=priced)["rater.none"]
    with closing(Store(work.folder / "out" / "run.sqlite")) as store:
        totals = store.totals()
    # Both halves of a twin ask the same of a rater that sees nobody: each call counts once.
    assert made.prompt_tokens == totals.prompt_tokens
    assert made.completion_tokens == totals.completion_tokens
    cost = (2 * totals.prompt_tokens + 5 * totals.completion_tokens) / 1e6
    assert made.cost == pytest.approx(cost, abs=1e-6)
    free = work.evaluated("rater", "longer", conditions=("none", "planner"))
    assert free["rater.none"].cost is None
    assert free["rater.none"].prompt_tokens == made.prompt_tokens
    # A planner's calls are part of what its condition takes, for a baseline as well.
    assert (free["longer.planner"].prompt_tokens or 0) > 0
    assert free["longer.none"].prompt_tokens == 0


def test_blind_requests_are_sent_once_for_both_halves_and_hold_no_post(work: Work) -> None:
    work.evaluated("rater", "overlap", conditions=("none",))
    # Eight twins and eight violate pairs, two responses each: the halves of a twin share theirs.
    assert len(work.endpoint.by_identity) == work.endpoint.n == 2 * 8 + 2 * 8
    rows = list(Release(work.release).rows())
    said = "\n".join(request.said for request in work.endpoint.asked)
    assert not any(row.narrative and row.narrative in said for row in rows)
    assert not any(post.text in said for row in rows for post in row.profile)


def test_a_result_says_that_its_scorer_built_the_release(small_release: Path) -> None:
    builders = Release(small_release).ref.builders
    about = summary(
        release=RELEASE.model_copy(update={"builders": builders}),
        scorer=ScorerRef(name="own", kind="pairwise", model="JUDGE-70B"),
    )
    assert "  its model is the build's judge and planner" in "\n".join(summary_lines(about, []))
    plain = about.model_copy(update={"scorer": ScorerRef(name="other", kind="dpo", model="x/y")})
    assert not any("its model is" in one for one in summary_lines(plain, []))


def test_scorers_are_shown_the_posts_that_people_saw_unless_all_are_asked_for(work: Work) -> None:
    """The study showed the planner's ten best posts; the release has three of each user."""
    usual, ten, every = (
        work.evaluated("overlap", out=f"history-{n}", history=history)["overlap.profile"]
        for n, history in enumerate([{}, {"posts": 10}, {"posts": "all"}])
    )
    assert every.history == ""
    assert ten.history == usual.history != ""
    unread = Path(shutil.copytree(work.release, work.folder / "unread"))
    shutil.rmtree(unread / "human")
    about = work._replace(release=unread).evaluated("overlap")["overlap.profile"]
    assert about.history == ""


def test_rules_that_contradict_what_people_saw_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scorers.toml"
    path.write_text('[history]\nretrieval = "recency"\n')
    with pytest.raises(ConfigError, match="ranked by 'bm25', not by 'recency'"):
        load_scorers(path)
    path.write_text('[history]\nretrieval = "recency"\nposts = 5\n')
    rules = load_scorers(path).history.rules(10)
    assert (rules.posts, rules.retrieval) == (5, "recency")


def test_results_say_by_which_rules_posts_were_shown(work: Work) -> None:
    def of(out: str, **more: Any) -> dict[str, ResultSummary]:
        conditions = ("none", "profile", "wrong-profile", "planner")
        made = work.evaluated("overlap", conditions=conditions, limit=4, out=out, **more)
        return {about.condition: about for about in made.values()}

    plain, fewer, drawn = of("a"), of("b", history={"posts": 1}), of("c", seed=1)
    warm = of("d", planner={"endpoint": "toy", "sampling": {"temperature": 1.0}})
    assert (plain["none"].limit, plain["none"].release.pairs) == (4, 24)
    assert plain["none"].history == fewer["none"].history == ""
    for condition in ("profile", "wrong-profile"):
        assert plain[condition].history != fewer[condition].history
    assert plain["wrong-profile"].seed != drawn["wrong-profile"].seed
    assert plain["profile"] == drawn["profile"]
    assert plain["planner"].planner != warm["planner"].planner
    paths = ("a/overlap.profile", "b/overlap.none", "b/overlap.wrong-profile")
    with pytest.raises(InputError, match="another history"):
        gather_results([work.folder / f"{path}.json" for path in paths])


def test_scorers_of_the_file_that_are_not_asked_are_named(work: Work) -> None:
    """Without names the baselines are tried; of twins the blind ones have no interval."""
    events: list[object] = []
    said: list[str] = []
    evaluate(
        work.release, settings("http://127.0.0.1:1"), work.folder, conditions=("none",),
        progress=events.append,
        on_result=lambda about, decisions: said.extend(summary_lines(about, decisions)),
    )  # fmt: skip
    assert Note("Not asked, because --scorer names none: judge, rater.") in events
    assert "twin right 50.0 % (by identity), n = " in " ".join(said)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ('[scorers.Big]\nkind = "served"\nendpoint = "toy"', "lower case"),
        ('[scorers.longer]\nkind = "pairwise"\nendpoint = "toy"', "baseline"),
        ('[scorers.a]\nkind = "pairwise"\nendpoint = "nowhere"', "'nowhere'"),
        ('[scorers.a]\nkind = "classifier"', "scorers.a.model"),
        ("[scorers.a]\nmodel = 'm'", r"\[scorers\.a\]: has no kind"),
        ("[scorers.a]\nkind = 'pairwize'", r"kind is 'pairwize', and must be one of 'classifier'"),
        ("[scorer.a]\nkind = 1", r"\[scorer"),
        ("[scorers.a", "not TOML"),
    ],
    ids=[
        "capitals", "a baseline's name", "no endpoint", "no model", "no kind", "unknown kind",
        "unknown table", "no TOML",
    ],
)  # fmt: skip
def test_a_wrong_file_of_scorers_is_refused(tmp_path: Path, table: str, complaint: str) -> None:
    path = tmp_path / "scorers.toml"
    toy = f'[endpoints.toy]\nbase_url = "{double_url()}"\nmodel = "m"\n'
    path.write_text(toy + table + "\n")
    with pytest.raises(ConfigError, match=complaint):
        load_scorers(path)


def test_a_split_that_is_not_there_is_named_with_those_that_are(small_release: Path) -> None:
    with pytest.raises(InputError, match=r"no pairs in the split 'train'; it has \d+ in test\n"):
        Release(small_release, "train")


def test_of_twins_alone_the_usual_conditions_are_theirs(
    small_release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = pairwright("evaluate", small_release, "--out", out, "--scorer", "overlap", "--limit", 2)
    assert done.code == 0, done.said
    assert "wrong-profile is left out" in done.said
    assert f"leaderboard {out} --out board" in done.said
    assert {path.stem for path in out.glob("*.*.json")} == {"overlap.none", "overlap.profile"}


@pytest.mark.parametrize(
    ("scored", "why", "short"),
    [
        pytest.param(13, "no_other_profile", False, id="nobody to show"),
        pytest.param(13, "not_a_number", True, id="the scorer's own"),
        pytest.param(0, "no_other_profile", True, id="nothing scored"),
    ],
)
def test_coverage_is_of_the_pairs_that_the_release_lets_a_scorer_be_shown(
    scored: int, why: str, short: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = scored if why == "no_other_profile" else 15
    of = summary(scored=scored, unscored={why: 15 - scored}, units=units, units_scored=scored)
    result = EvaluationResult(tmp_path, (Result(write_result(tmp_path, of, [])),))
    assert uncovered(result) == short
    assert bool(capsys.readouterr().err) == short
