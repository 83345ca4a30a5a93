"""The report of a study: report.json, report.md and report.html.

answers.py     the answers as tables, a line an answer
findings.py    every figure, from these tables
page.py        the figures on a page
"""

from pairwright_human_eval.report.findings import StudyReport, compute_report
from pairwright_human_eval.report.page import write_report

__all__ = ["StudyReport", "compute_report", "write_report"]
