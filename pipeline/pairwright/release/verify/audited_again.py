"""The audit that a release holds, beside the one that its rows and verdicts give now."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.dataset import Layout
from pairwright.errors import Difference
from pairwright.release.primary import Primary
from pairwright.release.verify.difference import by_another, difference, shown
from pairwright.release.verify.documents import compare
from pairwright.release.verify.page import check_page
from pairwright.version import library_versions
from pairwright_human_eval.public_study import ReleasedStudy

WriteAudit = Callable[[Path, ReleasedStudy | None, Path, Path], object]
"""Audits the release in a folder with its study, and writes audit.json and report.html to two
places. Release and audit know each other by files alone."""
TOLERANCE = 1e-6
"""Between figures that two versions of a library estimate: they are rounded to six places."""


class AuditComparison(NamedTuple):
    """An audit that was derived again."""

    drawn_alike: bool
    """False where the plots are those of other libraries: then nothing is known of what they show
    but their words."""


def check_audit_again(layout: Layout, primary: Primary, write: WriteAudit) -> AuditComparison:
    """Hold both files of the audit to those that `write` gives, byte by byte.

    Where the release was written with other versions of the libraries that estimate, draw and
    compress, the figures may differ in the last place and the plots in how they are drawn; all else
    is held to what it must be. Raises Difference.
    """
    with TemporaryDirectory(prefix="pairwright-audit-") as folder:
        file, page = Path(folder) / layout.audit.name, Path(folder) / layout.audit_page.name
        write(layout.root, primary.public, file, page)
        with by_another(primary.stated):
            if primary.stated.libraries == library_versions():
                _compare(layout, layout.audit, file)
                _compare(layout, layout.audit_page, page)
                return AuditComparison(drawn_alike=True)
            return _check_alike(layout, primary, file, page)


def _check_alike(layout: Layout, primary: Primary, file: Path, page: Path) -> AuditComparison:
    try:
        name = _name(layout, layout.audit)
        _check_value(primary.audit, json.loads(file.read_bytes()), name, "")
        alike = check_page(layout.audit_page, page, _name(layout, layout.audit_page))
    except Difference as found:
        there, here = (
            ", ".join(f"{name} {version}" for name, version in sorted(of.items())) or "others"
            for of in (primary.stated.libraries, library_versions())
        )
        fix = f"{found.fix} It was written with {there}; here are {here}."
        raise Difference(found.what, where=found.where, fix=fix) from None
    return AuditComparison(drawn_alike=alike)


def _compare(layout: Layout, path: Path, must: Path) -> None:
    with must.open(encoding="utf-8", newline="") as file:
        compare(layout.root, _name(layout, path), file)


def _check_value(there: JsonValue, must: JsonValue, file: str, at: str) -> None:
    """Raise Difference unless both are the same but for the last place of a figure."""
    if isinstance(there, dict) and isinstance(must, dict) and list(there) == list(must):
        for key, value in must.items():
            _check_value(there[key], value, file, f"{at}.{key}" if at else key)
    elif isinstance(there, list) and isinstance(must, list) and len(there) == len(must):
        for n, value in enumerate(must):
            _check_value(there[n], value, file, f"{at}.{n}" if at else str(n))
    elif isinstance(there, float) and isinstance(must, float):
        if not math.isclose(there, must, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            raise _other(there, must, file, at)
    elif there != must or type(there) is not type(must):
        raise _other(there, must, file, at)


def _other(there: JsonValue, must: JsonValue, file: str, at: str) -> Difference:
    return difference(f"is {shown(there)}, and must be {shown(must)}", f"{file} [{at}]")


def _name(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.root).as_posix()
