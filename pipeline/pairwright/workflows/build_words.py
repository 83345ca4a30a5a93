"""What a build says of itself in words: what it will cost, by assumptions or by a pilot, and why it
made less than it could."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from pairwright.blind_preference import preference_sentence
from pairwright.construct.estimate import BuildEstimate, PilotEstimate, RoleEstimate, kept_word
from pairwright.models.completion import MODEL_REFUSED, TOOL_CALL
from pairwright.models.model import CUT_IN_THINKING, CUT_SHORT
from pairwright.modes import is_twin
from pairwright.settings.endpoints import Sampling
from pairwright.settings.prompt_variables import SYSTEM_TEXTS
from pairwright.text import number_of, wait_text
from pairwright.workflows.run_status import RunStatus

NO_PRICE = "no price"
"""A cost that nobody knows, because no endpoint that is asked has a price."""
ESTIMATE_HEADS = ("role", "model", "calls", "prompt tokens", "reply tokens", "cost")
SHORT = 0.05
"""The share of failed units above which a run is called short in plain words."""


NODS = 0.2
"""The share of strangers' posts above which a support judge is said to accept anything."""
SHOWN = 4
"""So many reasons are printed, the most frequent first."""
MEANINGS = {
    "unparseable": "not what was asked for",
    "unusable_reply": "empty, or thinking alone",
    CUT_IN_THINKING: "thinking without end",
    CUT_SHORT: "cut short at max_tokens = {}",
    MODEL_REFUSED: "a refusal",
    TOOL_CALL: "a tool call",
}
"""What each reason of a refusal for want of a usable reply means."""
_ROLES = {
    "system_planning": "planner",
    "system_writing": "generator",
    "system_judging": "judge",
}
"""The role that reads each system text."""
_MORE_USERS = "Bring more users of each category, with histories of like length."
REMEDIES = {
    "copied_from_post": "The planner copies posts: try a stronger one.",
    "no_personal_signal": "Bring histories that bear on the questions, or try a stronger planner.",
    "no_partner": _MORE_USERS,
    "partner_does_not_fit": _MORE_USERS,
    "parity": "One side is written worse: try a stronger writer.",
    "no_narrative": 'The items have no narrative: set aspects = "planner".',
    "no_gold_aspects": 'The items have no aspects: set aspects = "planner".',
}
"""What to try by the most frequent reason why nothing is kept."""


def estimate_tables(
    expected: BuildEstimate,
) -> Iterator[tuple[str, list[tuple[str, ...]], tuple[str, ...]]]:
    """What a build would cost at the least and at the most: a title, and below `ESTIMATE_HEADS` a
    row for each role and one for all."""
    for title, lines in (
        ("if every first draft is accepted", expected.first_draft),
        ("at most, if every draw is used", expected.at_most),
    ):
        rows, sums = [], [0, 0, 0]
        for line in lines:
            counts = (line.calls, line.prompt_tokens, line.completion_tokens)
            sums = [total + n for total, n in zip(sums, counts, strict=True)]
            model = f"{line.model} ({line.endpoint})"
            rows.append((line.role, model, *(f"{n:,}" for n in counts), _price([line])))
        total = ("all", "", *(f"{n:,}" for n in sums), _price(lines))
        yield f"{number_of(expected.items, 'item')}, {title}", rows, total


def estimate_sentences(expected: BuildEstimate) -> Iterator[str]:
    """What the tables leave out."""
    yield (
        "Nothing was sent. Items that show no personal signal stop early and cost less;"
        " reply lengths are assumptions."
    )
    cached = [sum(line.cached_tokens for line in lines) for lines in expected[2:]]
    if any(cached):
        least, most = (f"{tokens:,}" for tokens in cached)
        yield (
            f"Up to {least if least == most else f'{least} to {most}'} of the prompt tokens are"
            " histories that were sent before, which an endpoint's cache may hold; price_cached"
            " of an endpoint is their price."
        )


def _price(lines: Sequence[RoleEstimate]) -> str:
    """Two amounts of money, or one where they are the same; nothing is known of what is asked of
    an endpoint without a price."""
    priced = [line for line in lines if line.cost or not line.calls]
    low, high = (
        sum(line.cost_with_cache for line in priced),
        sum(line.cost for line in priced),
    )
    if not high:
        return NO_PRICE
    amount = f"{high:,.2f}" if low == high else f"{low:,.2f} to {high:,.2f}"
    return amount if len(priced) == len(lines) else f"{amount}, where a price is set"


def pilot_rows(expected: PilotEstimate) -> tuple[tuple[str, str, str], ...]:
    """What a build will take by a pilot's outcome: a name, the value and its interval."""
    kept = kept_word(expected.mode)
    words = {"kept": f"{kept} kept", "prompt_tokens": "prompt tokens",
             "completion_tokens": "reply tokens"}  # fmt: skip
    rows = []
    for one in expected.expected:
        places = 2 if one.name == "cost" else 0
        high = f"{one.high:,.{places}f}" if one.high < float("inf") else "no upper end"
        value, interval = f"{one.value:,.{places}f}", f"{one.low:,.{places}f} to {high}"
        if one.name == "cost" and not one.high:
            value, interval = NO_PRICE, ""
        rows.append((words.get(one.name, one.name), value, interval))
    return tuple(rows)


def pilot_sentence(expected: PilotEstimate) -> str:
    """Whom the pilot's figures hold for."""
    return (
        f"Of {number_of(expected.users, 'user')} of the pilot with"
        f" {number_of(expected.items, 'item')} and {expected.kept:,} {kept_word(expected.mode)}"
        " kept; intervals are of bootstrap draws of users. It holds for users like those of the"
        " pilot."
    )


