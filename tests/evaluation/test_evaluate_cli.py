"""`pairwright evaluate` on a real port: what is asked, what is stored, what is written and said."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from decided import RELEASE
from endpoint import Endpoint, double, double_url, in_thread, say
from pairwright.assets import DOCS
from pairwright.cli.evaluation import print_result, uncovered
from pairwright.dataset import Layout
from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.board.inputs import gather_results
from pairwright.evaluation.conditions import CONDITIONS
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
from pairwright.workflows.evaluation import EvaluationResult, evaluate
from pairwright.workflows.progress import Note
from study import pairwright

ALL = tuple(CONDITIONS)


@pytest.fixture(scope="module")
def release(small_release: Path) -> Path:
    return small_release


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with in_thread(double()) as served:
        yield served


def settings(url: str, **more: object) -> Scorers:
    toy = {"base_url": url, "model": "toy-judge", "concurrency": 8}
    judge = {"kind": "pairwise", "endpoint": "toy"}
    rater = {"kind": "pointwise", "endpoint": "toy"}
    return Scorers.model_validate(
        {
            "endpoints": {"toy": toy},
            "scorers": {"judge": judge, "rater": rater},
            "planner": {"endpoint": "toy"},
            **more,
        }
    )


def evaluated(
    release: Path, out: Path, of: Scorers, *names: str, conditions: tuple[str, ...] = ALL,
    limit: int | None = None,
) -> dict[str, ResultSummary]:  # fmt: skip
    result = evaluate(release, of, out, names=names, conditions=conditions, limit=limit)
    return {one.about.stem: one.about for one in result.results}


def summary(**changes: object) -> ResultSummary:
    """Of 15 pairs."""
    fields: dict[str, object] = {
        "release": RELEASE, "scorer": ScorerRef(name="mine", kind="python"), "pairs": 15,
        "condition": "wrong-profile", "scored": 0, "ties": 0, "unstable": 0, "unscored": {},
        "units": 15, "units_scored": 0, "shortened": 0, "tokens": 0, "prompt_tokens": 0,
        "completion_tokens": 0,
    }  # fmt: skip
    return ResultSummary.model_validate(fields | changes)


def written(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.json*"))}


@pytest.mark.real
def test_an_evaluation_that_is_run_again_asks_nothing_and_writes_the_same(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    of = settings(endpoint.url)
    made = evaluated(release, tmp_path / "out", of, "judge", "rater", "overlap")
    assert len(made) == 3 * len(ALL)
    assert {about.pairs for about in made.values()} == {24, 16, 8}
    assert all(about.scored == about.pairs for about in made.values())
    before, asked = written(tmp_path / "out"), len(endpoint.asked)
    assert asked > 100
    evaluated(release, tmp_path / "out", of, "judge", "rater", "overlap")
    assert len(endpoint.asked) == asked
    assert written(tmp_path / "out") == before


def test_tokens_in_and_out_are_those_of_the_stored_calls_and_are_priced(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    of = settings(endpoint.url)
    toy = of.endpoints["toy"].model_copy(update={"price_in": 2.0, "price_out": 5.0})
    priced = of.model_copy(update={"endpoints": {"toy": toy}})
    made = evaluated(release, tmp_path / "a", priced, "rater", conditions=("none",))["rater.none"]
    with closing(Store(tmp_path / "a" / "calls.sqlite")) as store:
        totals = store.totals()
    # Both halves of a twin ask the same of a rater that sees nobody: each call counts once.
    assert (made.prompt_tokens, made.completion_tokens) == (
        totals.prompt_tokens, totals.completion_tokens,
    )  # fmt: skip
    assert made.tokens == totals.prompt_tokens + totals.completion_tokens
    cost = (2 * totals.prompt_tokens + 5 * totals.completion_tokens) / 1e6
    assert made.cost == pytest.approx(cost, abs=1e-6)
    free = evaluated(release, tmp_path / "a", of, "rater", "longer", conditions=("none", "planner"))
    assert free["rater.none"].cost is None
    assert free["rater.none"].prompt_tokens == made.prompt_tokens
    # A planner's calls are part of what its condition takes, for a baseline as well.
    assert (free["longer.planner"].prompt_tokens or 0) > 0
    assert free["longer.none"].prompt_tokens == 0


def test_blind_requests_are_sent_once_for_both_halves_of_a_twin_and_hold_no_post(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    of = settings(endpoint.url)
    made = evaluated(release, tmp_path / "out", of, "rater", "overlap", conditions=("none",))
    asked = [request.identity for request in endpoint.asked]
    assert len(asked) == len(set(asked))
    # Eight twins and eight violate pairs, two responses each: the halves of a twin share theirs.
    assert len(asked) == 2 * 8 + 2 * 8
    rows = list(Release(release).rows())
    said = "\n".join(request.said for request in endpoint.asked)
    assert not any(row.narrative and row.narrative in said for row in rows)
    assert not any(post.text in said for row in rows for post in row.profile)
    # The model of these tests is the embedded one.
    assert made["rater.none"].simulated
    assert not made["overlap.none"].simulated


def test_judges_are_asked_in_both_orders(release: Path, tmp_path: Path, endpoint: Endpoint) -> None:
    evaluated(release, tmp_path / "out", settings(endpoint.url), "judge", conditions=("rubric",))
    orders = {request.said for request in endpoint.asked}
    for row in Release(release).rows():
        first = f'<response name="A">\n{row.chosen}\n'
        second = f'<response name="A">\n{row.rejected}\n'
        assert any(first in said for said in orders)
        assert any(second in said for said in orders)


def test_a_result_says_that_its_scorer_built_the_release(release: Path, tmp_path: Path) -> None:
    builders = Release(release).ref.builders
    about = summary(
        release=RELEASE.model_copy(update={"builders": builders}),
        scorer=ScorerRef(name="own", kind="pairwise", model="JUDGE-70B"),
    )
    (line,) = (one for one in summary_lines(about, []) if "Self-preference" in one)
    assert "own is the build's planner and judge (the planner was judge-70b, the judge was" in line
    plain = about.model_copy(update={"scorer": ScorerRef(name="other", kind="dpo", model="x/y")})
    assert not any("Self-preference" in one for one in summary_lines(plain, []))


def test_with_the_partners_posts_a_judge_is_asked_nothing_new(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    for names in (("judge",), ("rater",)):
        given = settings(endpoint.url)
        evaluated(release, tmp_path / names[0], given, *names, conditions=("profile",))
        asked = len(endpoint.asked)
        (about,) = evaluated(
            release, tmp_path / names[0], given, *names, conditions=("partner-profile",)
        ).values()
        assert about.scored == about.pairs > 0
        assert len(endpoint.asked) == asked


def test_scorers_are_shown_the_posts_that_people_saw_unless_all_are_asked_for(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    """The study showed the planner's ten best posts; the release has three of each user."""

    def of(name: str, **more: object) -> ResultSummary:
        given = settings(endpoint.url, **more)
        made = evaluated(release, tmp_path / name, given, "overlap", conditions=("profile",))
        return made["overlap.profile"]

    usual, every = of("usual"), of("all", history={"posts": "all"})
    assert (usual.as_people, every.as_people, every.history) == (True, False, "")
    assert of("ten", history={"posts": 10}).history == usual.history != ""
    shutil.copytree(release, tmp_path / "unread")
    shutil.rmtree(tmp_path / "unread" / "human")
    made = evaluated(tmp_path / "unread", tmp_path / "out", settings(endpoint.url), "overlap",
                     conditions=("profile",))  # fmt: skip
    assert (made["overlap.profile"].as_people, made["overlap.profile"].history) == (False, "")


