"""`pairwright leaderboard --verify`: results are derived again from the replies beside them."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from endpoint import double, in_thread
from pairwright.dataset import Layout
from pairwright.dataset.layout import file_digest, write_checksums
from pairwright.evaluation.decision import PairDecision
from study import pairwright

FILE = """
[endpoints.toy]
base_url = "{url}"
model = "toy-judge"
[scorers.judge]
kind = "pairwise"
endpoint = "toy"
[scorers.rater]
kind = "pointwise"
endpoint = "toy"
[planner]
endpoint = "toy"
"""


class Evaluated(NamedTuple):
    release: Path
    results: Path
    scorers: Path


@pytest.fixture(scope="module")
def made(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """Results of an endpoint that is gone."""
    folder = tmp_path_factory.mktemp("verify")
    found = Evaluated(small_release, folder / "results", folder / "scorers.toml")
    with in_thread(double()) as endpoint:
        found.scorers.write_text(FILE.format(url=endpoint.url))
        done = pairwright(
            "evaluate", small_release, "--out", found.results, "--scorers", found.scorers,
            "--scorer", "judge", "--scorer", "rater", "--scorer", "overlap",
            "--condition", "none", "--condition", "profile", "--condition", "wrong-profile",
            "--condition", "planner", "--limit", 6,
        )  # fmt: skip
    assert done.code == 0, done.said
    return found


@pytest.fixture
def mine(made: Evaluated, tmp_path: Path) -> Evaluated:
    """Results that a test may change."""
    results = tmp_path / "results"
    results.mkdir()
    for path in made.results.iterdir():
        if path.suffix in (".json", ".jsonl", ".sqlite"):
            (results / path.name).write_bytes(path.read_bytes())
    scorers = tmp_path / "scorers.toml"
    scorers.write_bytes(made.scorers.read_bytes())
    return Evaluated(made.release, results, scorers)


def verified(of: Evaluated, *more: object) -> Any:
    return pairwright(
        "leaderboard", of.results, "--verify", of.release, "--scorers", of.scorers, *more
    )


def edit(of: Evaluated, before: str, after: str) -> None:
    of.scorers.write_text(of.scorers.read_text().replace(before, after, 1))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewrite(of: Evaluated, stem: str, number: int, **changes: object) -> str:
    """Change a line, and its checksum, so that the two files agree; the pair's id."""
    path = of.results / f"{stem}.jsonl"
    rows = lines(path)
    rows[number] |= changes
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = json.loads(path.with_suffix(".json").read_text())
    decisions = [PairDecision.model_validate(row) for row in rows]
    orders = [one.orders for one in decisions if one.orders]
    about["unstable"] = sum(first != second for first, second in orders)
    about["ties"] = sum(one.choice == "tie" for one in decisions)
    about["scored"] = sum(one.choice is not None for one in decisions)
    about["lines"] = file_digest(path)
    path.with_suffix(".json").write_text(json.dumps(about))
    return str(rows[number]["id"])


def test_results_are_what_their_replies_give_and_no_key_is_needed(mine: Evaluated) -> None:
    """The endpoint is gone, so that nothing can be asked."""
    model = 'model = "toy-judge"\n'
    edit(mine, model, f'{model}api_key_env = "PAIRWRIGHT_NO_SUCH_KEY"\n')
    done = verified(mine)
    assert done.code == 0, done.said
    assert "12 results are what the stored replies give" in " ".join(done.err.split())
    assert "judge" in done.out


def upside_down(row: dict[str, Any]) -> dict[str, object]:
    other = {"chosen": "rejected", "rejected": "chosen", "tie": "chosen"}
    if row["orders"]:
        return {"orders": [other[row["orders"][0]]] * 2}
    return {"chosen": row["rejected"] - 1, "rejected": row["chosen"]}


REPLIES = "and the stored replies give: "
LONG = ("rater.none", "judge.planner", "rater.wrong-profile")


def raised(row: dict[str, Any]) -> dict[str, object]:
    """The same choice by higher scores."""
    return {side: row[side] + 5 for side in ("chosen", "rejected")}


def dodged(row: dict[str, Any]) -> dict[str, object]:
    return {**dict.fromkeys(("chosen", "rejected", "orders")), "unscored": "context_length"}


@pytest.mark.parametrize(
    ("stem", "change", "said"),
    [
        ("judge.profile", upside_down, REPLIES),
        ("overlap.profile", upside_down, REPLIES),
        ("rater.profile", raised, "and the stored replies give "),
        ("judge.none", dodged, f"no score (context_length), {REPLIES}"),
        *(pytest.param(stem, upside_down, REPLIES, marks=pytest.mark.real) for stem in LONG),
    ],
)
def test_a_verdict_that_was_changed_with_its_checksum_is_found(
    mine: Evaluated, stem: str, change: Any, said: str
) -> None:
    path = mine.results / f"{stem}.jsonl"
    name = rewrite(mine, stem, 1, **change(lines(path)[1]))
    # The files agree with each other, so a leaderboard of them is made.
    assert pairwright("leaderboard", mine.results).code == 0
    done = verified(mine)
    assert done.code == 1, done.said
    assert f"{path}, pair {name}: " in done.err
    assert said in done.err
    assert "nothing is ranked" in done.err
    assert not done.out


def test_a_score_without_a_stored_reply_is_found(mine: Evaluated) -> None:
    with closing(sqlite3.connect(mine.results / "calls.sqlite")) as database:
        database.execute("DELETE FROM calls WHERE purpose = 'rate'")
        database.commit()
    done = verified(mine)
    assert done.code == 1
    assert "and no reply is stored that would say so" in done.err


KIND = 'kind = "pairwise"\n'


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda of: (of.results / "calls.sqlite").unlink(), "calls.sqlite: is not there"),
        (lambda of: edit(of, "[endpoints", "seed = 7\n[endpoints"), "[seed]: is of another seed"),
        (lambda of: edit(of, KIND, f"{KIND}sampling = {{ temperature = 0.5 }}\n"),
         "[scorer]: is of another scorer: settings b2:"),
    ],
    ids=["no store", "another seed", "another scorer"],
)  # fmt: skip
def test_what_cannot_be_derived_is_refused(mine: Evaluated, spoil: Any, what: str) -> None:
    spoil(mine)
    done = verified(mine)
    assert done.code == 2, done.said
    assert what in done.err


def test_another_release_is_refused(mine: Evaluated, tmp_path: Path) -> None:
    other = Layout(Path(shutil.copytree(mine.release, tmp_path / "other")))
    manifest = json.loads(other.manifest.read_bytes())
    other.manifest.write_text(json.dumps(manifest | {"version": "2.0.0"}), encoding="utf-8")
    write_checksums(other.root)
    done = verified(mine._replace(release=other.root))
    assert done.code == 2, done.said
    assert "[release]: is of another release" in done.err
    done = pairwright("leaderboard", mine.results, "--scorers", mine.scorers)
    assert done.code == 2
    assert "is only for --verify" in done.err
