"""The fields of a row, read and cleaned.

Text is a person's words; a label is an id, a user, a category or an address. Both are data:
a cell that begins with `=` or a user called `../../x` stays as it is. Times, in the forms that
people's files hold, become one form whose text order is time order.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from pairwright.settings.rules import SourceRules
from pairwright.sources.markup import html_text
from pairwright.sources.problems import CONTROL, SourceProblem, SourceRefusal, excerpt, refuse

Repairs = dict[str, str]
"""What was done to fields, by reason."""

_MISSING = frozenset({"", "null", "none", "nan", "n/a"})
_GONE = (
    r"(?:deleted|removed|unavailable)"
    r"(?: (?:by|the|a|user|account|author|comment|post|reddit|moderators?))*"
)
# What platforms write in the place of a name, and bots that write for everybody.
_NOBODY = re.compile(
    rf"[\[(<{{]? ?(?:{_GONE}|unknown|anonymous|anon|guest|undefined|deleted[_-]?user) ?[\])>}}]?"
    r"|<?na>?|-|automoderator",
    re.IGNORECASE,
)
_REMOVED = re.compile(rf"[\[<{{] ?{_GONE} ?[\]>}}]", re.IGNORECASE)
_KIND = re.compile(r"\w[\w -]{0,29}")
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)
# Ends of tags that prose seldom names: who writes about HTML names what begins.
_HTML = re.compile(r"</(?:p|a|em|strong|li|code|pre|blockquote)>|<br ?/>|&(?:amp|quot|#39);")
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029")


def clean_text(plain: str, name: str, repairs: Repairs, limit: int) -> str:
    """Plain text without invisible characters, cut at `limit` characters."""
    clean = _printable(plain, name, repairs)
    if len(clean) > limit:
        repairs.setdefault("long_post", f"{name} has {len(clean)} characters, cut at {limit}")
        clean = _cut(clean, limit)
    return clean


class Cells:
    """The fields of a row, or of a post in it. A text that is missing is empty; a field that holds
    something else than it should raises SourceRefusal."""

    def __init__(
        self, fields: Mapping[str, Any], rules: SourceRules, repairs: Repairs | None = None
    ) -> None:
        """`repairs`: those of the row around it."""
        self._fields, self._rules = fields, rules
        self.repairs: Repairs = {} if repairs is None else repairs

    def text(self, name: str) -> str:
        """A field's text."""
        value = self._fields.get(name)
        if _is_missing(value):
            return ""
        if not isinstance(value, str):
            raise SourceRefusal("wrong_type", f"{name} is {kind(value)}, not text")
        if self._rules.html:
            value = html_text(value)
        elif _HTML.search(value):
            detail = f"`{name}` holds tags, which are kept as they are"
            self.repairs.setdefault("html_kept", detail)
        return clean_text(value, name, self.repairs, self._rules.max_post_chars)

    def body(self, name: str) -> str:
        """The same of a text that a person wrote, without which a row is refused."""
        words = self.text(name)
        if len(words) < 60 and _REMOVED.fullmatch(words):
            raise SourceRefusal("removed_text", f"`{name}` is {excerpt(words)}", value=words)
        return words

    def line(self, name: str) -> str:
        """A field's text on one line, as a title."""
        return " ".join(self.text(name).split())

    def label(self, name: str) -> str:
        """A field that names something, on one line; a whole number is taken as its digits."""
        value = self._fields.get(name)
        if _is_missing(value):
            return ""
        if isinstance(value, float) and value.is_integer():  # how pandas stores ids with gaps
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise SourceRefusal("wrong_type", f"{name} is {kind(value)}, not text")
        return " ".join(_printable(value, name, self.repairs).split())

    def user(self, name: str) -> str:
        """The same of the user, without whom a row is refused."""
        user = self.label(name) or refuse("missing_user", f"`{name}` is empty")
        if len(user) < 60 and _NOBODY.fullmatch(user):
            raise SourceRefusal("nobody", f"`{name}` is {excerpt(user)}", value=user)
        return user

    def address(self, name: str) -> str | None:
        """A field that holds an address of the web; None where it is missing or another: releases
        repeat addresses, and a page that links one must not run it."""
        value = self.label(name)
        if value and not _WEB.fullmatch(value):
            detail = f"{name} {excerpt(value)} does not begin with http:// or https://, left out"
            self.repairs.setdefault("bad_address", detail)
            return None
        return value or None

    def post_kind(self, name: str) -> str:
        """A field that says what kind of post it is, in one or two words."""
        value = self.label(name).lower()
        if value and not _KIND.fullmatch(value):
            raise SourceRefusal(
                "bad_kind", f"{name} {excerpt(value)} is not a word or two", value=value
            )
        return value

    def time(self, name: str) -> str | None:
        """A field's time (see `utc`), or None where it is missing."""
        return time_of(self._fields.get(name), name)

    def rows(self, name: str) -> list[Any]:
        """A field that holds a list."""
        return rows_of(self._fields.get(name), name)


