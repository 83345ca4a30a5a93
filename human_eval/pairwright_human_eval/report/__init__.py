"""The report of a study: report.json, report.md and report.html.

data.py        answers laid out by question; resample.py: intervals by dyads and annotators
head.py, decisions.py, adjudication.py, agreed.py, claims.py, aspects.py, quality.py, judge.py,
annotators.py: the numbers
records.py     the numbers as they stand in report.json; compute.py: all of them
show_*.py, shown.py, plots.py, page.py: the same in words, tables and plots
"""

from pairwright_human_eval.report.findings import compute_report
from pairwright_human_eval.report.pages import write_report
from pairwright_human_eval.report.records import StudyReport

__all__ = ["StudyReport", "compute_report", "write_report"]
