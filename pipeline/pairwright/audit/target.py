"""Figures compared with those of other pairs, such as the official benchmark's. They decide
nothing."""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audit.balance import Balance, Means
from pairwright.audit.catalogue import DEFINITIONS
from pairwright.audit.records import Check, CheckDefinition
from pairwright.estimate import Estimate

SIZE = DEFINITIONS["size"]

LENGTHS = DEFINITIONS["lengths"]

ASPECTS_PER_ITEM = DEFINITIONS["aspects_per_item"]

BLIND_ACCURACY = DEFINITIONS["blind_accuracy"]


OFFICIAL_SIZES = {
    "Art_and_Entertainment": 767,
    "Lifestyle_and_Personal_Development": 989,
    "Society_and_Culture": 1074,
}
"""Items of Personalized RewardBench by domain (arXiv 2604.07343; the dataset's card)."""


class ComparedPairs(NamedTuple):
    """One of the two sets of pairs: its name, counts, and checks of family shortcuts."""

    name: str
    balance: Balance
    checks: tuple[Check, ...]


def compare(own: ComparedPairs, other: ComparedPairs) -> Iterator[Check]:
    """Sizes, lengths and aspects of every domain; accuracies of configurations that have one name,
    or are of one domain where the other has no modes. The only domain of one set and the only one
    of the other are compared whatever their names, and so are the only configurations."""
    for domain, means in sorted(own.balance.by_domain().items()):
        yield from _domain(domain, means, other, alone=len(own.balance.by_domain()) == 1)
    for check in own.checks:
        for counterpart in other.checks:
            if check.name == counterpart.name and _comparable(check, counterpart, own, other):
                yield from _accuracy(check, counterpart, other.name)


def _domain(domain: str, own: Means, other: ComparedPairs, *, alone: bool) -> Iterator[Check]:
    domains = other.balance.by_domain()
    named = next(iter(domains)) if alone and len(domains) == 1 else domain
    there, name = domains.get(named), other.name
    if there is not None and named != domain:
        name = f"{name}, {named}" if named else name
    size = f"{own.pairs:,} pairs; "
    if there is not None:
        size += f"{there.pairs:,} in {name}"
    else:
        size += f"{name} has no domain of this name, but {', '.join(map(repr, sorted(domains)))}"
    if domain in OFFICIAL_SIZES:
        size += f"; the official benchmark has {OFFICIAL_SIZES[domain]:,} items"
    yield _note(SIZE, domain, own.pairs, size)
    if there is None:
        return
    yield _note(
        LENGTHS,
        domain,
        own.pairs,
        f"{own.chosen_words:.1f} words chosen and {own.rejected_words:.1f} rejected, on average;"
        f" {there.chosen_words:.1f} and {there.rejected_words:.1f} in {name}",
    )
    yield _note(
        ASPECTS_PER_ITEM,
        domain,
        own.pairs,
        f"{own.aspects:.2f} aspects on average; {there.aspects:.2f} in {name}",
    )


def _comparable(check: Check, counterpart: Check, own: ComparedPairs, other: ComparedPairs) -> bool:
    only = {check.config} == own.balance.domains.keys()
    if only and {counterpart.config} == other.balance.domains.keys():
        return True
    if check.config == counterpart.config or check.config in other.balance.domains:
        return check.config == counterpart.config
    return own.balance.domains.get(check.config) == other.balance.domains.get(counterpart.config)


def _accuracy(check: Check, counterpart: Check, name: str) -> Iterator[Check]:
    if check.found is None or counterpart.found is None:
        return
    other = f"{name}, {counterpart.config}" if counterpart.config else name
    yield Check(
        family="target",
        name="blind_accuracy",
        config=check.config,
        status="note",
        found=check.found,
        of=check.of,
        detail=f"{check.name}: {_interval_text(check.found)}; "
        f"{_interval_text(counterpart.found)} in {other}",
    )


def _interval_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "no estimate"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.3f} (n = {estimate.n:,})"
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f}, n = {estimate.n:,})"


def _note(definition: CheckDefinition, domain: str, pairs: int, detail: str) -> Check:
    return Check(
        family=definition.family,
        name=definition.name,
        config=domain,
        status="note",
        of=pairs,
        detail=detail,
    )
