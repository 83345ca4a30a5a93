"""Prompts: Markdown files with `{{ name }}` and `{% for %}`, rendered strictly.

prompts = Prompts.load(Path("prompts"))
ask = prompts.ask("adherence", question=..., response=..., aspects=(...))
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from pairwright.settings.prompt_variables import (
    BUILDING,
    OPTIONAL,
    OWN,
    SYSTEM_TEXTS,
    VARIABLES,
    WITH_HISTORY,
    Ask,
    Message,
)
from pairwright.settings.template import PromptTemplate, Rendered
from pairwright.text import LANGUAGES


@dataclass(frozen=True)
class Prompts:
    """All prompts of a run, loaded and checked."""

    templates: dict[str, PromptTemplate]

    @classmethod
    def load(cls, folder: Path, names: Iterable[str] = BUILDING) -> "Prompts":
        """Read these prompts; raises InputError naming the file and what to do."""
        return cls(
            {
                name: PromptTemplate.read(folder / f"{name}.md", VARIABLES[name], OPTIONAL)
                for name in sorted(names)
            }
        )

    @property
    def hashes(self) -> dict[str, str]:
        """`b2:` hash of each file, for the manifest."""
        return {name: template.hash for name, template in self.templates.items()}

    def ask(self, name: str, **values: Hashable) -> Ask:
        """Render one prompt; `posts` and `question` make the history of one that carries it.

        Without `in_language` nothing is said of a language.
        """
        values = {**dict.fromkeys(OPTIONAL, ()), **values}
        if name in WITH_HISTORY:
            values = {**values, "history": Rendered(self._text("history", values))}
        system = self._systems[SYSTEM_TEXTS[name]]
        return Ask(name, (system, Message("user", self._text(name, values))))

    def _text(self, name: str, values: Mapping[str, Hashable]) -> str:
        return self.templates[name].text(values)

    @cached_property
    def _systems(self) -> dict[str, Message]:
        names = [name for name in self.templates if name.startswith("system")]
        return {name: Message("system", self._text(name, {})) for name in names}


def in_language(code: str | None, length: tuple[int, ...] = ()) -> dict[str, Hashable]:
    """The values of a prompt that say in which language a reply is to be written.

    They are empty for English, and if the language is not known. `length` is how many words are
    asked for: the least and the most, or the most.
    """
    known = None if code == "en" else LANGUAGES.get(code or "")
    if known is None:
        return {}
    a_word = known.characters
    lengths = [f"{n * a_word:.0f}" for n in length] if a_word else []
    return {"languages": (known.name,), "characters": (" to ".join(lengths),) if lengths else ()}


class OwnPrompt(NamedTuple):
    """A user's own prompt file, as one user's message without a system message."""

    name: str
    """The prompt of OWN that it replaces."""
    template: PromptTemplate

    @classmethod
    def load(cls, path: Path, name: str) -> "OwnPrompt":
        """Raises InputError naming the file and what to do."""
        fix = f"Write it; it needs: {', '.join(sorted(OWN[name]))}."
        return cls(name, PromptTemplate.read(path, OWN[name], fix=fix))

    def ask(self, **values: Hashable) -> Ask:
        """Render it."""
        return Ask(self.name, (Message("user", self.template.text(values)),))
