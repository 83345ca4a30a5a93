"""Which questions a build kept and which it dropped, and how the two differ.

A build drops a question where its user shows no signal on it, where nobody fits as a partner, and
where drafts are refused. So it selects, and its results speak of the questions that it kept. How
these differ from the dropped ones shows in what is known of a question before any call.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from pairwright.estimate import Estimate
from pairwright.intervals import Floats, difference_of_means
from pairwright.modes import Stage
from pairwright.records import Mode, Record

QuestionFeature = Literal["words", "posts", "year", "category", "post_kind"]
FEATURES: dict[QuestionFeature, str] = {
    "words": "words of the question",
    "posts": "earlier posts of its user",
    "year": "year of the question",
    "category": "category {}",
    "post_kind": "{} among the earlier posts",
}
"""What is compared: means of the first three, the share of each category, and the mean share of
each kind among the earlier posts."""
MOST = 10
"""Categories and kinds of posts that are compared, the most frequent ones."""


class Question(NamedTuple):
    """What is known of a question before any call."""

    user: str
    words: int
    year: int | None
    category: str
    kinds: Counter[str]
    """Earlier posts of its user by kind; the kind is empty where the source tells none."""


class QuestionGroup(Record):
    """One feature over the kept questions, or over the dropped ones."""

    n: int
    """Questions of which it is known."""
    mean: float
    """Of a category the share of questions, and of a kind the mean share of the posts."""
    quartiles: tuple[float, float, float] | None = None
    """None of a category."""


class QuestionDifference(Record):
    """One feature of kept questions beside that of dropped ones."""

    feature: QuestionFeature
    value: str = ""
    """The category or kind that it is a share of."""
    kept: QuestionGroup
    dropped: QuestionGroup
    difference: Estimate
    """Kept less dropped, with its 95 % interval by user. Its n are questions."""
    deviations: float
    """The same in standard deviations of all these questions, by which features compare."""

    @property
    def is_share(self) -> bool:
        return self.feature in ("category", "post_kind")

    @property
    def name(self) -> str:
        """What is compared, in words."""
        return FEATURES[self.feature].format(f"“{self.value}”" if self.value else "no stated kind")

    def mean_text(self, group: QuestionGroup) -> str:
        """`33 %` of a share, else `8.1`."""
        return f"{100 * group.mean:.0f} %" if self.is_share else f"{group.mean:.1f}"

    def group_text(self, group: QuestionGroup) -> str:
        """`8.1 (6, 8, 9.5), n = 20`: the mean, the three quartiles, and n."""
        shown = (
            f"{100 * one:.0f}" if self.is_share else f"{one:g}" for one in group.quartiles or ()
        )
        quartiles = f" ({', '.join(shown)})" if group.quartiles else ""
        return f"{self.mean_text(group)}{quartiles}, n = {group.n:,}"

    @property
    def text(self) -> str:
        """`+2.90 (+1.10 to +4.70)`; of shares in percentage points."""
        found = self.difference
        return found.percent(sign=True) if self.is_share else found.text(2, sign=True)


DROPS: dict[Stage | None, str] = {
    "signal": "no signal",
    "partner": "no partner",
    "partner_signal": "no other signal",
    "drafts": "no draft",
    "kept": "drafts refused",
    None: "no usable reply",
}
"""Why a question came no further, in words, by the first stage that it did not reach."""


class StageDrop(Record):
    """The questions that came no further in a build."""

    stage: Stage | None
    """The first stage that they did not reach; None where a reply that cannot be used left it
    open."""
    questions: int
    users: int
    """Who asked them."""


class QuestionSelection(Record):
    """What a build kept and dropped of the questions in one mode; those that failed are neither."""

    mode: Mode
    kept: int
    dropped: int
    stages: tuple[StageDrop, ...]
    """Where the dropped ones were dropped, in the order of the stages."""
    differences: tuple[QuestionDifference, ...]
    """None where all were kept, or all dropped."""

    @model_validator(mode="after")
    def _of_these_questions(self) -> Self:
        if sum(drop.questions for drop in self.stages) != self.dropped:
            raise ValueError("other questions are dropped by stage than in all")
        for one in self.differences:
            if one.kept.n > self.kept or one.dropped.n > self.dropped:
                raise ValueError(f"{one.feature} is known of more questions than there are")
        return self

    @property
    def largest(self) -> QuestionDifference | None:
        """The difference of the most standard deviations; None where nothing is compared."""
        return max(self.differences, key=lambda one: abs(one.deviations), default=None)

    @property
    def clear(self) -> int:
        """How many of the differences have an interval without 0."""
        found = (one.difference for one in self.differences)
        return sum(
            one.low is not None and one.high is not None and not one.low <= 0 <= one.high
            for one in found
        )


def question_differences(
    questions: Sequence[Question], kept: Sequence[bool]
) -> tuple[QuestionDifference, ...]:
    """Compare the questions that are `kept` with the others, feature by feature."""
    columns: list[tuple[QuestionFeature, str, list[float]]] = [
        ("words", "", [one.words for one in questions]),
        ("posts", "", [one.kinds.total() for one in questions]),
        ("year", "", [np.nan if one.year is None else one.year for one in questions]),
    ]
    categories = Counter(one.category for one in questions)
    kinds = Counter[str]()
    for one in questions:
        kinds.update(one.kinds)
    for value in _most_frequent(categories):
        columns.append(("category", value, [one.category == value for one in questions]))
    for value in _most_frequent(kinds):
        shares = [one.kinds[value] / (one.kinds.total() or np.nan) for one in questions]
        columns.append(("post_kind", value, shares))
    users = np.unique([one.user for one in questions], return_inverse=True)[1]
    sides = np.array(kept, bool)
    found = []
    for name, value, numbers in columns:
        values = np.array(numbers, float)
        known = ~np.isnan(values)
        values, own = values[known], sides[known]
        if not own.any() or own.all():
            continue
        share = name == "category"
        groups = _group(values[own], share=share), _group(values[~own], share=share)
        gap, spread = groups[0].mean - groups[1].mean, float(values.std())
        found.append(
            QuestionDifference(
                feature=name,
                value=value,
                kept=groups[0],
                dropped=groups[1],
                difference=difference_of_means(values, own, users[known], share=share),
                deviations=round(gap / spread, 4) if spread else 0.0,
            )
        )
    return tuple(found)


def _most_frequent(counts: Counter[str]) -> list[str]:
    """None where all have the same, and of two one, whose share is what the other leaves."""
    most = MOST if len(counts) > 2 else len(counts) - 1
    return sorted(counts, key=lambda value: (-counts[value], value))[:most]


def _group(values: Floats, *, share: bool) -> QuestionGroup:
    low, middle, high = (round(float(one), 2) for one in np.quantile(values, (0.25, 0.5, 0.75)))
    quartiles = None if share else (low, middle, high)
    return QuestionGroup(n=len(values), mean=round(float(values.mean()), 6), quartiles=quartiles)
