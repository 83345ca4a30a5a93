"""`pairwright diff` and history.jsonl: what changed between two releases, and why."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pairwright.dataset import Layout, Part
from pairwright.records import Pair, content_id
from pairwright.releases.changes import EITHER, SubjectHashes, subject_changes
from pairwright.releases.primary import UnitOutcome, Version, read_primary
from released import (
    DOMAINS,
    INFO,
    question,
    right,
    rows,
    run_of,
    subjects,
    twinned,
    violated,
    written,
)
from small_studies import user_of
from study import Done, pairwright
from tampering import Damage, dropped, halved, piped, replaced


def pairs_of(*numbers: int) -> list[Pair]:
    """The pairs about these questions, each of the domain it has by its number."""
    return [pair for n in numbers for pair in question(n, DOMAINS[n % 2])]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Questions 0 to 3, all verified. Not to be changed."""
    folder = tmp_path_factory.mktemp("first")
    return written(run_of(folder / "run", pairs_of(0, 1, 2, 3)), folder / "out")


def diff(before: Layout, after: Layout, *options: str) -> Done:
    done = pairwright("diff", before.root, after.root, *options)
    assert done.code == 0, done.said
    return done


def told(before: Layout, after: Layout) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(diff(before, after, "--json").out)
    return found


def counts(found: dict[str, Any] | Version) -> list[tuple[str, str, str, int]]:
    if isinstance(found, Version):
        return [(of.config, of.what, of.reason, of.pairs) for of in found.changes]
    return [tuple(of.values()) for of in found["counts"]]


def line(layout: Layout) -> Version:
    return read_primary(layout).history[-1]


def next_release(
    first: Layout, folder: Path, pairs: list[Pair], version: str = "1.1.0", **options: Any
) -> Layout:
    run = run_of(folder / f"run {version}", pairs, **options)
    return written(run, folder / version, version, previous=first.root)


# What differs


def test_the_first_version_adds_everything_and_the_same_nothing(
    first: Layout, tmp_path: Path
) -> None:
    (added,) = read_primary(first).history
    assert counts(added) == [
        (config, "added", "first release", 4 if config.endswith("twin") else 2)
        for config in ("Garden-twin", "Garden-violate", "Home-twin", "Home-violate")
    ]
    assert (added.previous, added.previous_digest) == (None, None)
    assert "No pair was added, removed or changed." in diff(first, first).out
    again = next_release(first, tmp_path, pairs_of(0, 1, 2, 3))
    assert line(again).changes == ()
    assert told(first, again)["subjects"] == told(first, again)["counts"] == []


def test_what_people_refused_or_what_waits_has_its_reason(first: Layout, tmp_path: Path) -> None:
    usual, waits = right({"Question 2, how is it done?"}), violated(0, DOMAINS[0])

    def answer(task: Any, subject: Any) -> Any:
        open_ = task.subject == waits.id and task.kind == "rubric"
        return None if open_ else usual(task, subject)

    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), answer=answer)
    assert counts(told(first, second)) == counts(line(second)) == [
        ("Garden-twin", "removed", "refused: preference: for_the_other", 2),
        ("Garden-violate", "removed", "refused: preference: for_the_other", 1),
        ("Garden-violate", "removed", "waiting", 1),
    ]  # fmt: skip
    assert line(second).pairs == 8
    assert counts(told(second, first)) == [
        ("Garden-twin", "added", "was refused", 2),
        ("Garden-violate", "added", "was refused", 1),
        ("Garden-violate", "added", "was waiting", 1),
    ]


def test_other_votes_are_a_change_that_names_the_field(first: Layout, tmp_path: Path) -> None:
    usual, (_, other) = right(), twinned(1, DOMAINS[1])
    turned: list[str] = []

    def answer(task: Any, subject: Any) -> Any:
        if task.kind == "preference" and task.pair == other.id and not turned:
            turned.append(task.task)
            return {"preference": "equal"}
        return usual(task, subject)

    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), answer=answer)
    # One half changed, and the twin is one.
    assert counts(line(second)) == [("Home-twin", "changed", "votes", 2)]
    [subject] = told(first, second)["subjects"]
    assert subject["subject"] == other.twin_id
    assert len(subject["pairs"]) == 2


def test_every_field_of_a_row_can_be_seen_to_change(first: Layout, tmp_path: Path) -> None:
    changed = []
    for pair in pairs_of(0, 1, 2, 3):
        if pair.mode == "violate":
            posts = tuple(of.model_copy(update={"category": "T"}) for of in pair.profile)
            new = {"profile": posts, "narrative": "Told anew.", "judge": "other"}
            changed.append(pair.model_copy(update=new))
    twins = [pair for pair in pairs_of(0, 1, 2, 3) if pair.mode == "twin"]
    second = next_release(first, tmp_path, [*twins, *changed])
    reasons = {(what, reason) for _, what, reason, _ in counts(line(second))}
    assert reasons == {("changed", "profile, narrative, judge")}


