"""The audit of a set of preference pairs: a search for faults, with figures.

read/          releases, run folders, the official schema and plain files of others, as rows
run.py         one pass over the rows through all checks, which gives an Audit

balance.py     how many pairs there are of each kind and user, also beside other pairs
integrity/     rows that contradict themselves or each other
shortcuts/     accuracy of scorers without the user, and of word overlap
leakage/       information in a pair that its reader should not have
people/        personal data, licences, and people who asked to be forgotten
human.py       what people verified, agreement and preference

row_check.py   a check that counts rows
checks.toml catalogue.py    the words of all checks, and what decides accuracies
records.py     audit.json
page/          the report: one HTML file with a plot, tables and a browser of pairs
"""
