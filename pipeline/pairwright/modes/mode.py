"""A mode of pairs: how they are built, and all that other rooms need to know of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pairwright.models import Models
from pairwright.modes.rules import BuildRules
from pairwright.records import Dropped, Item, Kept, Rubric

Build = Callable[[Item, Item | None, Models, BuildRules, Rubric | None], Awaitable[Kept | Dropped]]
"""Builds the pairs of an item's user, and of a partner if the mode has two users; the asker's
rubric is given if it is planned already."""

Label = Literal["chosen", "equal", "given"]
Stage = Literal["items", "signal", "partner", "partner_signal", "drafts", "kept"]
STAGES: dict[Stage, str] = {
    "items": "items",
    "signal": "asker has a signal",
    "partner": "has a partner",
    "partner_signal": "partner has a signal",
    "drafts": "has a draft",
    "kept": "kept",
}
"""The stages that a unit of a build can reach, in order and in words."""


@dataclass(frozen=True)
class Mode:
    """One mode."""

    name: str
    units: str
    """Its units in the plural, in lower case."""
    halves: Literal[1, 2]
    """The pairs of a unit, which are verified, released and left out as one. Two have the same
    responses, chosen and rejected swapped."""
    label: Label
    """The answer that verifies a pair: people prefer its chosen response, or find both equal. A
    given label is the user's own choice, and people are not asked."""
    stages: tuple[Stage, ...]
    """The stages of its funnel."""
    card: str
    """Paragraphs for the dataset card: what its pairs are, then each of their limits."""
    build: Build | None = None
    """Builds its pairs; None where they are given by the source."""
    given: Callable[[Item], Kept] | None = None
    """Makes the pairs that an item of the source holds already."""

    @property
    def unit(self) -> str:
        """The singular of `units`."""
        return self.units.removesuffix("s")

    @property
    def needs_partner(self) -> bool:
        """Whether a build has to find a second user for each unit."""
        return self.halves == 2 and self.label != "given"

    @property
    def meaning(self) -> str:
        """Description of the mode's pairs, in a paragraph."""
        return " ".join(self.card.strip().split("\n\n")[0].split())

    @property
    def limits(self) -> list[str]:
        """Limits of what the mode's pairs can show, a paragraph each."""
        return [" ".join(one.split()) for one in self.card.strip().split("\n\n")[1:]]


def read_card(name: str) -> str:
    """The text for the dataset card that lies beside a mode's file."""
    return Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8")
