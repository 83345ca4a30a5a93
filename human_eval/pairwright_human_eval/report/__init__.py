"""The report of a study: report.json, report.md and report.html.

records.py, findings_records.py   the numbers as they are in report.json
answers.py, resample.py           answers by question; intervals by dyads and annotators
study.py, decisions.py, adjudication.py, by_question.py, claims.py, aspects.py, quality.py,
judge.py, annotators.py           a section each: its numbers and its words
label_errors.py                   how probably a label is wrong
findings.py                       all numbers
number_text.py, plots.py          numbers in words and in plots
pages.py                          the pages, and the files
summary.py                        the report in brief, for a terminal
"""

from pairwright_human_eval.report.findings import compute_report
from pairwright_human_eval.report.pages import write_report
from pairwright_human_eval.report.records import StudyReport

__all__ = ["StudyReport", "compute_report", "write_report"]
