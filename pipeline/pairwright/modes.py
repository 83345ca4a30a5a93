"""The modes of pairs: what each is, and how files, pages and checks name it.

Everything that lists modes takes them from `MODES`. The function that builds a mode's pairs is in
`construct`, and the gates that decide on its drafts are in `gates/judged.py`.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Mode = Literal["twin", "decoy", "placebo", "violate", "natural", "accepted"]


class ModeDefinition(NamedTuple):
    """One mode: what is built, verified and released as one unit, and its words on pages."""

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


TWIN = ModeDefinition(
    name="twin",
    pairs="twins",
    units="twins",
    halves=2,
    adherence_endings=("_own", "_other"),
    sides=("asker's response", "partner's response"),
    meaning=(
        "Mode twin: one question and two users whose rubrics for it differ. Each response is"
        " written to one of the two rubrics by a model that sees the question and that rubric"
        " alone. What is chosen for the one user is rejected for the other, so that a twin is two"
        " pairs: it is verified, released and left out as one."
    ),
    limits=(
        "Twins: two users, one question, the same two responses with chosen and rejected"
        " swapped. A deterministic scorer that cannot see the user therefore scores exactly"
        " 50 % on complete twins, ties counted one half. That is arithmetic. It is not evidence"
        " that the pairs are good, or that what they measure is personal.",
        "In one half of a twin the user never asked the question (the column “asked” is false):"
        " that half is counterfactual, and the halves are to be reported apart too.",
    ),
    needs_partner=True,
)
DECOY = ModeDefinition(
    name="decoy",
    pairs="decoys",
    units="decoys",
    halves=1,
    adherence_endings=("_own", "_other"),
    sides=("chosen response", "rejected response"),
    meaning=(
        "Mode decoy: one user and two responses, each written to a rubric for the question by a"
        " model that sees the question and that rubric alone. The chosen response is written to"
        " this user's rubric. The rejected one is written to the rubric of somebody"
        " else, and a judge found that this user's posts show no such need. Both look tailored;"
        " only the posts tell whose needs they serve."
    ),
    limits=(
        "Decoys: a scorer that cannot see the user has no identity to keep it at one half. It can"
        " be right more or less often where one side is the better answer as a rule. Compare it"
        " with the same scorer without the history.",
        "That the posts show no need of this kind is a judge's finding. The user may have"
        " that need and never have written of it.",
    ),
    needs_partner=True,
)
PLACEBO = ModeDefinition(
    name="placebo",
    pairs="placebos",
    units="placebos",
    halves=2,
    adherence_endings=("_own", "_other"),
    sides=("first response", "second response"),
    meaning=(
        "Mode placebo: one question, two users whose posts show no need of their own on it, and"
        " two plain responses that a judge found equally good. Nothing speaks for either response"
        " with either user, so a scorer should prefer the same one for both. A placebo is two"
        " pairs, with the responses swapped as in a twin; which response a pair calls chosen is"
        " drawn and says nothing."
    ),
    limits=(
        "Placebos: accuracy on them says nothing, because their labels are drawn. What counts is"
        " how often a scorer's preference changes with the user: it should not.",
        "That the posts show no need on the question is what a planner and a judge found, and where"
        " the placebo is verified, a few people. A need that they missed would make a change of"
        " preference right.",
    ),
    needs_partner=True,
    no_preference=True,
)
VIOLATE = ModeDefinition(
    name="violate",
    pairs="pairs of mode violate",
    units="violate pairs",
    halves=1,
    adherence_endings=("", ""),
    sides=("chosen response", "rejected response"),
    meaning=(
        "Mode violate: the rejected response is written so that it misses or contradicts the"
        " user's rubric."
    ),
    limits=(
        "Mode violate: the rejected response was written against the rubric, so that missing"
        " aspects, length or tone can give it away to a scorer that knows nothing of the user."
        " Accuracy on such pairs is not evidence of personalization unless the same scorer"
        " without the history does worse.",
    ),
    against_rubric=True,
)
NATURAL = ModeDefinition(
    name="natural",
    pairs="natural twins",
    units="natural twins",
    halves=2,
    adherence_endings=("_own", "_other"),
    sides=("first user's choice", "second user's choice"),
    meaning=(
        "Mode natural: one question, two responses, and two users, each of whom chose what the"
        " other refused. The label is the user's own choice: no model wrote, planned or judged"
        " anything, there is no rubric, and no annotator was asked, because a stranger's guess is"
        " no better evidence than the choice itself. A natural twin is two pairs: it is released"
        " and left out as one."
    ),
    limits=(
        "Natural twins: two users, one question, the same two responses with chosen and rejected"
        " swapped. A deterministic scorer that cannot see the user therefore scores exactly"
        " 50 % on complete twins, ties counted one half. That is arithmetic. It is not evidence"
        " that what they measure is personal.",
        "The label says what a user chose, and not that the response is a better answer to them:"
        " agreeing with a statement is not preferring an answer. Nor does it say why: a choice may"
        " follow from views, mood or chance, and what the user wrote need not show it.",
        "Nobody made the two responses equally good. They can differ in quality, length and"
        " subject; only that one user took each keeps this from deciding.",
        "Of both halves of a natural twin the choice was made. The column “asked” is true in the"
        " half that is named first, and says no more than that.",
    ),
    own_choice=True,
)
ACCEPTED = ModeDefinition(
    name="accepted",
    pairs="accepted answers",
    units="accepted answers",
    halves=1,
    adherence_endings=("", ""),
    sides=("accepted answer", "its match"),
    meaning=(
        "Mode accepted: a question, the answer that the user who asked it accepted, and another"
        " answer that has as many votes or more and about the same length. The label is the user's"
        " own choice: no model wrote, planned or judged anything, there is no rubric, and no"
        " annotator was asked, because a stranger's guess is no better evidence than the choice"
        " itself."
    ),
    limits=(
        "Accepted answers: nothing holds what is not personal equal but votes, which never favour"
        " the accepted answer, and length, which is about the same. An answer may be accepted"
        " because it is right, clear or early. So a scorer that cannot see the user can be right"
        " more often than not, and only what the same scorer gains by the history is evidence of"
        " personalization.",
        "The label says which answer the user accepted, and not that it is the better one, for"
        " anybody or for this user: some accept the first that works.",
        "Questions and answers are as the source has them now. A question that was edited after"
        " the answers may hold a trace of them.",
    ),
    own_choice=True,
)
MODES: dict[Mode, ModeDefinition] = {
    mode.name: mode for mode in (TWIN, DECOY, PLACEBO, VIOLATE, NATURAL, ACCEPTED)
}
"""The modes by name, in the order of pages."""

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


def needs_votes(mode: str | None, *, placebos: bool) -> bool:
    """Whether a pair of this mode is released only where people verified it. Placebos are where
    `placebos` says that the study asks about them, as those of older versions do not."""
    return has_rubric(mode) or (placebos and has_no_preference(mode))


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
