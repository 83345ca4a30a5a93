"""What the planner and the support judge are worth, read from the stored replies of a run."""

from collections.abc import Callable
from typing import NamedTuple

from pairwright.construct.tally import Tally
from pairwright.models import completion_of, parse
from pairwright.models.store import Store
from pairwright.stages.match import MatchReply
from pairwright.stages.support import SupportReply
from pairwright.stats import Share, share


class Check(NamedTuple):
    name: str
    meaning: str
    found: Share


def _carried(text: str) -> list[bool]:
    reply = parse(text, SupportReply)
    return [] if isinstance(reply, str) else [c.verdict == "carried" for c in reply.cases]


def _matched(text: str) -> list[bool]:
    reply = parse(text, MatchReply)
    return [] if isinstance(reply, str) else [bool(a.found_in) for a in reply.aspects]


# By the purpose of the calls: what is counted, and how a reply is read.
_CHECKS: dict[str, tuple[str, Callable[[str], list[bool]]]] = {
    "support": ("support by own post", _carried),
    "support_control": ("support by stranger's post", _carried),
    "planner_precision": ("planned, in the gold list", _matched),
    "planner_recall": ("gold, in the plan", _matched),
}


def checks(store: Store, counted: Tally) -> list[Check]:
    """Each check with its share over the calls of a run; replies that cannot be read count
    for nothing."""
    rows = []
    for name, (meaning, read) in _CHECKS.items():
        bodies = ((key, store.get(key)) for key in counted.calls[name])
        seen = [
            answer
            for key, body in bodies
            if body is not None
            for answer in read(completion_of(key, body).text)
        ]
        rows.append(Check(name, meaning, share(sum(seen), len(seen))))
    return rows
