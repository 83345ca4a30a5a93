"""Releases that somebody tampered with: each is caught, and the place is named.

Half of the tamperings leave the checksums alone, as an accident would; the others write them again,
as somebody who deceives would, so that only the check behind them can tell.
"""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pairwright.dataset import Part, Row, RowVotes, read_rows, write_rows
from pairwright.dataset.parquet import SCHEMA
from pairwright.errors import Difference
from pairwright.records import dyad_id, pseudonym
from pairwright.releases.verify import verify_release
from released import question, released, run_of
from tampering import Tampered, bytes_of, copy_of, renamed, turned

TWINS, VIOLATES = "data/Home-twin/test-00000-of-00001.parquet", "Home-violate"
VIOLATE = f"data/{VIOLATES}/test-00000-of-00001.parquet"
VALIDATION = VIOLATE.replace("test-", "validation-")
VERDICTS, SUBJECTS, STUDY = "human/verdicts.jsonl", "human/subjects.jsonl", "human/study.json"
UNITS, SUMS = "build/units.jsonl", "checksums.sha256"
NO_DIGEST = f"sha256:{0:064}"
Change = Callable[[Tampered], Any]
OF_ONE_DOMAIN = [pair for n in range(1, 4) for pair in question(n)]


class Case(NamedTuple):
    name: str
    place: str
    """How the place begins that the message must name."""
    said: str
    """What the message must say."""
    do: Change

    def assert_caught(self, root: Path) -> None:
        found = caught(root)
        assert found.where.startswith(self.place), found
        assert self.said in found.what, found


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People refused the pairs about one of the questions."""
    base = tmp_path_factory.mktemp("tampered")
    run = run_of(base / "run", OF_ONE_DOMAIN, against=[2], failed=1)
    return released(run, base / "release").root


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Without a study."""
    base = tmp_path_factory.mktemp("trial")
    run = run_of(base / "run", OF_ONE_DOMAIN, study=False, failed=1)
    return released(run, base / "release", "1.0.0", "--trial").root


def caught(root: Path) -> Difference:
    with pytest.raises(Difference) as found:
        verify_release(root)
    assert found.value.fix
    assert str(root) not in str(found.value), "a place is named inside the release"
    return found.value


def sealed_and_caught(case: Case, copy: Path) -> None:
    """With checksums to match, it is caught where it is and said as it is."""
    bad = Tampered(copy)
    case.do(bad)
    bad.seal()
    case.assert_caught(bad.root)


# Without the checksums


def _sum_line(bad: Tampered, path: str) -> str:
    lines = bad.read(SUMS).splitlines(keepends=True)
    return next(line for line in lines if line.endswith(f"  {path}\n"))


def _link(bad: Tampered, path: str) -> None:
    """A link to a copy of the very same content."""
    outside = bad.root.with_name("outside")
    (bad.root / path).rename(outside)
    (bad.root / path).symlink_to(outside)


def _reordered(bad: Tampered) -> None:
    bad.write("stated.json", bad.read("stated.json").replace('"kind"', '"Kind"').replace("K", "k"))
    whole = bad.one("stated.json")
    bad.write("stated.json", "{}\n")
    bad.json("stated.json", **dict(reversed(whole.items())))


def _windows(bad: Tampered, path: str) -> None:
    bad.write(path, bad.read(path).replace("\n", "\r\n"))


def _to_path(bad: Tampered, path: str) -> None:
    """checksums.sha256 with another path in place of the card's, and in its order."""
    lines = bad.read(SUMS).splitlines(keepends=True)
    lines = [line.replace("  README.md", f"  {path}") for line in lines]
    bad.write(SUMS, "".join(sorted(lines, key=lambda line: line[66:])))


def _case(bad: Tampered) -> None:
    bad.write("Readme.md", bad.read("README.md"))
    bad.seal()


