"""The audit that a release holds: is it about these rows, and is it the one they give now?"""

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pydantic import ConfigDict, JsonValue, ValidationError

from pairwright.dataset import Layout
from pairwright.errors import Difference
from pairwright.records import Record
from pairwright.release.primary import PrimaryFiles
from pairwright.release.verify.audit_page import check_page
from pairwright.release.verify.comparison import by_another, compare, difference, same, shown
from pairwright.release.verify.rows import RowTotals
from pairwright.version import library_versions
from pairwright_human_eval.public_study import ReleasedStudy


class _AuditedPart(Record):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _AuditedSource(_AuditedPart):
    name: str
    kind: str
    version: str
    digest: str
    rows: int
    configs: dict[str, int]
    simulated: bool
    problems: dict[str, int]


class _AuditedFile(_AuditedPart):
    """The fields of audit.json that show that it is the release's own."""

    pairwright: str
    source: _AuditedSource


def check_audit(layout: Layout, primary: PrimaryFiles, read: RowTotals) -> None:
    """Raises Difference."""
    name = layout.inside(layout.audit)
    try:
        audit = _AuditedFile.model_validate(primary.audit)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise difference(first["msg"], f"{name} [{'.'.join(map(str, first['loc']))}]") from None
    configs = Counter({config.config: config.rows for config in read.summary.configs})
    must = _AuditedSource(
        name=primary.provenance.name,
        kind="release",
        version=primary.provenance.version,
        digest=read.digest,
        rows=read.summary.rows,
        configs=dict(configs),
        simulated=read.summary.simulated > 0,
        problems={},
    )
    same("pairwright", audit.pairwright, primary.provenance.pairwright, name)
    for field in _AuditedSource.model_fields:
        same(field, getattr(audit.source, field), getattr(must, field), f"{name} [source]")


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


def check_audit_again(layout: Layout, primary: PrimaryFiles, write: WriteAudit) -> AuditComparison:
    """Hold both files of the audit to those that `write` gives, byte by byte.

    Where the release was written with other versions of the libraries that estimate, draw and
    compress, the figures may differ in the last place and the plots in how they are drawn; all else
    is held to what it must be. Raises Difference.
    """
    with TemporaryDirectory(prefix="pairwright-audit-") as folder:
        file, page = Path(folder) / layout.audit.name, Path(folder) / layout.audit_page.name
        write(layout.root, primary.public, file, page)
        with by_another(primary.provenance):
            if primary.provenance.libraries == library_versions():
                _compare(layout, layout.audit, file)
                _compare(layout, layout.audit_page, page)
                return AuditComparison(drawn_alike=True)
            return _check_alike(layout, primary, file, page)


def _check_alike(layout: Layout, primary: PrimaryFiles, file: Path, page: Path) -> AuditComparison:
    try:
        name = layout.inside(layout.audit)
        _check_value(primary.audit, json.loads(file.read_bytes()), name, "")
        alike = check_page(layout.audit_page, page, layout.inside(layout.audit_page))
    except Difference as found:
        there, here = (
            ", ".join(f"{name} {version}" for name, version in sorted(libraries.items()))
            or "others"
            for libraries in (primary.provenance.libraries, library_versions())
        )
        fix = f"{found.fix} It was written with {there}; here are {here}."
        raise Difference(found.what, where=found.where, fix=fix) from None
    return AuditComparison(drawn_alike=alike)


def _compare(layout: Layout, path: Path, must: Path) -> None:
    with must.open(encoding="utf-8", newline="") as file:
        compare(layout.root, layout.inside(path), file)


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
