"""Which of two times is older. Times are text in ISO 8601, in UTC."""

from functools import lru_cache


# A post is held against the times of many questions.
@lru_cache(maxsize=4096)
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
