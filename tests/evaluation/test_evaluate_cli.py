"""`pairwright evaluate` on a real port: what is asked, what is stored, what is written and said."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from audited import jsonl
from endpoint import Endpoint, double, in_thread
from pairwright.cli.evaluation import print_evaluation
from pairwright.errors import ConfigError, InputError, Interrupted
from pairwright.evaluation.benchmark import Benchmark, PairPlace
from pairwright.evaluation.conditions import CONDITIONS
from pairwright.evaluation.evaluate import EvaluationResult, evaluate, leaderboard
from pairwright.evaluation.leaderboard_page import given_away
from pairwright.evaluation.scores import read_scores
from pairwright.evaluation.settings import (
    Scorers,
    load_scorers,
    scorer_settings,
    with_scorers,
)
from pairwright.lines import read_lines
from pairwright.progress import Event, Step, Stop
from released import PAIRS, placebo, run_of
from study import pairwright

ALL = tuple(CONDITIONS)


def settings(url: str) -> Scorers:
    tables = {
        "endpoints": {"toy": {"base_url": url, "model": "toy-judge", "concurrency": 8}},
        "scorers": {name: {"kind": kind, "endpoint": "toy"}
                    for name, kind in (("judge", "pairwise"), ("rater", "pointwise"))},
    }  # fmt: skip
    return Scorers.model_validate(tables)


class Work(NamedTuple):
    """A release, a folder for results, and the server that the scorers ask."""

    release: Path
    out: Path
    endpoint: Endpoint

    def evaluated(self, *names: str, conditions: Any = None, **more: Any) -> EvaluationResult:
        of, out = settings(self.endpoint.url), self.out
        return evaluate(self.release, of, out, names=names, conditions=conditions, **more)

    def written(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.out.glob("*.*.json*")}


@pytest.fixture
def work(small_release: Path, tmp_path: Path) -> Iterator[Work]:
    with in_thread(double()) as endpoint:
        yield Work(small_release, tmp_path / "out", endpoint)


def test_an_evaluation_that_is_run_again_asks_nothing_and_writes_the_same(
    work: Work, capfd: pytest.CaptureFixture[str]
) -> None:
    names, conditions = ["judge", "overlap"], ["none", "profile"]
    done = work.evaluated(*names, conditions=conditions)
    tables = [(one.about.scorer.name, one.about.condition) for one in done.tables]
    assert tables == [(name, shown) for name in names for shown in conditions]
    assert not any(row.short for row in done.board.entries.values())
    before, asked = work.written(), work.endpoint.n
    assert asked > 50
    work.evaluated(*names, conditions=conditions)
    assert leaderboard([work.out]).entries.keys() == done.board.entries.keys()
    assert (work.endpoint.n, work.written()) == (asked, before)
    assert capfd.readouterr() == ("", "")


def test_an_evaluation_that_is_stopped_goes_on(work: Work) -> None:
    stop = Stop()

    def once(event: Event) -> None:
        if isinstance(event, Step) and event.done == 1:
            assert stop.request()

    with pytest.raises(Interrupted):
        work.evaluated("rater", progress=once, stop=stop)
    assert len(work.endpoint.asked) > 0
    assert not work.written()
    assert work.evaluated("rater").tables
    assert max(work.endpoint.by_identity.values()) == 1, "what was stored is not asked again"


@pytest.mark.parametrize(
    ("name", "condition", "out", "error", "meant"),
    [
        ("longr", "none", "out", ConfigError, "Did you mean 'longer'?"),
        ("longer", "profil", "out", InputError, "Did you mean 'profile'?"),
        ("longer", "none", "{release}/results", InputError, "is inside the release"),
    ],
)
def test_a_mistake_is_an_error_before_anything_is_written(
    name: str, condition: str, out: str, error: type[Exception], meant: str,
    small_release: Path, tmp_path: Path,
) -> None:  # fmt: skip
    folder = tmp_path / out.format(release=small_release)
    with pytest.raises(error) as caught:
        evaluate(small_release, None, folder, names=[name], conditions=[condition])
    assert meant in str(caught.value)
    assert not list(folder.glob("*.*.json"))


def test_an_evaluation_ends_in_15_lines(
    small_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With all baselines in all conditions, on two modes. Scorers of the file are not asked."""
    done = evaluate(small_release, settings("http://127.0.0.1:1"), tmp_path, conditions=ALL)
    print_evaluation(done, tmp_path)
    said = capsys.readouterr().out
    assert len(said.splitlines()) <= 15, said
    said = " ".join(said.split())
    assert "Next, with" in said
    assert "read the user? Not shown: accuracy +" in said
    assert "50.0 % (exact)" in said


