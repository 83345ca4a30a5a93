"""The modes of pairs: what each is, and how files, pages and checks name it.

Everything that lists modes takes them from `MODES`. The function that builds a mode's pairs is in
`construct`, and the gates that decide on its drafts are in `gates/judged.py`.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, TypeAdapter

Mode = Literal["twin", "placebo", "violate", "natural"]


class ModeDefinition(BaseModel, frozen=True, extra="forbid"):
    """One mode: what is built, verified and released as one unit, and its words on pages. The
    definitions are in modes.toml."""

    name: Mode
    pairs: str
    """What pages call its pairs, in lower case."""
    units: str
    """What a study calls its units, each of which people verify as one."""
    halves: Literal[1, 2]
    """How many pairs a unit has: a twin has two."""
    adherence_endings: tuple[str, str]
    """The endings of the keys under which a draft has the adherence of the chosen and of the
    rejected response. The keys begin with `first` or `second`, the place of the response in the
    draft."""
    sides: tuple[str, str]
    """What the report of a study calls the first and the second response."""
    meaning: str
    """What the card of a release says that it is."""
    limits: tuple[str, ...]
    """What its pairs cannot show, for the pages of a release."""
    needs_partner: bool = False
    """Whether a unit needs a second user, whose aspects only a planner can give."""
    no_preference: bool = False
    """Whether nothing speaks for either response: which of the two a pair calls chosen is drawn,
    and says nothing. What counts is whether a scorer's preference changes with the user, and what
    people verify is that it makes no difference to either user."""
    against_rubric: bool = False
    """Whether the rejected response is written against the rubric. Then the texts alone may give
    it away, and people may find it the worse answer."""
    own_choice: bool = False
    """Whether the label is the user's own choice. Then no model wrote or judged anything, there is
    no rubric, nobody asked the question of a half more than of the other, and there is nothing for
    annotators to verify."""

    @property
    def title(self) -> str:
        """The heading of its tables."""
        return self.pairs[0].upper() + self.pairs[1:]

    @property
    def unit(self) -> str:
        """One of its units, such as `twin`."""
        return self.units.removesuffix("s")

    @property
    def rubric(self) -> bool:
        """Whether its pairs have rubrics: aspects that a model claims of a user."""
        return not (self.own_choice or self.no_preference)


_TABLES = tomllib.loads(Path(__file__).with_name("modes.toml").read_text(encoding="utf-8"))
MODES = TypeAdapter(dict[Mode, ModeDefinition]).validate_python(
    {name: {"name": name} | table for name, table in _TABLES.items()}
)
"""The modes by name, in the order of pages."""
TWIN, PLACEBO = MODES["twin"], MODES["placebo"]

Stage = Literal["items", "signal", "partner", "partner_signal", "drafts", "kept"]
STAGES: dict[Stage, str] = {
    "items": "items",
    "signal": "asker has a signal",
    "partner": "has a partner",
    "partner_signal": "partner has another",
    "drafts": "has a draft",
    "kept": "kept",
}
"""How far a unit of a build comes, in order and in words."""


def mode_title(mode: Mode | None) -> str:
    """The heading of a mode's tables; pairs of others have no mode."""
    return "Pairs" if mode is None else MODES[mode].title


def mode_pairs(mode: Mode | None) -> str:
    """A mode's pairs in a sentence."""
    return "pairs" if mode is None else MODES[mode].pairs


def need_partners(modes: Iterable[Mode]) -> bool:
    """Whether a unit of any of these modes has a second user."""
    return any(MODES[mode].needs_partner for mode in modes)


_TWINS = frozenset(name for name, mode in MODES.items() if mode.halves == 2)
_OWN_CHOICES = frozenset(name for name, mode in MODES.items() if mode.own_choice)
_NO_PREFERENCES = frozenset(name for name, mode in MODES.items() if mode.no_preference)


def is_twin(mode: str | None) -> bool:
    """Whether a unit of the mode is two halves with the same responses, chosen and rejected
    swapped."""
    return mode in _TWINS


def is_own_choice(mode: str | None) -> bool:
    """Whether the label of a pair of this mode is the user's own choice."""
    return mode in _OWN_CHOICES


def has_no_preference(mode: str | None) -> bool:
    """Whether nothing speaks for either response of a pair of this mode."""
    return mode in _NO_PREFERENCES


def has_rubric(mode: str | None) -> bool:
    """Whether pairs of this mode have rubrics; those of others, which have none, count as such."""
    return not (is_own_choice(mode) or has_no_preference(mode))


def needs_votes(mode: str | None) -> bool:
    """Whether a pair of this mode is released only where people verified it."""
    return not is_own_choice(mode)


def has_own_choices(modes: Iterable[str]) -> bool:
    """Whether the label of any of these modes is the user's own choice."""
    return any(map(is_own_choice, modes))


def verified_modes(pairs: int | None = None) -> tuple[Mode, ...]:
    """The modes whose units people verify; with `pairs`, those whose units have so many."""
    return tuple(
        name for name, mode in MODES.items() if not mode.own_choice and pairs in (None, mode.halves)
    )


def units_in_words(modes: Iterable[Mode] = ()) -> str:
    """The units of these modes, or of all that people verify: `twins and violate pairs`."""
    *first, last = (MODES[mode].units for mode in modes or verified_modes())
    return f"{', '.join(first)} and {last}" if first else last
