"""How numbers are written: each with its interval and its n, and never a 0 for what is unknown."""

from pairwright_human_eval.agreement import Estimate
from pairwright_human_eval.report.findings_records import Measure, Proportion
from pairwright_human_eval.report.records import Seconds


def percent(measure: Measure | Proportion) -> str:
    """`62 % (54 to 70)`; `n/a (why)` for what cannot be estimated."""
    if measure.value is None:
        return f"n/a ({measure.reason if isinstance(measure, Measure) else 'none of them'})"
    value = f"{100 * measure.value:.0f} %"
    if measure.low is None or measure.high is None:
        return f"{value} ({_reason(measure)})"
    return f"{value} ({100 * measure.low:.0f} to {100 * measure.high:.0f})"


def points(measure: Measure | Estimate, sign: bool = False) -> str:
    """`0.62 (0.54 to 0.70)`; with its sign where it is a difference."""
    if measure.value is None:
        return f"n/a ({measure.reason})"
    plus = "+" if sign else ""
    value = f"{measure.value:{plus}.2f}"
    if measure.low is None or measure.high is None:
        return f"{value} ({measure.reason})"
    return f"{value} ({measure.low:{plus}.2f} to {measure.high:{plus}.2f})"


def percent_points(measure: Measure) -> str:
    """`+12 (+3 to +21)`: the difference of two shares, in percentage points."""
    if measure.value is None:
        return f"n/a ({measure.reason})"
    value = f"{100 * measure.value:+.0f}"
    if measure.low is None or measure.high is None:
        return f"{value} ({measure.reason})"
    return f"{value} ({100 * measure.low:+.0f} to {100 * measure.high:+.0f})"


def group_name(group: str) -> str:
    """A group as people write it: domains without underscores."""
    return group.replace("_", " ")


def share_text(proportion: Proportion) -> str:
    """`5 of 20: 25 % (11 to 47)`; of 0 there is no share."""
    return (
        f"{proportion.k:,} of {proportion.n:,}: {percent(proportion)}"
        if proportion.n
        else "n/a (0 of 0)"
    )


def seconds_text(seconds: Seconds) -> str:
    """`42 (n = 120)`."""
    return (
        "n/a (not recorded)"
        if seconds.median is None
        else f"{seconds.median:,.0f} (n = {seconds.n:,})"
    )


def estimate_percent(estimate: Estimate) -> str:
    """Percent agreement, as `percent`."""
    if estimate.value is None:
        return f"n/a ({estimate.reason})"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.0f} % ({estimate.reason})"
    return f"{100 * estimate.value:.0f} % ({100 * estimate.low:.0f} to {100 * estimate.high:.0f})"


def _reason(measure: Measure | Proportion) -> str:
    return measure.reason if isinstance(measure, Measure) else "no interval"
