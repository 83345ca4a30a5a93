"""How far annotators agree, what they say together, and what their answers can carry.

Values in, values out: nothing here reads files or knows of verdicts, pairs or the chosen side.
"""

from pairwright_human_eval.agreement.intervals import Agreement, Estimate, agreement
from pairwright_human_eval.agreement.models import (
    DawidSkene,
    Parity,
    ScoreDifference,
    dawid_skene,
    parity,
)
from pairwright_human_eval.agreement.ratings import (
    Coefficient,
    Level,
    Measurement,
    RaterKappa,
    Ratings,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
    rater_kappas,
)

__all__ = [
    "Agreement",
    "Coefficient",
    "DawidSkene",
    "Estimate",
    "Level",
    "Measurement",
    "Parity",
    "RaterKappa",
    "Ratings",
    "ScoreDifference",
    "agreement",
    "cohen_kappa",
    "dawid_skene",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "parity",
    "percent_agreement",
    "rater_kappas",
]
