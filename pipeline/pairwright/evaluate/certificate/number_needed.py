"""The number of scorers that it takes to find a true rank correlation."""

SCORERS_NEEDED = {0.9: 13, 0.8: 15, 0.7: 19}
"""By true Spearman correlation, the fewest independent scorers whose correlation the certificate
claims with a probability of `POWER` or more.

From 2,000 simulated certificates for each number of scorers, so these probabilities have a standard
error of 0.9 points. Scores are normal and have no errors of measurement, and the rule is that of
the certificate: at least `CLAIMS_FROM` scorers, p of orders below .05, and a jackknife interval
beyond zero and beyond chance. `benchmarks/correlations.py --needed` makes the table.
"""


def correlation_found(scorers: int) -> float | None:
    """The smallest correlation of the table that so many independent scorers find with a
    probability of `POWER`; None where they find none of it."""
    found = [rho for rho, needed in SCORERS_NEEDED.items() if needed <= scorers]
    return min(found, default=None)