UNSEALED = (
    Case("a deleted file", "human/findings.json", "not there",
         lambda bad: (bad.root / "human/findings.json").unlink()),
    Case("no checksums", SUMS, "no checksums can be read", lambda bad: (bad.root / SUMS).unlink()),
    Case("an added file", "data/more.py", "not listed", lambda b: b.write("data/more.py", "")),
    Case("a hidden file", "data/.hidden", "not listed", lambda b: b.write("data/.hidden", "")),
    Case("the Hub's file elsewhere", "data/.gitattributes", "not listed",
         lambda bad: bad.write("data/.gitattributes", "")),
    Case("a folder named as the Hub's file", ".gitattributes", "is not a file",
         lambda bad: (bad.root / ".gitattributes").mkdir()),
    Case("a file named as git's folder", ".git", "is not a folder",
         lambda bad: bad.write(".git", "")),
    Case("a link named as the Hub's folder", ".cache", "is not a folder",
         lambda bad: (bad.root / ".cache").symlink_to(bad.root)),
    Case("an empty folder", "extra", "empty folder", lambda bad: (bad.root / "extra").mkdir()),
    Case("a link", "LICENSE.md", "symbolic link", lambda bad: _link(bad, "LICENSE.md")),
    Case("a linked folder", "human", "symbolic link", lambda bad: _link(bad, "human")),
    Case("a pipe", "data/pipe", "neither a file nor a folder",
         lambda bad: os.mkfifo(bad.root / "data/pipe")),
    Case("a name that is not UTF-8", "'data/\\udcff", "not UTF-8",
         lambda bad: Path(os.fsdecode(os.fsencode(bad.root / "data") + b"/\xff")).write_bytes(b"")),
    Case("a name in other code points", "data/Home-twin", "not there",
         lambda bad: (bad.root / "data/Home-twin").rename(bad.root / "data/Home\u2010twin")),
    Case("a path out of it", SUMS, "inside", lambda bad: _to_path(bad, "../README.md")),
    Case("a path through it", SUMS, "inside", lambda bad: _to_path(bad, "data/../README.md")),
    Case("an absolute path", SUMS, "inside", lambda bad: _to_path(bad, "/etc/hostname")),
    Case("a backslash path", SUMS, "inside", lambda bad: _to_path(bad, "..\\README.md")),
    Case("a path with a dot", SUMS, "inside", lambda bad: _to_path(bad, "./README.md")),
    Case("a checksum of a folder", "data", "not there", lambda bad: _to_path(bad, "data")),
    Case("a doubled checksum", SUMS, "twice",
         lambda bad: bad.text(SUMS, *[_sum_line(bad, "README.md") * n for n in (1, 2)])),
    Case("checksums in another order", SUMS, "out of order",
         lambda bad: bad.write(SUMS, "".join(reversed(bad.read(SUMS).splitlines(keepends=True))))),
    Case("checksums of windows", "'CHANGELOG.md\\r'", "not there", lambda bad: _windows(bad, SUMS)),
    Case("capital digits", f"{SUMS}:1", "not a checksum",
         lambda bad: bad.write(SUMS, bad.read(SUMS).upper())),
    Case("checksums of themselves", SUMS, "lists itself", lambda bad: _to_path(bad, SUMS)),
    Case("names that differ in case", "Readme.md", "README.md", _case),
)  # fmt: skip


@pytest.mark.parametrize("case", UNSEALED, ids=lambda of: of.name)
def test_what_the_checksums_do_not_say_is_caught(case: Case, release: Path, tmp_path: Path) -> None:
    bad = Tampered(copy_of(release, tmp_path / "copy"))
    case.do(bad)
    case.assert_caught(bad.root)


def test_a_file_of_another_release_is_caught(release: Path, trial: Path, tmp_path: Path) -> None:
    """With checksums to match, too."""
    bad = Tampered(copy_of(release, tmp_path / "copy"))
    bad.write("CHANGELOG.md", (trial / "CHANGELOG.md").read_bytes())
    assert caught(bad.root).where == "CHANGELOG.md"
    bad.seal()
    assert caught(bad.root).where.startswith("CHANGELOG.md:")


def test_one_flipped_byte_anywhere_is_caught(release: Path, tmp_path: Path) -> None:
    """At two hundred places drawn over all files, in proportion to nothing: each file is met."""
    root, chance = copy_of(release, tmp_path / "copy"), random.Random(0)
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.stat().st_size)
    places = [*files, *chance.choices(files, k=200 - len(files))]
    for path in places:
        whole = path.read_bytes()
        at, bit = chance.randrange(len(whole)), 1 << chance.randrange(8)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        name = path.relative_to(root).as_posix()
        found = caught(root)
        # A changed line of the checksums may name the file that it is about.
        assert name in found.where or name == SUMS, f"{name}, byte {at}: {found}"
        path.write_bytes(whole)
    verify_release(root)


def _bit(whole: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(whole))
    return whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]


def _cut_out(whole: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(whole))
    return whole[:at] + whole[at + chance.randint(1, 20) :]


def _put_in(whole: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(whole) + 1)
    return whole[:at] + chance.choice([b" ", b"0", b"\n", b"<script>"]) + whole[at:]


def _digit(whole: bytes, chance: random.Random) -> bytes:
    digits = [at for at, byte in enumerate(whole) if chr(byte).isdecimal() and byte < 128]
    at = chance.choice(digits)
    return whole[:at] + b"%d" % ((whole[at] - 47) % 10) + whole[at + 1 :]


def _lines_swapped(whole: bytes, chance: random.Random) -> bytes:
    lines = whole.splitlines(keepends=True)
    here, there = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[here], lines[there] = lines[there], lines[here]
    return b"".join(lines)


@pytest.mark.real
def test_two_hundred_mutations_are_caught_though_sealed(trial: Path, tmp_path: Path) -> None:
    """Of every file but the checksums themselves, which are written again after each."""
    bad, chance = Tampered(copy_of(trial, tmp_path / "copy")), random.Random(1)
    names = [name for name, content in bytes_of(bad.root).items() if content and name != SUMS]
    done = 0
    while done < 200:
        name = names[done % len(names)]
        whole = (bad.root / name).read_bytes()
        mutate = chance.choice([_bit, _cut_out, _put_in, _digit, _lines_swapped])
        mutated = mutate(whole, chance)
        if mutated == whole:
            continue
        bad.write(name, mutated)
        bad.seal()
        caught(bad.root)
        bad.write(name, whole)
        done += 1
    bad.seal()
    verify_release(bad.root)


# With checksums to match: rows


def _half_gone(rows: list[Row]) -> list[Row]:
    return rows[:1] + rows[2:]


def _halves_apart(rows: list[Row]) -> list[Row]:
    return [rows[0], rows[2], rows[1], *rows[3:]]


