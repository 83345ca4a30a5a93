"""Fields of a row: times, text that is HTML or speaks of it, and names that nobody has."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from reading import ANN, of_posts, of_rows, with_post

from pairwright.sources.problems import REMEDIES
from pairwright.times import is_older, latest_moment, utc


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2011-12-01 09:20:33.740", "2011-12-01T09:20:33.740"),
        ("2015-02-13 15:31:12.3 UTC", "2015-02-13T15:31:12.300"),
        ("2015-02-13T01:00:00+02:30", "2015-02-12T22:30:00.000"),
        ("2015-02-13 01:00:00 +0230", "2015-02-12T22:30:00.000"),
        ("2015-02-13", "2015-02-13T00:00:00.000"),
        ("20150213", "2015-02-13T00:00:00.000"),
        ("Fri Nov 06 00:32:23 PST 2020", "2020-11-06T08:32:23.000"),
        ("Fri Nov  6 00:32:23 2020", "2020-11-06T00:32:23.000"),
        ("Wed, 03 Jul 2019 09:00:00 GMT", "2019-07-03T09:00:00.000"),
        ("Wed Jul 03 2019 09:00:00 GMT+0200 (CEST)", "2019-07-03T07:00:00.000"),
        ("1322731233", "2011-12-01T09:20:33.000"),
        (1322731233740, "2011-12-01T09:20:33.740"),
        (1322731233.74, "2011-12-01T09:20:33.740"),
        (date(2015, 2, 13), "2015-02-13T00:00:00.000"),
        (datetime(2015, 2, 13, 1, tzinfo=UTC), "2015-02-13T01:00:00.000"),
        (pd.Timestamp("2015-02-13 01:00:00.123456"), "2015-02-13T01:00:00.123"),
    ],
)
def test_a_time_becomes_utc_without_an_offset(value: Any, expected: str) -> None:
    assert utc(value) == expected


@pytest.mark.parametrize("written", ["01.03.2024 08:00", "3/1/2024", "13-3-24"])
def test_a_date_that_is_uncertain_says_how_to_write_it(tmp_path: Path, written: str) -> None:
    problem = of_posts(tmp_path, *ANN, f"ann,{written},t,x,cooking,").problem
    assert (problem.reason, problem.value) == ("bad_time", written)
    assert "2024-03-01T08:00" in problem.detail
    assert "Day.month.year" in REMEDIES["bad_time"]


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        ('<p>see <a href="http://x.y/?a=1&b=2" rel="nofollow">this</a></p>', "see this"),
        ("<p>Tom &amp; I\n  <b>fry</b></p>\n<p>fish</p>", "Tom & I fry\n\nfish"),
        ("<pre><code>if a &lt; b:\n    go()\n</code></pre>done", "if a < b:\n    go()\n\ndone"),
        ("<ul>\n<li>one</li><li><p>two</p></li></ul>", "- one\n- two"),
        ("a<br/>b<script>alert('<p>')</script><style>p {}</style>c", "a\nbc"),
        ('<img src="a.png" alt="a > b"> What&#39;s &quot;al dente&quot;?', 'What\'s "al dente"?'),
        ("no end <pre>of\ncode", "no end\n\nof\ncode"),
        ("use <code>List&lt;b&gt;</code> &amp;amp;", "use List<b> &amp;"),
    ],
)
def test_html_becomes_the_text_a_reader_sees_if_a_key_says_so(
    tmp_path: Path, html: str, plain: str
) -> None:
    got = of_rows(tmp_path, with_post(html), html=True)
    assert got.item.profile[3].text == plain
    assert got.problems == []
    assert of_rows(tmp_path, with_post(html)).reasons("noted").keys() <= {"html_kept"}


def test_strangers_with_one_mark_for_a_name_are_no_user(tmp_path: Path) -> None:
    marks = ("[deleted]", "[removed]", "AutoModerator", "deleted_user", "Anonymous", "None", "nan",
             "", "<NA>", "[deleted by user]")  # fmt: skip
    strangers = [line.replace("ann", user, 1) for line in ANN for user in marks]
    got = of_posts(tmp_path, *ANN, *strangers)
    assert got.item.user == "ann"
    assert got.reasons("refused") == {"nobody": 21, "missing_user": 9}


# Which of two times is older: one function decides it for sources, partners, strangers, audits

DAY, NOON = utc("2020-01-09"), utc("2020-01-09T12:00")


@pytest.mark.parametrize(
    ("written", "asked", "older"),
    [
        (utc("2020-01-08"), DAY, True),
        # A post that is dated by day may be of the evening: on the question's day nothing tells.
        (DAY, DAY, False),
        (DAY, utc("2020-01-09T23:59:59.999"), False),
        ("2020-01-09", "2020-01-09 23:00:00", False),
        (DAY, utc("2020-01-10"), True),
        (NOON, DAY, False),
        (NOON, NOON, False),
        (NOON, utc("2020-01-09T12:00:00.001"), True),
        ("2020-01-09 11:59", NOON, True),
    ],
)
def test_a_post_dated_by_day_is_older_from_the_next_day_on(
    written: str, asked: str, older: bool
) -> None:
    assert is_older(written, asked) is older
    assert (latest_moment(written) < asked.replace(" ", "T")) is older
