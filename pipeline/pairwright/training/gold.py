"""Items with gold aspects, and how well the aspects of a plan agree with them."""

from collections.abc import Sequence
from pathlib import Path

from pairwright import text
from pairwright.assets import DOCS
from pairwright.errors import SourceError
from pairwright.records import Record
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems, read_whole

NO_GOLD = "no_gold_aspects"


def read_gold(rules: SourceRules, domains: Domains, folder: Path, where: str) -> SourceItems:
    """The items of a source that have gold aspects. Raises SourceError for a source without one
    usable item."""
    source = read_whole(rules, domains, folder)
    items = tuple(item for item in source.items if item.rubric_aspects)
    n = len(source.items) - len(items)
    if not items:
        raise SourceError(
            f"not one of {n:,} items has gold aspects",
            where=f"{where} {rules.path}",
            fix=f"Give items a list `rubric_aspects`, as LaMP-QA's have: {DOCS / 'sources.md'}.",
        )
    refused = source.refused | ({NO_GOLD: n} if n else {})
    without = frozenset(item.id for item in source.items if not item.rubric_aspects)
    return SourceItems(items, dict(sorted(refused.items())), source.hash, without)


DIGITS = 6


class AspectAgreement(Record):
    """One plan against an item's gold aspects."""

    precision: float | None
    """None where nothing was planned."""
    recall: float
    other: float | None = None
    """Precision against the gold aspects of another user's item: what generic aspects get. None
    where nothing was planned, or there is no other user."""

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where nothing was planned, or nothing agrees."""
        if not self.precision or not self.recall:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def aspect_agreement(planned: Sequence[str], gold: Sequence[str]) -> AspectAgreement:
    """Of a plan, which may be empty, with gold aspects, which are not: each aspect against the
    nearest of the other list, by shared content words over all."""
    if not planned:
        return AspectAgreement(precision=None, recall=0.0)
    language = text.language_of(*gold, *planned)
    own, other = ([text.terms(one, language) for one in part] for part in (planned, gold))
    near = [[text.jaccard(a, b) for b in other] for a in own]
    return AspectAgreement(
        precision=round(sum(map(max, near)) / len(near), DIGITS),
        recall=round(sum(map(max, zip(*near, strict=True))) / len(other), DIGITS),
    )
