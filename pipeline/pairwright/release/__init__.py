"""A release: verified pairs as a dataset folder that proves what it says.

pairs_file.py selection.py run_notes.py provenance.py    what is read of a run, and what is released
write.py       from that to the primary files
primary.py     the primary files except the rows: read and written; `ReleaseFiles`
records.py summary.py    the records of these files; the rows counted
diff.py history.py previous.py    what changed since another release, and the line that records it
derive/        every file that is a function of the primary files
verify/        the same files derived again and compared
hub.py         publishing on the Hugging Face Hub
"""
