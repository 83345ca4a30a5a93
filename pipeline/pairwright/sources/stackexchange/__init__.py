"""The dump of a Stack Exchange site as items.

archive.py files.py    files out of an archive; which files a dump has, and which site it is of
rows.py       the rows of one XML file, streamed
store.py      posts by user, on disk
titles.py     which questions can be asked by their title alone
histories.py  a user's questions as items
accepted.py   the answers that users who asked accepted, with their text
"""
