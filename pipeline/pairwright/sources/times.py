"""Times in the forms that people's files hold, as one form whose text order is time order, and the
rule of what is older."""

import re
from datetime import UTC, date, datetime, time

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


def latest_moment(time: str) -> str:
    """When something of this time was written at the latest: a day without a time of day, which is
    read as its midnight, counts as its end."""
    return time.replace(" ", "T") if time[10:].strip("T 0:.") else f"{time[:10]}T24"


def time_text(time: str) -> str:
    """A time for a message: a day without a time of day is read as one."""
    return time if time[10:].strip("T 0:.") else f"{time[:10]} (a day, which counts as its end)"


def is_older(written: str, asked: str) -> bool:
    """Whether what was written at the one time is older than what was asked or chosen at the other.
    Of two equal days without a time of day neither is: nothing tells."""
    return latest_moment(written) < asked.replace(" ", "T")


def has_ambiguous_day(value: object) -> bool:
    """Whether a text begins with a day and a month, or a month and a day: which is which cannot be
    known. A day above 12 settles one row and not the others of its column."""
    return _DAY_AND_MONTH.match(str(value).strip()) is not None


def _moment(value: str | int | float | date) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    text = format(value, "f") if isinstance(value, float) else str(value).strip()
    if not text.isascii():
        raise ValueError("not a time")
    if _EPOCH.fullmatch(text):
        return _since_1970(float(text))
    return datetime.fromisoformat(_OFFSET.sub("", _UTC_WORD.sub("Z", text)))


def _since_1970(number: float) -> datetime:
    while number >= _TOO_LATE:
        number /= 1000
    return datetime.fromtimestamp(number, UTC)
