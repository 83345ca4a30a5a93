"""A release: verified pairs as a dataset folder that proves what it says.

release.py     from a run to a release; commands.py: verify, diff, forget, publish
selection.py run_notes.py    what is read of a run, and what is released
primary.py     the primary files, written and read
summary.py     the rows counted
changes.py     what changed since another release
derive/        every file that is a function of the primary files
verify/        the same files derived again and compared
hub.py         publishing on the Hugging Face Hub
"""
