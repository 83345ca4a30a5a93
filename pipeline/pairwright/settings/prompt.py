"""Prompts: Markdown files with `{{ name }}` and `{% for %}`, rendered strictly by Jinja's sandbox.

    prompts = Prompts.load(Path("prompts"))
    ask = prompts.ask("adherence", question=..., response=..., aspects=numbered(...))

Every value is guarded: people's posts and models' replies are data, so they can neither close the
tag they are in nor smuggle control characters or chat markers. Jinja never renders a value again,
so `{{ }}` inside a post stays text.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from pairwright.assets import PROMPTS as PROMPTS_FOLDER
from pairwright.errors import InputError
from pairwright.text import LANGUAGES, WORD_LENGTHS, visible


class Message(NamedTuple):
    role: Literal["system", "user", "assistant"]
    content: str


class Ask(NamedTuple):
    """A rendered prompt: the file's name, for the record, and the messages."""

    name: str
    messages: tuple[Message, ...]


def label_texts(texts: Iterable[str]) -> tuple[dict[str, str], ...]:
    """Posts for a prompt, in their order, as `p1`, `p2`, ...: ids of users never enter a prompt."""
    return tuple({"label": f"p{n}", "text": text} for n, text in enumerate(texts, start=1))


def numbered(texts: Iterable[str]) -> tuple[dict[str, object], ...]:
    """Aspects or posts for a prompt, with numbers from 1."""
    return tuple({"number": n, "text": text} for n, text in enumerate(texts, start=1))


OPTIONAL = frozenset({"languages", "characters", "earlier", "reasons", "shared", "each"})
"""Variables that a prompt may leave out. The first two are empty if the question is in English,
or its language cannot be told."""
_ROLES = {
    "planning": "plan plan_blind",
    "judging": "support match adherence quality compare choose",
    "writing": "write_plain write_adhering write_omitting write_contradicting paper_expected"
    " paper_avoided",
    "scoring": "prefer rate",
    "sampling": "sample",
    "completing": "complete",
}
SYSTEM_TEXTS = {name: f"system_{role}" for role, names in _ROLES.items() for name in names.split()}
"""The system text before each prompt."""
PROMPTS = frozenset({"history", *SYSTEM_TEXTS, *SYSTEM_TEXTS.values()})
"""The files by their names."""
# A build has no part in these: its runs and their manifests stay the same whatever they say.
SCORING, SAMPLING, COMPLETING = (
    frozenset({f"system_{role}", *_ROLES[role].split()})
    for role in ("scoring", "sampling", "completing")
)
BUILDING = PROMPTS - SCORING - SAMPLING - COMPLETING
OWN: dict[str, frozenset[str]] = {
    "prefer": frozenset({"question", "posts", "aspects", "first", "second"}),
    "rate": frozenset({"question", "posts", "aspects", "response"}),
}
"""The variables of a user's own prompt for a judge under test, which is asked nothing else."""