def test_results_of_other_pairs_are_not_mixed_or_replaced(tmp_path: Path) -> None:
    def pairs(name: str, chosen: str) -> Path:
        rows = [{"prompt": f"How {n}?", "chosen": chosen, "rejected": "No."} for n in range(6)]
        return jsonl(tmp_path / name, *rows)

    out = tmp_path / "out"
    evaluate(pairs("first.jsonl", "Yes, so."), None, out, names=["longer"])
    before = {path: path.read_bytes() for path in out.glob("*.*.json*")}
    for other in (pairs("other.jsonl", "Yes, thus."), pairs("first.jsonl", "Yes.")):
        with pytest.raises(InputError, match=r"has results of .*first") as error:
            evaluate(other, None, out, names=["overlap"])
        assert "--out" in error.value.fix
    assert {path: path.read_bytes() for path in out.glob("*.*.json*")} == before


def test_a_scorer_of_a_file_has_a_name_of_its_own_in_lower_case() -> None:
    for name in ("Big", "longer"):
        with pytest.raises(ValidationError, match=name):
            Scorers.model_validate({"scorers": {name: {"kind": "classifier", "model": "m"}}})


def test_paths_in_a_file_of_scorers_start_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "scorers.toml"
    path.write_text('prompts = "mine"\n[scorers.a]\nkind = "scores"\npath = "a.csv"\n')
    assert load_scorers(path).scorers["a"].path == str(tmp_path / "a.csv")  # type: ignore[union-attr]
    with pytest.raises(ConfigError, match=f"there is no folder {tmp_path / 'mine'}"):
        scorer_settings(path)


