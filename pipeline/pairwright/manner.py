"""The manner of a response, its length and markup, and which of both a user took so far: a taste
that predicts many choices, and says little of whether a scorer reads the person."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

_CHOICE = 'Asked "{}", chose:\n{}\nrather than:\n{}'


def choice_text(question: str, taken: str, refused: str, reason: str = "") -> str:
    """An earlier choice of a user as a post of a history."""
    said = _CHOICE.format(question, taken, refused)
    return f"{said}\nbecause: {reason}" if reason else said


def is_choice_text(text: str) -> bool:
    """Whether a post of a history is an earlier choice: users who chose alike have the same."""
    return text.startswith('Asked "') and "\nrather than:\n" in text


_SIDES = re.compile(r'Asked ".*?", chose:\n(.*?)\nrather than:\n(.*?)(?:\nbecause: .*)?', re.DOTALL)


def choice_sides(text: str) -> tuple[str, str] | None:
    """The taken and refused texts of an earlier choice; None for a text that is not a choice."""
    found = _SIDES.fullmatch(text) if is_choice_text(text) else None
    return (found[1], found[2]) if found else None


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
    choices = [sides for post in posts if (sides := choice_sides(post))]
    if not choices:
        return None
    tastes = {
        manner: sum((count(a) > count(b)) - (count(a) < count(b)) for a, b in choices)
        / len(choices)
        for manner, count in MANNERS.items()
    }
    return (
        {manner: taste * MANNERS[manner](response) for manner, taste in tastes.items()}
        for response in responses
    )
