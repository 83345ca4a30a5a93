"""The fields of a row, read and cleaned. The only file that imports `selectolax`.

Text is a person's words; a label is an id, a user, a category or an address. Both are data:
a cell that begins with `=` or a user called `../../x` stays as it is.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from pairwright.sources.problems import Repairs, excerpt, refuse
from pairwright.sources.tables import kind
from pairwright.text import visible
from pairwright.times import utc

MOST_CHARACTERS = 20_000
"""Longer texts are cut, and counted."""
_KINDS = {
    name: kind
    for kind, names in {
        "label": "id user category kind",
        "text": "question narrative reason aspect evidence choice",
        "own text": "text option_a option_b",
        "title": "title",
        "time": "created",
        "address": "url source_url",
        "list": "profile rubric_aspects",
    }.items()
    for name in names.split()
}
"""Kinds of fields, by their names."""
_EMPTY = {"id": "missing_id", "user": "missing_user", "question": "empty_question",
          "created": "bad_time"}  # fmt: skip
"""Reasons to refuse a row that needs the field and lacks it."""
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
_SHORT = 60
"""More characters than any of these marks has."""
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
# Ends of tags that prose seldom names: who writes about HTML names what begins.
_HTML = re.compile(r"</(?:p|a|em|strong|li|code|pre|blockquote)>|<br ?/>|&(?:amp|quot|#39);")


class Cells(dict[str, Any]):
    """The cleaned fields of a row, or of an entry in it, by name. What is missing is empty: a text,
    a label, a time, an address or a list."""

    def __init__(self, where: str, repairs: Repairs | None = None) -> None:
        """`repairs`: those of the row around it."""
        super().__init__()
        self.where = where
        self.repairs: Repairs = {} if repairs is None else repairs

    def read(
        self, fields: Mapping[str, Any], columns: Mapping[str, str], html: bool,
        needed: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Clean the fields whose names have these columns. Raises SourceRefusal for one that holds
        something else than it should, or is `needed` and missing; what is before it is there."""
        for name, column in columns.items():
            value = cleaned(fields.get(column), column, _KINDS[name], html, self.repairs)
            # A file may have no column of users; if there is one, no row of it may be without.
            due = name in needed or (name == "user" and column in fields)
            if not value and due and name in _EMPTY:
                refuse(_EMPTY[name], f"`{column}` is empty")
            if name == "user" and len(value) < _SHORT and NOBODY.fullmatch(value):
                refuse("nobody", f"`{column}` is {excerpt(value)}", value)
            self[name] = value


def cleaned(value: object, column: str, kind_of_field: str, html: bool, repairs: Repairs) -> Any:
    """The value of a field, by its kind. Raises SourceRefusal for another type."""
    if kind_of_field == "time":
        return time_of(value, column)
    if kind_of_field == "list":
        found = [] if is_missing(value) else turned(value)
        if not isinstance(found, list):
            refuse("wrong_type", f"{column} is {kind(found)}, not a list")
        return found
    if kind_of_field in ("label", "address"):
        label = " ".join(clean_text(name_text(value, column), column, repairs).split())
        if kind_of_field == "label" or not label or _WEB.fullmatch(label):
            return label
        # Releases repeat addresses, and a page that links one must not run it.
        begins = "does not begin with http:// or https://, left out"
        repairs.setdefault("bad_address", f"{column} {excerpt(label)} {begins}")
        return ""
    text = name_text(value, column, digits=False)
    if html:
        text = html_text(text)
    elif _HTML.search(text):
        repairs.setdefault("html_kept", f"`{column}` holds tags, kept as they are")
    text = clean_text(text, column, repairs)
    if kind_of_field == "own text" and len(text) < _SHORT and _REMOVED.fullmatch(text):
        refuse("removed_text", f"`{column}` is {excerpt(text)}", text)
    return " ".join(text.split()) if kind_of_field == "title" else text


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


def name_text(value: object, name: str, *, digits: bool = True) -> str:
    """The text of a field, empty if it is missing. A whole number is its digits, in a field that
    names something. Raises SourceRefusal for another type."""
    if isinstance(value, float) and value.is_integer():  # how pandas stores ids with gaps
        value = int(value)
    if digits and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not is_missing(value) and not isinstance(value, str):
        refuse("wrong_type", f"{name} is {kind(value)}, not text")
    return "" if is_missing(value) else str(value)


def clean_text(plain: str, name: str, repairs: Repairs) -> str:
    """Plain text without invisible characters and halves of surrogates, with plain newlines, cut at
    MOST_CHARACTERS."""
    clean = visible(plain).encode("utf-8", "ignore").decode()
    if (count := len(plain.replace("\r\n", "\n")) - len(clean)) > 0:
        repairs.setdefault("control_characters", f"{name} held {count}, removed")
    clean = clean.strip()
    if len(clean) > MOST_CHARACTERS:
        cut = f"{name} has {len(clean)} characters, cut at {MOST_CHARACTERS}"
        repairs.setdefault("long_post", cut)
    return clean[:MOST_CHARACTERS].rstrip()


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
