"""What a chat request says: its task and the tagged parts of its prompt.

Prompts guard what users and models wrote, so a tag found here was put there by a prompt file.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_TASK = re.compile(r"<task>\s*([a-z_]+)\s*</task>")
_CLOSING = re.compile(r"</[a-z_]+>")
_WORD_LIMIT = re.compile(r"\b(?:at most|to) (\d+) words")
_ASPECT_LIMIT = re.compile(r"(?:at most|up to) (\d+)\b(?! words)")


class UnknownTask(ValueError):
    """The prompt has no `<task>` tag, or one that the embedded model does not know."""


@dataclass(frozen=True)
class Prompt:
    """A request, taken apart."""

    task: str
    text: str
    """What the user messages say; the system message only describes the tags."""
    seed: str
    digest: str
    """Hash of the whole body: what decides whether a defect strikes."""

    @cached_property
    def question(self) -> str:
        return self.first("question")

    @cached_property
    def instruction(self) -> str:
        """What follows the last tagged part: the role's own words."""
        return self.text[max((m.end() for m in _CLOSING.finditer(self.text)), default=0) :]

    @property
    def words(self) -> int:
        """The most words an answer may have."""
        return _number(_WORD_LIMIT, self.instruction, 100)

    @property
    def most_aspects(self) -> int:
        return _number(_ASPECT_LIMIT, self.instruction, 4)

    @cached_property
    def aspects(self) -> list[str]:
        """The texts in the one block `<aspects>`."""
        return [text for _, text in tagged(self.first("aspects"), "aspect")]

    def first(self, tag: str) -> str:
        """The text of the first such tag, or nothing."""
        texts = tagged(self.text, tag, most=1)
        return texts[0][1] if texts else ""

    def every(self, tag: str) -> list[tuple[str, str]]:
        """All such tags: the value of the one attribute, and the text."""
        return tagged(self.text, tag)


def read(body: dict[str, Any]) -> Prompt:
    """Take a request apart; raises UnknownTask."""
    messages = body.get("messages") or []
    text = "\n\n".join(_text(m["content"]) for m in messages if m.get("role") == "user")
    tasks = _TASK.findall(text)
    if not tasks:
        raise UnknownTask("The prompt names no task: the simulated model reads <task>...</task>.")
    return Prompt(tasks[-1], text, str(body.get("seed")), digest_of(body))


def digest_of(body: dict[str, Any]) -> str:
    """The hash of a request, whatever the order of its fields."""
    canonical = json.dumps(body, sort_keys=True).encode()
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()


def tagged(text: str, tag: str, most: int = 0) -> list[tuple[str, str]]:
    """Attribute value and stripped text of the elements `tag` in `text`, at most `most`."""
    pattern = re.compile(rf'<{tag}(?: \w+="([^"]*)")?>(.*?)</{tag}>', re.DOTALL)
    texts = []
    for match in pattern.finditer(text):
        texts.append((match[1] or "", match[2].strip()))
        if len(texts) == most:
            break
    return texts


def _text(content: object) -> str:
    """A message's content, which may also come as a list of parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _number(pattern: re.Pattern[str], text: str, otherwise: int) -> int:
    match = pattern.search(text)
    return int(match[1]) if match else otherwise
