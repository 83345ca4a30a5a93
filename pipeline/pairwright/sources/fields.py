"""The fields of a row, read and cleaned. The only file that imports `selectolax`.

Text is a person's words; a label is an id, a user, a category or an address. Both are data:
a cell that begins with `=` or a user called `../../x` stays as it is.
"""

import re
from collections.abc import Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from pairwright.settings.rules import SourceRules
from pairwright.sources.problems import Repairs, excerpt, refuse
from pairwright.sources.tables import kind
from pairwright.text import visible
from pairwright.times import utc

MOST_CHARACTERS = 20_000
"""Longer texts are cut, and counted."""
_GONE = (
    r"(?:deleted|removed|unavailable)"
    r"(?: (?:by|the|a|user|account|author|comment|post|reddit|moderators?))*"
)
# What platforms write in the place of a name, and bots that write for everybody.
NOBODY = re.compile(
    rf"[\[(<{{]? ?(?:{_GONE}|unknown|anonymous|anon|guest|undefined|deleted[_-]?user) ?[\])>}}]?"
    r"|<?na>?|-|automoderator",
    re.IGNORECASE,
)
_REMOVED = re.compile(rf"[\[<{{] ?{_GONE} ?[\]>}}]", re.IGNORECASE)
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
# Ends of tags that prose seldom names: who writes about HTML names what begins.
_HTML = re.compile(r"</(?:p|a|em|strong|li|code|pre|blockquote)>|<br ?/>|&(?:amp|quot|#39);")


class Cells:
    """The fields of a row, or of a post in it. A text that is missing is empty; a field that holds
    something else than it should raises SourceRefusal."""

    def __init__(
        self,
        fields: Mapping[str, Any],
        rules: SourceRules,
        columns: Mapping[str, str],
        repairs: Repairs | None = None,
    ) -> None:
        """`columns`: the file's own names of fields. `repairs`: those of the row around it."""
        self._fields, self._rules, self._columns = fields, rules, columns
        self.repairs: Repairs = {} if repairs is None else repairs

    def column(self, name: str) -> str:
        """Name of a field in the file."""
        return self._columns.get(name, name)

    def value(self, name: str) -> Any:
        """The value of a field in the file; None if it is missing."""
        return self._fields.get(self.column(name))

    def text(self, name: str) -> str:
        """A field's text."""
        column = self.column(name)
        value = _string(self.value(name), column)
        if self._rules.html:
            value = html_text(value)
        elif _HTML.search(value):
            self.repairs.setdefault("html_kept", f"`{column}` holds tags, kept as they are")
        return clean_text(value, column, self.repairs)

    def body(self, name: str) -> str:
        """Text that a person wrote. Raises SourceRefusal if it is missing or was removed."""
        words = self.text(name)
        if len(words) < 60 and _REMOVED.fullmatch(words):
            refuse("removed_text", f"`{self.column(name)}` is {excerpt(words)}", words)
        return words

    def line(self, name: str) -> str:
        """A field's text on one line, as a title."""
        return " ".join(self.text(name).split())

    def label(self, name: str) -> str:
        """A field that names something, on one line; a whole number is taken as its digits."""
        column = self.column(name)
        plain = name_text(self.value(name), column)
        return " ".join(_printable(plain, column, self.repairs).split())

    def user(self, name: str) -> str:
        """Label of the user. Raises SourceRefusal for a row without one."""
        user = self.label(name) or refuse("missing_user", f"`{self.column(name)}` is empty")
        if len(user) < 60 and NOBODY.fullmatch(user):
            refuse("nobody", f"`{self.column(name)}` is {excerpt(user)}", user)
        return user

    def address(self, name: str) -> str | None:
        """A field that holds an address of the web; None for any other: releases repeat addresses,
        and a page that links one must not run it."""
        value = self.label(name)
        if value and not _WEB.fullmatch(value):
            begins = "does not begin with http:// or https://, left out"
            detail = f"{self.column(name)} {excerpt(value)} {begins}"
            self.repairs.setdefault("bad_address", detail)
            return None
        return value or None

    def time(self, name: str) -> str | None:
        """A field's time (see `times.utc`), or None if it is missing."""
        return time_of(self.value(name), self.column(name))

    def rows(self, name: str) -> list[Any]:
        """A field that holds a list."""
        value = self.value(name)
        found = [] if is_missing(value) else turned(value)
        if not isinstance(found, list):
            refuse("wrong_type", f"{self.column(name)} is {kind(found)}, not a list")
        return found