def test_of_twins_alone_the_usual_conditions_are_theirs(
    small_release: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = pairwright("evaluate", small_release, "--out", out, "--scorer", "overlap", "--limit", 2)
    assert done.code == 0, done.said
    assert "wrong-profile is left out: twins and placebos already compare two users." in done.said
    assert f"leaderboard {out} --out board" in done.said
    assert {path.stem for path in out.glob("*.*.json")} == {"overlap.none", "overlap.profile"}


class Half:
    """Has a score for every second candidate."""

    def __init__(self) -> None:
        self.n = 0

    def score(self, candidates: Any) -> list[float | None]:
        return [None if len(one.response) % 2 else 1.0 for one in candidates]


def test_a_scorer_of_too_few_pairs_ends_with_1_and_says_why(work: Work) -> None:
    spec = f"python:{__file__}:Half"
    out = work.out
    done = pairwright(
        "evaluate", work.release, "--out", out, "--scorer", spec, "--condition", "profile"
    )
    assert done.code == 1, done.said
    assert "half.profile: no pair has a score (no score); 95% are needed." in done.said


def test_a_file_without_scores_of_placebos_is_shown_and_not_ranked(tmp_path: Path) -> None:
    pairs = [*PAIRS, *chain(*map(placebo, range(8)))]
    run, out, scores = run_of(tmp_path / "run", pairs, study=False), tmp_path / "out", "theirs.csv"
    ids = [pair.id for pair in pairs if pair.mode != "placebo"]
    lines = ["pair,condition,chosen,rejected", *(f"{id},profile,1,0" for id in ids)]
    (tmp_path / scores).write_text("\n".join(lines))
    asked = ["--scorer", "longer", "--scorer", f"scores:{tmp_path / scores}"]
    done = pairwright("evaluate", run, "--out", out, *asked, "--condition", "profile")
    said = " ".join(done.said.split())
    assert (done.code, "theirs.profile: no pair has a score" in said) == (1, True), done.said
    assert "corrected twin accuracy" in said
    done = pairwright("leaderboard", out, "--out", tmp_path / "board")
    assert (done.code, "-100" in done.said) == (0, False), done.said
    told = (tmp_path / "board" / "leaderboard.md").read_text()
    assert "Not ranked: theirs.profile (no placebo or no twin is scored in full)." in told


@pytest.mark.parametrize(
    ("given", "name", "kind"),
    [
        ("hf:maker/Reward-Model-V2", "reward-model-v2", "classifier"),
        ("openai:gpt-x@http://127.0.0.1:8000/v1", "gpt-x", "pairwise"),
        ("scores:theirs/Scores.csv", "scores", "scores"),
        (f"python:{__file__}:Half", "half", "python"),
    ],
)
def test_a_scorer_needs_no_file(given: str, name: str, kind: str) -> None:
    made, names = with_scorers(Scorers(), [given, "longer", given])
    assert names == (name, "longer")
    assert made.scorers[name].kind == kind
    with pytest.raises(InputError, match=f"are both called {name}"):
        with_scorers(made, [given])


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("openai:gpt-x@nowhere", "openai:MODEL@URL"),
        ("python:mine.py", "python:FILE.py:CLASS"),
        ("python:nofile.py:X", "--scorer python:nofile.py:X: no such file nofile.py"),
        ("hf:", "hf:ORG/NAME"),
    ],
)
def test_a_form_that_is_not_whole_is_refused(given: str, what: str) -> None:
    with pytest.raises(InputError) as error:
        with_scorers(Scorers(), [given])
    assert what in str(error.value)


def test_a_key_goes_to_no_server_without_encryption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    for address, key in (("http://h/v1", None), ("https://h/v1", "OPENAI_API_KEY")):
        made, _ = with_scorers(Scorers(), [f"openai:m@{address}"])
        assert made.endpoints["m"].api_key_env == key


def test_anybodys_pairs_are_evaluated_in_the_conditions_that_they_allow(tmp_path: Path) -> None:
    rows = [
        {"prompt": "Why blue?", "response1": "Air does it.", "response2": "No.", "annotator1": 1},
        {"prompt": "Why salty?", "response1": "No.", "response2": "By rivers.", "annotator1": 2},
        {"prompt": "Why deep?", "response1": "No.", "response2": "So.", "annotator1": 0},
    ]
    path, out = jsonl(tmp_path / "theirs.jsonl", *rows), tmp_path / "out"
    asked = ["evaluate", path, "--out", out, "--scorer", "longer"]
    for label in ("first=1", "second=2", "tie=0"):
        asked += ["--label", label]
    done = pairwright(*asked)
    assert done.code == 0, done.said
    said = " ".join(done.said.split())
    for words in (
        "labels read as: 0 = tie, 1 = first, 2 = second",
        "ties: 1, which are no pairs",
        "No posts: this cannot show whether a scorer reads the user.",
    ):
        assert words in said
    assert "note:" not in said
    (table,) = read_scores([out])
    assert (table.about.condition, table.about.benchmark.kind) == ("none", "file")
    assert len(table.scores) == 2, "a tie is no pair"
    board = pairwright("leaderboard", out)
    assert (board.code, "100.0 %" in board.said) == (0, True)
    done = pairwright(*asked, "--condition", "profile")
    assert done.code == 2
    assert "no pair can be shown the user's earlier posts" in " ".join(done.said.split())


