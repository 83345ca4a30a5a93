"""The dump of a Stack Exchange site as items.

files      which files it consists of, and which site it is of
rows       the rows of one XML file, streamed
store      posts by user, on disk
titles     which questions can be asked by their title alone
histories  a user's questions as items
"""
