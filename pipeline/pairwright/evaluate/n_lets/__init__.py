"""N-lets: one response and k users, and whether a scorer picks the one whom it is for.

candidates.py    the users of an n-let
scores.py        one n-let, scored
figures.py       how often the right user is picked, beside the control
report_page.py   the page

A user who asked has written of the matter, so that the user can be picked by the question alone.
The control is the pair's other response, which is not for this user: what counts is how much more
often a scorer picks the user by the one response than by the other.
"""

from pairwright.evaluate.n_lets.candidates import NLetSources, candidates_of
from pairwright.evaluate.n_lets.figures import NLetScores, n_let_figures
from pairwright.evaluate.n_lets.scores import NLetLine, score_n_let

__all__ = [
    "NLetLine",
    "NLetScores",
    "NLetSources",
    "candidates_of",
    "n_let_figures",
    "score_n_let",
]
