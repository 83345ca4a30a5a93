"""The leaderboard: results of one release side by side, and which of them can be distinguished.

inputs.py     results that may be compared, and the refusal of others
release_facts.py   what results say of their release, and whether they agree
pairs.py      the pairs that they are of
flips.py      the tests of differences
power.py      what these tests could distinguish, before there is any score
findings.py   the tests of the controls: recall, word overlap, evidence, order
entry.py      one scorer in one condition, with all its figures
ranking.py    the rows of one mode in one condition, ranked; letters.py: which share a letter
board.py      all of it
pages.py      the two pages
tables.py slice_tables.py cells.py plots.py calibration_plot.py                 their parts
sentences.py finding_sentences.py    what the pages and the terminal say
exports.py    the rankings as CSV and LaTeX

Rows are ranked within a mode and a condition, since what is shown decides most of an accuracy. What
showing the profile adds to a scorer is its gain.
"""

from pairwright.evaluate.board.board import Leaderboard, leaderboard
from pairwright.evaluate.board.entry import BoardEntry
from pairwright.evaluate.board.inputs import gather_results
from pairwright.evaluate.board.ranking import Ranking, RowComparison

__all__ = [
    "BoardEntry",
    "Leaderboard",
    "Ranking",
    "RowComparison",
    "gather_results",
    "leaderboard",
]