def is_missing(value: object) -> bool:
    """Whether a field holds nothing."""
    if isinstance(value, str):
        return len(value) < 40 and value.strip().lower() in ("", "null", "none", "nan", "n/a")
    return value is None or value != value  # NaN differs from itself


def time_of(value: object, name: str) -> str | None:
    """The time (see `times.utc`) that the field `name` holds, None if it is missing; raises
    SourceRefusal if it is no time."""
    if is_missing(value):
        return None
    try:
        return utc(value)
    except (ValueError, OverflowError):
        why = "is not a time that has one reading: write such as 2024-03-01T08:00"
        refuse("bad_time", f"{name} {excerpt(value)} {why}", str(value))


def turned(value: object) -> object:
    """A table by columns, as `datasets` stores one, as a list of rows; anything else as it is, such
    as columns of unequal length."""
    if not isinstance(value, dict) or not all(isinstance(one, list) for one in value.values()):
        return value
    if len({len(column) for column in value.values()}) != 1:
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def name_text(value: object, name: str) -> str:
    """The text of a field that names something, empty if it is missing; a whole number is its
    digits. Raises SourceRefusal for another type."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores ids with gaps
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole else _string(value, name)


def _string(value: object, name: str) -> str:
    if is_missing(value):
        return ""
    if not isinstance(value, str):
        refuse("wrong_type", f"{name} is {kind(value)}, not text")
    return value


def clean_text(plain: str, name: str, repairs: Repairs) -> str:
    """Plain text without invisible characters, cut at MOST_CHARACTERS."""
    clean, most = _printable(plain, name, repairs), MOST_CHARACTERS
    if len(clean) <= most:
        return clean
    repairs.setdefault("long_post", f"{name} has {len(clean)} characters, cut at {most}")
    return clean[:most].rstrip()


def _printable(value: str, name: str, repairs: Repairs) -> str:
    """The text without invisible characters and halves of surrogates, and with plain newlines."""
    clean = visible(value).encode("utf-8", "ignore").decode()
    if (count := len(value.replace("\r\n", "\n")) - len(clean)) > 0:
        repairs.setdefault("control_characters", f"{name} held {count}, removed")
    return clean.strip()


_BLOCKS = (
    "address, article, aside, blockquote, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6,"
    " header, hr, main, nav, ol, p, section, table, tr, ul"
)
# Stand for breaks and for the spaces of code while all other white space is one space.
_PARAGRAPH, _LINE, _SPACE, _TAB = "\ue000\ue001\ue002\ue003"
_KEPT = str.maketrans({"\n": _LINE, " ": _SPACE, "\t": _TAB})
_MEANT = str.maketrans({_PARAGRAPH: "\n\n", _LINE: "\n", _SPACE: " ", _TAB: "\t"})


def html_text(raw: str) -> str:
    """Text of HTML as a reader sees it: entries of lists begin with `- `, blocks are set apart,
    code keeps its lines. Images are left out."""
    tree = LexborHTMLParser(re.sub("[\ue000-\ue003]", "", raw))
    for node in tree.css("script, style"):
        node.decompose()
    while pre := tree.css_first("pre"):
        code = (pre.text() or "").strip("\n").translate(_KEPT)
        pre.replace_with(_PARAGRAPH + code + _PARAGRAPH)
    for node in tree.css(_BLOCKS):
        node.insert_before(_PARAGRAPH)
        node.insert_after(_PARAGRAPH)
    for node in tree.css("li"):
        node.insert_before(f"{_LINE}- ")
    for node in tree.css("br"):
        node.replace_with(_LINE)
    text = " ".join((tree.body.text() if tree.body else "").split())
    text = re.sub(f" ?([{_PARAGRAPH}{_LINE}]) ?", r"\1", text)
    text = re.sub(f"{_LINE}-[{_PARAGRAPH} ]+", f"{_LINE}- ", text).translate(_MEANT)
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()