def test_rules_that_contradict_what_people_saw_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "scorers.toml"
    path.write_text('[history]\nretrieval = "recency"\n')
    with pytest.raises(ConfigError, match="ranked by 'bm25', not by 'recency'"):
        load_scorers(path)
    path.write_text('[history]\nretrieval = "recency"\nposts = 5\n')
    rules = load_scorers(path).history.rules(10)
    assert (rules.posts, rules.retrieval) == (5, "recency")


def test_results_say_by_which_rules_posts_were_shown(
    release: Path, tmp_path: Path, endpoint: Endpoint
) -> None:
    conditions = ("none", "profile", "wrong-profile", "planner")

    def of(name: str, **more: object) -> dict[str, ResultSummary]:
        given = settings(endpoint.url, **more)
        made = evaluated(release, tmp_path / name, given, "overlap", conditions=conditions, limit=4)
        return {about.condition: about for about in made.values()}

    plain, fewer, drawn = of("a"), of("b", history={"posts": 1}), of("c", seed=1)
    warm = of("d", planner={"endpoint": "toy", "sampling": {"temperature": 1.0}})
    assert plain["none"].history == fewer["none"].history == ""
    for condition in ("profile", "wrong-profile"):
        assert plain[condition].history != fewer[condition].history
    assert plain["wrong-profile"].seed != drawn["wrong-profile"].seed
    assert plain["profile"] == drawn["profile"]
    assert plain["planner"].planner != warm["planner"].planner
    with pytest.raises(InputError, match=r"another \[history\]"):
        gather_results(
            [
                tmp_path / "a" / "overlap.profile.json",
                tmp_path / "b" / "overlap.none.json",
                tmp_path / "b" / "overlap.wrong-profile.json",
            ]
        )


@pytest.mark.parametrize("what", ["model", "served", "prompt"])
def test_a_planner_that_shares_model_or_prompt_with_the_releases_is_marked(
    release: Path, tmp_path: Path, endpoint: Endpoint, what: str
) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    for path in (Path(__file__).parents[2] / "prompts").glob("*.md"):
        (prompts / path.name).write_text(path.read_text())
    plan = prompts / "plan.md"
    plan.write_text(plan.read_text() + "\nThink of the person once more.\n")
    of = settings(endpoint.url, prompts=str(prompts))
    toy = of.endpoints["toy"]
    other = "judge-70b" if what == "model" else "Org/Judge-70B"
    named = {"toy": toy, "other": toy.model_copy(update={"model": other})}
    alone = of.model_copy(update={"endpoints": named})
    (tmp_path / "a").mkdir()
    assert not evaluated(release, tmp_path / "a", alone, "overlap", conditions=("planner",))[
        "overlap.planner"
    ].self_agreement
    assert of.planner
    if what != "prompt":
        same = of.planner.model_copy(update={"endpoint": "other"})
        alone = alone.model_copy(update={"planner": same})
    else:
        alone = alone.model_copy(update={"prompts": None})
    assert evaluated(release, tmp_path / "a", alone, "overlap", conditions=("planner",))[
        "overlap.planner"
    ].self_agreement


