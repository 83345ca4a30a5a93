"""`pairwright check`: a release is what its own files say, or the first difference is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.errors import Difference, InputError
from pairwright.pairs import Row
from pairwright.releases.check import check
from released import placebo, question, released, run_of
from study import pairwright
from tampering import Tampered, copy_of, renamed, turned

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
    said = pairwright("check", release).out
    assert "is consistent" in said
    assert found.digest in said


def test_the_digest_pins_a_release(release: Path) -> None:
    with pytest.raises(Difference, match="root digest"):
        check(release, "sha256:" + 64 * "0")
    with pytest.raises(InputError, match="whole root digest"):
        check(release, "sha256:12")


def test_any_changed_missing_or_further_file_is_named(bad: Tampered) -> None:
    bad.write("README.md", bad.read("README.md") + "One more line.\n")
    assert place(bad.root) == "README.md"
    (bad.root / "README.md").unlink()
    assert place(bad.root) == "README.md"


def test_a_file_or_link_that_is_not_listed_is_named(bad: Tampered) -> None:
    (bad.root / "data" / "more.txt").write_text("More.\n", encoding="utf-8")
    assert place(bad.root) == "data/more.txt"
    (bad.root / "data" / "more.txt").unlink()
    (bad.root / "link").symlink_to("README.md")
    assert place(bad.root) == "link"


def test_what_downloads_leave_beside_a_release_is_no_part(bad: Tampered) -> None:
    (bad.root / ".git").mkdir()
    (bad.root / ".gitattributes").write_text("*.parquet lfs\n", encoding="utf-8")
    assert check(bad.root).rows == 14


def flip_votes(bad: Tampered) -> None:
    path = "human/answers.jsonl"
    number = bad.number(path, lambda one: one["kind"] == "preference")
    one = bad.lines(path)[number - 1]
    bad.line(path, number, label="chosen" if one["label"] == "rejected" else "rejected")


def drop_row(rows: list[Row]) -> list[Row]:
    return rows[2:]


def first_turned(rows: list[Row]) -> list[Row]:
    return [*turned(rows[:2]), *rows[2:]]


def another_text(rows: list[Row]) -> list[Row]:
    return [renamed(rows[0], chosen="Another text."), *rows[1:]]


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
    "a twin left out": (lambda bad: bad.rows("Home-twin", drop_row), "data"),
    "half a twin": (lambda bad: bad.rows("Home-twin", lambda rows: rows[:-1]), "data/Home-twin"),
    "a turned twin": (lambda bad: bad.rows("Home-twin", first_turned), "data/Home-twin"),
    "a text": (lambda bad: bad.rows("Home-violate", another_text), "data/Home-violate"),
    "an id": (lambda bad: bad.row("Home-violate", 1, id="pair-0000000000000000"), "data/Home-v"),
    "a user's own id": (lambda bad: bad.row("Home-violate", 1, user="anna"), "data/Home-violate"),
    "a licence": (lambda bad: bad.row("Home-violate", 1, licence="MIT"), "data/Home-violate"),
    "verified": (lambda bad: bad.row("Home-violate", 1, verified=False), "data/Home-violate"),
    "votes of a row": (lambda bad: bad.row("Home-violate", 1, votes=None), "data/Home-violate"),
    "a count": (lambda bad: bad.json("manifest.json", units={}), "manifest.json"),
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


def test_a_difference_is_one_message_and_exit_code_1(bad: Tampered) -> None:
    bad.write("LICENSE.md", "Do what you like.\n")
    done = pairwright("check", bad.root)
    assert done.code == 1
    assert "LICENSE.md" in done.said


def test_where_there_is_no_release_the_exit_code_is_2(tmp_path: Path) -> None:
    assert pairwright("check", tmp_path / "nothing").code == 2
    assert pairwright("check", tmp_path).code == 2
    assert pairwright("check", run_of(tmp_path / "run", question(1))).code == 2
