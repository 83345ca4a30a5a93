"""Spread: how far a scorer's accuracy depends on how it is asked.

presentations.py  the wordings of what is asked, and the layouts of a history
figures.py        accuracy over all presentations: mean, standard deviation, the order of scorers
report_page.py    the page
"""

from pairwright.evaluate.spread.figures import PresentedResult, SpreadScores, spread_scores
from pairwright.evaluate.spread.presentations import (
    SHIPPED,
    Presentation,
    presentations_of,
    worded,
)

__all__ = [
    "SHIPPED",
    "Presentation",
    "PresentedResult",
    "SpreadScores",
    "presentations_of",
    "spread_scores",
    "worded",
]
