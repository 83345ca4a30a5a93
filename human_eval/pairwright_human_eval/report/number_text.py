"""How numbers are written: each with its interval and its n, and never a 0 for what is unknown."""

from pairwright_human_eval.agreement import Estimate
from pairwright_human_eval.report.findings_records import Measure, Proportion
from pairwright_human_eval.report.records import Seconds


def percent(of: Measure | Proportion) -> str:
    """`62 % (54 to 70)`; `n/a (why)` for what cannot be estimated."""
    if of.value is None:
        return f"n/a ({of.reason if isinstance(of, Measure) else 'none of them'})"
    value = f"{100 * of.value:.0f} %"
    if of.low is None or of.high is None:
        return f"{value} ({_told(of)})"
    return f"{value} ({100 * of.low:.0f} to {100 * of.high:.0f})"


def points(of: Measure | Estimate, sign: bool = False) -> str:
    """`0.62 (0.54 to 0.70)`; with its sign where it is a difference."""
    if of.value is None:
        return f"n/a ({of.reason})"
    plus = "+" if sign else ""
    value = f"{of.value:{plus}.2f}"
    if of.low is None or of.high is None:
        return f"{value} ({of.reason})"
    return f"{value} ({of.low:{plus}.2f} to {of.high:{plus}.2f})"


def percent_points(of: Measure) -> str:
    """`+12 (+3 to +21)`: the difference of two shares, in percentage points."""
    if of.value is None:
        return f"n/a ({of.reason})"
    value = f"{100 * of.value:+.0f}"
    if of.low is None or of.high is None:
        return f"{value} ({of.reason})"
    return f"{value} ({100 * of.low:+.0f} to {100 * of.high:+.0f})"


def group_name(group: str) -> str:
    """A group as people write it: domains without underscores."""
    return group.replace("_", " ")


def share_text(of: Proportion) -> str:
    """`5 of 20: 25 % (11 to 47)`; of none there is no share."""
    return f"{of.k:,} of {of.n:,}: {percent(of)}" if of.n else "n/a (0 of 0)"


def seconds_text(of: Seconds) -> str:
    """`42 (n = 120)`."""
    return "n/a (not told)" if of.median is None else f"{of.median:,.0f} (n = {of.n:,})"


def estimate_percent(of: Estimate) -> str:
    """Percent agreement, as `percent`."""
    if of.value is None:
        return f"n/a ({of.reason})"
    if of.low is None or of.high is None:
        return f"{100 * of.value:.0f} % ({of.reason})"
    return f"{100 * of.value:.0f} % ({100 * of.low:.0f} to {100 * of.high:.0f})"


def _told(of: Measure | Proportion) -> str:
    return of.reason if isinstance(of, Measure) else "no interval"
