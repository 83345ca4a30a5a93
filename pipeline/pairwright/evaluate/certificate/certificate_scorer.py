"""One scorer on both releases, and whether its two accuracies differ."""

import math
from collections.abc import Mapping, Sequence

from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

from pairwright.evaluate.board.entry import BoardEntry
from pairwright.evaluate.measure import ScorerFigure
from pairwright.intervals import LEVEL, z_of
from pairwright.records import Mode, Record


class CertificateScorer(Record):
    """One scorer on both releases. Accuracies are shares from 0 to 1, with 95 % intervals."""

    scorer: str
    family: str
    generated: ScorerFigure
    natural: ScorerFigure
    generated_twins: int = 0
    natural_twins: int = 0
    difference: float
    """The accuracy on natural twins less that on generated ones."""
    low: float | None
    high: float | None
    """The 95 % interval of the difference: the two releases are taken to have different users
    (Newcombe 1998, Statist. Med. 17, 873-890, method 10, from the interval of each)."""
    adjusted: float | None = None
    """p of the difference after Holm over the scorers; None where there is no interval."""

    @property
    def differs(self) -> bool:
        """Whether p after Holm is below .05."""
        return self.adjusted is not None and self.adjusted < LEVEL


def scorer_differences(
    matched: Sequence[tuple[BoardEntry, BoardEntry]], families: Mapping[str, str]
) -> tuple[CertificateScorer, ...]:
    """The scorers with their entries on generated and on natural twins, best on generated first."""
    scorers = []
    for own, other in matched:
        name = own.about.scorer.name
        scorers.append(_difference(own, other, families.get(name, name)))
    scorers.sort(key=lambda one: (-_value(one.generated), one.scorer))
    tests = {one.scorer: p for one in scorers if (p := _p(one)) is not None}
    levels = multipletests(list(tests.values()), method="holm")[1] if tests else ()
    adjusted = dict(zip(tests, map(float, levels), strict=True))
    return tuple(one.model_copy(update={"adjusted": adjusted.get(one.scorer)}) for one in scorers)


def _difference(own: BoardEntry, other: BoardEntry, family: str) -> CertificateScorer:
    generated, natural = own.figure("accuracy", "twin"), other.figure("accuracy", "natural")
    assert generated, "a ranked row has an accuracy"
    assert natural, "a ranked row has an accuracy"
    difference = _value(natural) - _value(generated)
    low = high = None
    if None not in (generated.low, generated.high, natural.low, natural.high):
        low = difference - math.hypot(
            _value(natural) - (natural.low or 0.0), (generated.high or 0.0) - _value(generated)
        )
        high = difference + math.hypot(
            (natural.high or 0.0) - _value(natural), _value(generated) - (generated.low or 0.0)
        )
    return CertificateScorer(
        scorer=own.about.scorer.name,
        family=family,
        generated=generated,
        natural=natural,
        generated_twins=_twins(own, "twin"),
        natural_twins=_twins(other, "natural"),
        difference=round(difference, 6),
        low=None if low is None else round(max(-1.0, low), 6),
        high=None if high is None else round(min(1.0, high), 6),
    )


def _p(one: CertificateScorer) -> float | None:
    """p of a difference from its interval: normal, with the length towards zero as that of 1.96
    standard errors (Altman and Bland 2011, BMJ 343, d2304). It is below .05 where the interval
    leaves out zero."""
    if one.low is None or one.high is None:
        return None
    towards = one.difference - one.low if one.difference > 0 else one.high - one.difference
    if not towards:
        return None
    return 2 * float(ndtr(-abs(one.difference) / towards * z_of(LEVEL)))


def _twins(entry: BoardEntry, mode: Mode) -> int:
    figure = entry.figure("both_right", mode)
    return figure.n if figure else 0


def _value(figure: ScorerFigure) -> float:
    assert figure.value is not None, "a ranked row has an accuracy"
    return figure.value
