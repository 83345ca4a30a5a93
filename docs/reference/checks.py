"""checks.md: what is refused, dropped, gated and checked, by reason, with what to do."""

import tomllib
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import get_args

from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.records import CheckDefinition
from pairwright.cli import printing
from pairwright.settings.rules import JudgedGate, TextGate
from pairwright.sources import problems
from pairwright.sources.problems import REASONS
from reference.markdown import page_of, table


def checks_page() -> str:
    gates = [*get_args(TextGate), *get_args(JudgedGate)]
    words = Path(printing.__file__).with_name("reasons.toml").read_text(encoding="utf-8")
    others = [reason for reason in tomllib.loads(words) if reason not in gates]
    return page_of(
        "# Checks and reasons",
        "Files and `--json` name reasons by these codes; a terminal prints the phrase. How the"
        " checks of an audit are decided is in [audit](audit.md#read-the-verdict).",
        "## Rows and posts that are refused",
        "A build refuses or repairs a row or post of its source by one of these rules, and goes on."
        " Each case is a line of `source_problems.jsonl`. A file without a single usable row is an"
        " error with exit code 2.",
        *_rules(),
        "## Why questions and aspects are dropped",
        "Reasons in `dropped.jsonl` and in a pair's `rubric.dropped`. A reason that is not here is"
        " printed with spaces.",
        _phrases(others),
        "## Gates",
        "A draft must pass all of them. Limits are keys of [`[gates]`](config.md#gates) and"
        " [`[twin]`](config.md#twin). A gate in `gates.off` is measured, and rejects nothing.",
        _phrases(gates),
        "## Checks of an audit",
        *(
            _checks(family.capitalize(), list(definitions))
            for family, definitions in groupby(DEFINITIONS.values(), lambda one: one.family)
        ),
    )


def _phrases(reasons: Iterable[str]) -> str:
    rows = [(f"`{reason}`", printing.phrase(reason)) for reason in reasons]
    return table(("reason", "meaning"), rows)


def _checks(name: str, definitions: Iterable[CheckDefinition]) -> str:
    rows = [[f"`{one.name}`", one.title, one.todo] for one in definitions]
    checks = table(["check", "finds", "what to do"], rows)
    return f"### {name}\n\n{checks}"


def _rules() -> Iterator[str]:
    for heading, reasons in _grouped_reasons():
        rows = [
            (f"`{reason}`", *(REASONS[reason].get(part, "") for part in ("rule", "fix")))
            for reason in reasons
        ]
        yield f"### {heading}"
        yield table(("reason", "rule", "what to do"), rows)


def _grouped_reasons() -> list[tuple[str, list[str]]]:
    """The keys of REASONS under the comments that group them in their file."""
    groups: list[tuple[str, list[str]]] = []
    source = Path(problems.__file__).with_name("reasons.toml").read_text(encoding="utf-8")
    # The first comment is about all of them.
    for line in source.partition("\n\n")[2].splitlines():
        if line.startswith("# "):
            groups.append((line.removeprefix("# "), []))
        elif line.startswith("["):
            groups[-1][1].append(line.strip("[]"))
    found = [reason for _, reasons in groups for reason in reasons]
    if found != list(REASONS):
        raise ValueError("REASONS is no longer grouped by comments")
    return groups
