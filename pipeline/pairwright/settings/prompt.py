"""Prompts: Markdown files with `{{ name }}` and `{% for %}`, rendered strictly.

    prompts = Prompts.load(Path("prompts"))
    ask = prompts.ask("adherence", question=..., response=..., aspects=(...))

Every value is guarded: people's posts and models' replies are data, so they can neither close the
tag they are in nor smuggle control characters or chat markers. Jinja never renders a value again,
so `{{ }}` inside a post stays text.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple

import jinja2
from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

from pairwright.assets import PROMPTS as PROMPTS_FOLDER
from pairwright.errors import InputError
from pairwright.text import LANGUAGES, visible

# What a prompt is made of, and what it becomes


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
"""Which system text goes before each prompt."""
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
    """What a file of this name may use, and must use unless it is OPTIONAL: what the prompt that
    ships uses."""
    source = (PROMPTS_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return frozenset(find_undeclared_variables(jinja2.Environment().parse(source)))


class Prompts(NamedTuple):
    """All prompts of a run, loaded and checked."""

    templates: dict[str, "PromptTemplate"]

    @classmethod
    def load(cls, folder: Path, names: Iterable[str] = BUILDING) -> "Prompts":
        """Read these prompts; raises InputError naming the file and what to do."""
        return cls(
            {
                name: PromptTemplate.read(folder / f"{name}.md", variables(name), OPTIONAL)
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
        given: dict[str, object] = {**dict.fromkeys(OPTIONAL, ()), **values}
        if "history" in variables(name):
            given["history"] = _Rendered(self.templates["history"].text(given))
        system = Message("system", self.templates[SYSTEM_TEXTS[name]].text({}))
        return Ask(name, (system, Message("user", self.templates[name].text(given))))


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
    template: "PromptTemplate"

    @classmethod
    def load(cls, path: Path, name: str) -> "OwnPrompt":
        """Raises InputError naming the file and what to do."""
        fix = f"Write it; it needs: {', '.join(sorted(OWN[name]))}."
        return cls(name, PromptTemplate.read(path, OWN[name], fix=fix))

    def ask(self, **values: Hashable) -> Ask:
        """Render it."""
        return Ask(self.name, (Message("user", self.template.text(values)),))


# Templates


@dataclass(frozen=True)
class PromptTemplate:
    """The template of a prompt file, which uses these variables: all that are not optional, and no
    others."""

    path: Path
    source: str
    may: frozenset[str]
    optional: frozenset[str]

    @classmethod
    def read(
        cls,
        path: Path,
        may: frozenset[str],
        optional: frozenset[str] = frozenset(),
        fix: str = "Copy it from the prompts that `pairwright init` writes, then edit it.",
    ) -> "PromptTemplate":
        """The checked template of a file; `fix` is what to do if there is none. Raises
        InputError naming the file, the line and what to do."""
        try:
            template = cls(path, path.read_text(encoding="utf-8-sig"), may, optional)
        except (FileNotFoundError, IsADirectoryError):
            raise InputError("this prompt is missing", where=path, fix=fix) from None
        except UnicodeDecodeError as error:
            what = f"not UTF-8 at byte {error.start}"
            raise InputError(what, where=path, fix="Save the file as UTF-8.") from None
        _compiled(template)
        return template

    @property
    def hash(self) -> str:
        """`b2:` and a hash of the file's text."""
        return f"b2:{blake2b(self.source.encode(), digest_size=16).hexdigest()}"

    def text(self, values: Mapping[str, object]) -> str:
        """The prompt with these values."""
        try:
            return _compiled(self).render(values)
        except (jinja2.UndefinedError, TypeError) as error:
            what = f"a value has not what it asks for: {error}"
            fix = "The prompt that ships shows which values are lists, and their fields."
            raise InputError(what, where=self.path, fix=fix) from None


