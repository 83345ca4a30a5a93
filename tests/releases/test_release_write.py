"""What goes into a release, what never does, and that it comes out the same."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pairwright.construct.folder import RunFolder
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.pairs import Layout, Part, RowVotes, parts_of, read_rows, row_of
from pairwright.pairs.layout import root_digest
from pairwright.records import Pair, dyad_id, judges_of, model_name, pseudonym
from pairwright.releases.contents import read_contents
from pairwright.releases.run import public_manifest, splits_of
from pairwright.releases.write import release as make_release
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import KeyedTask
from pairwright_human_eval.units import Unit
from released import (
    DOMAINS,
    PAIRS,
    Answers,
    answered,
    export,
    gathered,
    question,
    right,
    rows,
    run_of,
    subjects,
    twinned,
    violated,
    why,
    written,
)
from study import Done, pairwright
from tampering import Damage, bytes_of, dropped, replaced


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight twins and eight violate pairs; people refused those of questions 1 and 2. Not to be
    changed."""
    return run_of(tmp_path_factory.mktemp("run") / "run", against=[1, 2], failed=2)


@pytest.fixture(scope="module")
def told(run: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, Done]:
    """Its release, with a validation split, and what the command said. Not to be changed."""
    out = tmp_path_factory.mktemp("release") / "out"
    done = command(run, out, "1.0.0", "--validation", "0.4")
    assert done.code == 0, done.said
    return Layout(out), done


@pytest.fixture(scope="module")
def release(told: tuple[Layout, Done]) -> Layout:
    return told[0]


def copied(run: Path, to: Path) -> Path:
    shutil.copytree(run, to)
    return to


def command(run: Path, out: Path, version: str, *options: object) -> Done:
    return pairwright("release", run, "--out", out, "--version", version, *options)


def of_questions(*numbers: int) -> set[str]:
    """The subjects of the twin and the violate pair about each question."""
    return {pair.twin_id or pair.id for n in numbers for pair in question(n, DOMAINS[n % 2])}


# What goes in


def test_what_people_verified_is_released_as_the_run_has_it(release: Layout) -> None:
    found, pairs, users = rows(release), {pair.id: pair for pair in PAIRS}, defaultdict(set)
    assert subjects(found) == of_questions(0, 3, 4, 5, 6, 7)
    assert len(found) == 18
    for pair in PAIRS:
        users[pair.twin_id or pair.id].add(pair.user)
    for row in found:
        pair = pairs[row.id]
        assert (row.verified, row.simulated) == (True, False)
        texts = (row.question, row.chosen, row.rejected)
        assert texts == (pair.question, pair.chosen, pair.rejected)
        assert [post.text for post in row.profile] == [post.text for post in pair.profile]
        assert (row.user, row.dyad) == (pseudonym(pair.user), dyad_id(users[row.subject]))
        assert (row.generator, row.judge) == ("writer-7b", "judge-70b")
        assert (row.config, row.id) == (f"{pair.domain}-{pair.mode}", row.derived_id())
        assert row.votes == RowVotes(chosen=3, rejected=0, equal=0, cannot_tell=0)
    order, splits = list(pairs), dict[str | None, set[str]]()
    for part in parts_of(release.root):
        ids = [row.id for row in read_rows(release.part(part))]
        assert ids == sorted(ids, key=order.index), "the run's order, the asked side first"
        for row in read_rows(release.part(part)):
            splits.setdefault(row.user, set()).add(part.split)
    assert {len(of) for of in splits.values()} == {1}
    assert set[str]().union(*splits.values()) == {"test", "validation"}


def test_licences_are_the_address_own_or_the_configured(tmp_path: Path) -> None:
    pair = violated(0, narrative="One.\u2028Two.\x85Three.")
    changes: tuple[dict[str, Any], ...] = (
        {"source_url": "https://blog.example/1"}, {"created": "2010-01-01"}, {"created": None}
    )  # fmt: skip
    posts = [p.model_copy(update=of) for p, of in zip(pair.profile, changes, strict=True)]
    pair = pair.model_copy(update={"profile": tuple(posts)})
    [row] = rows(written(run_of(tmp_path / "run", [pair]), tmp_path / "out"))
    assert [post.licence for post in row.profile] == ["CC0-1.0", "CC-BY-SA-2.5", None]
    assert row.licence == "CC-BY-SA-4.0"
    assert row.narrative == pair.narrative, "line separators in a text end no line"


