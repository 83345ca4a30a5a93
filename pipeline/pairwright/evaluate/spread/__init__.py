"""Spread: how much a scorer's accuracy depends on wording and layout.

presentations.py  the wordings of what is asked, and the layouts of a history
figures.py        accuracy over all presentations: mean, standard deviation, the order of scorers
report_page.py    the page
"""

from pairwright.evaluate.spread.figures import PresentationResult, SpreadScores, spread_scores
from pairwright.evaluate.spread.presentations import (
    SHIPPED,
    Presentation,
    apply_wording,
    presentations_of,
)

__all__ = [
    "SHIPPED",
    "Presentation",
    "PresentationResult",
    "SpreadScores",
    "apply_wording",
    "presentations_of",
    "spread_scores",
]
