"""The modes of pairs. A further mode is one file here, and its place in `MODES`.

mode.py         the fields of a mode
twin.py         one question, two users, two responses, each chosen for one user
placebo.py      two users whose posts say nothing on the question, and two plain responses
violate.py      a response that meets the rubric against one that does not, as in the paper
natural.py      what two users chose themselves, one the reverse of the other

What modes share:

rules.py        what decides how a pair is built; a partner's posts; what a user expects
drawing.py      drafts, drawn until one is accepted, and the pairs over it
writing.py      both sides of a draft, written again with what was wrong (notes.toml)
judging.py      the gates, and the judges' scores that they decide by

A `.md` file holds what the dataset card says of its mode.
"""

from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import ConfigError, InputError, near
from pairwright.modes.mode import STAGES, Label, Mode, Stage
from pairwright.modes.natural import NATURAL
from pairwright.modes.placebo import PLACEBO
from pairwright.modes.twin import TWIN
from pairwright.modes.violate import VIOLATE
from pairwright.settings.config import Config

__all__ = [
    "MODES", "STAGES", "Label", "Mode", "Stage", "check_modes", "halves_of", "label_of",
    "need_partners", "title_of",
]  # fmt: skip


class Modes(dict[str, Mode]):
    """Modes by name. A name that none has is an error of the file that it was read from."""

    def __missing__(self, name: str) -> Mode:
        raise InputError(
            f"unknown mode {name!r}",
            where="mode of a pair",
            fix=f"Known modes: {', '.join(self)}.{near(name, self)}",
        )


MODES = Modes({mode.name: mode for mode in (TWIN, PLACEBO, VIOLATE, NATURAL)})
"""The modes by name, in the order of pages."""


def check_modes(config: Config, path: Path | str = "") -> None:
    """Raise ConfigError if a build cannot have the modes of a config, which is read from `path`."""
    where = f"{path} [modes]".strip()
    for name in config.modes:
        if name not in MODES:
            listed = f"One of: {', '.join(MODES)}.{near(name, MODES)}"
            raise ConfigError(f"unknown mode {name!r}", where=where, fix=listed)
    given = [MODES[name].label == "given" for name in config.modes]
    if config.own_choices != all(given) or (any(given) and len(given) > 1):
        raise ConfigError(
            f"modes {', '.join(config.modes)} with [source] format = {config.source.format!r}",
            where=where,
            fix="Mode natural goes alone, and with format = 'choices'.",
        )
    if not need_partners(config.modes):
        return
    if config.aspects != "planner":
        raise ConfigError(
            f"twins need planned aspects: no {config.aspects} aspects exist for a partner",
            where=where,
            fix="Set aspects = 'planner', or leave twin out.",
        )
    if not config.planner.others:
        raise ConfigError(
            "twins need other users: partners are found among those that a question is tried on",
            where=f"{path} [planner] others = 0".strip(),
            fix="Give 1 or more, or leave twin out of modes.",
        )


def label_of(mode: str | None) -> Label:
    """The label of a mode's pairs; pairs of others, which have no mode, have a chosen response."""
    return "chosen" if mode is None else MODES[mode].label


def halves_of(mode: str | None) -> int:
    """The pairs of a unit of a mode; pairs of others stand alone."""
    return 1 if mode is None else MODES[mode].halves


def title_of(mode: str | None) -> str:
    """The heading of a mode's tables; pairs of others have no mode."""
    units = "pairs" if mode is None else MODES[mode].units
    return units[0].upper() + units[1:]


def need_partners(modes: Iterable[str]) -> bool:
    """Whether a unit of any of these modes has a second user."""
    return any(MODES[mode].needs_partner for mode in modes)
