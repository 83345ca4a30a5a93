"""What the planner and the support judge are worth, counted over the replies of a run's calls."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pydantic import AliasChoices, Field, JsonValue

from pairwright.construct.outcomes import Outcomes
from pairwright.models import Reply, completion_of, parse
from pairwright.models.store import Store, unusable
from pairwright.stats import Estimate, share


class ReplyCheck(NamedTuple):
    """A share over the replies of some calls, by which a model of the build is judged."""

    name: str
    """The purpose of the calls, such as `support_control`."""
    meaning: str
    found: Estimate
    """k of n cases, with its 95 % interval."""


class _Entries(Reply, extra="ignore"):
    """What is counted of a stored reply, whatever else it has."""

    entries: list[dict[str, JsonValue]] = Field(validation_alias=AliasChoices("cases", "aspects"))


def _carried(entry: dict[str, JsonValue]) -> bool:
    return entry["verdict"] == "carried"


def _matched(entry: dict[str, JsonValue]) -> bool:
    return bool(entry["found_in"])


CHECKS: dict[str, tuple[str, Callable[[dict[str, JsonValue]], bool]]] = {
    "support": ("support by own post", _carried),
    "support_control": ("support by stranger's post", _carried),
    "planner_precision": ("planned, in the gold list", _matched),
    "planner_recall": ("gold, in the plan", _matched),
}
"""By the purpose of the calls: what the share means, and whether a case of a reply passes."""


def reply_checks(store: Store, outcomes: Outcomes) -> tuple[ReplyCheck, ...]:
    """Each check with its share. A reply that units share counts once, one that cannot be read for
    nothing. Raises StoreError if a reply is damaged."""
    marks = ", ".join("?" * len(CHECKS))
    asked = outcomes.query(
        "SELECT DISTINCT call.value, call.key FROM outcomes, json_each(calls) AS call"
        f" WHERE call.value IN ({marks}) ORDER BY 1, 2",
        *CHECKS,
    )
    cases: dict[str, list[bool]] = {name: [] for name in CHECKS}
    for purpose, key in list(asked):
        cases[str(purpose)] += _cases(store, str(purpose), str(key))
    return tuple(
        ReplyCheck(name, CHECKS[name][0], share(sum(found), len(found)))
        for name, found in cases.items()
    )


def _cases(store: Store, purpose: str, key: str) -> Iterator[bool]:
    """Whether each case of a stored reply passes."""
    body = store.get(key)
    if body is None:
        return
    try:
        reply = parse(completion_of(key, body).text, _Entries)
    except ValueError as error:
        raise unusable(store.path, error, key) from None
    if not isinstance(reply, str):
        _, passes = CHECKS[purpose]
        yield from map(passes, reply.entries)
