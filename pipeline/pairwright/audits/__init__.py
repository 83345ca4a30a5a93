"""The audit of a set of preference pairs: a search for faults, with figures.

run.py           the command
examination.py   one pass over the rows through all checks, which gives an Audit
checks.py        checks as functions of a row or of the table of rows; checks.toml has their words
facts.py         the table of rows, and samples of them
comparisons.py   ids, labels, twins, splits and users
texts.py         texts that cannot be read or used; copies.py: what a row gives away of itself
duplicates.py    nearly the same text of two users or in two splits
personal_data.py rights.py   data of people; licences
shortcuts.py     accuracy of choosing without the user, and by word overlap; ways.py: the ways
accuracies.py    accuracies against limits, decided together

records.py       audit.json
page/            the report: one HTML file with a plot, tables and a browser of pairs
"""
