"""`pairwright diff` and history.jsonl: what changed between two releases, and why."""

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Callable
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


def test_a_release_does_not_differ_from_itself(first: Layout) -> None:
    assert "No pair was added, removed or changed." in diff(first, first).out
    assert told(first, first)["counts"] == []


def test_a_rebuilt_release_of_the_same_pairs_does_not_differ(first: Layout, tmp_path: Path) -> None:
    again = next_release(first, tmp_path, pairs_of(0, 1, 2, 3))
    assert line(again).changes == ()
    assert told(first, again)["subjects"] == []


def test_the_first_version_adds_everything(first: Layout) -> None:
    history = read_primary(first).history
    assert len(history) == 1
    assert counts(history[0]) == [
        (config, "added", "first release", 4 if config.endswith("twin") else 2)
        for config in ("Garden-twin", "Garden-violate", "Home-twin", "Home-violate")
    ]
    assert (history[0].previous, history[0].previous_digest) == (None, None)


def test_what_people_refused_since_is_removed_with_their_reason(
    first: Layout, tmp_path: Path
) -> None:
    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), against=[2])
    expected = [
        ("Garden-twin", "removed", "refused: preference: for_the_other", 2),
        ("Garden-violate", "removed", "refused: preference: for_the_other", 1),
    ]
    assert counts(told(first, second)) == counts(line(second)) == expected
    assert line(second).pairs == 9
    back = [
        ("Garden-twin", "added", "was refused", 2),
        ("Garden-violate", "added", "was refused", 1),
    ]
    assert counts(told(second, first)) == back


def test_what_waits_for_votes_since_is_removed(first: Layout, tmp_path: Path) -> None:
    usual, waits = right(), violated(0, DOMAINS[0])

    def answer(task: Any, subject: Any) -> Any:
        open_ = task.subject == waits.id and task.kind == "rubric"
        return None if open_ else usual(task, subject)

    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3), answer=answer)
    assert counts(line(second)) == [("Garden-violate", "removed", "waiting", 1)]
    assert counts(told(second, first)) == [("Garden-violate", "added", "was waiting", 1)]


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
    changed = [
        pair.model_copy(
            update={
                "profile": tuple(of.model_copy(update={"category": "T"}) for of in pair.profile),
                "narrative": "Told anew.",
                "judge": "other",
            }
        )
        for pair in pairs_of(0, 1, 2, 3)
        if pair.mode == "violate"
    ]
    twins = [pair for pair in pairs_of(0, 1, 2, 3) if pair.mode == "twin"]
    second = next_release(first, tmp_path, [*twins, *changed])
    reasons = {(what, reason) for _, what, reason, _ in counts(line(second))}
    assert reasons == {("changed", "profile, narrative, judge")}


def test_another_split_is_a_change(first: Layout, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", pairs_of(0, 1, 2, 3))
    second = written(run, tmp_path / "out", "1.1.0", previous=first.root, share=0.999999)
    assert {(what, reason) for _, what, reason, _ in counts(told(first, second))} == {
        ("changed", "other split")
    }


def test_a_pair_of_another_domain_leaves_one_configuration_and_joins_another(
    first: Layout, tmp_path: Path
) -> None:
    second = next_release(first, tmp_path, [*pairs_of(0, 1, 2), violated(3, "Garden")])
    found = counts(line(second))
    assert ("Home-violate", "removed", "moved to Garden-violate", 1) in found
    assert ("Garden-violate", "added", "moved from Home-violate", 1) in found


def test_new_pairs_are_new(first: Layout, tmp_path: Path) -> None:
    second = next_release(first, tmp_path, pairs_of(0, 1, 2, 3, 4))
    assert counts(line(second)) == [
        ("Garden-twin", "added", "new", 2), ("Garden-violate", "added", "new", 1)
    ]  # fmt: skip


def test_what_is_built_and_was_not_asked_about_is_told_from_what_is_gone(
    first: Layout, tmp_path: Path
) -> None:
    trial = written(
        run_of(tmp_path / "trial", pairs_of(0), study=False), tmp_path / "out", trial=True
    )
    found = told(first, trial)
    changed = {of["reason"] for of in found["subjects"] if of["what"] == "changed"}
    asked = "votes, verified, annotators' answers on aspects"
    assert changed == {asked}
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
    ("after", "simulated", "reason"),
    [
        ([], False, EITHER),
        ([unit("other", "kept", "pair-2")], False, EITHER),
        ([unit("a", "kept", "pair-1")], False, "not in the study"),
        ([unit("a", "kept", "pair-1")], True, "simulated"),
        ([unit("a", "kept", "pair-2")], False, "built anew"),
        ([unit("renamed", "kept", "pair-1")], False, "not in the study"),
        ([unit("a", "rejected", reason="margin")], False, "rejected: gates: margin"),
        ([unit("a", "failed", reason="timeout")], False, "failed: timeout"),
    ],
)
def test_units_tell_why_a_pair_is_gone(
    after: list[UnitOutcome], simulated: bool, reason: str, first: Layout
) -> None:
    before = {"pair-1": SubjectHashes(Part("Home-violate", "test"), simulated, {"pair-1": b""})}
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


def test_the_forgotten_are_named_where_only_they_left(first: Layout, tmp_path: Path) -> None:
    second = forgetting(first, tmp_path, pairs_of(0, 1, 2, 3), user_of(0))
    found = told(first, second)
    assert {of["reason"] for of in found["subjects"]} == {"forgotten"}
    assert counts(found) == counts(line(second))


