"""The audit of a set of preference pairs: a search for faults, with figures.

read/          releases, run folders, the official schema and plain files of others, as rows
run.py         one pass over the rows through all parts, each guarded, which gives an Audit

balance.py     how many pairs there are of each kind and user, also beside other pairs
integrity/     rows that contradict themselves or each other
shortcuts/     accuracy of scorers without the user, and of word overlap
leakage/       information in a pair that its reader should not have
people/        personal data, licences, and people who asked to be forgotten
human.py       votes, agreement and annotators

row_check.py   a check that counts rows
checks.toml catalogue.py    the words of all checks, and what decides estimates
records.py     audit.json
page/          the report: one HTML file with plots, tables and a browser of pairs
"""
