"""Times as one text whose order is time order (ISO 8601 in UTC), and which of two is older."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from email.utils import parsedate_tz
from functools import lru_cache

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
    if parts := parsedate_tz(plain) if _PRINTED.fullmatch(plain) else None:
        return datetime(*parts[:6], tzinfo=timezone(timedelta(seconds=parts[9] or 0)))
    return datetime.fromisoformat(_OFFSET.sub("", _UTC_WORD.sub("Z", text)))


# A post is held against the times of many questions.
@lru_cache(maxsize=4096)
def latest_moment(time: str) -> str:
    """When something of this time was written at the latest: a day without a time of day, which is
    read as its midnight, counts as its end."""
    is_day = not time[10:].strip("T 0:.")
    return f"{time[:10]}T24" if is_day else time.replace(" ", "T")


def is_older(written: str, asked: str) -> bool:
    """Whether a post is older than a question or choice; of two equal days neither is older."""
    return latest_moment(written) < asked.replace(" ", "T")
