"""`pairwright audit` as a person meets it: what it prints, writes and ends with."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from audited import jsonl
from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.records import EXAMPLES, Audit, Check
from small_studies import twin, violate
from study import Done, pairwright

WORDS = (
    "the shop near my house sells old lamps and many people go there on a Sunday because its"
    " owner tells long stories about every lamp before anyone may buy one of them"
).split()


def sentence(*seed: int, words: int = 14) -> str:
    """Text that no other seed gives."""
    start = sum(n * 31**k for k, n in enumerate(seed, 1))
    picked = [WORDS[(start + n * n * (start % 7 + 1)) % len(WORDS)] for n in range(words)]
    return " ".join(picked).capitalize() + f" {'-'.join(map(str, seed))}."


def plain(n: int, **changes: Any) -> dict[str, Any]:
    # Which side is the longer one alternates.
    sides = sentence(n, 1, words=14 + n % 2), sentence(n, 2, words=15 - n % 2)
    return {
        "id": str(n), "prompt": sentence(n, 0)[:-1] + "?",
        "chosen": sides[0], "rejected": sides[1], **changes,
    }  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_folder(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.toml").touch()
    pairs = [*twin(1), *twin(2), violate(3), violate(4)]
    lines = "".join(pair.model_dump_json() + "\n" for pair in pairs)
    (folder / "pairs.jsonl").write_text(lines, encoding="utf-8")
    return folder


def audited(path: Path, *options: object) -> Audit:
    """What the command prints as JSON."""
    return Audit.model_validate_json(pairwright("audit", path, *options, "--json").out)


def named(checks: Iterable[Check], name: str) -> Check:
    """The one check of a name."""
    (check,) = (check for check in checks if check.name == name)
    return check


def refused(done: Done, *said: str) -> None:
    assert done.code == 2, done.said
    assert "Traceback" not in done.said
    for words in said:
        assert words in done.err


def test_a_run_is_audited_into_its_own_folder(here: Path) -> None:
    run = run_folder(here / "run")
    done = pairwright("audit", run)
    found = Audit.model_validate_json((run / "audit" / "audit.json").read_bytes())
    assert (found.source.kind, found.source.name, found.source.rows) == ("run", "run", 6)
    assert found.source.configs == {"Home-twin": 4, "Home-violate": 2}
    assert done.code == (1 if found.failed else 0)
    assert "6 pairs" in done.out
    assert str(run / "audit" / "report.html") in done.out
    assert "word overlap with the posts is right in " in " ".join(done.out.split())
    page = (run / "audit" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")


def test_what_failed_is_told_with_why_and_what_to_do_and_exits_1(here: Path) -> None:
    rows = [plain(n) for n in range(40)]
    rows[7]["rejected"] = rows[7]["chosen"]
    done = pairwright("audit", jsonl(here / "theirs.jsonl", *rows))
    assert done.code == 1
    found = Audit.model_validate_json((here / "audit-theirs" / "audit.json").read_bytes())
    same = named(found.failed, "same_sides")
    assert [flag.row for flag in same.flags] == ["7"]
    words = DEFINITIONS[same.name]
    said = " ".join(done.out.split())
    assert "theirs.jsonl: 40 pairs. 2 of " in said
    assert words.title in said
    assert "Such as theirs.jsonl:8: 7 (" in said
    assert words.todo in said


def test_unreadable_rows_fail_with_their_places_and_are_counted(here: Path) -> None:
    file = jsonl(here / "theirs.jsonl", *[plain(n) for n in range(20)])
    with file.open("a", encoding="utf-8") as more:
        more.write("{broken\n" * (EXAMPLES + 5))
    done = pairwright("audit", file, "--json", "--out", here / "there")
    assert done.code == 1
    assert done.out == (here / "there" / "audit.json").read_text(encoding="utf-8")
    found = Audit.model_validate_json(done.out)
    assert found.source.problems == {"bad_json": EXAMPLES + 5}
    assert found.source.rows == 20
    check = named(found.checks, "unreadable_rows")
    assert (check.status, check.count, check.of) == ("fail", EXAMPLES + 5, 25 + EXAMPLES)
    assert [flag.row for flag in check.flags[:2]] == ["theirs.jsonl:21", "theirs.jsonl:22"]


def test_a_finding_names_file_and_line_in_json_terminal_and_page(here: Path) -> None:
    rows = [plain(n, rejected="the same", chosen="the same") for n in range(2)]
    rows += [plain(n, id=None, chosen=f"Write to ada{n}@old-lamps.shop.") for n in (2, 3)]
    file = jsonl(here / "theirs.jsonl", *rows)
    file.write_text("\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    done = pairwright("audit", file)
    out = here / "audit-theirs"
    found = Audit.model_validate_json((out / "audit.json").read_bytes())
    checks = {check.name: [flag.where for flag in check.flags] for check in found.failed}
    assert checks["same_sides"] == ["theirs.jsonl:2", "theirs.jsonl:3"]
    assert checks["email"] == ["theirs.jsonl:4", "theirs.jsonl:5"]
    said = " ".join(done.out.split())
    page = (out / "report.html").read_text(encoding="utf-8")
    redactions = (out / "redactions.jsonl").read_text(encoding="utf-8").splitlines()
    for place in checks["email"]:
        assert f"{place}: row-" in said
        assert f"</a>, {place}" in page
    assert [json.loads(line)["where"] for line in redactions] == checks["email"]


def test_two_people_with_one_choice_are_two_rows_and_one_person_with_it_twice_is_not(
    here: Path,
) -> None:
    log = jsonl(here / "log.jsonl", *(plain(1, id="", user=user) for user in "aba"))
    assert pairwright("audit", log).code == 1
    found = Audit.model_validate_json((here / "audit-log" / "audit.json").read_bytes())
    counts = {check.name: check.count for check in found.checks}
    assert (counts["duplicate_id"], counts["duplicate_pair"]) == (1, 1)


def test_escape_sequences_of_a_pair_do_not_reach_the_terminal(here: Path) -> None:
    rows = [plain(n, domain="\x1b[31mred\x1b[0m [bold]x[/bold]") for n in range(20)]
    rows[2]["id"] = "\x1b]0;title\x07[link=https://example.test]id[/link]"
    rows[2]["rejected"] = rows[2]["chosen"]
    done = pairwright("audit", jsonl(here / "\x1b[31mfile.jsonl", *rows))
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "[link=https://example.test]id[/link]" in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.jsonl"], "no such file or folder"),
        (["a.jsonl", "--max-shortcut", "0.4"], "greater than or equal to 0.5"),
        (["a.jsonl", "--max-shortcut", "nan"], "less than or equal to 1"),
        (["empty.jsonl"], "holds no rows"),
        (["b.jsonl"], "Did you mean 'a.jsonl'?"),
        (
            ["a.jsonl", "--column", "first=chosen", "--column", "label=id", "--label", "first=ja"],
            "nothing says what these labels mean",
        ),
    ],
)
def test_wrong_use_is_told_before_a_file_is(here: Path, arguments: list[str], said: str) -> None:
    jsonl(here / "a.jsonl", *[plain(n) for n in range(3)])
    (here / "empty.jsonl").touch()
    refused(pairwright("audit", *arguments), said)
    assert sorted(path.name for path in here.iterdir()) == ["a.jsonl", "empty.jsonl"]
