"""How far annotators agree, what they say together, and what their answers can carry.

Values in, values out: nothing here reads files or knows of verdicts, pairs or the chosen side.
"""

from pairwright_human_eval.agreement.chance import verified_by_chance
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
from pairwright_human_eval.agreement.dawid_skene import DawidSkene, dawid_skene
from pairwright_human_eval.agreement.estimates import Agreement, Estimate, agreement
from pairwright_human_eval.agreement.parity import Difference, Parity, parity
from pairwright_human_eval.agreement.ratings import Level, Ratings

__all__ = [
    "Agreement",
    "Coefficient",
    "DawidSkene",
    "Difference",
    "Estimate",
    "Level",
    "Measurement",
    "Parity",
    "RaterKappa",
    "Ratings",
    "agreement",
    "cohen_kappa",
    "dawid_skene",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "parity",
    "percent_agreement",
    "rater_kappas",
    "verified_by_chance",
]
