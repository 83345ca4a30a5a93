"""`pairwright check`: a release is what its own files say, or the first difference is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.errors import Difference, InputError
from pairwright.pairs import Part, Row, read_rows, write_rows
from pairwright.releases.check import check
from released import placebo, question, released, run_of
from study import pairwright
from tampering import Damage, Tampered, copy_of, dropped, renamed, replaced, turned

Case = Callable[[Tampered], None]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twins, placebos and pairs of mode violate that people verified. Not to be changed."""
    folder = tmp_path_factory.mktemp("release")
    pairs = [pair for n in range(4) for pair in question(n)]
    run = run_of(folder / "run", [*pairs, *placebo(7)])
    return released(run, folder / "release").root


@pytest.fixture
def bad(release: Path, tmp_path: Path) -> Tampered:
    return Tampered(copy_of(release, tmp_path / "bad"))


def place(root: Path) -> str:
    with pytest.raises(Difference) as found:
        check(root)
    assert found.value.what
    assert found.value.fix
    return found.value.where


def test_an_untouched_release_verifies(release: Path) -> None:
    found = check(release)
    assert (found.rows, sum(found.units.values()), found.trial_because) == (14, 9, ())
    assert check(release, found.digest) == found
    with pytest.raises(Difference, match="root digest"):
        check(release, "sha256:" + 64 * "0")
    with pytest.raises(InputError, match="whole root digest"):
        check(release, "sha256:12")
    said = pairwright("check", release).out
    assert "is consistent" in said
    assert found.digest in said


FILES: dict[str, Damage] = {
    "README.md": replaced("README.md", "Another page.\n"),
    "LICENSE.md": dropped("LICENSE.md"),
    "data/more.txt": replaced("data/more.txt", "More.\n"),
    "link": lambda root: (root / "link").symlink_to("README.md"),
}


@pytest.mark.parametrize("path", FILES)
def test_a_changed_missing_or_further_file_or_link_is_named(path: str, bad: Tampered) -> None:
    # What downloads leave beside a release is no part of it.
    (bad.root / ".git").mkdir()
    (bad.root / ".gitattributes").write_text("*.parquet lfs\n", encoding="utf-8")
    FILES[path](bad.root)
    assert place(bad.root) == path


def flip_votes(bad: Tampered) -> None:
    lines = bad.lines("human/answers.jsonl")
    vote = next(one for one in lines if one["kind"] == "preference")
    vote["label"] = "chosen" if vote["label"] == "rejected" else "rejected"
    bad.put("human/answers.jsonl", lines)


def turn_first(rows: list[Row]) -> list[Row]:
    return [*turned(rows[:2]), *rows[2:]]


def rewrite_first(rows: list[Row]) -> list[Row]:
    return [renamed(rows[0], chosen="Another text."), *rows[1:]]


def part_twin(bad: Tampered) -> None:
    """The last side of a twin, of a user without other rows, is in the other split."""
    _, *_, last = read_rows(bad.layout.part(Part("Home-twin", "test")))
    bad.rows("Home-twin", lambda rows: rows[:-1])
    write_rows(bad.layout.part(Part("Home-twin", "validation")), [last])


def hide_unit(bad: Tampered) -> None:
    """Neither the build nor the rows hold a verified pair; its answers stay."""
    hidden = bad.lines("human/units.jsonl")[0]["id"]
    units = bad.lines("build/units.jsonl")
    bad.put("build/units.jsonl", [unit for unit in units if unit["subject"] != hidden])
    for config in ("Home-violate", "Home-twin"):
        bad.rows(config, lambda rows: [row for row in rows if row.subject != hidden])


SEALED: dict[str, tuple[Case, str]] = {
    "a vote": (flip_votes, "human/decisions.jsonl"),
    "an answer twice": (
        lambda bad: bad.put(
            "human/answers.jsonl", [*(lines := bad.lines("human/answers.jsonl")), lines[0]]
        ),
        "human/answers.jsonl:",
    ),
    "a decision": (
        lambda bad: bad.line("human/decisions.jsonl", 1, state="refused"),
        "human/decisions.jsonl",
    ),
    "a kept unit left out": (hide_unit, "human/units.jsonl"),
    "the mode of a unit": (
        lambda bad: bad.line("human/units.jsonl", 1, mode="contradict"),
        "human/units.jsonl",
    ),
    "a twin left out": (lambda bad: bad.rows("Home-twin", lambda rows: rows[2:]), "data"),
    "half a twin": (lambda bad: bad.rows("Home-twin", lambda rows: rows[:-1]), "data/Home-twin"),
    "a twin in two splits": (part_twin, "data/Home-twin/validation"),
    "a turned twin": (lambda bad: bad.rows("Home-twin", turn_first), "data/Home-twin"),
    "a text": (lambda bad: bad.rows("Home-violate", rewrite_first), "data/Home-violate"),
    "an id": (lambda bad: bad.row("Home-violate", 1, id="pair-0000000000000000"), "data/Home-v"),
    "a user's own id": (lambda bad: bad.row("Home-violate", 1, user="anna"), "data/Home-violate"),
    "a licence": (lambda bad: bad.row("Home-violate", 1, licence="MIT"), "data/Home-violate"),
    "verified": (lambda bad: bad.row("Home-violate", 1, verified=False), "data/Home-violate"),
    "votes of a row": (lambda bad: bad.row("Home-violate", 1, votes=None), "data/Home-violate"),
    "a count": (lambda bad: bad.json("manifest.json", canary=""), "manifest.json"),
    "a question": (lambda bad: bad.row("Home-violate", 1, question="Another?"), "manifest.json"),
}


@pytest.mark.parametrize("name", SEALED)
def test_what_checksums_do_not_show_is_found(name: str, bad: Tampered) -> None:
    case, where = SEALED[name]
    case(bad)
    bad.seal()
    assert place(bad.root).startswith(where)


def test_a_figure_of_the_audit_is_derived_again(bad: Tampered) -> None:
    audit = bad.one("audit/audit.json")
    check = next(one for one in audit["checks"] if one["found"] and one["found"]["value"])
    check["found"]["value"] = 0.123
    bad.json("audit/audit.json", checks=audit["checks"])
    bad.seal(derived=True)
    assert place(bad.root).startswith("audit/audit.json")


def test_a_difference_ends_with_1_and_a_folder_that_is_no_release_with_2(
    bad: Tampered, tmp_path: Path
) -> None:
    bad.write("LICENSE.md", "Do what you like.\n")
    done = pairwright("check", bad.root)
    assert (done.code, "LICENSE.md" in done.said) == (1, True)
    for folder in (tmp_path / "nothing", tmp_path, run_of(tmp_path / "run", question(1))):
        assert pairwright("check", folder).code == 2