def shortfalls(status: RunStatus) -> Iterator[str]:
    """Why a build made less than it could, failed units aside. While units wait for a batch, what
    is missing in the end is not known yet."""
    if cut := sum(n for (*_, why), n in status.tally.rejected.items() if CUT_IN_THINKING in why):
        yield (
            f"{number_of(cut, 'unit')} refused because a model's thinking left no room for its"
            " reply: `pairwright doctor` says which thinking_tokens to set for its endpoint. With"
            " another number its calls are asked again (--accept-changes)."
        )
    yield from _unusable_replies(status)
    yield from _nothing_kept(status)
    for check in status.checks:
        if check.name == "support_control" and (check.found.value or 0) > NODS:
            yield (
                "The judge says that a stranger's posts support what is expected of a user, in"
                f" {check.found.counted()} cases: it accepts what it should refuse. Try another"
                " judge."
            )
    for figure in status.tally.preference_figures:
        # Twins do not lean as a set: each response is chosen once.
        if figure.leans and not is_twin(figure.mode):
            yield (
                f"The set leans. {preference_sentence(figure)} Write the weaker side better, or"
                " build twins alone: a set whose audit finds that it leans is released as a trial"
                " only."
            )
    if status.budget_spent:
        yield "The budget is spent: raise [budget] to go on."
    if not status.waiting and status.target and (missing := status.target.missing):
        yield f"The target is not reached: {missing:,} are missing, and no item is left."


def _nothing_kept(status: RunStatus) -> Iterator[str]:
    """That no unit is kept, why, and what to try; where units failed, they come first."""
    counted = status.tally
    if not counted.nothing_kept or counted.failed:
        return
    refused = Counter[str]()
    for (_, _, reason), n in counted.rejected.items():
        refused[reason] += n
    dropped = counted.dropped
    reasons = ", ".join(f"{reason} {n:,}" for reason, n in refused.most_common())
    yield f"Nothing is kept of {number_of(counted.units, 'unit')}: {reasons}."
    if dropped:
        found = ", ".join(f"{why} {n:,}" for why, n in dropped.most_common())
        yield f"Why aspects were dropped, by the number of these units: {found}."
    first = [why for why, _ in (*dropped.most_common(1), *refused.most_common(1))]
    remedy = next((REMEDIES[why] for why in first if why in REMEDIES), "")
    look = f"{status.run / 'rejected.jsonl'} has what was measured of each."
    yield f"{remedy} {look}".strip()


def _unusable_replies(status: RunStatus) -> Iterator[str]:
    """That so many units have no usable reply that the run is short, and what to do."""
    counted = status.tally
    if not counted.short_of_replies:
        return
    roles = {
        stage: _ROLES[SYSTEM_TEXTS[stage]] for stage, why in counted.unusable if why == CUT_SHORT
    }
    rooms = {role: _rooms(getattr(status.config.sampling, role)) for role in roles.values()}
    reasons = "; ".join(
        f"{stage}: {n:,} times {MEANINGS[reason].format(rooms.get(roles.get(stage, '')))}"
        for (stage, reason), n in counted.unusable.most_common(SHOWN)
    )
    n = number_of(counted.unusable.total(), "unit was", "units were")
    again = " ".join(
        f"--ask-again-for {reason}" for reason in sorted({why for _, why in counted.unusable})
    )
    yield (
        f"This run is short: {n} refused of {counted.units:,} because a model gave no reply that"
        f" can be used ({reasons}). `pairwright doctor` tries its server. Once it is mended, build"
        f" again with {again}: these replies are set aside, and asked for again."
    )
    for role in sorted(set(roles.values())):
        yield (
            f"For what was cut short at {rooms[role]} tokens, raise max_tokens under"
            f" [sampling.{role}]. With another number its calls are asked again (--accept-changes)."
        )


def _rooms(sampling: Sampling) -> str:
    """The room of a call's first reply, and of its last: each reply cut short doubles it."""
    last = sampling.max_tokens * 2 ** (sampling.attempts - 1)
    return f"{sampling.max_tokens}" + (f", doubled to {last}" if sampling.attempts > 1 else "")


def short_sentence(status: RunStatus) -> str:
    """That a run is short of outcomes; empty where few units failed."""
    share = status.failed / max(1, status.tally.units)
    if share <= SHORT:
        return ""
    return (
        f"This run is short: {share:.0%} of its units have no outcome, and no figure of it speaks"
        " for them."
    )


def failure_sentence(status: RunStatus) -> str:
    """How many units failed, and why."""
    reasons: Counter[str] = Counter()
    for (_, reason), n in status.tally.failed.items():
        reasons[reason] += n
    most = ", ".join(f"{why} {n:,}" for why, n in reasons.most_common(3))
    return (
        f"{status.failed:,} of {number_of(status.tally.units, 'unit')} failed ({most});"
        f" {status.run / 'failed.jsonl'} says why."
    )


def wait_sentences(status: RunStatus) -> Iterator[str]:
    """Which endpoint asks for which wait."""
    for wait in status.waits:
        over = wait.until <= time.time()
        try:
            then = f", until {datetime.fromtimestamp(wait.until, UTC):%Y-%m-%d %H:%M} UTC"
        except (ValueError, OverflowError):  # A year that no calendar has.
            then = ""
        asks, end = ("asked", ", which is over") if over else ("asks", "")
        yield (
            f"[endpoints.{wait.endpoint}] {wait.words}; the server {asks} to be left alone for"
            f" {wait_text(wait.seconds)}{then}{end}."
        )