def _edited(rows: list[Row]) -> list[Row]:
    return [renamed(rows[0], chosen="A better answer."), *rows[1:]]


def _twin_renamed(rows: list[Row]) -> list[Row]:
    new = [row.model_copy(update={"twin_id": "twin-0000000000000000"}) for row in rows[:2]]
    return [*new, *rows[2:]]


def _moved(bad: Tampered, config: str, split: str) -> None:
    """The file of the violate pairs, in another place."""
    there, new = (bad.layout.part(part) for part in (Part(VIOLATES, "test"), Part(config, split)))
    new.parent.mkdir(exist_ok=True)
    there.rename(new)
    if config != VIOLATES:
        there.parent.rmdir()


def _split_user(bad: Tampered) -> None:
    """The violate pairs' users are those of the twins."""
    _moved(bad, VIOLATES, "validation")
    bad.json("stated.json", validation_share=0.5)


def _columns(bad: Tampered, schema: pa.Schema) -> None:
    """The rows of the twins under another schema."""
    rows = [row.model_dump() for row in read_rows(bad.root / TWINS)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), bad.root / TWINS)


def _note(bad: Tampered) -> None:
    table = pq.read_table(bad.root / TWINS)
    pq.write_table(table.replace_schema_metadata({"pairwright": "better 2.0.0"}), bad.root / TWINS)


def _aspect(row: Row, **changes: Any) -> Row:
    first, *others = row.rubric_aspects
    return row.model_copy(update={"rubric_aspects": (first.model_copy(update=changes), *others)})


def _post(row: Row, **changes: Any) -> Row:
    first, *others = row.profile
    return row.model_copy(update={"profile": (first.model_copy(update=changes), *others)})


def _late(row: Row) -> Row:
    """The last post is of the year after the question, with the licence of that year."""
    *others, last = row.profile
    late = last.model_copy(update={"created": "2025-01-01T00:00:00", "licence": "CC-BY-SA-4.0"})
    return row.model_copy(update={"profile": (*others, late)})


def _better(row: Row) -> Row:
    return row.model_copy(update={"comparison": "chosen"})


def _smuggled(bad: Tampered) -> None:
    """Between the columns and the footer, which counts from the end."""
    whole = (bad.root / TWINS).read_bytes()
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    bad.write(TWINS, whole[:end] + b"#!/bin/sh\n" + whole[end:])


def _first(change: Callable[[Row], Row]) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [change(rows[0]), *rows[1:]]


def _rows(
    name: str, place: str, said: str, config: str, change: Callable[[list[Row]], list[Row]]
) -> Case:
    return Case(name, place, said, lambda bad: bad.rows(config, change))


def _field(name: str, said: str, place: str = f"{VIOLATE}:1", **changes: Any) -> Case:
    return Case(name, place, said, lambda bad: bad.row(VIOLATES, 1, **changes))


