"""The audit of a set of preference pairs: what can be said against it, with figures.

read/          releases, run folders, the official schema and plain files of others, as rows
run.py tally.py    one pass over the rows through all parts, to an Audit; the rows counted

balance.py     how many pairs there are of each kind, and of each user
integrity/     whether rows are what they say they are
shortcuts/     what a scorer can tell without the user; and what one can that sees word overlap
leakage/       what a pair gives away that its reader should not know
people/        personal data, licences, and people who asked to be forgotten
human/         what people said of the pairs
target.py      figures compared with those of other pairs

row_check.py catalogue.py    a check that counts rows; the checks of all parts, gathered
records.py     audit.json
page/          the report: one HTML file with plots, tables and a browser of pairs
"""
