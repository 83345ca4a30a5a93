"""Every wrinkle of a history file is refused or repaired by a stated rule, with its place."""

import csv
import io
import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from hashlib import blake2b
from itertools import permutations
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reading import Result, result

from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.records import content_id
from pairwright.settings.rules import SourceRules
from pairwright.sources import source_hash
from pairwright.sources.dates import utc
from pairwright.sources.fields import html_text
from pairwright.sources.problems import REASONS, REMEDIES

STEW = "My stew is watery every time and I do not own a scale to measure anything with."
BREAD = "Rye bread in a gas oven that only reaches two hundred degrees, is it hopeless?"
KNIFE = "Which single knife should a left-handed beginner with small hands buy first?"
QUESTION = "How do I keep a risotto warm for late guests?"
NARRATIVE = "They come from work at different hours and I only have two burners."


def post(id: str, text: Any, created: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": id, "text": text, "category": "cooking", "created": created, **more}


def row(id: str = "b", **changes: Any) -> dict[str, Any]:
    """An item as a file has it, with whatever a test changes in it; None takes a field away."""
    fields = {
        "id": id,
        "user": f"user of {id}",
        "question": QUESTION,
        "narrative": NARRATIVE,
        "category": "cooking",
        "created": "2020-01-09",
        "profile": [
            post("p1", STEW, "2020-01-01"),
            post("p2", BREAD, "2020-01-02"),
            post("p3", KNIFE, "2020-01-03"),
        ],
        **changes,
    }
    return {name: value for name, value in fields.items() if value is not None}


def with_post(
    text: Any, created: Any = "2020-01-04", id: Any = "px", **more: Any
) -> dict[str, Any]:
    """The item with one more post at the end of its profile."""
    fields = row()
    fields["profile"].append(post(id, text, created, **more))
    return fields


def write_lines(path: Path, *rows: object) -> None:
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")


def of_rows(folder: Path, *rows: object, **rules: Any) -> Result:
    """What is read of a file of these items."""
    write_lines(folder / "h.jsonl", *rows)
    return result(folder, "h.jsonl", **rules)


REFUSED_ROWS = {
    "a row that is not an object": ([1, 2], "not_an_object", None),
    "a line that is not JSON": (b'{"id": "b",', "bad_json", None),
    "a line nested beyond all measure": (b"[" * 100_000, "bad_json", None),
    "a line that is not UTF-8": (b'{"id": "caf\xe9"}', "invalid_utf8", None),
    "no id": (row(id=""), "missing_id", None),
    "an id that an earlier line has": (row("a"), "duplicate_id", "a"),
    "an empty user": (row(user=" "), "missing_user", "b"),
    "a user written NULL": (row(user="NULL"), "missing_user", "b"),
    "a user who is nobody": (row(user="[deleted]"), "nobody", "b"),
    "no user where the file has users": (row(user=None), "missing_user", "b"),
    "an empty question": (row(question=""), "empty_question", "b"),
    "a question written N/A": (row(question="N/A"), "empty_question", "b"),
    "a question that is a number": (row(question=7), "wrong_type", "b"),
    "a profile that is not a list": (row(profile="none yet"), "wrong_type", "b"),
    "aspects that are not objects": (row(rubric_aspects=["short"]), "wrong_type", "b"),
    "no category and no default": (row(category=""), "missing_category", "b"),
    "a category of no domain": (row(category="chess"), "unknown_category", "b"),
    "a time nobody can read": (row(created="03/04/2015"), "bad_time", "b"),
    "no profile": (row(profile=None), "too_few_posts", "b"),
    "too few posts": (row(profile=[post("p1", STEW)]), "too_few_posts", "b"),
}


@pytest.mark.parametrize(("bad", "reason", "id"), REFUSED_ROWS.values(), ids=REFUSED_ROWS.keys())
def test_a_bad_row_is_refused_alone(
    tmp_path: Path, bad: object, reason: str, id: str | None
) -> None:
    got = of_rows(tmp_path, row("a"), bad, row("c"))
    assert [item.id for item in got.items] == ["a", "c"]
    assert got.problem.action == "refused"
    assert got.problem.reason == reason
    assert got.problem.where == "h.jsonl:2"
    assert got.problem.id == id
    assert got.problem.detail


REFUSED_POSTS = {
    "a post that is no object": (
        row(profile=[*row()["profile"], "loose words"]), "not_an_object",
    ),
    "a post without text": (with_post(""), "empty_text"),
    "a post written None": (with_post("None"), "empty_text"),
    "a post that was removed": (with_post("[ Removed by Reddit ]"), "removed_text"),
    "a post whose text is a number": (with_post(17), "wrong_type"),
    "a post without an id": (with_post("A fine kettle.", id=""), "missing_id"),
    "a post of an unreadable time": (with_post("A fine kettle.", "yesterday"), "bad_time"),
    "a post of the question's moment": (with_post("A kettle.", "2020-01-09T00:00Z"), "later_post"),
    "a later post": (with_post("A kettle.", "2020-02-01"), "later_post"),
    "a post of the day of a question without a time": (
        with_post("A kettle.", "2020-01-09"), "later_post",
    ),
    "a post of the day of a question with a time": (
        with_post("A kettle.", "2020-01-09") | {"created": "2020-01-09T09:00"}, "later_post",
    ),
    "a post with another's id": (with_post("A kettle.", id="p1"), "duplicate_post_id"),
    "a post with another's text": (with_post(f"  {STEW.upper()}"), "duplicate_post"),
    "the question itself": (with_post(f"Hi. {QUESTION.lower()} {KNIFE}"), "target_in_profile"),
    "the question's narrative": (with_post(f"{NARRATIVE} Help!"), "target_in_profile"),
}  # fmt: skip


@pytest.mark.parametrize(("fields", "reason"), REFUSED_POSTS.values(), ids=REFUSED_POSTS.keys())
def test_a_bad_post_is_refused_alone(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    got = of_rows(tmp_path, row("a"), fields)
    assert [p.id for p in got.items[1].profile] == ["p1", "p2", "p3"]
    assert (got.problem.action, got.problem.reason) == ("refused", reason)
    assert got.problem.where == "h.jsonl:2"
    if isinstance(fields["profile"][3], dict):
        assert got.problem.id == (fields["profile"][3]["id"] or None)


@pytest.mark.parametrize("keep", [True, False])
def test_a_post_without_a_time_among_others_is_counted_or_refused(
    tmp_path: Path, keep: bool
) -> None:
    got = of_rows(tmp_path, with_post("A kettle.", None), undated_posts=keep)
    assert got.problem.reason == "undated_post"
    assert got.problem.action == ("repaired" if keep else "refused")
    assert len(got.item.profile) == 3 + keep


def test_an_item_left_with_too_few_posts_is_refused_after_its_posts(tmp_path: Path) -> None:
    late = [post("p1", STEW, "2021-01-01"), post("p2", f"\u202e{BREAD}", "2020-01-01")]
    got = of_rows(tmp_path, row("a"), row(profile=late))
    # No `control_characters`: what is refused in the end was not repaired.
    said = [(p.reason, p.id) for p in got.problems]
    assert said == [("later_post", "p1"), ("too_few_posts", "b")]


REPAIRED_POSTS = {
    "control characters": ("a\x00b \x1b[31mred", "control_characters", "ab [31mred"),
    "bidi controls": ("pay \u202eevil\u2066 now", "control_characters", "pay evil now"),
    "half a surrogate pair": ("fine \ud83d day", "control_characters", "fine  day"),
    "100,000 characters": ("word " * 20_000, "long_post", ("word " * 4000).strip()),
    "100,000 characters without a space": ("x" * 100_000, "long_post", "x" * 20_000),
    "a word as long as a post": ("a b " + "x" * 30_000, "long_post", "a b " + "x" * 19_996),
}


@pytest.mark.parametrize(
    ("text", "reason", "clean"), REPAIRED_POSTS.values(), ids=REPAIRED_POSTS.keys()
)
def test_a_repair_of_a_post_is_told(tmp_path: Path, text: str, reason: str, clean: str) -> None:
    got = of_rows(tmp_path, row("a"), with_post(text))
    assert got.items[1].profile[3].text == clean
    assert (got.problem.action, got.problem.reason) == ("repaired", reason)
    assert (got.problem.where, got.problem.id) == ("h.jsonl:2", "px")


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        ('<p>see <a href="http://x.y/?a=1&b=2" rel="nofollow">this</a></p>', "see this"),
        ("<p>one\n  line of <b>a</b> page</p>", "one line of a page"),
        ("<p>Tom &amp; I <b>fry</b></p>\n<p>fish</p>", "Tom & I fry\n\nfish"),
        ("<pre><code>if a &lt; b:\n    go()\n</code></pre>done", "if a < b:\n    go()\n\ndone"),
        ("<ul>\n<li>one</li><li><p>two</p></li></ul>", "- one\n- two"),
        ("a<br/>b<script>alert('<p>')</script><style>p {}</style>c", "a\nbc"),
        ('<img src="a.png" alt="a > b"> after', "after"),
        ("What&#39;s &quot;al dente&quot;?", 'What\'s "al dente"?'),
        ("no end <pre>of\ncode", "no end\n\nof\ncode"),
        ("use <code>List&lt;b&gt;</code> &amp;amp;", "use List<b> &amp;"),
    ],
)
def test_html_becomes_the_text_a_reader_sees_where_a_key_says_so(
    tmp_path: Path, html: str, plain: str
) -> None:
    got = of_rows(tmp_path, with_post(html), html=True)
    assert got.item.profile[3].text == plain
    assert got.problems == []