OTHER = pseudonym("somebody else")
ROWS = (
    _rows("a row removed", "data", "belongs into", VIOLATES, lambda rows: rows[1:]),
    _rows("a row doubled", f"{VIOLATE}:2", "there twice", VIOLATES, lambda rows: rows[:1] + rows),
    _rows("a twin removed", "data", "belongs into", "Home-twin", lambda rows: rows[2:]),
    _rows("half a twin removed", f"{TWINS}:1", "half a twin", "Home-twin", _half_gone),
    _rows("the last half removed", f"{TWINS}:", "half a twin", "Home-twin", lambda rows: rows[:-1]),
    _rows("halves apart", f"{TWINS}:", "", "Home-twin", _halves_apart),
    _rows("halves in the wrong order", f"{TWINS}:1", "asked", "Home-twin", lambda r: [r[1], r[0]]),
    _rows("rows in another order", f"{VIOLATE}:2", "order", VIOLATES, lambda rows: rows[::-1]),
    _rows("a foreign row", f"{VIOLATE}:1", "not a kept unit", VIOLATES,
          _first(lambda row: renamed(row, item_id="another"))),
    _rows("a text edited, its id to match", f"{VIOLATE}:1", "not a kept unit", VIOLATES, _edited),
    _rows("sides swapped, ids to match", f"{TWINS}:1", "not a kept unit", "Home-twin",
          lambda rows: [*turned(rows[:2]), *rows[2:]]),
    _rows("a twin with another name", f"{TWINS}:1", "not a kept unit", "Home-twin", _twin_renamed),
    _rows("an aspect's text", f"{VIOLATE}:1", "hashes of the aspects", VIOLATES,
          _first(lambda row: _aspect(row, aspect="Wants everything."))),
    _rows("an adherence score", f"{VIOLATE}:1", "rejected_score", VIOLATES,
          _first(lambda row: _aspect(row, rejected_score=2))),
    _rows("an aspect dropped", f"{VIOLATE}:1", "hashes of the aspects", VIOLATES,
          _first(lambda row: row.model_copy(update={"rubric_aspects": row.rubric_aspects[:1]}))),
    _rows("a post's licence", f"{VIOLATE}:1 [profile.0]", "licence is 'CC0-1.0'", VIOLATES,
          _first(lambda row: _post(row, licence="CC0-1.0"))),
    _rows("a post's date", f"{VIOLATE}:1 [profile.0]", "licence", VIOLATES,
          _first(lambda row: _post(row, created="2024-01-01T00:00:00"))),
    _rows("a post's text", f"{VIOLATE}:1", "another profile", VIOLATES,
          _first(lambda row: _post(row, text="I never said that."))),
    _rows("an emptied profile", f"{VIOLATE}:1", "another profile", VIOLATES,
          _first(lambda row: row.model_copy(update={"profile": (), "aspects_origin": "gold"}))),
    _rows("a post after the question", f"{TWINS}:1 [profile.2]", "not before", "Home-twin",
          _first(_late)),
    _rows("evidence that nobody wrote", f"{TWINS}:1 [rubric_aspects.0]", "in no post it names",
          "Home-twin", _first(lambda row: _aspect(row, evidence="I never said that."))),
    _rows("a second passage that nobody wrote", f"{TWINS}:1 [rubric_aspects.0]",
          "evidence is 'I never said that.', and in no post it names", "Home-twin",
          _first(lambda row: _aspect(
              row, evidence=f"{row.rubric_aspects[0].evidence}\nI never said that."))),
    _rows("evidence of nothing", f"{TWINS}:1 [rubric_aspects.0]", "in no post it names",
          "Home-twin", _first(lambda row: _aspect(row, evidence=" "))),
    _rows("evidence in a post of nobody", f"{TWINS}:1 [rubric_aspects.0]",
          "not a post of the profile",
          "Home-twin", _first(lambda row: _aspect(row, post_ids=("nope",)))),
    _rows("evidence in another post", f"{TWINS}:1 [rubric_aspects.0]", "in no post it names",
          "Home-twin", _first(lambda row: _aspect(row, post_ids=(row.profile[2].id,)))),
    _field("a writer that is not a model", "no model that the build states", generator="a person"),
    _field("a judge that is not a model", "no model that the build states", judge="a person"),
    _field("a question's category", "digest", "audit/audit.json", category="Gardens"),
    _field("a text edited", "id is", chosen="A better answer."),
    _field("a user renamed", "id is", user=OTHER),
    _field("a user under their own name", "pseudonym", user="Ann Example"),
    _field("another id", "id is", id="pair-0000000000000000"),
    _field("another domain", "domain and mode", domain="Garden"),
    _field("a domain that leaves the folder", "name no folder", domain="../Home"),
    _field("a half without its twin", "name no folder", mode=None),
    _field("another dyad", "dyad", dyad=dyad_id(["nobody"])),
    _field("an id of a twin", "not a kept unit", twin_id="twin-0000000000000000"),
    _field("votes changed", "votes", votes=None),
    _field("the error of a label", "label_error is", label_error=0.25),
    _field("no error of a label", "label_error is", label_error=None),
    _field("verified cleared", "verified", verified=False),
    _field("simulated set", "simulated in an ordinary release", simulated=True),
    _field("the quality scores", "quality", quality=()),
    _field("the question's licence", "licence", licence="MIT"),
    Case("a half's question", f"{TWINS}:2", "question",
         lambda bad: bad.row("Home-twin", 2, question="Another question?")),
    Case("a half's judge", f"{TWINS}:2", "judge",
         lambda bad: bad.row("Home-twin", 2, judge="human")),
    Case("a half's narrative", f"{TWINS}:2", "narrative",
         lambda bad: bad.row("Home-twin", 2, narrative="I asked, too.")),
    Case("a half's comparison", f"{TWINS}:2", "comparison",
         lambda bad: bad.row("Home-twin", 2, comparison="undecided")),
    Case("both halves better than the other", f"{TWINS}:2", "comparison", lambda bad: bad.rows(
        "Home-twin", lambda rows: [_better(row) for row in rows])),
    Case("a file without rows", "data/Kitchen-twin/test", "no rows", lambda bad: write_rows(
        bad.layout.part(Part("Kitchen-twin", "test")), [], note="small-pairs 1.0.0")),
    Case("columns that say more", TWINS, "metadata", lambda bad: _columns(
        bad, SCHEMA.set(6, SCHEMA.field(6).with_metadata({"label": "chosen"})))),
    Case("bytes that no reader sees", TWINS, "number of its bytes", _smuggled),
    Case("a vote more", f"{VIOLATE}:1", "votes is", lambda bad: bad.rows(VIOLATES, _first(
        lambda row: row.model_copy(update={"votes": row.votes and row.votes.model_copy(
            update={"chosen": 4})})))),
    Case("an extra column", TWINS, "column", lambda bad: _columns(
        bad, SCHEMA.append(pa.field("label", pa.string())))),
    Case("another type", TWINS, "column", lambda bad: _columns(
        bad, SCHEMA.set(6, pa.field("category", pa.large_string())))),
    Case("another note", TWINS, "metadata", _note),
    Case("a user in two splits", "data/Home-violate/validation", "the split of", _split_user),
    Case("a pair in both splits", "data/Home-violate/validation", "there twice",
         lambda bad: bad.write(VALIDATION, (bad.root / VIOLATE).read_bytes())),
    Case("a split that nobody is to be in", "data/Home-violate/validation", "the split of",
         lambda bad: _moved(bad, VIOLATES, "validation")),
    Case("a file in another place", "data/Kitchen-violate/test", "domain and mode",
         lambda bad: _moved(bad, "Kitchen-violate", "test")),
    Case("a split of no name", "data", "belongs into", lambda bad: _moved(bad, VIOLATES, "train")),
)  # fmt: skip