def test_a_trial_holds_every_pair_or_what_was_verified_and_says_why(
    run: Path, tmp_path: Path
) -> None:
    layout = written(run_of(tmp_path / "run", study=False), tmp_path / "out", trial=True)
    found, stated = rows(layout), read_contents(layout).stated
    assert [(row.verified, row.votes) for row in found] == [(False, None)] * len(PAIRS)
    assert (stated.version, stated.kind) == ("1.0.0-trial", "trial")
    assert stated.trial_because == ("nobody verified its pairs",)
    first = written(run, tmp_path / "first", trial=True)
    assert subjects(rows(first)) == of_questions(0, 3, 4, 5, 6, 7)
    assert read_contents(first).stated.trial_because == ("it was made with --trial",)
    second = written(run, tmp_path / "second", "1.0.1", previous=first.root, trial=True)
    previous = read_contents(second).stated
    assert (previous.previous, previous.previous_digest) == ("1.0.0-trial", root_digest(first.root))


# What never goes in


@pytest.mark.parametrize(
    ("pairs", "options", "said"),
    [
        (PAIRS, {"study": False}, "nobody verified"),
        (PAIRS, {"simulated_answers": True}, "simulated annotators"),
        (question(0), {"against": [0]}, "nothing to release"),
    ],
    ids=["nobody was asked", "simulated answers", "refused by people"],
)
def test_nothing_is_released_that_no_person_verified(
    pairs: Sequence[Pair], options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        gathered(run_of(tmp_path / "run", pairs, **options))


def test_a_pair_that_waits_and_a_twin_with_one_side_refused_are_not_released(
    tmp_path: Path,
) -> None:
    (asked, other), waits = twinned(0), violated(0)
    usual, seen = right(), list[str]()

    def answer(task: KeyedTask, unit: Unit | None) -> Answers | None:
        if task.kind == "preference" and task.unit == waits.id and not seen:
            seen.append(task.task)
            return None
        if task.kind == "preference" and task.pair == other.id:
            return {"preference": "B" if task.expected == "A" else "A"}
        return usual(task, unit)

    run = run_of(tmp_path / "run", [asked, other, waits, violated(1)], answer=answer)
    assert why(gathered(run)[1]) == {
        waits.id: "waiting",
        asked.twin_id or "": "refused: preference: for_the_other",
        violated(1).id: "",
    }


def test_a_pair_outside_the_study_is_not_released(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", study=False)
    export(run, question(0, DOMAINS[0]), RunFolder(run).settings())
    answered(run, right())
    assert subjects(rows(written(run, tmp_path / "out"))) == of_questions(0)
    assert set(why(gathered(run)[1]).values()) == {"", "not in the study"}


def test_another_rule_in_the_config_decides_anew(run: Path, tmp_path: Path) -> None:
    run = copied(run, tmp_path / "run")
    change(run / "config.toml", "votes = 3", "votes = 4")
    with pytest.raises(InputError, match="waiting"):
        gathered(run)


def test_no_file_of_a_release_names_a_user_or_a_machine(run: Path, release: Layout) -> None:
    users = {pair.user for pair in PAIRS}
    for path in release.root.rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text(encoding="utf-8")
            assert not [user for user in users if user in text], path
            assert "/home/somebody" not in text, path
            assert str(release.root) not in text, path
    build: Any = read_contents(release).stated.build
    manifest = json.loads((run / "manifest.json").read_bytes())
    assert build.keys() == manifest.keys() - {"counts"}
    assert build["config"]["source"]["path"] == "histories.jsonl"


def test_a_manifest_is_released_without_folders_keys_and_account_names() -> None:
    extra = {"api_key": "sk-SECRET123", "n": 1, "metadata": {"user": "ann@corp.com"}}
    endpoint = {"model": "/home/ann/models/judge", "revision": "abc"}
    source = {"path": "/home/ann/histories.jsonl", "texts": "C:\\ann\\own.csv", "format": "posts"}
    manifest: dict[str, Any] = {
        "counts": {}, "source": source, "endpoints": {"judge": endpoint},
        "recorded": ["/home/ann/x"], "served_models": {"org/a": {"/home/ann/other-8b": 2}},
        "config": {
            "source": source, "prompts": "/home/ann/prompts",
            "sampling": {"judge": {"extra": extra}},
            "endpoints": {"judge": {"vllm": {"chat_template": "/home/ann/chat.jinja", "n": 2}}},
        },
    }  # fmt: skip
    found = public_manifest(manifest, {})
    assert not re.search("ann|SECRET|corp", json.dumps(found))
    assert found["endpoints"] == {"judge": {"model": "judge", "revision": "abc"}}
    assert found["served_models"] == {"org/a": {"other-8b": 2}}
    assert found["source"] == {"path": "histories.jsonl", "texts": "own.csv", "format": "posts"}
    types = {"api_key": "str", "n": "int", "metadata": "dict"}
    assert found["config"]["sampling"] == {"judge": {"extra": types}}
    engine = {"chat_template": "chat.jinja", "n": 2}
    assert found["config"]["endpoints"] == {"judge": {"vllm": engine}}


def test_a_model_that_is_a_folder_is_told_by_its_name() -> None:
    draft = PAIRS[0].draft.model_copy(update={"generator": "/home/ann/models/writer/"})
    for judges in (("/home/ann/judge", "org/second"), ("org/second", "C:\\models\\judge")):
        judge = " + ".join(judges)
        row = row_of(PAIRS[0].model_copy(update={"draft": draft, "judge": judge}))
        assert (row.generator, {*judges_of(row.judge)}) == ("writer", {"judge", "org/second"})
    for name in ("org/model-7b", "model", "models\\judge", "./writer", ""):
        assert model_name(name) == name, "it is no folder"


# Splits


def test_splits_do_not_depend_on_the_order_or_on_other_users() -> None:
    couples = [(f"user-{n}a", f"user-{n}b") for n in range(200)]
    whole = splits_of(couples, 0.3)
    assert splits_of([pair[::-1] for pair in reversed(couples)], 0.3) == whole
    fewer = splits_of(couples[::2], 0.3)
    assert fewer == {user: split for user, split in whole.items() if user in fewer}
    # Chains of partners stay together.
    chain = [(f"user-{n}", f"user-{n + 1}") for n in range(50)]
    for order in (chain, chain[::-1], chain[::2] + chain[1::2]):
        assert set(splits_of(order, 0.5).values()) in ({"test"}, {"validation"})


def test_the_share_of_users_is_about_what_was_asked_for_and_more_never_move_one_back() -> None:
    users = [(f"user-{n}",) for n in range(4000)]
    low, high = splits_of(users, 0.2), splits_of(users, 0.5)
    assert 0.17 < sum(split == "validation" for split in low.values()) / len(users) < 0.23
    assert set(splits_of(users, 0.0).values()) == {"test"}
    assert all(high[user] == "validation" for user, of in low.items() if of == "validation")


# The same bytes, whole or not at all


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_a_copy_of_a_run_gives_the_same_bytes_after_an_interruption_too(
    run: Path, release: Layout, tmp_path: Path
) -> None:
    copy, out = copied(run, tmp_path / "copy"), tmp_path / "elsewhere"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pairwright.releases.write.audit_pairs", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            make_release(copy, out, "1.0.0", validation_share=0.4)
    assert {path.name for path in tmp_path.iterdir()} == {"copy"}
    make_release(copy, out, "1.0.0", validation_share=0.4)
    assert {path.name for path in tmp_path.iterdir()} == {"copy", "elsewhere"}
    assert bytes_of(out) == bytes_of(release.root)


@pytest.mark.real
def test_a_process_with_other_hashes_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from pairwright.cli import main; main()"]
    for out, seed, zone in (("here", "0", "UTC"), ("elsewhere", "4711", "Asia/Kolkata")):
        options = ["--out", out, "--version", "1.0.0", "--validation", "0.4"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        subprocess.run(
            [*program, "release", str(run), *options], cwd=tmp_path, env=environment, check=True
        )
    assert bytes_of(tmp_path / "elsewhere") == bytes_of(tmp_path / "here")


def test_it_says_in_15_lines_what_was_released_and_what_comes_next(
    told: tuple[Layout, Done],
) -> None:
    layout, done = told
    assert re.search(r"Twins +6 +8 +12 +12 *\n", done.out)
    for said in (root_digest(layout.root), f"pairwright check {layout.root}\n", "2 units"):
        assert said in done.out
    assert done.out.count("\n") <= 15


# What cannot be released


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _pairs(change: Callable[[list[str]], list[str]]) -> Callable[[Path], None]:
    """Other lines of pairs, without a study, so that nothing but the build's own store knows what
    they were."""

    def spoil(run: Path) -> None:
        shutil.rmtree(HumanFolder(run).path)
        lines = (run / "pairs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (run / "pairs.jsonl").write_text("".join(change(lines)), encoding="utf-8")

    return spoil


def _begun_again(run: Path) -> None:
    store = Store(RunFolder(run).calls)
    store.execute("UPDATE run SET finished = 0")
    store.close()


WRONG: dict[str, tuple[Damage, str]] = {
    "pairs.jsonl is missing": (dropped("pairs.jsonl"), "pairs.jsonl"),
    "pairs changed after the tasks were made": (
        lambda run: change(run / "pairs.jsonl", "Repairs", "Other"), "not the file that the tasks"
    ),
    "half a twin is lost": (_pairs(lambda lines: lines[1:]), "two sides of a twin"),
    "fewer pairs than were built": (_pairs(lambda lines: lines[:-1]), r"that the build kept"),
    "a line that is not a pair": (
        _pairs(lambda lines: [line.replace('"asked":true', '"asked":"maybe"') for line in lines]),
        r"pairs.jsonl:1 \[asked\]",
    ),
    "the build was begun again": (_begun_again, "its build has not finished"),
    "no store": (dropped("run.sqlite"), "is missing"),
    "tombstones that are none": (
        replaced("forgotten.jsonl", '{"name":"Ann"}\n'), "forgotten.jsonl:1"
    ),
    "a study whose key is lost": (dropped("human/private/key.jsonl"), "is not the key"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_run_that_cannot_be_released_says_why(what: str, run: Path, tmp_path: Path) -> None:
    spoil, said = WRONG[what]
    run = copied(run, tmp_path / "run")
    spoil(run)
    trial = () if HumanFolder(run).study.exists() else ("--trial",)
    refused(command(run, tmp_path / "out", "1.0.0", *trial), said)
    assert not (tmp_path / "out").exists()


def refused(done: Done, said: str) -> None:
    """Exit code 2, a message of two lines: what is wrong where, and what to do."""
    assert done.code == 2, done.said
    assert re.search(said, done.err), done.err
    assert "Traceback" not in done.err
    assert "\nhint: " in done.err


def test_versions_shares_and_folders_that_do_not_fit_are_refused(
    run: Path, release: Layout, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    out = tmp_path / "out"
    for version in ("1.0", "v1.0.0", "1.0.0-trial", "01.0.0", "1.0.0.0", "", "1.0.x"):
        refused(command(run, out, version), "is not a version")
    for version, *options in (("1.0.0",), ("0.9.9",), ("1.0.0", "--trial")):
        done = command(run, out, version, "--previous", release.root, *options)
        refused(done, f"which {version} does not follow")
    for place, said in (
        (tmp_path / "folder", "is there already"),
        (tmp_path / "file", "is a file"),
        (tmp_path / "link", "is there already"),
        (release.root, f"{release.root}: is inside the release"),
    ):
        refused(command(run, place, "1.0.0"), said)
    refused(command(tmp_path, out, "1.0.0"), "is not a run folder")


@pytest.mark.parametrize(
    "command",
    [
        ("release", "run", "--version", "1.1.0"), ("audit", "release"), ("evaluate", "release"),
        ("leaderboard", "results"),
        ("downstream", "correlate", "scores.csv", "--benchmark", "x", "--downstream", "y"),
        ("train", "export-rl", "release", "--format", "trl"), ("train", "score", "score.toml"),
    ],
    ids=lambda of: " ".join(of[:2]),
)  # fmt: skip
def test_no_file_comes_into_a_release(command: tuple[str, ...], run: Path, release: Layout) -> None:
    name, *given = command
    paths = {"run": run, "release": release.root}
    there = bytes_of(release.root)
    done = pairwright(name, *(paths.get(of, of) for of in given), "--out", release.root / "more")
    refused(done, "is inside the release")
    assert bytes_of(release.root) == there


def test_no_build_can_change_a_run_while_it_is_released(run: Path, tmp_path: Path) -> None:
    run = copied(run, tmp_path / "run")
    store = Store(RunFolder(run).calls)
    try:
        done = command(run, tmp_path / "out", "1.0.0")
    finally:
        store.close()
    refused(done, "another process is writing")


ONE = Part("Home-twin", "test").path


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (
            lambda root: change(root / "stated.json", "small-pairs", "other-pairs"),
            "is a release of 'other-pairs'",
        ),
        (dropped("manifest.json"), "manifest.json: is listed"),
        (dropped("checksums.sha256"), "no checksums"),
        (lambda root: change(root / "README.md", "small", "large"), "README.md: sha256 is"),
    ],
)
def test_a_release_follows_a_whole_ordinary_release_of_the_same_name(
    spoil: Damage, said: str, run: Path, release: Layout, tmp_path: Path
) -> None:
    previous = copied(release.root, tmp_path / "previous")
    spoil(previous)
    refused(command(run, tmp_path / "out", "1.1.0", "--previous", previous), said)
