"""A release: verified pairs as a dataset folder that proves what it says.

selection.py run_notes.py    what is read of a run, and what is released
write.py       from that to the primary files
primary.py     the primary files except the rows: their records, read and written; `ReleaseFiles`
summary.py     the rows counted
changes.py     what changed since another release, and the line that records it
derive/        every file that is a function of the primary files
verify/        the same files derived again and compared
hub.py         publishing on the Hugging Face Hub
"""
