"""The audit of a set of preference pairs: what can be said against it, with figures.

read/          releases, run folders, the official schema and plain files of others, as rows
shortcuts/     what a scorer can tell without the user; and what one can that sees word overlap
leakage integrity people human balance target    one file each (or a folder): what is looked for
run.py         one pass over the rows through all of them, to an Audit
page/          the report: one HTML file with plots, tables and a browser of pairs
"""
