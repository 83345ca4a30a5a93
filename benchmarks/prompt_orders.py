"""One prompt in other orders: what a prefix cache would save if the parts were elsewhere."""

import re
from collections.abc import Callable

_PART = re.compile(r"^<(\w+)[^>\n]*>\n.*?\n</\1>$", re.DOTALL | re.MULTILINE)


def published(prompt: str) -> str:
    """Instruction, question, history, in the order of Personalized RewardBench's prompts."""
    return _instruction_first(prompt, lambda part: part.startswith("<history>"))


def question_last(prompt: str) -> str:
    """Instruction, history, question: nothing that is fixed follows the history."""
    return _instruction_first(prompt, lambda part: part.startswith("<question>"))


def _instruction_first(prompt: str, last: Callable[[str], bool]) -> str:
    """All that is the prompt's own, then its parts: what users and models wrote, in tags."""
    parts = sorted((match.group() for match in _PART.finditer(prompt)), key=last)
    own = [text.strip() for text in _PART.sub("\0", prompt).split("\0")]
    return "\n\n".join([text for text in own if text] + parts)
