"""The leaderboard: results of one release side by side, and which of them can be told apart.

gather.py     results that may stand beside one another, and the refusal of those that may not
pairs.py      the pairs they are of, alike in all of them
entry.py      one scorer in one condition, with its figures
sign_flip.py  the test of a difference
groups.py     letters: rows that share one cannot be told apart
ranking.py    the rows of one mode in one condition, ranked
board.py      all of it
page.py tables.py plots.py cells.py    as a page

Rows are ranked within a mode and a condition, since what is shown decides most of an accuracy. What
showing the profile adds to a scorer is its gain.
"""

from pairwright.evaluate.board.board import Leaderboard, leaderboard
from pairwright.evaluate.board.inputs import gather_results
from pairwright.evaluate.board.ranking import BoardEntry, Ranking, RowComparison

__all__ = ["Comparison", "Entry", "Leaderboard", "Ranking", "gather", "leaderboard"]