def time_of(value: object, name: str) -> str | None:
    """The time (see `utc`) that the field `name` holds; raises SourceRefusal where it is none."""
    if _is_missing(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise SourceRefusal("bad_time", f"{name} is {kind(value)}, not a time")
    try:
        return utc(value)
    except (ValueError, OverflowError):
        why = (
            "has day and month in an order that is not certain, so it is refused on purpose: write"
            " such as 2024-03-01T08:00"
            if has_ambiguous_day(value)
            else "is neither ISO 8601 nor seconds or milliseconds since 1970; write such as"
            " 2024-03-01T08:00+01:00 (pandas: pd.to_datetime(column, utc=True))"
        )
        raise SourceRefusal(
            "bad_time", f"{name} {excerpt(value)} {why}", value=str(value)
        ) from None


def rows_of(value: Any, name: str) -> list[Any]:
    """The list that the field `name` holds; raises SourceRefusal where it is none. A table by
    columns, as `datasets` stores one, is turned."""
    if _is_missing(value):
        return []
    if isinstance(value, dict):
        columns = list(value.values())
        if all(isinstance(one, list) for one in columns) and len(set(map(len, columns))) == 1:
            return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if not isinstance(value, list):
        raise SourceRefusal("wrong_type", f"{name} is {kind(value)}, not a list")
    return value


def kind(value: object) -> str:
    """What a value is, as a message calls it."""
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number"}
    names |= {float: "a number", bytes: "bytes"}
    return names.get(type(value), type(value).__name__)


def repaired(repairs: Repairs, where: str, id: str) -> list[SourceProblem]:
    """One SourceProblem per reason."""
    return [
        SourceProblem(
            action="noted" if reason == "html_kept" else "repaired",
            reason=reason,
            where=where,
            id=id,
            detail=detail,
        )
        for reason, detail in repairs.items()
    ]


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return len(value) < 40 and value.strip().lower() in _MISSING
    return value is None or value != value  # NaN differs from itself


def _printable(value: str, name: str, repairs: Repairs) -> str:
    # Most texts are, and a look is much cheaper than the patterns.
    if value.isascii() and value.replace("\n", " ").isprintable():
        return value.strip()
    value = _LINE_ENDS.sub("\n", value)
    clean, count = CONTROL.subn("", value)
    if count:
        repairs.setdefault("control_characters", f"{name} held {count}, removed")
    return clean.strip()


def _cut(value: str, limit: int) -> str:
    """At a word's end, unless the last word is most of it."""
    words = re.match(r"(?s).*(?=\s)", value[: limit + 1])
    at = words.end() if words and words.end() > limit // 2 else limit
    return value[:at].rstrip()


# Nine digits or more: smaller numbers are years, counters or `20150213`, not seconds since 1970.
_EPOCH = re.compile(r"\d{9,19}(?:\.\d*)?")
# Seconds stay below this until the year 5138; what is above counts milli- or microseconds.
_TOO_LATE = 1e11
# Two habits of exports that are not ISO 8601: a space before the offset, and ` UTC`.
_OFFSET = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)")
_UTC_WORD = re.compile(r"\s*(?:UTC|GMT)$")
# As spreadsheets write a day: 01.03.2024 08:00, 3/1/2024, 1-3-24.
_DAY_AND_MONTH = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2}(?:\d{2})?(?![\d.])")


def utc(value: str | int | float | date) -> str:
    """ISO 8601 in UTC with milliseconds and no offset; a time without an offset is UTC.

    Raises ValueError for what is not certainly a time, such as `03/04/2015`.
    """
    moment = _moment(value)
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment
    except OverflowError:
        raise ValueError("out of range") from None
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")


def has_ambiguous_day(value: object) -> bool:
    """Whether a text begins with a day and a month, or a month and a day: which is which cannot be
    known. A day above 12 settles one row and not the others of its column."""
    return _DAY_AND_MONTH.match(str(value).strip()) is not None


# As programs print one: Fri Nov 06 00:32:23 PST 2020, or Fri, 06 Nov 2020 00:32:23 GMT. Only
# abbreviations of zones that mean one zone are read.
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_PARTS = {
    "month": re.compile("|".join(_MONTHS)),
    "year": re.compile(r"\d{4}"),
    "day": re.compile(r"\d\d?"),
    "time": re.compile(r"\d\d:\d\d:\d\d"),
    "zone": re.compile(r"[A-Z]{1,5}|(?:GMT|UTC)?[+-]\d\d:?\d\d"),
}
_ZONES = {"UTC": 0, "GMT": 0, "Z": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7}
_ZONES |= {"MDT": -6, "PST": -8, "PDT": -7}


def _printed(text: str) -> str | None:
    """Such a time in ISO 8601; None for what is none."""
    day, *words = text.partition(" (")[0].replace(",", " ").split() or [""]
    if day not in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"):
        return None
    found = {"zone": "UTC"}
    for word in words:
        kinds = [kind for kind, pattern in _PARTS.items() if pattern.fullmatch(word)]
        if not kinds:
            return None
        found[kinds[0]] = word
    if len(found) < len(_PARTS):
        return None
    zone = found["zone"]
    if zone.isalpha():
        if zone not in _ZONES:
            return None
        zone = f"{_ZONES[zone]:+03}:00"
    month = _MONTHS.index(found["month"]) + 1
    date = f"{found['year']}-{month:02}-{int(found['day']):02}"
    return f"{date}T{found['time']}{zone.removeprefix('GMT').removeprefix('UTC')}"


def _moment(value: str | int | float | date) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    text = format(value, "f") if isinstance(value, float) else str(value).strip()
    if not text.isascii():
        raise ValueError("not a time")
    if _EPOCH.fullmatch(text):
        number = float(text)
        while number >= _TOO_LATE:
            number /= 1000
        return datetime.fromtimestamp(number, UTC)
    return datetime.fromisoformat(_printed(text) or _OFFSET.sub("", _UTC_WORD.sub("Z", text)))