# With checksums to match: people


def _vote(bad: Tampered, n: int = 1, purpose: str = "vote") -> int:
    """The line of the nth preference vote on a released pair of mode violate."""
    (row, *_) = read_rows(bad.layout.part(Part(VIOLATES, "test")))
    lines = enumerate(bad.lines(VERDICTS), start=1)
    found = [k for k, of in lines if (of["pair"], of["kind"]) == (row.id, "preference")]
    return found[n - 1]


def _turn_votes(bad: Tampered, votes: int) -> None:
    for n in range(1, votes + 1):
        line = bad.lines(VERDICTS)[_vote(bad, n) - 1]
        other = line["b"] if line["answers"]["choice"] == line["a"] else line["a"]
        bad.line(VERDICTS, _vote(bad, n), answers={"kind": "preference", "choice": other})


def _drop(bad: Tampered, path: str, number: int) -> None:
    bad.put(path, [of for n, of in enumerate(bad.lines(path), start=1) if n != number])


def _doubled(bad: Tampered, **changes: Any) -> None:
    """A verdict once more, in its order."""
    lines = bad.lines(VERDICTS)
    lines.append(lines[0] | changes)
    bad.put(VERDICTS, sorted(lines, key=lambda of: (of["task"], of["annotator"])))


def _annotator(bad: Tampered, n: int, **changes: Any) -> None:
    annotators = bad.one(STUDY)["annotators"]
    annotators[n - 1] |= changes
    bad.json(STUDY, annotators=annotators)


def _answers(bad: Tampered, kind: str, change: Callable[[Any], Any]) -> None:
    number = bad.number(VERDICTS, lambda of: of["kind"] == kind)
    answers = bad.lines(VERDICTS)[number - 1]["answers"]
    change(answers)
    bad.line(VERDICTS, number, answers=answers)


IDLE = {
    "annotator": "annotator-99", "simulated": False,
    "checks": 0, "passed": 0, "repeats": 0, "repeated": 0,
}  # fmt: skip


def _refused_subject_gone(bad: Tampered) -> None:
    """What people refused, with every verdict on it."""
    gone = {of["subject"] for of in bad.lines("human/decisions.jsonl") if of["state"] == "refused"}
    bad.put(SUBJECTS, [of for of in bad.lines(SUBJECTS) if of["id"] not in gone])
    bad.put(VERDICTS, [of for of in bad.lines(VERDICTS) if of["subject"] not in gone])


def _asked(purpose: str, said: str) -> Case:
    return Case(f"a task of kind {purpose}", f"{VERDICTS}:", said,
                lambda bad: bad.line(VERDICTS, _vote(bad), purpose=purpose))  # fmt: skip


def _of_study(name: str, place: str, said: str, **changes: Any) -> Case:
    return Case(name, f"{STUDY}{place}", said, lambda bad: bad.json(STUDY, **changes))


def _of_annotator(name: str, said: str, n: int = 1, **changes: Any) -> Case:
    place = f"{STUDY} [annotators.{n - 1}]"
    return Case(name, place, said, lambda bad: _annotator(bad, n, **changes))


def _of_stated(name: str, place: str, said: str, **changes: Any) -> Case:
    return Case(name, place, said, lambda bad: bad.json("stated.json", **changes))


def _of_subject(name: str, said: str, place: str = "", **changes: Any) -> Case:
    return Case(name, f"{SUBJECTS}:1{place}", said, lambda bad: bad.line(SUBJECTS, 1, **changes))


def _of_history(name: str, said: str, **changes: Any) -> Case:
    return Case(name, "history.jsonl:1", said, lambda bad: _history(bad, **changes))


def _of_build(name: str, said: str, place: str = "", **changes: Any) -> Case:
    place = f"stated.json [build.calls{place}]"
    return Case(name, place, said, lambda bad: _built(bad, calls={**CALLS, **changes}))


def _of_audit(name: str, said: str, **changes: Any) -> Case:
    return Case(name, "audit/audit.json [source]", said, lambda bad: _audit(bad, **changes))


def _verdict(name: str, said: str, **changes: Any) -> Case:
    return Case(name, f"{VERDICTS}:1", said, lambda bad: bad.line(VERDICTS, 1, **changes))