def test_scorers_of_the_file_that_are_not_asked_are_named(release: Path, tmp_path: Path) -> None:
    """Without names the baselines are tried; of twins the blind ones have no interval."""
    events: list[object] = []
    said: list[str] = []
    evaluate(
        release, settings("http://127.0.0.1:1"), tmp_path / "out", conditions=("none",),
        progress=events.append,
        on_result=lambda about, decisions: said.extend(summary_lines(about, decisions)),
    )  # fmt: skip
    assert Note("Not asked, because --scorer names none: judge, rater.") in events
    assert "twin right 50.0 % (by identity), n = " in " ".join(said)


def test_a_limit_keeps_twins_whole_and_is_told(release: Path, tmp_path: Path) -> None:
    made = evaluated(release, tmp_path / "out", Scorers(), "longer", conditions=("none",), limit=3)
    about = made["longer.none"]
    assert about.limit == 3
    assert about.pairs in (3, 4, 5, 6)
    assert about.release.pairs == 24


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
def test_a_file_of_scorers_that_is_wrong_is_refused(
    tmp_path: Path, table: str, complaint: str
) -> None:
    path = tmp_path / "scorers.toml"
    toy = f'[endpoints.toy]\nbase_url = "{double_url()}"\nmodel = "m"\n'
    path.write_text(toy + table + "\n")
    with pytest.raises(ConfigError, match=complaint):
        load_scorers(path)


def test_a_scorer_that_is_not_there_is_named_with_those_that_are(
    release: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"there is no scorer 'skywork'\n.*overlap"):
        evaluated(release, tmp_path / "out", Scorers(), "skywork", conditions=("none",))


def test_a_judge_that_says_both_has_no_verdict_and_the_command_ends_short(
    release: Path, tmp_path: Path
) -> None:
    with in_thread(say('{"reason": "Alike.", "verdict": "both"}')) as endpoint:
        config = tmp_path / "scorers.toml"
        config.write_text(
            f'[endpoints.toy]\nbase_url = "{endpoint.url}"\nmodel = "m"\n'
            '[scorers.judge]\nkind = "pairwise"\nendpoint = "toy"\n'
        )
        done = pairwright(
            "evaluate", release, "--out", tmp_path / "out", "--scorers", config,
            "--scorer", "judge", "--condition", "none",
        )  # fmt: skip
    assert done.code == 1
    assert "0 of 24 pairs have a score (24 unparseable)" in done.said
    assert f"What each reason means: {DOCS / 'evaluate.md'}" in done.said
    about = json.loads((tmp_path / "out" / "judge.none.json").read_text())
    assert about["unscored"] == {"unparseable": 24}


def test_a_release_that_was_changed_is_refused(release: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    Layout(copy).manifest.write_text("{}")
    done = pairwright("evaluate", copy, "--out", tmp_path / "out")
    assert done.code == 2
    assert "manifest.json [name]: not a release's manifest" in done.said


def test_of_twins_alone_the_usual_conditions_are_those_that_they_have(
    release: Path, tmp_path: Path
) -> None:
    done = pairwright(
        "evaluate", release, "--out", tmp_path / "out", "--scorer", "overlap", "--limit", "2"
    )
    assert done.code == 0, done.said
    assert "wrong-profile is left out" in done.said
    assert f"leaderboard {tmp_path / 'out'} --out board" in done.said
    assert {path.stem for path in (tmp_path / "out").glob("*.*.json")} == {
        "overlap.none", "overlap.profile",
    }  # fmt: skip


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
    assert uncovered(result, 0.95) == short
    assert bool(capsys.readouterr().err) == short


def test_pairs_that_count_as_wrong_are_told_from_those_that_do_not_count(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unscored = {"no_score": 3, "no_other_profile": 2}
    about = summary(scored=10, unscored=unscored, units=13, units_scored=10)
    print_result(about, [])
    lines = capsys.readouterr().out.splitlines()
    assert "  without a score, counted as wrong: 3 no_score" in lines
    assert any(line.startswith("  not counted,") and "2 no_other" in line for line in lines)


def test_a_split_that_is_not_there_is_named_with_those_that_are(release: Path) -> None:
    with pytest.raises(InputError, match=r"no pairs in the split 'train'; it has \d+ in test\n"):
        Release(release, "train")


def test_the_help_names_every_condition() -> None:
    text = pairwright("evaluate", "--help").out
    for name in CONDITIONS:
        assert name in text
