"""checks.md: every check of an audit."""

from collections.abc import Iterable

from pairwright.audits.catalogue import PARTS
from pairwright.audits.records import CheckDefinition
from reference.markdown import page_of, table


def checks_page() -> str:
    return page_of(
        "# The checks of an audit",
        "What `pairwright audit` looks for, as its report says it. [audit.md](audit.md) has how"
        " checks are decided.",
        *(_checks(name, definitions) for name, definitions in PARTS.items()),
    )


def _checks(name: str, definitions: Iterable[CheckDefinition]) -> str:
    rows = [[f"`{one.name}`", one.title, f"{one.why} {one.todo}"] for one in definitions]
    checks = table(["check", "finds", "why it matters, and what to do"], rows)
    return f"## {name}\n\n{checks}"