def test_who_left_the_source_is_not_called_forgotten(first: Layout, tmp_path: Path) -> None:
    second = next_release(first, tmp_path, pairs_of(1, 2, 3))
    found = told(first, second)
    assert {of["reason"] for of in found["subjects"]} == {"no longer in the source"}
    assert counts(found) == counts(line(second))


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


def test_between_releases_that_do_not_follow_one_another_it_cannot_be_told(
    first: Layout, tmp_path: Path
) -> None:
    second = forgetting(first, tmp_path, pairs_of(0, 1, 2, 3), user_of(0))
    run = run_of(tmp_path / "third run", pairs_of(1, 2, 3))
    third = written(run, tmp_path / "third", "1.2.0", previous=second.root)
    assert {of["reason"] for of in told(first, third)["subjects"]} == {EITHER}


def test_another_release_of_the_same_version_is_not_the_one_before(
    first: Layout, tmp_path: Path
) -> None:
    second = forgetting(first, tmp_path, pairs_of(0, 1, 2, 3), user_of(0))
    other = written(run_of(tmp_path / "other run", pairs_of(0, 1, 2)), tmp_path / "other")
    assert {of["reason"] for of in told(other, second)["subjects"]} == {EITHER, "new"}


@pytest.mark.parametrize("seed", range(3))
def test_history_and_diff_agree_and_add_up(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    numbers = range(5)
    before = written(
        run_of(tmp_path / "before run", pairs_of(*chance.sample(numbers, 4)), against=[0]),
        tmp_path / "before",
    )
    run = run_of(
        tmp_path / "after run",
        pairs_of(*chance.sample(numbers, 4)),
        against=[chance.choice(numbers)],
    )
    for user in chance.sample(
        [user_of(n, which) for n in numbers for which in ("", "_partner")], 2
    ):
        pairwright("forget", run, "--user", user)
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


def test_a_third_version_holds_the_history_of_all(first: Layout, tmp_path: Path) -> None:
    second = next_release(first, tmp_path, pairs_of(0, 1, 2))
    third = next_release(second, tmp_path, pairs_of(0, 1), "2.0.0")
    history = read_primary(third).history
    assert [of.version for of in history] == ["1.0.0", "1.1.0", "2.0.0"]
    assert history[:2] == read_primary(second).history
    assert history[2].previous_digest != history[1].previous_digest


# What is printed


def test_the_terminal_names_twenty_and_json_all(tmp_path: Path) -> None:
    small = written(run_of(tmp_path / "small", pairs_of(0)), tmp_path / "a")
    large = written(run_of(tmp_path / "large", pairs_of(*range(13))), tmp_path / "b", "1.1.0")
    done = diff(small, large)
    assert "small-pairs 1.0.0 to small-pairs 1.1.0" in done.out
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
    assert "datasets" not in diff(first, next_release(first, tmp_path, pairs_of(0))).out


# What cannot be compared


def _cut(path: str) -> Callable[[Path], None]:
    def cut(root: Path) -> None:
        content = (root / path).read_bytes()
        (root / path).write_bytes(content[: len(content) // 2])

    return cut


def _written(path: str, text: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / path).write_text(text, encoding="utf-8")

    return write


def _pipe(path: str) -> Callable[[Path], None]:
    def put(root: Path) -> None:
        (root / path).unlink()
        os.mkfifo(root / path)

    return put


WRONG: dict[str, tuple[Callable[[Path], None], str]] = {
    "no folder": (shutil.rmtree, "no such folder"),
    "no manifest": (lambda root: (root / "manifest.json").unlink(), "is not a release"),
    "no checksums": (lambda root: (root / "checksums.sha256").unlink(), "no checksums"),
    "no statement": (lambda root: (root / "stated.json").unlink(), "stated.json"),
    "a statement that was cut": (_cut("stated.json"), "stated.json"),
    "no history": (lambda root: (root / "history.jsonl").unlink(), "history.jsonl"),
    "another history": (_written("history.jsonl", '{"version":1}\n'), "history.jsonl:1"),
    "units that are none": (_written("build/units.jsonl", "[]\n"), "units.jsonl:1"),
    "verdicts that were cut": (_cut("human/verdicts.jsonl"), "verdicts.jsonl"),
    "rows that were cut": (_cut(Part("Home-twin", "test").path), "test-00000-of-00001.parquet"),
    "a pipe for units": (_pipe("build/units.jsonl"), "units.jsonl: neither a file nor a folder"),
    "a pipe for checksums": (_pipe("checksums.sha256"), "neither a file nor a folder"),
    "rows of something else": (
        _written(Part("Home-twin", "test").path, "PAR1"), "test-00000-of-00001.parquet"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_folder_that_is_no_release_is_refused(what: str, first: Layout, tmp_path: Path) -> None:
    spoil, said = WRONG[what]
    other = tmp_path / "other"
    shutil.copytree(first.root, other)
    spoil(other)
    for sides in ((first.root, other), (other, first.root)):
        done = pairwright("diff", *sides)
        assert done.code == 2, done.said
        assert said in done.err
        assert "Traceback" not in done.err


def test_a_run_folder_is_not_a_release(first: Layout, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", pairs_of(0))
    done = pairwright("diff", run, first.root)
    assert done.code == 2
    assert "checksums" in done.err
