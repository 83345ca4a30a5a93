"""What simple ways of choosing score on a release, by its own audit: rows of a table, sentences."""

from collections import Counter
from collections.abc import Iterator

from pairwright.release.derive.audited import BLIND, INFORMED, Audited, BaselineScore

SHOWN = ("length", "bag_of_words", *INFORMED)
HEAD = (
    "configuration", "pairs", "independent groups", "highest of the blind",
    *(BLIND.get(name) or INFORMED[name] for name in SHOWN),
)  # fmt: skip
"""Of the table of `rows`. The first two of SHOWN are blind to the user, the others are not."""


def rows(audit: Audited) -> list[tuple[str, ...]]:
    """A row a configuration, with intervals where the audit has them."""
    found: dict[str, dict[str, BaselineScore]] = {}
    for of in audit.baselines:
        if of.config:
            found.setdefault(of.config, {})[of.name] = of
    return [_row(config, by_name) for config, by_name in found.items()]


def violated(audit: Audited, configs: set[str]) -> str:
    """How the blind checks of these configurations ended; empty where there are none."""
    ended = Counter(of.status for of in audit.baselines if of.blind and of.config in configs)
    told = {"fail": "failed", "too_few": "had too few pairs to decide", "pass": "passed"}
    if not (checks := sum(ended[status] for status in told)):
        return ""
    counts = ", ".join(f"{ended[status]:,} {words}" for status, words in told.items())
    return (
        f"Of {checks:,} checks of these configurations in the audit of this release, which choose"
        f" without the user, {counts}."
    )


def _row(config: str, by_name: dict[str, BaselineScore]) -> tuple[str, ...]:
    widest = max(by_name.values(), key=lambda of: of.pairs)
    cells = (_cell(by_name.get(name)) for name in SHOWN)
    return (config, f"{widest.pairs:,}", f"{widest.clusters:,}", _highest(by_name), *cells)


def _highest(by_name: dict[str, BaselineScore]) -> str:
    """Over all that are blind, so that it is high by chance, too. By identity it is one half."""
    blind = [of for of in by_name.values() if of.blind and of.value is not None]
    if not blind:
        return "not estimated"
    if all(of.low is None for of in blind):
        return _cell(blind[0])
    best = max(blind, key=lambda of: of.value or 0)
    return f"{_cell(best)}, {BLIND[best.name]}, of {len(blind)}"


def _cell(of: BaselineScore | None) -> str:
    if of is None or of.value is None:
        return "not estimated"
    value = f"{100 * of.value:.0f} %"
    if of.low is None or of.high is None:
        return value
    return f"{value} ({100 * of.low:.0f} to {100 * of.high:.0f})"


def notes(audit: Audited) -> Iterator[str]:
    """What must be known to read the table."""
    yield (
        "How often each way of choosing picks the chosen response, a tie counting one half, with"
        " an interval over independent groups. “Longer” and “bag of words” are blind to the user;"
        " the columns after them see the user's posts or the aspects. A scorer that reads the user"
        " has to do better than all of them."
    )
    yield (
        "Intervals of the columns that see posts or aspects are 95 % intervals, each by itself."
        " Those of the blind ways are wider: the audit decides them together with its other"
        " estimates, by Holm's levels."
    )
    if any(of.blind and of.value is not None and of.low is None for of in audit.baselines):
        yield (
            "A figure without an interval is one half by identity: a scorer that cannot see the"
            " user is right on one half of a twin and wrong on the other."
        )
