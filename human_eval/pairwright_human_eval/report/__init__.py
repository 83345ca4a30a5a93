"""The report of a study: report.json, report.md and report.html.

records.py                                  the numbers as they are in report.json
answers.py, resample.py                     answers by question; intervals by dyads and annotators
claims.py, aspects.py, quality.py, people.py, calibration.py    the numbers, part by part
findings.py                                 all of them together, and the files
words.py, plots.py, page.py                 numbers in words, in plots, and on the page
"""

from pairwright_human_eval.report.findings import compute_report, write_report
from pairwright_human_eval.report.records import StudyReport

__all__ = ["StudyReport", "compute_report", "write_report"]
