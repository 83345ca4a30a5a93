"""`pairwright doctor` and `batch`: what answers the calls of a build."""

from pairwright.cli.printing import print_words
from pairwright.models.batch_service import Ingest
from pairwright.models.doctor import ServerReport


def print_examination(reports: tuple[ServerReport, ...]) -> int:
    """Print what was found of each server, and whether a build can use them all."""
    usable = all(report.usable for report in reports)
    notes = sum(finding.state == "note" for report in reports for finding in report.findings)
    print_words("doctor", reports=reports, usable=usable, notes=notes)
    return 0 if usable else 2


def print_ingested(ingested: Ingest) -> int:
    """Print how far each file of requests is, and what became of the lines of replies."""
    print_words("batch", ingested=ingested)
    if any(file.waiting for file in ingested.files):
        return 3
    return int(bool(ingested.problems or any(file.failed for file in ingested.files)))
