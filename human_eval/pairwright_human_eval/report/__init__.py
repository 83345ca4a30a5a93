"""The report of a study: report.json, report.md and report.html.

answers.py, resample.py     answers by question; intervals by dyads and annotators
claims.py, aspects.py, quality.py, people.py, own.py, calibration.py    the numbers by part
findings.py                 all of them together
page.py                     numbers in plots, in words, and on the page
"""

from pairwright_human_eval.report.findings import StudyReport, compute_report
from pairwright_human_eval.report.page import write_report

__all__ = ["StudyReport", "compute_report", "write_report"]