PEOPLE = (
    Case("a vote turned", f"{VIOLATE}:1", "votes is", lambda bad: _turn_votes(bad, 1)),
    Case("enough votes turned", f"{VIOLATE}:1", "decision", lambda bad: _turn_votes(bad, 2)),
    Case("a vote removed", f"{VIOLATE}:1", "decision",
         lambda bad: _drop(bad, VERDICTS, _vote(bad))),
    Case("a refusal taken away", f"{STUDY} [annotators.", "passed, of checks, is",
              _refused_subject_gone),
    _of_annotator("made to fail", "passed, of checks, is", 2, checks=9, passed=0),
    _of_annotator("attention counts", "passed, of checks, is", checks=9, passed=9),
    _of_annotator("repeats below none", "of -1 repeats", repeats=-1, repeated=-1),
    _of_annotator("more passed than met", "passed is 99", passed=99),
    _of_annotator("an annotator's name", "not a pseudonym", annotator="ann@example.com"),
    _of_study("fewer than none left out", " [left_out]", "is -5", left_out=-5),
    _of_study("fewer than none set aside", " [set_aside.x]", "is -7", set_aside={"x": -7}),
    _of_study("an overlap below none", " [overlap]", "is -1", overlap=-1),
    Case("more subjects than the run has", SUBJECTS, "in the run",
         lambda bad: bad.json(STUDY, of=1)),
    Case("an annotator who answered nothing", f"{STUDY} [annotators.", "answered nothing",
         lambda bad: bad.json(STUDY, annotators=[*bad.one(STUDY)["annotators"], IDLE])),
    Case("an annotator renamed", f"{VERDICTS}:", "is not an annotator",
         lambda bad: _annotator(bad, 1, annotator="annotator-00")),
    Case("a rule changed", "data/", "decision",
         lambda bad: bad.json(STUDY, policy=bad.one(STUDY)["policy"] | {"votes": 4})),
    Case("an answer given twice", f"{VERDICTS}:2", "answered before", _doubled),
    Case("a second vote", f"{VERDICTS}:", "answered this",
         lambda bad: _doubled(bad, task="task-ffffffffffffffff")),
    Case("verdicts in another order", VERDICTS, "ordered",
         lambda bad: bad.put(VERDICTS, bad.lines(VERDICTS)[::-1])),
    _verdict("somebody else's verdict", "not an annotator", annotator="annotator-77"),
    _verdict("a verdict on an unknown pair", "not a pair of", kind="preference", pair="pair-0",
             answers={"kind": "preference", "choice": "equal"}),
    _verdict("a verdict on an unknown subject", "not a subject", subject="pair-0000000000000000"),
    _verdict("a comment", "comment", comment="I am Ann."),
    _verdict("a clock time", "updated", updated="2026-01-01T00:00:00Z"),
    _verdict("a simulated answer", "simulated", simulated=True),
    _verdict("a round that is none", "round is 3", round=3),
    _verdict("another domain", "domain", domain="Kitchen"),
    _verdict("other responses", "a and b", a="response-0000000000000000"),
    _verdict("a raw text", "raw is not a hash", raw="I am Ann."),
    _asked("repeat", "never released"),
    Case("a choice that is none", f"{VERDICTS}:", "does not offer",
         lambda bad: _answers(bad, "preference", lambda of: of.update(choice="mine"))),
    Case("a score of 9", f"{VERDICTS}:", "of 1 to 5", lambda bad: _answers(
        bad, "quality", lambda of: next(iter(of["scores"].values())).update(relevance=9))),
    Case("a scale left out", f"{VERDICTS}:", "the scales", lambda bad: _answers(
        bad, "quality", lambda of: next(iter(of["scores"].values())).pop("relevance"))),
    Case("an aspect left out", f"{VERDICTS}:", "aspects is",
         lambda bad: _answers(bad, "rubric", lambda of: of["aspects"].pop())),
    Case("a subject removed", f"{VERDICTS}:", "not a subject", lambda bad: _drop(bad, SUBJECTS, 1)),
    Case("a subject doubled", f"{SUBJECTS}:2", "there twice",
         lambda bad: bad.put(SUBJECTS, bad.lines(SUBJECTS)[:1] + bad.lines(SUBJECTS))),
    Case("subjects in another order", f"{SUBJECTS}:2", "order",
         lambda bad: bad.put(SUBJECTS, bad.lines(SUBJECTS)[::-1])),
    _of_subject("a subject's sides", "chosen and rejected", first="response-0000000000000000"),
    _of_subject("a judge's scores of a subject", "response of nobody", quality={"response-0": {}}),
    _of_subject("an unknown field", "Extra inputs", " [worth]", worth=1),
    Case("windows line ends", f"{VERDICTS}:1", "\\r", lambda bad: _windows(bad, VERDICTS)),
    Case("a byte order mark", f"{STUDY}", "",
         lambda bad: bad.write(STUDY, "\ufeff" + bad.read(STUDY))),
    Case("keys in another order", "stated.json:2", "and must be", _reordered),
)  # fmt: skip


# With checksums to match: what the release says of itself


def _history(bad: Tampered, **changes: Any) -> None:
    bad.line("history.jsonl", 1, **changes)


def _change(name: str, said: str, **changes: Any) -> Case:
    """Of the first line of changes in the history's one line."""

    def do(bad: Tampered) -> None:
        first, *others = bad.lines("history.jsonl")[0]["changes"]
        _history(bad, changes=[first | changes, *others])

    return Case(name, "history.jsonl:1", said, do)


CALLS = {"n": 7, "prompt_tokens": 0, "completion_tokens": 0}


def _built(bad: Tampered, **changes: Any) -> None:
    bad.json("stated.json", build=bad.one("stated.json")["build"] | changes)


def _erratum(name: str, said: str, **changes: Any) -> Case:
    return Case(name, "errata.jsonl:1", said,
                     lambda bad: bad.put("errata.jsonl", [ERRATUM | changes]))  # fmt: skip


def _bumped(bad: Tampered) -> None:
    bad.json("stated.json", version="2.0.0")
    _history(bad, version="2.0.0")


def _unit(name: str, said: str, place: str = f"{UNITS}:1", **changes: Any) -> Case:
    return Case(name, place, said, lambda bad: bad.line(UNITS, 1, **changes))


