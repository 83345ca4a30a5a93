"""What a source lost on the way in, counted: by reason, with the first place and what to do."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from pairwright.sources.fields import shown
from pairwright.sources.problem import REASONS, Problem

REMEDIES = {
    "missing_user": "Give each row its user; for posts, name the column in `user`.",
    "bad_time": "Write times as 2023-04-03, 2023-04-03T17:00:00Z or seconds since 1970; for posts,"
    " name their column in `created`.",
    "empty_text": "For posts, name the column of the text in `text`.",
    "empty_question": "Give each item a `question`.",
    "missing_id": "Give each item and each post an `id`.",
    "missing_category": "Set `default_category`, or name the column in `category`.",
    "unknown_category": "Add the category to `also` in a file of rubrics/, or add a domain file.",
    "too_few_posts": "Bring longer histories, or lower `min_posts`.",
    "bad_json": "Write one object a line; an array belongs in a .json file.",
    "not_an_object": "Write one object a line; an array belongs in a .json file.",
    "bad_csv": "Is it separated by commas or semicolons (.csv) or tabs (.tsv), its quotes written"
    " twice?",
    "ragged_row": "Is it separated by commas or semicolons (.csv) or tabs (.tsv), its quotes"
    " written twice?",
    "invalid_utf8": "Save the file as UTF-8.",
}
"""What to do, by reason, where there is more to do than to mend the row."""
NAMED = 10
"""Values that are named of a reason, such as categories."""
KEPT = 1_000
"""Values that are counted of a reason; a file may hold another bad value in every row."""


class ReasonCount(NamedTuple):
    """The rows and posts that one reason concerns."""

    reason: str
    n: int
    where: str
    """The place of the first."""
    detail: str
    """What was said of the first."""
    values: str
    """What could not be used, most frequent first: `'Chess' (12), 'Knots' (4)`. May be empty."""
    remedy: str
    """May be empty."""

    @property
    def said(self) -> str:
        """The first one's detail, and the values where there is more than one."""
        return f"{self.detail} (all: {self.values})" if self.values else self.detail


class ProblemCounts:
    """Problems, counted as they go by."""

    def __init__(self) -> None:
        self._n: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], Problem] = {}
        self._values: dict[tuple[str, str], Counter[str]] = {}

    def add(self, problem: Problem) -> None:
        """Count one more."""
        key = problem.action, problem.reason
        self._n[key] += 1
        self._first.setdefault(key, problem)
        values = self._values.setdefault(key, Counter())
        if problem.value is not None and (problem.value in values or len(values) < KEPT):
            values[problem.value] += 1

    def of(self, action: Literal["refused", "repaired"]) -> list[ReasonCount]:
        """The reasons of one action, most frequent first."""
        return [
            ReasonCount(
                reason, n, first.where, first.detail or REASONS[reason],
                _listed(self._values[action, reason]), REMEDIES.get(reason, ""),
            )
            for (kind, reason), n in self._n.most_common()
            if kind == action
            for first in (self._first[kind, reason],)
        ]  # fmt: skip

    def lines(self) -> Iterator[str]:
        """For a person: what was refused and why, one reason after the other; then the repairs."""
        for refusal in self.of("refused"):
            first = f"the first at {refusal.where}: {refusal.said}"
            yield f"refused {refusal.n:,}: {refusal.reason}; {first}"
            if refusal.remedy:
                yield f"  {refusal.remedy}"
        if repaired := self.of("repaired"):
            yield "repaired: " + ", ".join(f"{repair.n:,} {repair.reason}" for repair in repaired)


def _listed(values: Counter[str]) -> str:
    if len(values) < 2:
        return ""
    named = ", ".join(f"{shown(value)} ({n:,})" for value, n in values.most_common(NAMED))
    more = len(values) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named
