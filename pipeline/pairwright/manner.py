"""The manner of a response, its length and markup, and which of both a user took so far: a taste
that predicts many choices, and says little of whether a scorer reads the person."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal


def choice_text(question: str, taken: str, refused: str, reason: str = "") -> str:
    """An earlier choice of a user as a post of a history."""
    said = f'Asked "{question}", chose:\n{taken}\nrather than:\n{refused}'
    return f"{said}\nbecause: {reason}" if reason else said


def is_choice_text(text: str) -> bool:
    """Whether a post of a history is an earlier choice: users who chose alike have the same."""
    return _sides(text) is not None


def _sides(text: str) -> tuple[str, str] | None:
    """The taken and the refused response of a choice, found in linear time; None without one."""
    _, _, sides = text.removeprefix('Asked "').partition('", chose:\n')
    taken, found, after = sides.partition("\nrather than:\n")
    if not found or not text.startswith('Asked "'):
        return None
    return taken, after.partition("\nbecause: ")[0]


LIST = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+\S", re.MULTILINE)
BOLD = re.compile(r"(\*\*|__)(?=\S)[^\n]{1,200}?\1")
Manner = Literal["length", "markup"]


def count_markup(response: str) -> int:
    """Items of lists, headings and bold passages, as markdown writes them."""
    return sum(len(mark.findall(response)) for mark in (LIST, HEADING, BOLD))


MANNERS: dict[Manner, Callable[[str], int]] = {"length": len, "markup": count_markup}
"""How much of each a response has: characters, so that all scripts are alike, and marks."""


def manner_scores(
    posts: Iterable[str], responses: Iterable[str]
) -> Iterator[dict[Manner, float]] | None:
    """The fit of responses to a user's earlier choices, by manner. It is the amount in each
    response, times the excess of earlier choices that took the response with more over those
    with less. None if no post of the history is a choice."""
    choices = [sides for post in posts if (sides := _sides(post))]
    if not choices:
        return None
    tastes = {}
    for manner, count in MANNERS.items():
        excess = sum((count(a) > count(b)) - (count(a) < count(b)) for a, b in choices)
        tastes[manner] = excess / len(choices)
    return (
        {manner: taste * MANNERS[manner](response) for manner, taste in tastes.items()}
        for response in responses
    )
