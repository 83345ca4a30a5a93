"""The dump of a Stack Exchange site as items.

files.py      which files a dump has, and which site it is of
rows.py       the rows of an XML file, streamed, also out of an archive
store.py      posts by user, on disk
histories.py  a user's questions as items, where the title can be asked alone
"""