def test_another_split_is_a_change(first: Layout, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", pairs_of(0, 1, 2, 3))
    second = written(run, tmp_path / "out", "1.1.0", previous=first.root, share=0.999999)
    changed = {(what, reason) for _, what, reason, _ in counts(told(first, second))}
    assert changed == {("changed", "other split")}


def test_a_pair_of_another_domain_moves_and_new_pairs_are_new(
    first: Layout, tmp_path: Path
) -> None:
    pairs = [*pairs_of(0, 1, 2, 4), violated(3, "Garden")]
    assert counts(line(next_release(first, tmp_path, pairs))) == [
        ("Garden-twin", "added", "new", 2),
        ("Garden-violate", "added", "moved from Home-violate", 1),
        ("Garden-violate", "added", "new", 1),
        ("Home-twin", "removed", "no longer in the source", 2),
        ("Home-violate", "removed", "moved to Garden-violate", 1),
    ]


def test_what_nobody_was_asked_about_is_not_gone(first: Layout, tmp_path: Path) -> None:
    run = run_of(tmp_path / "trial", pairs_of(0), study=False)
    trial = written(run, tmp_path / "out", trial=True)
    found = told(first, trial)
    asked = "votes, verified, annotators' answers on aspects"
    assert {of["reason"] for of in found["subjects"] if of["what"] == "changed"} == {asked}
    back = told(trial, written(run_of(tmp_path / "run", pairs_of(0)), tmp_path / "asked"))
    assert {of["reason"] for of in back["subjects"]} == {asked}


# What came of the unit of a pair that left


def unit(name: str, outcome: str, subject: str | None = None, reason: str = "") -> UnitOutcome:
    return UnitOutcome.model_validate(
        {
            "unit": content_id("unit", name), "mode": "violate", "outcome": outcome,
            "stage": "gates" if outcome == "rejected" else "", "reason": reason,
            "subject": subject,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ([], EITHER),
        ([unit("other", "kept", "pair-2")], EITHER),
        ([unit("a", "kept", "pair-1")], "not in the study"),
        ([unit("a", "kept", "pair-2")], "built anew"),
        ([unit("renamed", "kept", "pair-1")], "not in the study"),
        ([unit("a", "rejected", reason="margin")], "rejected: gates: margin"),
        ([unit("a", "failed", reason="timeout")], "failed: timeout"),
    ],
)
def test_units_tell_why(after: list[UnitOutcome], reason: str, first: Layout) -> None:
    before = {"pair-1": SubjectHashes(Part("Home-violate", "test"), {"pair-1": b""})}
    old, new = (
        read_primary(first)._replace(units=tuple(units), public=None)
        for units in ([unit("a", "kept", "pair-1")], after)
    )
    [found] = subject_changes(before, {}, old, new)
    assert found.reason == reason


# What history knows of the forgotten


def forgetting(first: Layout, folder: Path, pairs: list[Pair], *users: str) -> Layout:
    run = run_of(folder / "run", pairs)
    pairwright("forget", run, *(part for user in users for part in ("--user", user)))
    return written(run, folder / "1.1.0", "1.1.0", previous=first.root)


def test_who_was_forgotten_is_told_from_who_left_the_source(first: Layout, tmp_path: Path) -> None:
    """Where only one of both left, and the releases follow one another."""
    forgotten = forgetting(first, tmp_path / "forgotten", pairs_of(0, 1, 2, 3), user_of(0))
    gone = next_release(first, tmp_path / "gone", pairs_of(1, 2, 3))
    for second, reason in ((forgotten, "forgotten"), (gone, "no longer in the source")):
        found = told(first, second)
        assert {of["reason"] for of in found["subjects"]} == {reason}
        assert counts(found) == counts(line(second))
    third = next_release(forgotten, tmp_path, pairs_of(1, 2, 3), "1.2.0")
    assert {of["reason"] for of in told(first, third)["subjects"]} == {EITHER}
    # Another release of the same version is not the one before, either.
    other = written(run_of(tmp_path / "other run", pairs_of(0, 1, 2)), tmp_path / "other")
    assert {of["reason"] for of in told(other, forgotten)["subjects"]} == {EITHER, "new"}
    history = read_primary(third).history
    assert [of.version for of in history] == ["1.0.0", "1.1.0", "1.2.0"]
    assert history[:2] == read_primary(forgotten).history
    assert history[2].previous_digest != history[1].previous_digest


def test_of_forgotten_and_gone_only_the_numbers_are_told(first: Layout, tmp_path: Path) -> None:
    # Of domain Garden, question 0 is forgotten and question 2 has left the source.
    second = forgetting(first, tmp_path, pairs_of(0, 1, 3), user_of(0))
    found = told(first, second)
    expected = [
        ("Garden-twin", "removed", "forgotten", 2),
        ("Garden-twin", "removed", "no longer in the source", 2),
        ("Garden-violate", "removed", "forgotten", 1),
        ("Garden-violate", "removed", "no longer in the source", 1),
    ]
    assert counts(found) == counts(line(second)) == expected
    assert {of["reason"] for of in found["subjects"]} == {EITHER}
    assert f"{EITHER}: a release names nobody" in diff(first, second).out


@pytest.mark.parametrize("seed", range(2))
def test_history_and_diff_agree_and_add_up(seed: int, tmp_path: Path) -> None:
    chance, numbers = random.Random(seed), range(5)
    earlier = run_of(tmp_path / "before run", pairs_of(*chance.sample(numbers, 4)), against=[0])
    before = written(earlier, tmp_path / "before")
    pairs, against = pairs_of(*chance.sample(numbers, 4)), [chance.choice(numbers)]
    run = run_of(tmp_path / "after run", pairs, against=against)
    users = [user_of(n, which) for n in numbers for which in ("", "_partner")]
    pairwright("forget", run, *(of for user in chance.sample(users, 2) for of in ("--user", user)))
    after = written(run, tmp_path / "after", "1.1.0", previous=before.root)
    found, history = told(before, after), line(after)
    assert counts(found) == counts(history)
    changed = Counter[str]()
    for _, what, _, n in counts(history):
        changed[what] += n
    assert history.pairs == len(rows(after))
    assert history.pairs == len(rows(before)) + changed["added"] - changed["removed"]
    listed = {of["subject"] for of in found["subjects"] if of["what"] == "removed"}
    assert listed == subjects(rows(before)) - subjects(rows(after))


# What is printed


def test_the_terminal_names_twenty_and_json_all(tmp_path: Path) -> None:
    small, large = (
        written(
            run_of(tmp_path / f"run {version}", pairs_of(*numbers), study=False),
            tmp_path / version, version, trial=True,
        )
        for version, numbers in (("1.0.0", (0,)), ("1.1.0", range(13)))
    )  # fmt: skip
    done = diff(small, large)
    assert "small-pairs-trial 1.0.0-trial to small-pairs-trial 1.1.0-trial" in done.out
    assert done.out.count("added: new") == 20
    assert "and 4 more" in done.out
    assert len(told(small, large)["subjects"]) == 24


def test_no_release_can_command_the_terminal(first: Layout, tmp_path: Path) -> None:
    second = next_release(first, tmp_path, pairs_of(1, 2, 3))
    reason = "\x1b[2Jmargin\u202e [bold]loud[/bold]"
    units = [
        line.replace('"reason":"no_personal_signal"', f'"reason":{json.dumps(reason)}')
        for line in second.units.read_text(encoding="utf-8").splitlines()
    ]
    # Of the subjects that left, the units are there again, and refused.
    lost = [
        json.dumps({**json.loads(line), "outcome": "rejected", "reason": reason, "subject": None})
        for line in first.units.read_text(encoding="utf-8").splitlines()[:2]
    ]
    second.units.write_text("\n".join([*lost, *units]) + "\n", encoding="utf-8")
    said = diff(first, second).out
    assert "margin" in said
    assert "[bold]loud[/bold]" in said
    assert "\x1b[2J" not in said
    assert "\u202e" not in said


def test_two_datasets_are_not_taken_for_two_versions_of_one(first: Layout, tmp_path: Path) -> None:
    run = run_of(tmp_path / "other", pairs_of(0), info=INFO | {"name": "other-pairs"})
    other = written(run, tmp_path / "b", "1.1.0")
    assert "releases of two datasets" in diff(first, other).out
    assert "datasets" not in diff(first, first).out


# What cannot be compared


def _only_a_run(root: Path) -> None:
    shutil.rmtree(root)
    run_of(root, pairs_of(0))


WRONG: tuple[tuple[Damage, str], ...] = (
    (shutil.rmtree, "no such folder"),
    (_only_a_run, "checksums"),
    (dropped("manifest.json"), "is not a release"),
    (dropped("checksums.sha256"), "no checksums"),
    (dropped("stated.json"), "stated.json"),
    (halved("stated.json"), "stated.json"),
    (dropped("history.jsonl"), "history.jsonl"),
    (replaced("history.jsonl", '{"version":1}\n'), "history.jsonl:1"),
    (replaced("build/units.jsonl", "[]\n"), "units.jsonl:1"),
    (halved("human/verdicts.jsonl"), "verdicts.jsonl"),
    (halved(Part("Home-twin", "test").path), "test-00000-of-00001.parquet"),
    (replaced(Part("Home-twin", "test").path, "PAR1"), "test-00000-of-00001.parquet"),
    (piped("build/units.jsonl"), "units.jsonl: neither a file nor a folder"),
    (piped("checksums.sha256"), "neither a file nor a folder"),
)


def test_a_folder_that_is_no_release_is_refused(first: Layout, tmp_path: Path) -> None:
    for n, (spoil, said) in enumerate(WRONG):
        other = tmp_path / str(n)
        shutil.copytree(first.root, other)
        spoil(other)
        for sides in ((first.root, other), (other, first.root)):
            done = pairwright("diff", *sides)
            assert done.code == 2, done.said
            assert said in done.err
            assert "Traceback" not in done.err
