"""Which of two times is older: one function decides it for sources, partners, strangers, audits."""

import pytest

from pairwright.times import is_older, latest_moment, utc

DAY, NEXT = utc("2020-01-09"), utc("2020-01-10")
NOON = utc("2020-01-09T12:00")


@pytest.mark.parametrize(
    ("written", "asked", "older"),
    [
        (utc("2020-01-08"), DAY, True),
        # A post that is dated by day may be of the evening: on the question's day nothing tells.
        (DAY, DAY, False),
        (DAY, NOON, False),
        (DAY, utc("2020-01-09T23:59:59.999"), False),
        ("2020-01-09", "2020-01-09 23:00:00", False),
        ("2020-01-09T00:00", NOON, False),
        (DAY, NEXT, True),
        (NOON, NEXT, True),
        (NOON, DAY, False),
        (NOON, NOON, False),
        (NOON, utc("2020-01-09T12:00:00.001"), True),
        (utc("2020-01-09T00:00:01"), NOON, True),
        ("2020-01-09 11:59", NOON, True),
    ],
)
def test_a_post_dated_by_day_is_older_from_the_next_day_on(
    written: str, asked: str, older: bool
) -> None:
    assert is_older(written, asked) is older
    assert (latest_moment(written) < asked.replace(" ", "T")) is older
