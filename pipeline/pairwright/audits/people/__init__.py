"""People: personal data in the rows, sensitive subjects, licences and deletion.

data.py     the kinds of personal data, found by libraries
scan.py     one search of each text: checks, a log of what to redact, and one text by itself
rights.py   licences, people who asked to be forgotten, and subjects that can harm people
"""
