"""Agreement and claims as checks. All are estimated on every pair that was asked about."""

from collections.abc import Iterator

from pairwright.audit.records import Check, Status
from pairwright.intervals import Interval
from pairwright_human_eval.report.records import Findings, Measure


def agreement_checks(found: Findings) -> Iterator[Check]:
    """Krippendorff's alpha, question by question: told, not judged."""
    for row in found.agreement:
        of = row.agreement
        alpha = of.alpha_ordinal if row.measurement == "ordinal" else of.alpha_nominal
        yield Check(
            family="human",
            name="agreement",
            config=row.question,
            status="note",
            found=Interval(
                value=alpha.value, low=alpha.low, high=alpha.high, n=alpha.ratings,
                clusters=alpha.items,
            ),
            of=alpha.ratings,
            detail=_agreement_detail(of.percent.value, of.gwet_ac1.value, alpha.reason),
        )  # fmt: skip


def claim_checks(found: Findings) -> Iterator[Check]:
    """Personal, equally good, and judged by a judge that people bear out."""
    for own in found.preferred:
        if own.group == "all" or own.group.startswith(("mode", "twin")):
            yield _held("preferred", own.group, own.of_choices, 0.5)
    for control in found.contrasted:
        if control.control == "wrong_profile":
            yield _held("own_posts_tell", "", control.difference, 0.0)
    for of in found.parity:
        tested = of.parity
        interval = Interval(
            value=tested.mean, low=tested.low, high=tested.high, n=tested.pairs,
            clusters=tested.clusters,
        )  # fmt: skip
        apart = tested.low is not None and (
            tested.low > tested.margin or (tested.high or 0) < -tested.margin
        )
        status: Status = "pass" if tested.equivalent else "fail" if apart else "too_few"
        if of.mode == "violate" and status == "fail":
            status = "note"
        yield Check(
            family="human",
            name="equally_good",
            config=f"{of.mode}: {of.scale}",
            status=status,
            found=interval,
            of=tested.pairs,
            limit=tested.margin,
            detail=tested.reason,
        )
    yield from _judge(found)


def _judge(found: Findings) -> Iterator[Check]:
    for delivered in found.delivered:
        yield _told("judge_on_aspects", f"{delivered.responses} responses", delivered.kappa)
    for quality in found.judged_quality:
        yield _told("judge_on_quality", quality.scale, quality.within_one)
    for preference in found.judged_preference:
        if preference.group == "all":
            yield _told("judge_on_preference", "", preference.agree)


def _held(name: str, config: str, of: Measure, bound: float) -> Check:
    """Passes where the interval lies above the bound, fails where it lies below."""
    status: Status = "too_few"
    if of.low is not None and of.high is not None:
        status = "pass" if of.low > bound else "fail" if of.high < bound else "too_few"
    return Check(
        family="human", name=name, config=config, status=status, found=_interval(of), of=of.n,
        limit=bound, detail=of.reason,
    )  # fmt: skip


def _told(name: str, config: str, of: Measure) -> Check:
    return Check(
        family="human", name=name, config=config, status="note", found=_interval(of), of=of.n,
        detail=of.reason,
    )  # fmt: skip


def _interval(of: Measure) -> Interval:
    return Interval(value=of.value, low=of.low, high=of.high, n=of.n, clusters=of.dyads)


def _agreement_detail(percent: float | None, ac1: float | None, reason: str) -> str:
    if percent is None or ac1 is None:
        return reason
    return f"{100 * percent:.0f} % alike; Gwet's AC1 {ac1:.2f}"
