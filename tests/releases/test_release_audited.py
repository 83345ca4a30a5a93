"""`verify` derives the audit of a release again, and `build/units.jsonl` holds hashes of what ids
do not cover."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright.dataset import Row
from pairwright.errors import Difference
from pairwright.releases.verify import verify_release
from pairwright.releases.verify.audit import check_page
from pairwright.workflows.pair_audit import write_audit
from released import PAIRS, released, run_of
from study import pairwright
from tampering import Tampered, copy_of

AUDIT_PAGE = True
PAGE, FILE, UNITS = "audit/report.html", "audit/audit.json", "build/units.jsonl"
TWINS, VIOLATES = "Home-twin", "Home-violate"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("audited")
    run = run_of(base / "run", PAIRS[:6], study=False)
    return released(run, base / "release", "0.1.0", "--trial").root


@pytest.fixture
def bad(trial: Path, tmp_path: Path) -> Tampered:
    return Tampered(copy_of(trial, tmp_path / "bad"))


def caught(bad: Tampered) -> Difference:
    bad.seal(derived=True)
    with pytest.raises(Difference) as found:
        verify_release(bad.root, write_audit=write_audit)
    return found.value


# The audit, derived again


def test_the_audit_that_a_release_holds_is_the_one_that_its_rows_give(trial: Path) -> None:
    assert verify_release(trial, write_audit=write_audit).not_compared == ()
    (said,) = verify_release(trial).not_compared
    assert "it was not derived again" in said


Change = Callable[[Tampered], object]


def _text(path: str, old: str, new: str) -> Change:
    return lambda bad: bad.text(path, old, new)


BYTE = _text(PAGE, "<h2", "<h3")
SCRIPT = _text(PAGE, "</body>", "<script>fetch('//example.com')</script></body>")
STATUS = _text(FILE, '"status": "too_few"', '"status": "pass"')


def _interval(bad: Tampered) -> None:
    text = bad.read(FILE)
    found = re.search(r'"low": 0\.(\d+)', text)
    assert found
    bad.write(FILE, text.replace(found[0], f"{found[0]}1", 1))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (SCRIPT, PAGE),
        (_interval, FILE),
        pytest.param(BYTE, PAGE, marks=pytest.mark.real),
        pytest.param(STATUS, FILE, marks=pytest.mark.real),
    ],
)
def test_a_changed_audit_is_caught_though_sealed(change: Change, place: str, bad: Tampered) -> None:
    change(bad)
    found = caught(bad)
    assert re.fullmatch(rf"{place}:\d+", found.where)


def test_an_audit_of_a_release_that_holds_another_ends_with_1(
    bad: Tampered, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    before = pairwright("audit", bad.root, "--out", "whole")
    assert "the same, byte for byte" in before.err
    _interval(bad)
    after = pairwright("audit", bad.root, "--out", "changed")
    assert "audit/audit.json is not what this audit gave" in after.err
    assert after.code == 1
    bad.seal(derived=True)
    done = pairwright("verify", bad.root)
    assert done.code == 1
    assert done.err.startswith(f"{FILE}:"), "the command derives the audit, too"


# Written with other versions of the libraries


def _other_libraries(bad: Tampered) -> None:
    bad.json("stated.json", libraries={"matplotlib": "1.0.0"})


@pytest.mark.usefixtures("drawn")
def test_plots_may_be_drawn_otherwise(bad: Tampered, trial: Path) -> None:
    whole = trial.with_name("drawn.html")
    write_audit(bad.root, None, bad.layout.audit, whole)
    bad.write(PAGE, whole.read_text(encoding="utf-8"))
    bad.text(PAGE, ' d="M 0 ', ' d="M 1 ')
    assert not check_page(bad.layout.audit_page, whole, PAGE)


def test_plots_that_other_libraries_drew_are_said_to_be_uncompared(bad: Tampered) -> None:
    _other_libraries(bad)
    bad.text(PAGE, ' d="M 0 ', ' d="M 1 ')
    bad.seal(derived=True)
    (said,) = verify_release(bad.root, write_audit=write_audit).not_compared
    assert "how the plots of audit/report.html are drawn" in said


def _block(bad: Tampered) -> None:
    text = bad.read(PAGE)
    found = re.search(r'id="index">([^<]+)<', text)
    other = re.search(r'id="texts-0">([^<]+)<', text)
    assert found
    assert other
    bad.write(PAGE, text.replace(found[1], other[1], 1))


def _in_plot(old: str, new: str) -> Change:
    def change(bad: Tampered) -> None:
        before, svg = bad.read(PAGE).split("<svg", 1)
        assert old in svg
        bad.write(PAGE, f"{before}<svg{svg.replace(old, new, 1)}")

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (BYTE, "must have"),
        (SCRIPT, "must have"),
        (_text(PAGE, "<style>", "<style>body { background: red }\n"), "other styles"),
        (_block, "other pairs"),
        (_text(PAGE, "script-src '", "script-src 'unsafe-inline' '"), "policy"),
        (_in_plot("</svg>", "<script>alert(1)</script></svg>"), "does not draw"),
        (_in_plot("</svg>", "<foreignObject></foreignObject></svg>"), "does not draw"),
        (_in_plot("<g ", '<g onclick="alert(1)" '), "does not draw"),
        (_in_plot("<g ", '<g style="x" '), "does not draw"),
        (_in_plot("</svg>", "<g title='x'></g></svg>"), "not an element"),
        (_in_plot('href="#', 'href="https://example.com/#'), "leads to"),
        (_in_plot("</text>", " of 100</text>"), "a plot says"),
        (_in_plot('aria-label="', 'aria-label="Not '), "a plot says"),
    ],
)
def test_only_drawing_may_differ(change: Change, said: str, bad: Tampered, trial: Path) -> None:
    change(bad)
    with pytest.raises(Difference) as found:
        check_page(bad.layout.audit_page, trial / PAGE, PAGE)
    assert said in found.value.what


def test_figures_may_differ_in_their_last_place_alone(bad: Tampered) -> None:
    _other_libraries(bad)
    text = bad.read(FILE)
    found = re.search(r'"low": (0\.\d+)', text)
    assert found
    bad.write(FILE, text.replace(found[1], f"{float(found[1]) + 1e-7:.7f}", 1))
    bad.seal(derived=True)
    assert verify_release(bad.root, write_audit=write_audit)
    STATUS(bad)
    other = caught(bad)
    assert other.where.startswith(f"{FILE} [checks.")
    assert "written with matplotlib 1.0.0" in other.fix


# What ids do not cover


def _asked_otherwise(row: Row) -> Row:
    return row.model_copy(update={"question": "Another question?"})


def _post_edited(row: Row) -> Row:
    first, *others = row.profile
    posts = (first.model_copy(update={"text": "Edited."}), *others)
    return row.model_copy(update={"profile": posts, "aspects_origin": "gold"})


@pytest.mark.parametrize(
    ("config", "change"), [(VIOLATES, _asked_otherwise), (TWINS, _post_edited)]
)
def test_an_edited_question_or_post_keeps_its_id_and_is_caught(
    config: str, change: Callable[[Row], Row], bad: Tampered
) -> None:
    bad.rows(config, lambda rows: [change(rows[0]), *rows[1:]], hashed=False)
    bad.seal(derived=True)
    with pytest.raises(Difference) as found:
        verify_release(bad.root)
    assert found.value.where == f"data/{config}/test-00000-of-00001.parquet:1"
    assert found.value.what.startswith("content is ")


def test_a_unit_has_contents_where_its_rows_are_released_and_nowhere_else(bad: Tampered) -> None:
    units = bad.lines(UNITS)
    rejected = bad.number(UNITS, lambda unit: unit["outcome"] != "kept")
    bad.line(UNITS, rejected, contents=["content-0"])
    assert caught(bad).where == f"{UNITS}:{rejected}"
    for unit in units:
        unit.pop("contents", None)
    bad.put(UNITS, units)
    assert caught(bad).what.startswith("content is ")


def test_a_release_of_format_1_verifies_under_its_format(bad: Tampered) -> None:
    """As releases were before they had hashes of contents."""
    stated = bad.one("stated.json")
    for name in ("format", "libraries"):
        del stated[name]
    for name in ("own_licence", "languages"):
        del stated["info"][name]
    bad.write("stated.json", "{}\n")
    bad.json("stated.json", **stated)
    units = bad.lines(UNITS)
    for unit in units:
        unit.pop("contents", None)
    bad.put(UNITS, units)
    bad.seal(derived=True)
    (said,) = verify_release(bad.root, write_audit=write_audit).not_compared
    assert "format 1" in said
    assert "Not compared: the texts of questions and posts" in pairwright("verify", bad.root).out
