"""A release: verified pairs as a dataset folder that proves what it says.

It is a function of a run folder, a version and the release before: answers, decisions, rows, pages,
checksums. `check` derives the same again and compares.

write.py        the command `release`: every file of a new folder
run.py rows.py  what is taken from a run; its pairs as rows, and why others are left out
contents.py     the primary files, the rows as frames, and manifest.json, which counts them
card.py croissant.py    the pages; columns.toml: the columns
check.py diff.py forget.py hub.py   the other commands
"""