def _audit(bad: Tampered, **changes: Any) -> None:
    source = bad.one("audit/audit.json")["source"] | changes
    bad.json("audit/audit.json", source=source)


def _failures_passed(bad: Tampered) -> None:
    checks = bad.one("audit/audit.json")["checks"]
    bad.json("audit/audit.json", checks=[check | {"status": "pass"} for check in checks])


def _gone(bad: Tampered, path: str) -> None:
    (bad.root / path).unlink()


def _invented(bad: Tampered) -> None:
    """A version before this one that had the same pairs, and one more."""
    line = bad.lines("history.jsonl")[0]
    first = line | {"version": "0.9.0", "pairs": line["pairs"] + 1}
    first["changes"] = [line["changes"][0] | {"pairs": line["changes"][0]["pairs"] + 1},
                        *line["changes"][1:]]  # fmt: skip
    after = {"previous": "0.9.0", "previous_digest": NO_DIGEST, "changes": []}
    bad.put("history.jsonl", [first, line | after])


ERRATUM = {"pair": "pair-0123456789abcdef", "versions": "1.0.0", "what": "a typo", "mended": ""}


STATED = (
    _of_stated("a version bumped", "history.jsonl:1", "must be '2.0.0'", version="2.0.0"),
    Case("a version bumped everywhere", "data/", "metadata", _bumped),
    _of_stated("a version that is none", "stated.json [version]", "X.Y.Z", version="1.0"),
    _of_stated("a kind changed", "stated.json [version]", "-trial", kind="trial"),
    _of_stated("reasons for a trial", "stated.json [trial_because]", "ordinary",
               trial_because=["because"]),
    _of_stated("a share of 2", "stated.json [validation_share]", "2", validation_share=2.0),
    _of_history("pairs counted otherwise", "pairs is 99", pairs=99),
    _of_history("a version before", "previous", previous="0.9.0", previous_digest=NO_DIGEST),
    _of_history("half a version before", "not both", previous="0.9.0"),
    Case("no history", "history.jsonl", "empty", lambda bad: bad.write("history.jsonl", "")),
    _change("more pairs of another configuration", "pairs of 'Cellar-twin'", config="Cellar-twin"),
    _change("fewer pairs than one", "changes.0 is of 0 pairs", pairs=0),
    _change("a first version that removed", "changes.0 of a first", what="removed"),
    _change("a first version for a reason", "changes.0 of a first", reason="better"),
    Case("a version before that was invented", "history.jsonl:2", "pairs", _invented),
    _of_build("calls that are not numbers", "integer", ".n", n="many"),
    _erratum("an erratum of nothing", "id of a pair", pair="../x"),
    _erratum("an erratum of no version", "1.0.0 to 1.1.0", versions="all"),
    _erratum("an erratum of other digits", "1.0.0 to 1.1.0", versions="1.0.\u0660"),
    _erratum("an erratum of a version with zeros", "1.0.0 to 1.1.0", versions="01.0.0"),
    _erratum("an erratum of three versions", "1.0.0 to 1.1.0", versions="1.0.0 to 1.1.0 to 1.2.0"),
    _erratum("an erratum that runs backwards", "backwards", versions="1.10.0 to 1.9.0"),
    _erratum("an erratum that says nothing", "what is empty", what=" "),
    Case("an erratum twice", "errata.jsonl:2", "twice",
         lambda bad: bad.put("errata.jsonl", [ERRATUM, ERRATUM])),
    Case("a kept unit removed", f"{SUBJECTS}:1", "not a kept unit",
         lambda bad: _drop(bad, UNITS, 1)),
    Case("a unit doubled", f"{UNITS}:2", "there twice",
         lambda bad: bad.put(UNITS, bad.lines(UNITS)[:1] + bad.lines(UNITS))),
    _unit("a unit's own name", "must be a hash", unit="twin:ann"),
    _unit("a renamed unit", "the unit of its item", "data/", unit="unit-0000000000000000"),
    _unit("a kept unit without its subject", "whether there is a subject", subject=None),
    _unit("a kept unit with a reason", "whether there is a reason", reason="parity"),
    _unit("a unit of another mode", "mode", f"{SUBJECTS}:1", mode="violate"),
    _of_audit("an audit of other rows", "digest", digest=NO_DIGEST),
    _of_audit("an audit of another version", "version", version="9.9.9"),
    _of_audit("an audit of more rows", "rows", rows=1000),
    Case("an audit that is none", "audit/audit.json [source]", "Field required",
         lambda bad: bad.write("audit/audit.json", '{"pairwright": "0"}')),
    Case("an audit with half a character", "audit/audit.json", "surrogates", lambda bad:
              bad.text("audit/audit.json", '"status": "pass"', '"status": "\\ud800"')),
    Case("an audit that says a thing twice", "audit/audit.json", "a key twice", lambda bad:
              bad.text("audit/audit.json", "{", '{"checks": [],')),
    Case("an audit of no number", "audit/audit.json", "NaN", lambda bad:
              bad.text("audit/audit.json", "{", '{"more": NaN,')),
    Case("an audit without end", "audit/audit.json", "",
         lambda bad: bad.write("audit/audit.json", "[" * 200_000)),
    Case("no verdicts", VERDICTS, "No such file", lambda bad: _gone(bad, VERDICTS)),
    Case("no audit", "audit/audit.json", "missing", lambda bad: _gone(bad, "audit/audit.json")),
    Case("no page of the audit", "audit/report.html", "missing",
         lambda bad: _gone(bad, "audit/report.html")),
)  # fmt: skip