# Compiled once in each process: a template travels to another one as its text.
@lru_cache(maxsize=64)
def _compiled(prompt: PromptTemplate) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, finalize=_inert, trim_blocks=True, lstrip_blocks=True
    )
    # A prompt knows its values and nothing else; every rendering would copy these.
    environment.globals.clear()
    try:
        tree = environment.parse(prompt.source)
        for line, what, fix in _faults(tree, prompt):
            raise InputError(what, where=f"{prompt.path}:{line}" if line else prompt.path, fix=fix)
        return environment.from_string(tree)
    except jinja2.TemplateSyntaxError as error:
        where, what = f"{prompt.path}:{error.lineno}", f"not a template: {error.message}"
        fix = "Write {{ name }} for a value and {% for x in xs %} ... {% endfor %} for a list."
        raise InputError(what, where=where, fix=fix) from None
    except (jinja2.TemplateError, SyntaxError, RecursionError) as error:
        what = f"cannot be read as a template: {error}"
        raise InputError(what, where=prompt.path, fix="Write fewer loops.") from None


_ALLOWED_NODES = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Getattr, nodes.For,
)  # fmt: skip
# What a template may read of a post, an aspect, a list, a case, a scale or an anchor.
_ATTRIBUTES = frozenset(
    "label text number aspects aspect posts name question anchors score".split()
)
_NO_LISTS = frozenset("history question narrative response first second words max_aspects".split())
_JINJAS_OWN = frozenset({"self", "loop", "super", "caller", "varargs", "kwargs"})


def _faults(tree: nodes.Template, prompt: PromptTemplate) -> Iterator[tuple[int, str, str]]:
    """The line of what a template may not hold, what it is, and what to do; line 0 is the whole."""
    for node in tree.find_all(nodes.Node):
        if not isinstance(node, _ALLOWED_NODES):
            what = f"{type(node).__name__.lower()} is not allowed in a prompt"
            fix = "A prompt holds only {{ name }} and {% for %}; put logic into the code."
            yield node.lineno, what, fix
        elif isinstance(node, nodes.Getattr) and node.attr not in _ATTRIBUTES:
            fix = f"Fields are: {', '.join(sorted(_ATTRIBUTES))}."
            yield node.lineno, f"nothing has the field {node.attr!r}", fix
        elif isinstance(node, nodes.Name) and node.name in _JINJAS_OWN:
            what = f"the name {node.name!r} means something else in a template"
            yield node.lineno, what, "Take another name for the elements of a list."
        elif isinstance(node, nodes.For) and (node.test or node.recursive):
            fix = "Write {% for x in xs %} ... {% endfor %}; put logic into the code."
            yield node.lineno, "a loop with a condition or recursion is not allowed", fix
    used, listed = find_undeclared_variables(tree), ", ".join(sorted(prompt.may)) or "none"
    for name in sorted(used - prompt.may):
        yield 0, f"unknown variable {name!r}", f"This prompt may use: {listed}."
    for name in sorted(prompt.may - used - prompt.optional):
        fix = f"Put {{{{ {name} }}}} where the model should read it; it needs: {listed}."
        yield 0, f"the variable {name!r} is not used", fix
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.iter, nodes.Name) and loop.iter.name in _NO_LISTS:
            fix = "Write {{ name }} for a value; the prompt that ships shows which are lists."
            yield loop.lineno, f"{loop.iter.name} is not a list", fix


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


class _Rendered(str):
    """What a prompt file wrote: the texts in it are guarded, and its own tags are to stay."""


def _inert(value: object) -> str:
    return str(value) if isinstance(value, (int, float, _Rendered)) else guard(str(value))


# One post is part of many prompts.
@lru_cache(maxsize=4096)
def guard(text: str) -> str:
    """Text that is inert in a prompt: no tags, no chat markers, no invisible characters."""
    shown = visible(text)
    # Most texts hold neither, and a look is much cheaper than the pattern.
    if not _BEGINS.search(shown):
        return shown
    return _MARKER.sub(lambda m: "(" if m.group() == "[" else "\u2039", shown)
