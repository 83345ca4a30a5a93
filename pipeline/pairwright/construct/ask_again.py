"""Asking again for replies that nothing could be made of, once their server is mended.

A reply is stored whatever it is, so the same command finds it again. Where a server gave refusals,
tool calls or thinking alone, these are set aside, and their units forgotten: the next build sends
the same requests again. What was paid for stays in the store's sums.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from pydantic_core import from_json

from pairwright.construct.outcomes import Outcome, iterate_outcomes
from pairwright.errors import InputError
from pairwright.models import Completion, completion_of
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store
from pairwright.records import Rejected


def set_aside_unusable(store: Store, reasons: Collection[str]) -> int:
    """Set the replies aside behind units that were refused for these reasons, and forget these
    units and their surveys. Returns the number of replies.

    Raises InputError for a reason that no unit here was refused for.
    """
    if not reasons:
        return 0
    units, keys, refused = set[str](), set[str](), Counter[str]()
    for outcome in iterate_outcomes(store, "rejected"):
        result = outcome.result
        if not isinstance(result, Rejected) or result.reason not in UNUSABLE:
            continue
        refused[result.reason] += 1
        if result.reason in reasons:
            units |= {outcome.unit, f"survey:{outcome.item_id}"}
            keys.update(_unusable_calls(store, outcome, result.stage))
    if missing := sorted(set(reasons) - refused.keys()):
        there = ", ".join(f"{reason} ({n:,})" for reason, n in refused.most_common())
        raise InputError(
            f"no unit was refused for {missing[0]!r}",
            where="--ask-again-for",
            fix=f"Reasons to ask again for are here: {there or 'none'}.",
        )
    store.ask_again(units, keys)
    return len(keys)


def _unusable_calls(store: Store, outcome: Outcome, stage: str) -> Iterator[str]:
    """Keys of a unit's calls of one stage whose replies cannot be used; of all of them where each
    reply is JSON by itself, and was refused for what is in it."""
    keys = [call.key for call in outcome.calls if call.purpose == stage]
    bodies = {key: body for key in keys if (body := store.get(key)) is not None}
    bad = [key for key, body in bodies.items() if not _is_reply(completion_of(key, body))]
    yield from bad or bodies


def _is_reply(completion: Completion) -> bool:
    if completion.instead or completion.finish == "length" or not completion.text.strip():
        return False
    try:
        return isinstance(from_json(completion.text, allow_inf_nan=False), dict)
    except ValueError:
        return False
