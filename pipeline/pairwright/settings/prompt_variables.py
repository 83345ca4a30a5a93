"""The prompts by name, the variables that each one takes, and the records that are their values."""

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


class Numbered(NamedTuple):
    """An aspect in a prompt."""

    number: int
    text: str


class NumberedList(NamedTuple):
    """Somebody's list of aspects in a prompt."""

    number: int
    aspects: tuple[str, ...]


class SupportPrompt(NamedTuple):
    """An aspect in a prompt with the posts it rests on."""

    number: int
    aspect: str
    posts: tuple[str, ...]


_LANGUAGE = frozenset({"languages", "characters"})
_WRITING = frozenset({"question", "aspects", "faults", "words"}) | _LANGUAGE
OPTIONAL = _LANGUAGE
"""Variables that a prompt may leave out: empty where the question is in English, or its language
cannot be told."""
# Which variables each prompt may use, and must use.
VARIABLES: dict[str, frozenset[str]] = {
    "system_planning": frozenset(),
    "system_writing": frozenset(),
    "system_judging": frozenset(),
    "history": frozenset({"posts", "question"}),
    "plan": frozenset(
        {"history", "max_aspects", "words", "kinds", "good", "bad", "not_inferred", "languages"}
    ),
    "plan_blind": frozenset({"question", "max_aspects", "languages"}),
    "support": frozenset({"question", "cases"}),
    "match": frozenset({"question", "aspects", "lists"}),
    "narrative": frozenset({"question", "narrative", "max_aspects", "languages"}),
    "write_plain": frozenset({"question", "words"}) | _LANGUAGE,
    "write_adhering": _WRITING,
    "write_omitting": _WRITING,
    "write_contradicting": _WRITING,
    "paper_expected": frozenset({"history", "aspects", "words"}),
    "paper_avoided": frozenset({"history", "aspects", "words"}),
    "adherence": frozenset({"question", "response", "aspects"}),
    "quality": frozenset({"question", "response", "scales"}),
    "compare": frozenset({"question", "first", "second", "scales"}),
    "choose": frozenset({"question", "first", "second"}),
    "system_scoring": frozenset(),
    "prefer": frozenset({"history", "aspects", "first", "second"}),
    "rate": frozenset({"history", "aspects", "response"}),
    "system_sampling": frozenset(),
    "sample": frozenset({"history", "words"}) | _LANGUAGE,
    "plan_list": frozenset({"history"}),
    "system_completing": frozenset(),
    "complete": frozenset({"history", "words"}),
}


# Which system text goes before each prompt.
SYSTEM_TEXTS: dict[str, str] = {
    "plan": "system_planning",
    "plan_blind": "system_planning",
    "plan_list": "system_planning",
    "narrative": "system_planning",
    "support": "system_judging",
    "match": "system_judging",
    "adherence": "system_judging",
    "quality": "system_judging",
    "compare": "system_judging",
    "choose": "system_judging",
    "write_plain": "system_writing",
    "write_adhering": "system_writing",
    "write_omitting": "system_writing",
    "write_contradicting": "system_writing",
    "paper_expected": "system_writing",
    "paper_avoided": "system_writing",
    "prefer": "system_scoring",
    "rate": "system_scoring",
    "sample": "system_sampling",
    "complete": "system_completing",
}


# What judges under test are asked, what a policy is, and what writes in a user's place. A build has
# no part in them: its runs and their manifests stay the same whatever these say.
SCORING = frozenset({"system_scoring", "prefer", "rate"})


SAMPLING = frozenset({"system_sampling", "sample"})


# What planners are asked that were trained to write a plain list.
LISTING = frozenset({"plan_list"})


# What a user's own prompt for a judge under test may use, and must use: it is all that the judge
# is asked.
OWN: dict[str, frozenset[str]] = {
    "prefer": frozenset({"question", "posts", "aspects", "first", "second"}),
    "rate": frozenset({"question", "posts", "aspects", "response"}),
}


COMPLETING = frozenset({"system_completing", "complete"})


BUILDING = frozenset(VARIABLES) - SCORING - SAMPLING - LISTING - COMPLETING


# What is the same for all users comes before the history and what is asked of it after, so that
# all plans about one user begin with the same bytes, and so do both papers' writers.
WITH_HISTORY = frozenset(name for name, needs in VARIABLES.items() if "history" in needs)
