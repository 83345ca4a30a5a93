"""The audit that a release holds: is it about these rows?"""

from collections import Counter

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.records import Record
from pairwright.release.primary import Primary
from pairwright.release.verify.difference import difference, same
from pairwright.release.verify.rows import Read


class _Part(Record):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Source(_Part):
    name: str
    kind: str
    version: str
    digest: str
    rows: int
    configs: dict[str, int]
    simulated: bool
    problems: dict[str, int]


class _Audit(_Part):
    """audit.json, as far as a release can tell that it is its own."""

    pairwright: str
    source: _Source


def check_audit(layout: Layout, primary: Primary, read: Read) -> None:
    """Raises Difference."""
    name = layout.audit.relative_to(layout.root).as_posix()
    try:
        audit = _Audit.model_validate(primary.audit)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise difference(first["msg"], f"{name} [{'.'.join(map(str, first['loc']))}]") from None
    configs = Counter({of.config: of.rows for of in read.summary.configs})
    must = _Source(
        name=primary.stated.name,
        kind="release",
        version=primary.stated.version,
        digest=read.digest,
        rows=read.summary.rows,
        configs=dict(configs),
        simulated=read.summary.simulated > 0,
        problems={},
    )
    same("pairwright", audit.pairwright, primary.stated.pairwright, name)
    for field in _Source.model_fields:
        same(field, getattr(audit.source, field), getattr(must, field), f"{name} [source]")
