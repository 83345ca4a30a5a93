"""checks.md: every check of an audit."""

from pairwright.audits.catalogue import ESTIMATE_CHECKS, PARTS
from pairwright.audits.records import Definitions
from reference.markdown import page_of, table


def checks_page() -> str:
    return page_of(
        "# The checks of an audit",
        "What `pairwright audit` looks for, as its report says it. [audit.md](audit.md) has how"
        " checks are decided.",
        "An estimate decides these, all of them together: "
        f"{', '.join(map(_code, ESTIMATE_CHECKS))}."
        " Every other check counts rows against a limit, or is a note.",
        *(_checks(name, definitions) for name, definitions in PARTS.items()),
    )


def _code(name: str) -> str:
    return f"`{name}`"


def _checks(name: str, definitions: Definitions) -> str:
    rows = [[f"`{one.name}`", one.title, f"{one.why} {one.todo}"] for one in definitions]
    checks = table(["check", "finds", "why it matters, and what to do"], rows)
    return f"## {name}\n\n{checks}"
