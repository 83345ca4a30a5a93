"""A release: verified pairs as a dataset folder that proves what it says.

write.py       from a run folder to the primary files: rows, verdicts, what came of each unit
kept.py select.py splits.py stated.py errata.py tombstones.py    what it writes them from
versions.py told.py previous.py    what a version is, a release as its files tell it, the one before
diff.py history.py    what changed since, by reason
derive/        from the primary files to everything that can be derived: manifest, card, datasheet,
               Croissant, changelog, attribution, decisions, the preference view
verify/        the same the other way: is every file what the primary files give?
push.py        to the Hugging Face Hub
"""