@pytest.mark.parametrize("case", [*ROWS, *PEOPLE, *STATED], ids=lambda of: of.name)
def test_what_checksums_would_hide_is_caught(case: Case, release: Path, tmp_path: Path) -> None:
    sealed_and_caught(case, copy_of(release, tmp_path / "copy"))


# With checksums to match: what is derived, and trials


DERIVED = (
    ("manifest.json", '"rows": {'),
    ("README.md", "1.0.0-trial"),
    ("DATASHEET.md", "trial"),
    ("croissant.json", '"@context"'),
    ("LICENSE.md", "share"),
    ("CHANGELOG.md", "1.0.0"),
    ("attribution.csv", "CC-BY-SA-3.0"),
    ("preference/Home-violate-test.jsonl", "Good answer"),
)


@pytest.mark.parametrize(("path", "text"), DERIVED, ids=lambda of: of.split("/")[0])
def test_a_changed_derived_file_is_caught(
    path: str, text: str, trial: Path, tmp_path: Path
) -> None:
    bad = Tampered(copy_of(trial, tmp_path / "copy"))
    line = bad.read(path)[: bad.read(path).index(text)].count("\n") + 1
    bad.text(path, text, "TAMPERED")
    bad.seal()
    found = caught(bad.root)
    assert found.where == f"{path}:{line}"
    assert "TAMPERED" in found.what
    assert text.replace('"', "") in found.what.replace('"', "").replace("\\", "")


@pytest.mark.parametrize("path", ["human/decisions.jsonl", "human/findings.json"])
def test_other_decisions_and_findings_are_caught(path: str, release: Path, tmp_path: Path) -> None:
    bad = Tampered(copy_of(release, tmp_path / "copy"))
    bad.text(path, "refused", "verified")
    bad.seal()
    assert caught(bad.root).where.startswith(f"{path}:")


def test_a_file_that_no_release_has_is_caught_though_sealed(trial: Path, tmp_path: Path) -> None:
    bad = Tampered(copy_of(trial, tmp_path / "copy"))
    bad.write("loader.py", "print('hello')\n")
    bad.seal(derived=True)
    found = caught(bad.root)
    assert (found.where, found.what) == ("loader.py", "is not a file of a release")


def test_another_canary_in_every_file_is_caught(trial: Path, tmp_path: Path) -> None:
    """The files of preference/ are held to hashes with the canary that the manifest states."""
    bad = Tampered(copy_of(trial, tmp_path / "copy"))
    own = bad.one("manifest.json")["canary"].encode()
    for path, content in bytes_of(bad.root).items():
        bad.write(path, content.replace(own, own[:-8] + b"00000000"))
    bad.seal()
    assert caught(bad.root).where.startswith("manifest.json:")


def _made_a_release(bad: Tampered) -> None:
    bad.json("stated.json", kind="release", version="1.0.0", trial_because=[])
    _history(bad, version="1.0.0")


TRIALS = (
    Case("verified without anybody", f"{VIOLATE}:1", "verified, where nobody was asked",
         lambda bad: bad.row(VIOLATES, 1, verified=True)),
    Case("votes of nobody", f"{VIOLATE}:1", "votes, where nobody was asked", lambda bad:
              bad.row(VIOLATES, 1, votes=RowVotes(chosen=3, rejected=0, equal=0, cannot_tell=0))),
    Case("a trial made a release", STUDY, "missing", _made_a_release),
    Case("what the build said", "stated.json", "manifest.json has", lambda bad: bad.json(
        "stated.json", build=bad.one("stated.json")["build"] | {"state": "whole"})),
    Case("an erratum that no page tells", "errata.jsonl", "manifest.json has",
         lambda bad: bad.put("errata.jsonl", [ERRATUM])),
    Case("why a unit was refused", UNITS, "manifest.json has", lambda bad: bad.line(
        UNITS, bad.number(UNITS, lambda of: of["outcome"] == "rejected"), reason="parity")),
    Case("an audit that passes", "audit/audit.json", "manifest.json has", _failures_passed),
    _of_stated("a trial without its reason", "stated.json [trial_because]", "says nothing",
               trial_because=[]),
    Case("a pair left out", "data", "belongs into",
         lambda bad: bad.rows("Home-twin", lambda rows: rows[:-2])),
)  # fmt: skip


@pytest.mark.parametrize("case", TRIALS, ids=lambda of: of.name)
def test_a_trial_cannot_be_made_to_look_better(case: Case, trial: Path, tmp_path: Path) -> None:
    sealed_and_caught(case, copy_of(trial, tmp_path / "copy"))


def test_the_tamperings_are_tamperings(release: Path, trial: Path, tmp_path: Path) -> None:
    """The tools change nothing by themselves: read and written again, a release verifies."""
    for number, whole in enumerate((release, trial)):
        same = Tampered(copy_of(whole, tmp_path / str(number)))
        same.json("stated.json")
        same.put(UNITS, same.lines(UNITS))
        same.rows(VIOLATES, lambda rows: rows)
        same.seal(derived=True)
        assert bytes_of(same.root) == bytes_of(whole)
        assert verify_release(same.root)
