"""What all derived files are made of, read and computed once."""

import hashlib
import json
from typing import NamedTuple

from pairwright.dataset import Layout
from pairwright.dataset.checksums import file_digest
from pairwright.release.primary import Primary
from pairwright.release.summary import Summary
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.report.findings_records import Findings


class Known(NamedTuple):
    """A release's primary files, and what is computed from them."""

    layout: Layout
    primary: Primary
    summary: Summary
    decisions: dict[str, Decision]
    """By subject, in the order of the study; empty where nobody was asked."""
    findings: Findings | None
    digests: dict[str, str]
    """Of each primary file that is there: 64 hex digits of sha256 by relative path, sorted."""

    @property
    def trial(self) -> bool:
        return self.primary.stated.kind == "trial"

    @property
    def name(self) -> str:
        return self.primary.stated.name

    @property
    def version(self) -> str:
        return self.primary.stated.version

    @property
    def canary(self) -> str:
        """A string that stands nowhere else: its name, version and rows, hashed."""
        parts = [self.name, self.version, *(part.digest for part in self.summary.parts)]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
        return f"pairwright-canary-{digest[:32]}"


def know(
    layout: Layout,
    primary: Primary,
    summary: Summary,
) -> Known:
    """Decide every subject and estimate everything again."""
    public = primary.public
    return Known(
        layout=layout,
        primary=primary,
        summary=summary,
        decisions=public.decisions if public else {},
        findings=public.findings if public else None,
        digests=_digests(layout, summary),
    )


def _digests(layout: Layout, summary: Summary) -> dict[str, str]:
    paths = [
        layout.stated, layout.history, layout.errata, layout.units, layout.study, layout.subjects,
        layout.verdicts, layout.audit, layout.audit_page,
        *(layout.root / part.path for part in summary.parts),
    ]  # fmt: skip
    return {
        path.relative_to(layout.root).as_posix(): file_digest(path)
        for path in sorted(paths)
        if path.exists()
    }
