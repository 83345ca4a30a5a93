"""The audit of a set of preference pairs: a search for faults, with figures.

run.py         one pass over the rows through all checks, which gives an Audit; the command
shortcuts.py   accuracy of scorers without the user (blind.py), and of word overlap (informed.py)
accuracies.py  accuracies against limits, also of questions with options
identity.py    rows that contradict each other; texts.py: texts that cannot be read or used
copies.py      information in a pair that its reader should not have; duplicates.py: in others
scan.py        personal data (personal_data.py); rights.py: licences, and who is to be forgotten
human.py       what people verified; balance.py: how many pairs there are of whom

row_check.py   a check that counts rows
checks.toml catalogue.py    the words of all checks, and what decides accuracies
records.py     audit.json
page/          the report: one HTML file with a plot, tables and a browser of pairs
"""
