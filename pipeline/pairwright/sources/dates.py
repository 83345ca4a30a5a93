"""Times in the forms that people's files hold, as one form whose text order is time order."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_tz

from pairwright.sources.problems import excerpt, refuse

# Nine digits or more: smaller numbers are years, counters or `20150213`, not seconds since 1970.
_EPOCH = re.compile(r"\d{9,19}(?:\.\d*)?")
# Seconds stay below this until the year 5138; what is above counts milli- or microseconds.
_TOO_LATE = 1e11
# Two habits of exports that are not ISO 8601: a space before the offset, and ` UTC`.
_OFFSET = re.compile(r"\s+(?=[+-]\d\d:?\d\d$)")
_UTC_WORD = re.compile(r"\s*(?:UTC|GMT)$")
# As programs print one: Fri Nov 06 00:32:23 PST 2020, or Fri, 06 Nov 2020 00:32:23 GMT. Only
# abbreviations of zones that mean one zone are read.
_PRINTED = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?=.*\b\d{4}\b)(?=.*\d\d:\d\d:\d\d)"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|[ECMP][SD]T|UTC|GMT|Z|[\d: ,+-])+"
)


def is_missing(value: object) -> bool:
    """Whether a field holds nothing."""
    if isinstance(value, str):
        return len(value) < 40 and value.strip().lower() in ("", "null", "none", "nan", "n/a")
    return value is None or value != value  # NaN differs from itself


def kind(value: object) -> str:
    """What a value is, as a message calls it."""
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number",
             float: "a number", bytes: "bytes"}  # fmt: skip
    return names.get(type(value), type(value).__name__)


def time_of(value: object, name: str) -> str | None:
    """The time (see `utc`) that the field `name` holds, None if it is missing; raises SourceRefusal
    if it is no time."""
    if is_missing(value):
        return None
    try:
        return utc(value)
    except (ValueError, OverflowError):
        why = "is not a time that has one reading: write such as 2024-03-01T08:00"
        refuse("bad_time", f"{name} {excerpt(value)} {why}", str(value))


def utc(value: object) -> str:
    """ISO 8601 in UTC with milliseconds and no offset; a time without an offset is UTC.

    Raises ValueError or OverflowError for what is not certainly a time, such as `03/04/2015`.
    """
    moment = _moment(value)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")


def _moment(value: object) -> datetime:
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
    plain = re.sub(r"(?:GMT|UTC)(?=[+-])", "", text.partition(" (")[0])
    parts = parsedate_tz(plain) if _PRINTED.fullmatch(plain) else None
    if parts:
        return datetime(*parts[:6], tzinfo=timezone(timedelta(seconds=parts[9] or 0)))
    return datetime.fromisoformat(_OFFSET.sub("", _UTC_WORD.sub("Z", text)))
