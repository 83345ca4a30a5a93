"""`pairwright doctor` and `batch`: what answers the calls of a build."""

from pairwright.cli.printing import print_words
from pairwright.models.batch_service import MEANINGS, Ingest, PolledRound
from pairwright.models.doctor import ServerReport


def print_examination(reports: tuple[ServerReport, ...]) -> int:
    """Print what was found of each server, and whether a build can use them all."""
    usable = all(report.usable for report in reports)
    notes = sum(finding.state == "note" for report in reports for finding in report.findings)
    print_words("doctor", reports=reports, usable=usable, notes=notes)
    return 0 if usable else 2


def print_polled(polled: PolledRound) -> int:
    """Print how far each batch is, and what became of its replies."""
    print_words("polled", polled=polled)
    problems = print_ingested(polled.ingested) if polled.ingested.lines else 0
    return 3 if polled.under_way else int(bool(polled.troubles or problems))


def print_ingested(ingested: Ingest) -> int:
    """Print what became of the lines of replies."""
    print_words("ingested", ingested=ingested, meanings=MEANINGS)
    return int(bool(ingested.problems))
