"""CHANGELOG.md: what each version changed, by reason, and the known errors of released pairs."""

from collections.abc import Iterable

from pairwright.release.derive.known import Known
from pairwright.release.derive.markdown import Markdown, page, table
from pairwright.release.records import Erratum, Version


def changelog(known: Known) -> str:
    """The whole file, newest version first."""
    versions = [(of, _changes(of)) for of in reversed(known.primary.history)]
    return page(
        "changelog.md.jinja", known=known, versions=versions, errata=errata(known.primary.errata)
    )


def errata(given: Iterable[Erratum]) -> Markdown | None:
    """Known errors as a table, in the order of errata.jsonl; None where there is none."""
    rows = [(of.pair, of.versions, of.what, of.mended or "not yet") for of in given]
    return table(("pair", "in versions", "what is wrong", "mended"), rows, left=4) if rows else None


def _changes(version: Version) -> Markdown | None:
    rows = [(of.config, of.what, of.reason, f"{of.pairs:,}") for of in version.changes]
    return table(("configuration", "pairs", "because", "n"), rows, left=3) if rows else None