def test_one_right_against_several_wrong_is_one_question_with_its_chance(tmp_path: Path) -> None:
    """As in RewardBench 2: of `longer` a win, a tie, a loss, and in Ties half of the pairs."""
    questions: list[tuple[str, list[str], list[str]]] = [
        ("Math", ["a long one"], ["short", "so"]),
        ("Math", ["of two"], ["of 2", "so"]),
        ("Focus", ["of two"], ["a long one", "so"]),
        ("Ties", ["a long one", "so"], ["of two"]),
    ]
    rows = [
        {"prompt": f"Which, {n}?", "chosen": chosen, "rejected": rejected, "subset": subset}
        for n, (subset, chosen, rejected) in enumerate(questions)
    ]
    path, out = jsonl(tmp_path / "theirs.jsonl", *rows), tmp_path / "out"
    board = evaluate(path, None, out, names=["longer", "constant"]).board
    (ranking,) = board.rankings
    assert (ranking.mode, ranking.ranked) == ("questions", ("longer.none", "constant.none"))
    for name, value in (("longer.none", 0.5), ("constant.none", 0.375)):
        every = [one for one in board.entries[name].figures if one.name == "accuracy"]
        assert (every[0].group, every[0].value, every[0].n) == ("questions", value, 4)
        chances = {one.group: one.chance for one in every}
        third = pytest.approx(1 / 3, abs=1e-6)
        assert chances == {"questions": 0.375, "Math": third, "Focus": third, "Ties": 0.5}
    said = " ".join(pairwright("leaderboard", out, "--out", tmp_path / "board").said.split())
    assert "chance 37.5 %" in said
    assert "of 4 questions (chance: 37.5 %)" in said
    assert not given_away(board), "four questions decide nothing"
    some = evaluate(path, None, tmp_path / "some", names=["longer"], limit=1)
    assert len(some.tables[0].scores) == 2, "a question is taken whole"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["so", "no"], "100.0 % (88.6 to 100.0) of questions without the user; the bound"),
        (["of four words so"], "0.0 % (0.0 to 11.4) of pairs without the user; the bound"),
        (["of four words so", "of as many words"], ""),
    ],
)
def test_a_blind_scorer_beyond_the_bound_of_an_audit_is_said(
    tmp_path: Path, wrong: list[str], said: str
) -> None:
    row = {"chosen": "of three words", "rejected": wrong}
    path = jsonl(tmp_path / "a.jsonl", *(row | {"prompt": f"Which, {n}?"} for n in range(30)))
    done = pairwright("evaluate", path, "--out", tmp_path / "out", "--scorer", "longer").said
    assert said in (done := " ".join(done.split()))
    assert ("without the user" in done) == bool(said)


@pytest.mark.parametrize(
    ("ids", "told"),
    [("a b a a", "a b a#2 a#3"), ("a a#2 a", "a a#2 a#3"), ("a a a#2", "a a#2 a#2#2")],
)
def test_pairs_with_one_id_are_told_apart(tmp_path: Path, ids: str, told: str) -> None:
    row = {"prompt": "Why?", "chosen": "Because of it.", "rejected": "So."}
    path = jsonl(tmp_path / "same.jsonl", *(row | {"id": id} for id in ids.split()))
    made = evaluate(path, None, tmp_path / "out", names=["longer"])
    assert [one.pair for one in made.tables[0].scores] == told.split()
    places = [one.pair for one in read_lines(tmp_path / "out" / "ids.jsonl", PairPlace)]
    assert places == told.split()


def test_a_split_that_is_not_there_is_named_with_those_that_are(small_release: Path) -> None:
    with pytest.raises(InputError, match=r"no pairs in the split 'train'; it has \d+ in test\n"):
        Benchmark(small_release, "train")


def test_pairs_of_a_run_are_evaluated_and_said_to_be_unverified(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", PAIRS)
    done = pairwright("evaluate", run, "--out", tmp_path / "out", "--scorer", "longer")
    assert done.code == 0, done.said
    assert "of a build and not of a release: unverified" in " ".join(done.said.split())
