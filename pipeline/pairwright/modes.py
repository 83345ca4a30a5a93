"""The modes of pairs, and how files, pages and checks name them.

The function that builds a mode's pairs is in `construct`, and the gates that decide on its drafts
are in `gates/judged.py`.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

Mode = Literal["twin", "placebo", "violate", "natural"]


class ModeDefinition(NamedTuple):
    """One mode: what is built, verified and released as one unit, and its words on pages. The words
    are in modes.toml."""

    name: Mode
    pairs: str
    """What pages call its pairs, in lower case."""
    units: str
    """What a study calls its units, each of which people verify as one."""
    meaning: str
    """What the card of a release says that it is."""
    limits: list[str]
    """What its pairs cannot show, for the pages of a release."""
    halves: Literal[1, 2] = 2
    """How many pairs a unit has: a twin has two."""
    needs_partner: bool = False
    """Whether a unit needs a second user, whose aspects only a planner can give."""

    @property
    def unit(self) -> str:
        """One of its units, such as `twin`."""
        return self.units.removesuffix("s")


MODES: dict[Mode, ModeDefinition] = {
    name: ModeDefinition(name, **table)  # type: ignore[arg-type, misc]
    for name, table in tomllib.loads(
        Path(__file__).with_name("modes.toml").read_text(encoding="utf-8")
    ).items()
}
"""The modes by name, in the order of pages."""
TWIN, PLACEBO = MODES["twin"], MODES["placebo"]
VERIFIED: tuple[Mode, ...] = ("twin", "placebo", "violate")
"""The modes whose units people verify."""

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
    pairs = "pairs" if mode is None else MODES[mode].pairs
    return pairs[0].upper() + pairs[1:]


def need_partners(modes: Iterable[Mode]) -> bool:
    """Whether a unit of any of these modes has a second user."""
    return any(MODES[mode].needs_partner for mode in modes)


def is_twin(mode: str | None) -> bool:
    """Whether a unit of the mode is two halves with the same responses, chosen and rejected
    swapped."""
    return mode in ("twin", "placebo", "natural")


def is_own_choice(mode: str | None) -> bool:
    """Whether the label of a pair is the user's own choice: then no model wrote or judged anything,
    there is no rubric, and there is nothing for annotators to verify."""
    return mode == "natural"


def has_no_preference(mode: str | None) -> bool:
    """Whether nothing speaks for either response: which of the two a pair calls chosen is drawn,
    and what people verify is that it makes no difference to either user."""
    return mode == "placebo"


def has_rubric(mode: str | None) -> bool:
    """Whether pairs of this mode have rubrics; those of others, which have none, count as such."""
    return mode not in ("placebo", "natural")
