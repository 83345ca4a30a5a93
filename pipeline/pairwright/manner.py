"""The markup of a response, and earlier choices of a user as posts of a history."""

import re


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


def count_markup(response: str) -> int:
    """Items of lists, headings and bold passages, as markdown writes them."""
    return sum(len(mark.findall(response)) for mark in (LIST, HEADING, BOLD))
