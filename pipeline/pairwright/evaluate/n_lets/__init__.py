"""N-lets: one response and k users, and whether a scorer picks the one whom it is for.

n_let.py           one n-let: its users, and the scores of both responses
known_choices.py   what other users chose, of people's own choices
figures.py         how often the right user is picked, beside the control
report_page.py     the page

A user has often written about the topic of the question, so a scorer can pick the user without the
response. The control is the pair's other response, which is not for this user: what counts is how
much more often a scorer picks the user by the chosen response than by the other.
"""

from pairwright.evaluate.n_lets.figures import NLetScores, n_let_figures
from pairwright.evaluate.n_lets.known_choices import KnownChoices
from pairwright.evaluate.n_lets.n_let import NLetLine, NLetSources, candidates_of, score_n_let

__all__ = [
    "KnownChoices",
    "NLetLine",
    "NLetScores",
    "NLetSources",
    "candidates_of",
    "n_let_figures",
    "score_n_let",
]
