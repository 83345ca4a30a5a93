"""The leaderboard: results of one release side by side, and which of them can be distinguished.

inputs.py     results that may be compared, the refusal of others, and their pairs
flips.py      the tests of differences, and what they could distinguish before there is any score
findings.py   the tests of the controls: recall, word overlap, evidence, order
ranking.py    the rows of one mode in one condition, ranked, with letters
board.py      all of it
pages.py      the two pages
tables.py slice_tables.py cells.py plots.py          their parts
sentences.py finding_sentences.py    what the pages and the terminal say
exports.py    the rankings as CSV and LaTeX

Rows are ranked within a mode and a condition, since what is shown decides most of an accuracy. What
showing the profile adds to a scorer is its gain.
"""