@cache
def variables(name: str) -> frozenset[str]:
    """The variables that a prompt file of this name may use, and must use unless they are OPTIONAL:
    those of the prompt that ships."""
    source = (PROMPTS_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return frozenset(find_undeclared_variables(_ENVIRONMENT.parse(source)))


class Prompts(NamedTuple):
    """All prompts of a run, loaded and checked."""

    templates: dict[str, "PromptTemplate"]

    @classmethod
    def load(cls, folder: Path, names: Iterable[str] = BUILDING) -> "Prompts":
        """Read these prompts; raises InputError naming the file and what to do."""
        read = PromptTemplate.read
        return cls({name: read(folder / f"{name}.md", variables(name)) for name in sorted(names)})

    @property
    def hashes(self) -> dict[str, str]:
        """`b2:` hash of each file, for the manifest."""
        return {name: template.hash for name, template in self.templates.items()}

    def ask(self, name: str, **values: object) -> Ask:
        """Render one prompt; `posts` and `question` make the history of one that carries it.

        Without `in_language` nothing is said of a language.
        """
        given = {**dict.fromkeys(OPTIONAL, ()), **values}
        if "history" in variables(name):
            given["history"] = Markup(self.templates["history"].text(given))
        system = Message("system", self.templates[SYSTEM_TEXTS[name]].text({}))
        return Ask(name, (system, Message("user", self.templates[name].text(given))))


def in_language(code: str | None, length: tuple[int, ...] = ()) -> dict[str, tuple[str, ...]]:
    """The values of a prompt that say in which language a reply is to be written.

    They are empty for English, and if the language is not known. `length` is how many words are
    asked for: the least and the most, or the most.
    """
    if code == "en" or code not in LANGUAGES:
        return {}
    each = WORD_LENGTHS.get(code)
    lengths = " to ".join(f"{n * each:.0f}" for n in length) if each else ""
    return {"languages": (LANGUAGES[code],), "characters": (lengths,) if lengths else ()}


FIELDS = ("anchors", "aspect", "aspects", "label", "name", "number", "posts", "question", "score",
          "text")  # fmt: skip
"""Fields of a post, an aspect, a list, a case, a scale or an anchor that a template may read."""


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt file that was read and checked."""

    path: Path
    source: str

    @classmethod
    def read(cls, path: Path, may: frozenset[str]) -> "PromptTemplate":
        """Read a file that uses all of the variables `may` that are not OPTIONAL, and no others.
        Raises InputError naming the file and what to do."""
        listed = ", ".join(sorted(may)) or "none"
        try:
            source = path.read_text(encoding="utf-8-sig")
            tree = _ENVIRONMENT.parse(source)
            used = find_undeclared_variables(tree)
            _compiled(source)
        except OSError as error:
            fix = f"Copy it from the prompts that `pairwright init` writes; it needs: {listed}."
            what = f"this prompt cannot be read: {error.strerror}"
            raise InputError(what, where=path, fix=fix) from None
        except (jinja2.TemplateError, SyntaxError, RecursionError, UnicodeDecodeError) as error:
            line = f":{error.lineno}" if isinstance(error, jinja2.TemplateSyntaxError) else ""
            fix = "Write {{ name }} for a value and {% for x in xs %} ... {% endfor %} for a list."
            what = f"not a template: {error}"
            raise InputError(what, where=f"{path}{line}", fix=fix) from None
        for name in sorted(used - may):
            fix = f"This prompt may use: {listed}."
            raise InputError(f"unknown variable {name!r}", where=path, fix=fix)
        for name in sorted(may - used - OPTIONAL):
            fix = f"Put {{{{ {name} }}}} where the model should read it; it needs: {listed}."
            raise InputError(f"the variable {name!r} is not used", where=path, fix=fix)
        # Here, since a prompt may be filled in first when others were asked and paid for.
        for node in tree.find_all(nodes.Getattr):
            if node.attr not in FIELDS:
                what, where = f"no variable has a field {node.attr!r}", f"{path}:{node.lineno}"
                raise InputError(what, where=where, fix=f"Fields are: {', '.join(FIELDS)}.")
        return cls(path, source)

    @property
    def hash(self) -> str:
        """`b2:` and a hash of the file's text."""
        return f"b2:{blake2b(self.source.encode(), digest_size=16).hexdigest()}"

    def ask(self, name: str, **values: object) -> Ask:
        """Render a user's own prompt of OWN, as one message without a system text."""
        return Ask(name, (Message("user", self.text(values)),))

    def text(self, values: Mapping[str, object]) -> str:
        """The prompt with these values."""
        try:
            return _compiled(self.source).render(values)
        except (jinja2.TemplateError, TypeError) as error:
            what = f"cannot be filled in: {error}"
            fix = "The prompt that ships shows which values are lists, and their fields."
            raise InputError(what, where=self.path, fix=fix) from None


# Values

# What is written as nothing, or on top of the letter before it: soft hyphens, joiners, variation
# selectors, fillers, accents. A model may read past them.
_UNSEEN = (
    "\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_LESS, _GREATER = "<\uff1c\ufe64", ">\uff1e\ufe65"
_SLASH = "/|\uff5c\uff0f\u2044\u2215\u29f8"
_LETTER = "A-Za-z_\uff21-\uff3a\uff41-\uff5a"
# What could end a tag of ours, open another, or read as a chat template's marker: a closing tag in
# any spelling, a name right after `<` with nothing or attributes behind it, `<|...|>`, `[INST]` and
# its like; in both widths, and with unseen characters between. "a < b and c > d" is none of these.
_MARKER = re.compile(
    rf"[{_LESS}](?=[\s{_UNSEEN}]*[{_SLASH}]"
    rf"|[{_UNSEEN}]*[{_LETTER}][\w.:{_UNSEEN}-]*(?:\s*[{_SLASH}]?[{_GREATER}]|\s+[\w.:-]+\s*=))"
    rf"|\[(?=[/{_UNSEEN}]*(?:[A-Z_][{_UNSEEN}]*){{4,}}\])"
)
_BEGINS = re.compile(rf"[{_LESS}\[]")


# One post is part of many prompts.
@lru_cache(maxsize=4096)
def guard(text: str) -> str:
    """Text that is inert in a prompt: no tags, no chat markers, no invisible characters."""
    shown = visible(text)
    # Most texts hold neither, and a look is much cheaper than the pattern.
    if not _BEGINS.search(shown):
        return shown
    return _MARKER.sub(lambda m: "(" if m.group() == "[" else "\u2039", shown)


def _inert(value: object) -> str:
    # Markup is what a prompt file wrote: the texts in it are guarded, and its own tags stay.
    return str(value) if isinstance(value, (int, float, Markup)) else guard(str(value))


_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=jinja2.StrictUndefined, finalize=_inert, trim_blocks=True, lstrip_blocks=True
)
# A prompt knows its values and nothing else; every rendering would copy these.
_ENVIRONMENT.globals.clear()
# Compiled once in each process: a template travels to another one as its text.
_compiled = lru_cache(maxsize=64)(_ENVIRONMENT.from_string)
