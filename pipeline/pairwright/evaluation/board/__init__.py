"""The leaderboard: results of one release side by side, and which of them can be distinguished.

inputs.py       results that may be compared, the refusal of others, and their pairs
sign_flips.py   the tests of differences, and what they could distinguish before there is any score
findings.py     the tests of the controls: recall, word overlap, evidence, order
comparisons.py  all ranked rows of a table, two at a time
ranking.py      the rows of one mode in one condition, ranked, with letters
board.py        all of it
tables.py       a ranking as rows of texts: for the page, the terminal, CSV and LaTeX
page.py         the pages and their drawings; the words are in pages/templates/leaderboard*.md.jinja

Rows are ranked within a mode and a condition, since what is shown decides most of an accuracy. What
showing the profile adds to a scorer is its gain.
"""