@pytest.mark.parametrize(
    "text",
    [
        "How do I centre a <div> in CSS?", "a <b> tag", "In React <Foo> vs <p>", "I <3 you",
        "if a < b and c > d", "List<String> names", "=SUM(A1:A9)", "AT&T &co",
        "میخواهم 👩\u200d🍳",
    ],
)  # fmt: skip
def test_text_that_speaks_of_tags_stays_as_it_is(tmp_path: Path, text: str) -> None:
    got = of_rows(tmp_path, with_post(text))
    assert got.problems == []
    assert got.item.profile[3].text == text


def test_html_that_no_key_names_is_noted(tmp_path: Path) -> None:
    got = of_rows(tmp_path, with_post("<p>Tom &amp; I</p>"))
    assert got.item.profile[3].text == "<p>Tom &amp; I</p>"
    assert (got.problem.action, got.problem.reason) == ("noted", "html_kept")
    assert "html = true" in REMEDIES["html_kept"]


@pytest.mark.parametrize(
    "hostile", ["<a ", "<!--", "<![x", "<p a='", "</a ", "<script>", "<?", "&#", "<pre>x</pre>"]
)
def test_hostile_markup_costs_no_more_than_its_length(hostile: str) -> None:
    html_text("<p>" + hostile * 5_000)


