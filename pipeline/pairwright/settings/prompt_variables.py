"""The prompts by name, the variables that each one takes, and the records that are their values."""

from collections.abc import Iterable
from typing import Literal, NamedTuple


class Message(NamedTuple):
    role: Literal["system", "user", "assistant"]
    content: str


class Ask(NamedTuple):
    """A rendered prompt: the file's name, for the record, and the messages."""

    name: str
    messages: tuple[Message, ...]


class Labelled(NamedTuple):
    """A post in a prompt, under `p1`, `p2`, ...: ids of users never enter a prompt."""

    label: str
    text: str


def label_texts(texts: Iterable[str]) -> tuple[Labelled, ...]:
    """Posts for a prompt, in their order."""
    return tuple(Labelled(f"p{n}", text) for n, text in enumerate(texts, start=1))


class Numbered(NamedTuple):
    """An aspect in a prompt."""

    number: int
    text: str


class NumberedList(NamedTuple):
    """Somebody's list of aspects in a prompt."""

    number: int
    aspects: tuple[str, ...]


class SupportPrompt(NamedTuple):
    """An aspect in a prompt with the numbers of the posts that it rests on, such as `1, 3`."""

    number: int
    aspect: str
    posts: str


OPTIONAL = frozenset({"languages", "characters", "earlier", "reasons", "shared", "each"})
"""Variables that a prompt may leave out. The first two are empty if the question is in English,
or its language cannot be told."""
_WRITING = "question aspects earlier faults reasons words languages characters"
_PAIR = "question first second"
_PROMPTS = {
    "planning": {
        "plan": "history max_aspects words kinds good bad not_inferred languages",
        "plan_blind": "question max_aspects languages",
    },
    "judging": {
        "support": "question posts cases",
        "match": "question aspects lists",
        "adherence": "question response aspects",
        "quality": "question response scales",
        "compare": f"{_PAIR} scales",
        "choose": _PAIR,
    },
    "writing": {
        "write_plain": "question words languages characters",
        "write_adhering": f"{_WRITING} shared each",
        "write_omitting": _WRITING,
        "write_contradicting": _WRITING,
        "paper_expected": "history aspects words",
        "paper_avoided": "history aspects words",
    },
    "scoring": {
        "prefer": "history aspects first second",
        "rate": "history aspects response",
    },
    "sampling": {"sample": "history words languages characters"},
    "completing": {"complete": "history words"},
}
"""By the role whose system text goes before it, each prompt with the variables that it may use, and
must use."""
SYSTEM_TEXTS: dict[str, str] = {
    name: f"system_{role}" for role, prompts in _PROMPTS.items() for name in prompts
}
"""Which system text goes before each prompt."""
VARIABLES: dict[str, frozenset[str]] = {
    "history": frozenset({"posts", "question"}),
    **dict.fromkeys(SYSTEM_TEXTS.values(), frozenset()),
    **{
        name: frozenset(variables.split())
        for prompts in _PROMPTS.values()
        for name, variables in prompts.items()
    },
}
"""Which variables each file may use, and must use."""
OWN: dict[str, frozenset[str]] = {
    "prefer": frozenset({"question", "posts", "aspects", "first", "second"}),
    "rate": frozenset({"question", "posts", "aspects", "response"}),
}
"""The same of a user's own prompt for a judge under test: it is all that the judge is asked."""
# What judges under test are asked, what a policy is, and what writes in a user's place. A build has
# no part in them: its runs and their manifests stay the same whatever these say.
SCORING = frozenset({"system_scoring", *_PROMPTS["scoring"]})
SAMPLING = frozenset({"system_sampling", *_PROMPTS["sampling"]})
COMPLETING = frozenset({"system_completing", *_PROMPTS["completing"]})
BUILDING = frozenset(VARIABLES) - SCORING - SAMPLING - COMPLETING
# A build's prompts begin with what is the same for all users and questions, then come the history
# and the question: plans about one user begin with the same bytes, and so do both papers' writers.
WITH_HISTORY = frozenset(name for name, needs in VARIABLES.items() if "history" in needs)
