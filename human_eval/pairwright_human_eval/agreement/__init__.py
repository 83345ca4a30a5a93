"""How far annotators agree, what they say together, and what their answers can carry.

Values in, values out: nothing here reads files or knows of verdicts, pairs or the chosen side.
"""

from pairwright_human_eval.agreement.coefficients import (
    Coefficient,
    Measurement,
    RaterKappa,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
    rater_kappas,
)
from pairwright_human_eval.agreement.consensus_model import DawidSkene, dawid_skene
from pairwright_human_eval.agreement.equivalence import Parity, ScoreDifference, parity
from pairwright_human_eval.agreement.estimates import Agreement, Estimate, agreement
from pairwright_human_eval.agreement.ratings import Level, Ratings

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