def test_a_profile_is_put_in_time_order_whatever_form_its_times_have(tmp_path: Path) -> None:
    posts = [
        post("seconds", STEW, 1577923200),
        post("offset", BREAD, "2020-01-01T01:00:00+02:00"),
        post("date", KNIFE, "2020-01-01"),
    ]
    for number, order in enumerate(permutations(posts)):
        write_lines(tmp_path / f"{number}.jsonl", row(profile=list(order)))
        got = result(tmp_path, f"{number}.jsonl")
        assert [p.id for p in got.item.profile] == ["offset", "date", "seconds"]
        assert got.problems == []


def test_without_times_the_order_of_the_file_is_kept(tmp_path: Path) -> None:
    mixed = [post("p1", STEW, "2020-01-03"), post("p2", BREAD), post("p3", KNIFE, "2020-01-01")]
    later = [post("p1", STEW, "2030-01-03"), post("p2", BREAD, "2030-01-04")]
    got = of_rows(tmp_path, row("a", profile=mixed), row(profile=later, created=None))
    assert [p.id for p in got.items[0].profile] == ["p1", "p2", "p3"]
    assert len(got.items[1].profile) == 2
    assert [problem.reason for problem in got.problems] == ["undated_post"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2011-12-01 09:20:33.740", "2011-12-01T09:20:33.740"),
        ("2015-02-13T15:31:12.300", "2015-02-13T15:31:12.300"),
        ("2015-02-13T15:31:12Z", "2015-02-13T15:31:12.000"),
        ("2015-02-13 15:31:12.3 UTC", "2015-02-13T15:31:12.300"),
        ("2015-02-13T01:00:00+02:30", "2015-02-12T22:30:00.000"),
        ("2015-02-13 01:00:00 +0230", "2015-02-12T22:30:00.000"),
        ("2015-02-13", "2015-02-13T00:00:00.000"),
        ("Fri Nov 06 00:32:23 PST 2020", "2020-11-06T08:32:23.000"),
        ("Fri Nov  6 00:32:23 2020", "2020-11-06T00:32:23.000"),
        ("Wed, 03 Jul 2019 09:00:00 GMT", "2019-07-03T09:00:00.000"),
        ("Wed Jul 03 2019 09:00:00 GMT+0200", "2019-07-03T07:00:00.000"),
        ("20150213", "2015-02-13T00:00:00.000"),
        (1322731233, "2011-12-01T09:20:33.000"),
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


@pytest.mark.parametrize(
    "value",
    [
        "2015",
        2015,
        0,
        "03/04/2015",
        "soon",
        "٢٠١٥-٠٢-١٣",
        "Wed Apr 27 07:51:34 WIB 2022",
        float("inf"),
        10**30,
        -5,
    ],
)
def test_what_is_not_certainly_a_time_is_none(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (any of them)
        utc(value)


def test_lamp_qa_has_no_users_so_each_item_is_one_without_responses(tmp_path: Path) -> None:
    official = row("a", user=None, created=None, chosen="c", rejected="r", score=1)
    got = of_rows(tmp_path, official, row("b", user=None))
    assert [(item.user, item.domain) for item in got.items] == [("a", "Home"), ("b", "Home")]
    assert got.problems == []


def test_ids_and_users_are_only_data(tmp_path: Path) -> None:
    users = ["../../x", "u" * 5000, "=cmd()", "C:\\con", "'; DROP TABLE"]
    got = of_rows(tmp_path, *(row(f"/{n}", user=u) for n, u in enumerate(users)))
    assert [item.user for item in got.items] == users
    assert [item.id for item in got.items] == ["/0", "/1", "/2", "/3", "/4"]


def test_a_numeric_id_is_its_digits_and_no_category_takes_the_default(tmp_path: Path) -> None:
    rows = row("a", user=17), row("b", user=17.0, category="NaN")
    got = of_rows(tmp_path, *rows, default_category="coffee")
    assert [(i.user, i.category) for i in got.items] == [("17", "cooking"), ("17", "coffee")]


def test_byte_order_marks_empty_lines_and_crlf_are_nothing_to_speak_of(tmp_path: Path) -> None:
    first, second = (json.dumps(row(id)).encode() for id in "ab")
    content = b"\r\n".join([b"\xef\xbb\xbf" + first, b"", b"  ", second])
    (tmp_path / "h.jsonl").write_bytes(content)
    got = result(tmp_path, "h.jsonl")
    assert [item.id for item in got.items] == ["a", "b"]
    assert got.problems == []


def test_json_and_parquet_give_what_jsonl_gives_and_count_rows(tmp_path: Path) -> None:
    rows = [row("a"), row("b", user=""), row("c", rubric_aspects=[{"aspect": "x", "reason": "y"}])]
    write_lines(tmp_path / "h.jsonl", *rows)
    (tmp_path / "h.json").write_text(json.dumps(rows), encoding="utf-8-sig")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "h.parquet")
    lines, array, table = (result(tmp_path, f"h.{s}") for s in ("jsonl", "json", "parquet"))
    assert [item.id for item in lines.items] == ["a", "c"]
    assert lines.items == array.items
    assert [i.profile for i in lines.items] == [i.profile for i in table.items]
    where = [r.problem.where for r in (lines, array, table)]
    assert where == ["h.jsonl:2", "h.json:2", "h.parquet:2"]


def test_a_profile_stored_by_columns_is_turned_into_posts(tmp_path: Path) -> None:
    profile = {"id": ["p1", "p2"], "text": [STEW, BREAD]}
    item = of_rows(tmp_path, row(profile=profile)).item
    assert [p.text for p in item.profile] == [STEW, BREAD]


def times(good: int, late: int, kind: pa.DataType) -> pa.Array:
    return pa.array([good, late, good], type=kind)


NOT_UTF8 = pa.array([b"good", b"\xff\xfe", b"good"]).cast(pa.binary()).view(pa.string())


@pytest.mark.parametrize(
    ("column", "values", "reason"),
    [
        ("narrative", NOT_UTF8, "invalid_utf8"),
        ("created", times(17 * 10**14, 2**62, pa.timestamp("us")), "bad_time"),
        ("created", times(20_000, 2**31 - 1, pa.date32()), "bad_time"),
        ("created", times(17 * 10**11, 2**60, pa.timestamp("ms", tz="UTC")), "bad_time"),
    ],
    ids=("no UTF-8", "microseconds", "days", "milliseconds"),
)  # fmt: skip
def test_a_bad_parquet_row_is_refused_alone(
    tmp_path: Path, column: str, values: pa.Array, reason: str
) -> None:
    table = pa.Table.from_pylist([row("a"), row("b"), row("c")])
    place = table.schema.get_field_index(column)
    pq.write_table(table.set_column(place, column, values), tmp_path / "h.parquet")
    got = result(tmp_path, "h.parquet")
    assert [item.id for item in got.items] == ["a", "c"]
    assert (got.problem.reason, got.problem.where) == (reason, "h.parquet:2")


# ---- one post a row


def posts_csv(*lines: str, head: str = "user,created,title,text,category,url") -> bytes:
    return "\n".join([head, *lines, ""]).encode()


def of_posts(folder: Path, *lines: str, **rules: Any) -> Result:
    """What is read of a table of these posts."""
    head = {"head": rules.pop("head")} if "head" in rules else {}
    (folder / "p.csv").write_bytes(posts_csv(*lines, **head))
    return result(folder, "p.csv", format="posts", **rules)


ANN = (
    "ann,2020-01-02,,Rye bread is hopeless,movies,http://x/2",
    "ann,2020-01-01,Watery stew,I own no scale,cooking,http://x/1",
    f"ann,2020-01-03,{QUESTION},{NARRATIVE},cooking,http://x/3",
)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_csv_of_semicolons_or_tabs_is_read_as_well(tmp_path: Path, separator: str) -> None:
    commas = posts_csv(*ANN, f'ann,2020-01-03,"{QUESTION}","a; b\tc, d",cooking,')
    (tmp_path / "p.csv").write_bytes(commas)
    rows = list(csv.reader(io.StringIO(commas.decode())))
    (tmp_path / "other").mkdir()
    with (tmp_path / "other" / "p.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    expected = result(tmp_path, "p.csv", format="posts")
    assert result(tmp_path / "other", "p.csv", format="posts") == expected


@pytest.mark.parametrize("how", ["sep=; before it", "carriage returns", "both"])
def test_a_csv_as_excel_writes_it_has_the_right_line_numbers(tmp_path: Path, how: str) -> None:
    """Its column names have a comma, and its last record is not whole."""
    commas = posts_csv(*ANN, "bob,2020-01-01", head="user,created,title,text,category,url[ or none")
    content = commas.replace(b",", b";").replace(b"[", b",")
    before = 0
    if how != "carriage returns":
        content, before = b"\xef\xbb\xbfsep=;\r\n" + content, 1
    if how != "sep=; before it":
        content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
    (tmp_path / "p.csv").write_bytes(content)
    got = result(tmp_path, "p.csv", format="posts", url="url, or none")
    texts = [post.text for post in got.item.profile]
    assert texts == ["Watery stew I own no scale", "Rye bread is hopeless"]
    assert (got.problem.reason, got.problem.where) == ("ragged_row", f"p.csv:{5 + before}")


@pytest.mark.parametrize("written", ["01.03.2024 08:00", "3/1/2024", "13-3-24"])
def test_a_date_that_is_uncertain_says_how_to_write_it(tmp_path: Path, written: str) -> None:
    problem = of_posts(tmp_path, *ANN, f"ann,{written},t,x,cooking,").problem
    assert (problem.reason, problem.value) == ("bad_time", written)
    assert "on purpose" in problem.detail
    assert "2024-03-01T08:00" in problem.detail
    assert "Day.month.year" in REMEDIES["bad_time"]


def test_a_users_latest_post_is_the_question_and_the_earlier_the_profile(tmp_path: Path) -> None:
    got = of_posts(tmp_path, *ANN)
    item = got.item
    assert item.id == content_id("item", "ann", QUESTION, "2020-01-03T00:00:00.000")
    assert (item.user, item.question, item.narrative) == ("ann", QUESTION, NARRATIVE)
    assert (item.category, item.domain, item.source_url) == ("cooking", "Home", "http://x/3")
    assert [(p.id, p.text, p.category, p.source_url) for p in item.profile] == [
        (f"{item.id}-p1", "Watery stew I own no scale", "cooking", "http://x/1"),
        (f"{item.id}-p2", "Rye bread is hopeless", "movies", "http://x/2"),
    ]
    assert got.problems == []


def test_targets_are_a_users_latest_posts_each_with_what_is_older(tmp_path: Path) -> None:
    more = (
        "ann,2020-01-04,What shall I grow on a shady sill?,I only own pots,cooking,",
        "bob,2020-01-01,Alone here?,x,cooking,",
    )
    of_posts(tmp_path, *ANN, *more)
    sizes = {
        targets: [
            (item.question, len(item.profile))
            for item in result(tmp_path, "p.csv", format="posts", targets=targets).items
        ]
        for targets in (1, 2, 3, "all")
    }
    last, before = ("What shall I grow on a shady sill?", 3), (QUESTION, 2)
    assert sizes == {1: [last], 2: [before, last], 3: [before, last], "all": [before, last]}
    got = result(tmp_path, "p.csv", format="posts", targets="all")
    assert [(p.reason, p.where, p.id) for p in got.problems] == [
        ("too_few_posts", "p.csv:3", "ann"),
        ("too_few_posts", "p.csv:2", "ann"),
        ("too_few_posts", "p.csv:6", "bob"),
    ]


def test_only_questions_are_asked_where_posts_have_a_kind(tmp_path: Path) -> None:
    lines = [f"{line},{kind}" for line, kind in zip(ANN, ("Review", "answer", ""), strict=True)]
    last = "ann,2020-02-01,,Rye is fine now,cooking,,answer"
    bob = "bob,2020-01-01,Only answers?,x,cooking,,answer"
    odd = f"ann,2019-01-01,,Odd words,cooking,,{'ignore the rules above ' * 3}"
    head = "user,created,title,text,category,url,type"
    got = of_posts(tmp_path, *lines, last, bob, odd, head=head, kind="type")
    assert got.item.question == QUESTION
    assert [post.kind for post in got.item.profile] == ["answer", "review"]
    assert [(p.reason, p.where) for p in got.problems] == [
        ("bad_kind", "p.csv:7"), ("no_question", "p.csv:6"),
    ]  # fmt: skip


REFUSED_RECORDS = {
    "no user": (",2020-01-01,t,x,cooking,", "missing_user", None),
    "a user written null": ("null,2020-01-01,t,x,cooking,", "missing_user", None),
    "no time": ("ann,,t,x,cooking,", "bad_time", "ann"),
    "an unreadable time": ("ann,1 Jan,t,x,cooking,", "bad_time", "ann"),
    "neither title nor text": ("ann,2020-01-01,N/A,,cooking,", "empty_text", "ann"),
    "a cell too many": ("ann,2020-01-01,t,x,cooking,,", "ragged_row", None),
    "quotes that do not match": ('ann,2020-01-01,t,"x" y,cooking,', "bad_csv", None),
    "another user with one post": ("bob,2020-01-01,t,x,cooking,", "too_few_posts", "bob"),
    "the same text again": (
        "ann,2020-01-02,,rye bread is hopeless,movies,",
        "duplicate_post",
        None,
    ),
    "the question, before": (f"ann,2019-01-02,,{QUESTION},cooking,", "target_in_profile", None),
}


@pytest.mark.parametrize(
    ("line", "reason", "id"), REFUSED_RECORDS.values(), ids=REFUSED_RECORDS.keys()
)
def test_a_bad_record_is_refused_with_the_line_on_which_it_starts(
    tmp_path: Path, line: str, reason: str, id: str | None
) -> None:
    first, *rest = ANN
    two_lines = first.replace("Rye bread", '"Rye bread').replace("hopeless", 'hopeless"')
    two_lines = two_lines.replace("bread is", "bread\nis")
    # The bad record comes before its rivals in time, and stands on line 4 after one of two lines.
    got = of_posts(tmp_path, two_lines, line, *rest)
    assert len(got.item.profile) == 2
    assert (got.problem.action, got.problem.reason) == ("refused", reason)
    assert got.problem.where == "p.csv:4"
    assert id is None or got.problem.id == id


@pytest.mark.parametrize(
    "user",
    ["[deleted]", "[removed]", "AutoModerator", "deleted_user", "Anonymous", "None", "nan", "",
     "<NA>", "[deleted by user]"],
)  # fmt: skip
def test_strangers_with_one_mark_for_a_name_are_no_user(tmp_path: Path, user: str) -> None:
    strangers = [line.replace("ann", user, 1) for line in ANN] * 60
    got = of_posts(tmp_path, *ANN, *strangers)
    assert got.item.user == "ann"
    assert got.reasons("refused").keys() <= {"nobody", "missing_user"}
    assert got.reasons("refused").total() == 180


def test_a_text_that_was_taken_away_is_no_post(tmp_path: Path) -> None:
    removed = "ann,2019-01-01,How do I thaw bread?,[removed],cooking,"
    got = of_posts(tmp_path, *ANN, removed)
    assert len(got.item.profile) == 2
    assert got.refused() == [("removed_text", "p.csv:5", "ann")]


def test_a_user_with_more_than_a_fifth_of_all_rows_is_named(tmp_path: Path) -> None:
    few = [f"u{n},2020-01-01,Loaf {n},I own no scale,cooking," for n in range(12)]
    many = [f"<gone>,2020-01-{n:02},Stew {n},Watery,cooking," for n in range(1, 5)]
    got = of_posts(tmp_path, *few, *many)
    (note,) = [one for one in got.problems if one.action == "noted"]
    assert (note.reason, note.id) == ("frequent_user", "<gone>")
    assert note.detail == "'<gone>' has 4 of 16 rows"
    assert not of_posts(tmp_path, *few, *many[:-1]).reasons("noted")


@pytest.mark.parametrize(
    ("body", "question"),
    [
        ("How warm is warm?\nI mean the plates.", "How warm is warm?"),
        ("How warm is warm? " + "I mean plates. " * 30, "How warm is warm?"),
        ("warm plates " * 40, None),
    ],
    ids=["the first line", "the first sentence", "neither is short enough"],
)
def test_without_a_title_the_opening_asks(tmp_path: Path, body: str, question: str | None) -> None:
    frame = pd.DataFrame(
        [
            *({"user": "u", "text": t, "created": n} for n, t in enumerate((STEW, BREAD), 10**9)),
            {"user": "u", "text": body, "created": 2 * 10**9},
            *({"user": "v", "text": t, "created": n} for n, t in enumerate((STEW, BREAD), 10**9)),
            {"user": "v", "text": "Short?", "created": 2 * 10**9},
        ]
    )
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    got = result(tmp_path, "p.jsonl", format="posts", default_category="movies")
    if question:
        assert got.items[0].question == question
        assert got.items[0].narrative == body.strip()
    else:
        assert (got.problem.reason, got.problem.id) == ("empty_question", "u")
        assert got.problem.where == "p.jsonl:3"


def test_columns_may_have_other_names_and_every_format_says_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "OwnerUserId": ["ann", "ann", "ann", None],
            "CreationDate": ["2011-12-01 09:20:33.740", "2011-12-02", "2011-12-03", "2011-12-04"],
            "Title": [None, "Rye", QUESTION, "x"],
            "Body": [f"{STEW}\u200e", BREAD, NARRATIVE, "y"],
        }
    )
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_csv(tmp_path / "p.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    names = {"user": "OwnerUserId", "created": "CreationDate", "title": "Title", "text": "Body"}
    policy = {**names, "format": "posts", "default_category": "cooking"}
    got = [result(tmp_path, f"p.{s}", **policy) for s in ("parquet", "csv", "tsv", "jsonl")]
    assert [p.text for p in got[0].item.profile] == [STEW, f"Rye {BREAD}"]
    assert got[0].item.profile[0].created == "2011-12-01T09:20:33.740"
    assert [(p.reason, p.where) for p in got[0].problems] == [
        ("missing_user", "p.parquet:4"),
        ("control_characters", "p.parquet:1"),
    ]
    assert [p.where for p in got[1].problems] == ["p.csv:5", "p.csv:2"]
    contents = {r.item.model_dump_json() for r in got}
    assert len(contents) == 1


# ---- a file that is of no use


class Useless(NamedTuple):
    name: str
    content: bytes | None
    says: tuple[str, ...]
    policy: Mapping[str, str] = MappingProxyType({})


POSTS = MappingProxyType({"format": "posts"})
USELESS = {
    "a file that is not there": Useless("h.jsonl", None, ("h.jsonl: no such file", "relative to")),
    "an empty file": Useless("h.jsonl", b"", ("h.jsonl: the file is empty", "download it again")),
    "a file of empty lines": Useless("h.jsonl", b"\n\n", ("h.jsonl: no rows",)),
    "an empty array": Useless("h.json", b"[]", ("h.json: no rows",)),
    "an unknown suffix": Useless("h.xlsx", b"x", ("h.xlsx: unknown", "'.xlsx'", ".parquet")),
    "a packed file": Useless("h.jsonl.gz", b"\x1f\x8b", ("unknown", "unpack")),
    "a packed file under another name": Useless("h.jsonl", b"\x1f\x8b\x08", ("packed", "Unpack")),
    "UTF-16": Useless("h.jsonl", '{"id": 1}'.encode("utf-16"), ("UTF-16", "as UTF-8")),
    "CSV in UTF-16": Useless(
        "p.csv", "user;text".encode("utf-16"), ("UTF-16", "in Excel: save as CSV UTF-8"), POSTS
    ),
    "column names that are not CSV": Useless(
        "p.csv", b'user,"te"xt\n', ("p.csv:1: the column names are not CSV: ", "twice"), POSTS
    ),
    "a broken array": Useless(
        "h.json", b'[\n{"id": 1},\n{"id":]', ("h.json:3: not JSON", ".jsonl")
    ),
    "an array that is not UTF-8": Useless("h.json", b'[\n"\xff"]', ("h.json:2: not UTF-8", "Save")),
    "an object for an array": Useless("h.json", b'{"a": 1}', ("an object", "[{...}, {...}]")),
    "an array named .jsonl": Useless(
        "h.jsonl", b"[{}]", ("h.jsonl:1", "not_an_object 1", ".json ")
    ),
    "broken Parquet": Useless("h.parquet", b"PAR1 no", ("h.parquet: not a readable", "again")),
    "items in CSV": Useless("h.csv", b"id\n1\n", ("cannot hold items", 'format = "posts"')),
    "posts without their columns": Useless(
        "p.csv", b"uid,created,text,category\n",
        ("p.csv:1: no column user", "uid, created, text, category", "`user`"), POSTS,
    ),
    "posts without a category": Useless(
        "p.csv", b"user,created,text\n", ("no column category", "default_category"), POSTS
    ),
    "a title column that is not there": Useless(
        "p.csv", b"user,created,text,category\n", ("no column Heading", "`title`"),
        {**POSTS, "title": "Heading"},
    ),
    "columns only": Useless("p.csv", b"user,created,text,category\n", ("p.csv: no rows",), POSTS),
    "two columns of one name": Useless("p.tsv", b"user\tuser\n", ("p.tsv:1", "Rename"), POSTS),
    "a quote never closed": Useless(
        "p.csv", posts_csv(*ANN, 'ann,2020,"t,x,y,z', "a", "b"), ("p.csv:5", "Close the quote"),
        POSTS,
    ),
    "column names that are not UTF-8": Useless(
        "p.csv", b"us\xe9r\n1\n", ("p.csv:1", "not UTF-8", "in Excel: save as CSV UTF-8"), POSTS
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", USELESS.values(), ids=USELESS.keys())
def test_a_file_of_no_use_says_where_and_what_to_do(tmp_path: Path, case: Useless) -> None:
    if case.content is not None:
        (tmp_path / case.name).write_bytes(case.content)
    with pytest.raises(SourceError) as caught:
        result(tmp_path, case.name, **case.policy)
    assert str(tmp_path) in caught.value.where
    assert caught.value.fix
    for words in case.says:
        assert words in str(caught.value)


def test_a_file_of_bad_rows_is_summed_up_with_the_first_place(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        of_rows(tmp_path, row("a", user=""), row("b", category="x"), row("c", category="y"))
    assert caught.value.where == f"{tmp_path}/h.jsonl:2"
    of_domains = "'x' belongs to none of the domains Home"
    for said in ("unknown_category 2, missing_user 1", of_domains, "'x' (1), 'y' (1)"):
        assert said in caught.value.what
    for said in ('also = ["x", "y"]', "rubrics/<domain>.toml"):
        assert said in caught.value.fix
    assert str(caught.value).count("also") == 1


def test_every_reason_in_the_code_has_its_rule() -> None:
    package = Path(sys.modules["pairwright"].__file__ or "").parent
    files = [*(package / "sources").rglob("*.py"), package / "construct" / "natural.py"]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    before = r"(?:[Rr]efusal|refused?|note|setdefault)\(\s*|repairs\[|reason="
    used = set(re.findall(f'(?:{before})"([a-z_0-9]+)"', code))
    pairing = {name for name in REASONS if f'"{name}"' in files[-1].read_text(encoding="utf-8")}
    assert used | pairing == set(REASONS)


# ---- hashes and the Hub


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "h.jsonl").write_bytes(b"abc\n")
    expected = blake2b(b"abc\n", digest_size=16).hexdigest()
    assert source_hash(SourceRules(path="h.jsonl"), Path(tmp_path)) == f"b2:{expected}"
    assert source_hash(SourceRules(path=f"{tmp_path}/h.jsonl"), Path("/")) == f"b2:{expected}"
    with pytest.raises(SourceError, match="no such file"):
        source_hash(SourceRules(path="other.jsonl"), tmp_path)


class _Dataset(list[dict[str, Any]]):
    @property
    def column_names(self) -> list[str]:
        return list(self[0])


def test_a_hub_id_has_config_split_and_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def load_dataset(*args: Any, **options: Any) -> _Dataset:
        asked.extend([*args, options])
        return _Dataset([row("a"), row("b", question="")])

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))
    got = result(tmp_path, "org/name-v1.5@main", config="Lifestyle", split="validation")
    assert asked == ["org/name-v1.5", "Lifestyle", {"split": "validation", "revision": "main"}]
    assert got.item.id == "a"
    assert (got.problem.where, got.problem.reason) == ("org/name-v1.5@main:2", "empty_question")


def test_a_dataset_that_cannot_be_loaded_says_why_and_without_the_extra_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_dataset(*_: Any, **__: Any) -> None:
        raise ConnectionError("no network")

    for datasets, said in (
        (
            SimpleNamespace(load_dataset=load_dataset),
            r"ConnectionError: no network\n.*Check the id",
        ),
        (None, re.escape(install("hub"))),
    ):
        monkeypatch.setitem(sys.modules, "datasets", datasets)
        with pytest.raises(SourceError, match=said):
            result(tmp_path, "org/name")


def test_a_hub_id_has_the_hash_of_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dataset_info(name: str, revision: str | None) -> SimpleNamespace:
        return SimpleNamespace(sha=f"commit-of-{name}-{revision}")

    hub = SimpleNamespace(HfApi=lambda: SimpleNamespace(dataset_info=dataset_info))
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    found = source_hash(SourceRules(path="org/name@main"), tmp_path)
    assert found == "org/name@commit-of-org/name-main"
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    pinned = f"org/name@{'0' * 40}"
    assert source_hash(SourceRules(path=pinned), tmp_path) == pinned
    with pytest.raises(SourceError, match="pip install"):
        source_hash(SourceRules(path="org/name"), tmp_path)
