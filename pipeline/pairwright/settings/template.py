"""A prompt file's text as a template: what it may hold, and what is written for its values.

A template has `{{ name }}` and `{% for %}` alone. Every value that enters it is guarded: user posts
and model replies are data, so they can neither close the tag they are in nor smuggle control
characters or chat markers. Jinja never renders a value again, so `{{ }}` inside a post stays text.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

from pairwright.errors import InputError
from pairwright.text import visible

_ALLOWED_NODES = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.For,
)
# What a template may read of a post, an aspect, a list, a case, a scale or an anchor.
_ATTRIBUTES = frozenset(
    "label text number aspects aspect posts name question anchors score".split()
)
_NO_LISTS = frozenset("history question narrative response first second words max_aspects".split())
_JINJAS_OWN = frozenset({"self", "loop", "super", "caller", "varargs", "kwargs"})
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


class Rendered(str):
    """What a prompt file wrote: the texts in it are guarded, and its own tags are to stay."""


def _inert(value: object) -> str:
    return str(value) if isinstance(value, (int, float, Rendered)) else guard(str(value))


# One post is part of many prompts.
@lru_cache(maxsize=4096)
def guard(text: str) -> str:
    """Text that is inert in a prompt: no tags, no chat markers, no invisible characters."""
    shown = visible(text)
    # Most texts hold neither, and a look is much cheaper than the pattern.
    if not _BEGINS.search(shown):
        return shown
    return _MARKER.sub(lambda m: "(" if m.group() == "[" else "\u2039", shown)


class PromptTemplate:
    """A prompt file's template, which uses these variables: all that are not optional, and no
    others."""

    def __init__(
        self, path: Path, source: str, may: frozenset[str], optional: frozenset[str]
    ) -> None:
        """Raises InputError naming the file and what to do."""
        self._path, self.source, self._may, self._optional = path, source, may, optional
        try:
            self._template = _compiled(path, source, may, optional)
        except (jinja2.TemplateError, SyntaxError, RecursionError) as error:
            what = f"cannot be read as a template: {error}"
            raise InputError(what, where=path, fix="Write fewer loops.") from None

    @classmethod
    def read(
        cls,
        path: Path,
        may: frozenset[str],
        optional: frozenset[str] = frozenset(),
        fix: str = "Copy it from the prompts that `pairwright init` writes, then edit it.",
    ) -> "PromptTemplate":
        """The template of a file; `fix` is what to do if there is none. Raises InputError."""
        try:
            return cls(path, path.read_text(encoding="utf-8-sig"), may, optional)
        except (FileNotFoundError, IsADirectoryError):
            raise InputError("this prompt is missing", where=path, fix=fix) from None
        except UnicodeDecodeError as error:
            what = f"not UTF-8 at byte {error.start}"
            raise InputError(what, where=path, fix="Save the file as UTF-8.") from None

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process compiles its own template.
        return PromptTemplate, (self._path, self.source, self._may, self._optional)

    @property
    def hash(self) -> str:
        """`b2:` and a hash of the file's text."""
        return f"b2:{blake2b(self.source.encode(), digest_size=16).hexdigest()}"

    def text(self, values: Mapping[str, object]) -> str:
        """The prompt with these values."""
        try:
            return self._template.render(values)
        except (jinja2.UndefinedError, TypeError) as error:
            raise InputError(
                f"a value has not what it asks for: {error}",
                where=self._path,
                fix="The prompt that ships shows which values are lists, and their fields.",
            ) from None


@lru_cache(maxsize=64)
def _compiled(
    path: Path, source: str, may: frozenset[str], optional: frozenset[str]
) -> jinja2.Template:
    """Kept: a process that loads its prompts more than once compiles them once."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, finalize=_inert, trim_blocks=True, lstrip_blocks=True
    )
    # A prompt knows its values and nothing else; every rendering would copy these.
    environment.globals.clear()
    try:
        tree = environment.parse(source)
    except jinja2.TemplateSyntaxError as error:
        raise InputError(
            f"not a template: {error.message}",
            where=f"{path}:{error.lineno}",
            fix="Write {{ name }} for a value and {% for x in xs %} ... {% endfor %} for a list.",
        ) from None
    for node in tree.find_all(nodes.Node):
        if fault := _fault(node):
            raise InputError(fault[0], where=f"{path}:{node.lineno}", fix=fault[1])
    _check_variables(path, tree, may, optional)
    return environment.from_string(tree)


def _fault(node: nodes.Node) -> tuple[str, str] | None:
    """What a template may not hold, and what to do."""
    if not isinstance(node, _ALLOWED_NODES):
        what = f"{type(node).__name__.lower()} is not allowed in a prompt"
        return what, "A prompt holds only {{ name }} and {% for %}; put logic into the code."
    if isinstance(node, nodes.Getattr) and node.attr not in _ATTRIBUTES:
        known = ", ".join(sorted(_ATTRIBUTES))
        return f"nothing has the field {node.attr!r}", f"Fields are: {known}."
    if isinstance(node, nodes.Name) and node.name in _JINJAS_OWN:
        what = f"the name {node.name!r} means something else in a template"
        return what, "Take another name for the elements of a list."
    if isinstance(node, nodes.For) and (node.test or node.recursive):
        what = "a loop with a condition or recursion is not allowed"
        return what, "Write {% for x in xs %} ... {% endfor %}; put logic into the code."
    return None


def _check_variables(
    path: Path, tree: nodes.Template, may: frozenset[str], optional: frozenset[str]
) -> None:
    used, listed = find_undeclared_variables(tree), ", ".join(sorted(may)) or "none"
    if unknown := sorted(used - may):
        fix = f"This prompt may use: {listed}."
        raise InputError(f"unknown variable {unknown[0]!r}", where=path, fix=fix)
    if missing := sorted(may - used - optional):
        raise InputError(
            f"the variable {missing[0]!r} is not used",
            where=path,
            fix=f"Put {{{{ {missing[0]} }}}} where the model should read it; it needs: {listed}.",
        )
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.iter, nodes.Name) and loop.iter.name in _NO_LISTS:
            raise InputError(
                f"{loop.iter.name} is not a list",
                where=f"{path}:{loop.lineno}",
                fix="Write {{ name }} for a value; the prompt that ships shows which are lists.",
            )
