"""How far annotators agree, what they say together, and what their answers can carry.

Values in, values out: nothing here reads files or knows of verdicts, pairs or the chosen side.
"""

from pairwright_human_eval.agreement.intervals import Agreement, Measurement, agreement
from pairwright_human_eval.agreement.models import (
    DawidSkene,
    Level,
    Parity,
    Ratings,
    ScoreDifference,
    dawid_skene,
    parity,
)

__all__ = [
    "Agreement",
    "DawidSkene",
    "Level",
    "Measurement",
    "Parity",
    "Ratings",
    "ScoreDifference",
    "agreement",
    "dawid_skene",
    "parity",
]
