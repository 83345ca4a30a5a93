"""A run's status as the rows of a table: what it made, how far units came, and what it cost."""

from collections.abc import Iterator

from pairwright.construct.manifest import kept_costs
from pairwright.construct.outcomes import funnel_rows
from pairwright.modes import MODES, STAGES, is_twin
from pairwright.text import number_of, visible
from pairwright.workflows.run_status import RunStatus

RunRow = tuple[str, str, str]
"""One figure of a run: its name, what of it is counted where the name does not say it all, and the
number."""


def run_sections(status: RunStatus, sent: int | None = None) -> tuple[list[RunRow], ...]:
    """Outcomes, the funnel, checks of the models, and costs.

    `sent` is the number of calls that were sent just now.
    """
    sections = (_outcomes(status), _funnel(status), _checks(status), _costs(status, sent))
    return tuple(map(list, sections))


def _outcomes(status: RunStatus) -> Iterator[RunRow]:
    """What came in, and what came of it."""
    counted = status.tally
    for mode in status.config.modes:
        yield ("items in", mode, f"{counted.of_mode(mode):,}")
    for mode in status.config.modes:
        twins = f" ({number_of(counted.kept[mode], 'twin')})" if mode == "twin" else ""
        yield ("pairs kept", mode + twins, f"{counted.pairs[mode]:,}")
    if status.surveyed and not status.finished:
        yield ("surveyed", "items; twins follow when all are", f"{status.surveyed:,}")
    if target := status.target:
        left = number_of(target.items_left, "item")
        yield ("target", f"{MODES[target.mode].units}; {left} not needed", f"{target.n:,}")
    if not counted.rejected:
        yield ("refused", "", "0")
    for (where, _, reason), n in counted.rejected.most_common():
        yield ("refused", f"{where}: {reason}", f"{n:,}")
    for why, n in counted.dropped.most_common():
        yield ("no aspects", why, f"{n:,}")
    for gate, n in counted.drafts.most_common():
        yield ("drafts", f"refused: {gate}", f"{n:,}")
    if not counted.failed:
        yield ("failed", "", "0")
    for (where, reason), n in counted.failed.most_common():
        yield ("failed", f"{where}: {reason}", f"{n:,}")
    for (where, purpose), n in counted.waiting.most_common():
        yield ("waiting", f"{where}: for {purpose}", f"{n:,}")


def _funnel(status: RunStatus) -> Iterator[RunRow]:
    """How many units reached each stage of their mode, the first one left out."""
    for mode in status.config.modes:
        for stage, reached in funnel_rows(status.tally.reached, mode)[1:]:
            if reached.n:
                yield ("funnel", f"{mode}: {STAGES[stage]}", reached.counted())


def _checks(status: RunStatus) -> Iterator[RunRow]:
    """What is known of the models: signals by length of history, controls, odd replies."""
    counted = status.tally
    for posts, share in counted.no_signal_by_length():
        yield ("no signal", f"of {posts} posts", share.counted())
    for check in status.checks:
        if check.found.n:
            yield ("check", check.meaning, check.found.counted())
    for figure in counted.preference_figures:
        side = "asker's half" if is_twin(figure.mode) else "chosen side"
        yield ("check", f"blind judge: {side}", str(figure))
    for kind, n in counted.lenient.most_common():
        words = f"replies read in spite of: {kind.replace('_', ' ')}"
        yield ("lenient", words, f"{n:,} of {counted.json_replies:,}")


def _costs(status: RunStatus, sent: int | None) -> Iterator[RunRow]:
    """Calls and tokens: of all, and for one kept pair."""
    counted, totals = status.tally, status.stored
    now = "" if sent is None else f"; {sent:,} sent now"
    yield ("calls", f"stored{now}", f"{totals.calls:,}")
    for asked, names in status.served.items():
        for name, n in names.items():
            yield ("calls", f"for {asked}, of which replies name {visible(name)}", f"{n:,}")
    yield ("tokens", "of prompts", f"{totals.prompt_tokens:,}")
    if totals.cached_tokens:
        yield ("tokens", "of them from caches", f"{totals.cached_tokens:,}")
    yield ("tokens", "of replies", f"{totals.completion_tokens:,}")
    if status.cost:
        yield ("cost", "by the config's prices", f"{status.cost:,.2f}")
    for one in kept_costs(counted.pairs, counted.kept, totals, status.cost):
        if one.kept:
            yield ("each", f"for one of {number_of(one.kept, f'kept {one.what}')}", str(one))


def recorded_models(status: RunStatus) -> str:
    """The models that wrote the recorded replies, as a phrase."""
    what = "a simulated model" if status.simulated else "a language model"
    return f"{what} ({', '.join(status.recorded)})"
