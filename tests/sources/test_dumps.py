"""A site's dump becomes its users' questions, each with what that user wrote before it."""

from html import escape
from pathlib import Path
from typing import Any

import pytest
from reading import Result
from reading import result as read_source

from pairwright.errors import SourceError
from pairwright.records import Item, Post

SITE = "cooking.stackexchange.com"
HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n'


def result(folder: Path, path: str = SITE, **rules: Any) -> Result:
    return read_source(folder, path, format="stackexchange", **rules)


def xml(*rows: dict[str, Any]) -> str:
    """As Stack Exchange writes one: a row a line, the first on line 3. None is left out."""
    lines = []
    for row in rows:
        cells = {name: escape(str(value)) for name, value in row.items() if value is not None}
        lines.append("  <row " + " ".join(f'{k}="{v}"' for k, v in cells.items()) + " />")
    return HEAD + "\n".join(["<posts>", *lines, "</posts>\n"])


def question(id: int, day: int, title: str, user: int | None = 7, **more: object) -> dict[str, Any]:
    return {
        "Id": id, "PostTypeId": 1, "CreationDate": f"2015-01-{day:02}T10:00:00.000", "Score": 4,
        "Body": f"<p>The whole of question {id} &amp; its story.</p>", "OwnerUserId": user,
        "Title": title, "Tags": "<bread><oven>", **more,
    }  # fmt: skip


def answer(id: int, day: int, parent: int, user: int | None = 7, **more: object) -> dict[str, Any]:
    return {
        "Id": id, "PostTypeId": 2, "ParentId": parent, "OwnerUserId": user, "Score": 1,
        "CreationDate": f"2015-01-{day:02}T11:00:00.000",
        "Body": f"<p>Answer {id} from a tiny kitchen.</p>", **more,
    }  # fmt: skip


# User 7 has an item: an answer to user 8, and two questions before the last.
RYE = question(3, 3, "Is rye flour worth its price?")
KNIFE = question(4, 4, "Which knife suits a left-handed beginner?", AcceptedAnswerId=6)
LAST = question(9, 9, "How long does sourdough keep in a fridge?")
WHOLE = (
    question(1, 1, "How warm is a proofing basket?", 8, AcceptedAnswerId=2),
    answer(2, 2, 1),
    RYE,
    KNIFE,
    answer(5, 5, 4, 8, Score=-2),
    answer(6, 6, 4, 9, Score=3),
)


def write(folder: Path, *posts: dict[str, Any], site: str = SITE, text: str = "") -> None:
    """A dump in a folder of the site's name."""
    (folder / site).mkdir(exist_ok=True)
    (folder / site / "Posts.xml").write_text(text or xml(*posts), encoding="utf-8")


def of_dump(folder: Path, *posts: dict[str, Any], **rules: Any) -> Result:
    """What is read of a dump of these posts."""
    write(folder, *posts)
    return result(folder, **rules)


def test_a_users_latest_question_has_their_earlier_posts_as_history(tmp_path: Path) -> None:
    got = of_dump(tmp_path, *WHOLE)
    assert got.item == Item(
        id="cooking_4", user=f"{SITE}/users/7", category="cooking", domain="Home",
        question="Which knife suits a left-handed beginner?",
        narrative="The whole of question 4 & its story.",
        created="2015-01-04T10:00:00.000", source_url=f"https://{SITE}/q/4",
        profile=(
            Post(
                id="a2", category="cooking", created="2015-01-02T11:00:00.000", kind="answer",
                text='Answer to "How warm is a proofing basket?":\nAnswer 2 from a tiny kitchen.',
                source_url=f"https://{SITE}/a/2",
            ),
            Post(
                id="q3", category="cooking", created="2015-01-03T10:00:00.000", kind="question",
                text="Is rye flour worth its price?\nThe whole of question 3 & its story.",
                source_url=f"https://{SITE}/q/3",
            ),
        ),
    )  # fmt: skip
    # Nobody but user 7 has both a question and two posts before it.
    assert got.said == [
        ("too_few_posts", "3", f"{SITE}/users/8"), ("no_question", "8", f"{SITE}/users/9"),
    ]  # fmt: skip


CHANGED = {"ClosedDate": "2015-02-01T00:00:00.000"}
REFUSED: list[tuple[dict[str, Any], str, bool]] = [
    (answer(20, 3, 1, None), "deleted_user", False),
    (answer(20, 3, 1, -1), "community_owned", False),
    (answer(20, 3, 1, CommunityOwnedDate="2015-02-01T00:00:00.000"), "community_owned", False),
    ({"Id": 20, "PostTypeId": 5, "OwnerUserId": 7}, "not_a_post", False),
    (answer(20, 3, 1) | {"Id": "x"}, "missing_id", False),
    (answer(20, 3, 1) | {"Id": "9" * 40}, "missing_id", False),
    (answer(3, 3, 1), "duplicate_id", False),
    (answer(20, 3, 1) | {"CreationDate": "soon"}, "bad_time", False),
    (answer(20, 3, 1, Body="<p> </p>"), "empty_text", False),
    (question(20, 3, LAST["Title"], Body=LAST["Body"]), "target_in_profile", False),
    # What cannot be asked stays a post.
    (question(20, 3, "Which knife?") | CHANGED, "closed_question", True),
    (question(20, 3, "What is wrong with this knife?"), "unanswerable_title", True),
]


@pytest.mark.parametrize(("row", "reason", "kept"), REFUSED)
def test_a_row_that_is_nobodys_post_or_no_question_is_refused(
    tmp_path: Path, row: dict[str, Any], reason: str, kept: bool
) -> None:
    got = of_dump(tmp_path, *WHOLE[:3], row, *WHOLE[3:], LAST)
    posts = ["a2", "q3", *["q20"] * kept, "q4"]
    assert [post.id for post in got.item.profile] == posts
    assert (reason, "6") in [one[:2] for one in got.said]


def test_targets_are_the_latest_questions_each_with_what_is_older(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE, LAST, answer(11, 12, 1, Body="<p>Later <code>words</code>.</p>"))
    two = {"cooking_4": ["a2", "q3"], "cooking_9": ["a2", "q3", "q4"]}
    for targets, expected in ((1, {"cooking_9": two["cooking_9"]}), (2, two), ("all", two)):
        got = result(tmp_path, targets=targets)
        assert {item.id: [one.id for one in item.profile] for item in got.items} == expected
    # A post that is in two profiles is reported once.
    assert len(set(got.said)) == len(got.said)
    assert ("too_few_posts", "5", f"{SITE}/users/7") in got.said


def test_a_doctype_line_alone_is_harmless_and_a_dump_has_the_default_category(
    tmp_path: Path,
) -> None:
    site = "chess.stackexchange.com"  # In no domain's file.
    declared = xml(*WHOLE).replace("<posts>", '<!DOCTYPE posts SYSTEM "x.dtd">\n<posts>')
    write(tmp_path, site=site, text=declared)
    assert result(tmp_path, site, default_category="movies").item.category == "movies"
    assert result(tmp_path, site).item.category == "chess"


def declaring(entity: str) -> str:
    return f"{HEAD}<!DOCTYPE posts [{entity}]>\n<posts/>"


USELESS: list[tuple[str, str, tuple[str, ...]]] = [
    ("", f"{SITE}.7z", ("no such file", "7z x")),
    ("", "cooking", ("'cooking' is not the host", "Name the folder")),
    ("", SITE, ("Posts.xml: no such file", "relative to")),
    ("Id,Title\n1,x\n", SITE, ("Posts.xml:1: not XML", "folder")),
    (xml(*WHOLE)[:-400], SITE, ("Posts.xml:6: not XML: unclosed token", "folder")),
    (declaring('<!ENTITY a "aa">'), SITE, ("Posts.xml:2: declares an entity", "Do not")),
    (declaring('<!ENTITY a SYSTEM "file:///etc/passwd">'), SITE, ("Posts.xml:2: declares an",)),
    (declaring('<!ENTITY % a SYSTEM "x.dtd"> %a;'), SITE, ("Posts.xml:2: declares an entity",)),
    (xml(), SITE, ("no rows",)),
    (xml(*WHOLE[:1]), SITE, ("not one usable row: too short a history (1)",)),
]


@pytest.mark.parametrize(("content", "path", "says"), USELESS)
def test_a_dump_of_no_use_is_an_error_that_says_where_and_what_to_do(
    tmp_path: Path, content: str, path: str, says: tuple[str, ...]
) -> None:
    (tmp_path / f"{SITE}.7z").touch()
    write(tmp_path, *WHOLE, site="cooking")
    if content:
        write(tmp_path, text=content)
    with pytest.raises(SourceError) as caught:
        result(tmp_path, path)
    assert str(tmp_path) in caught.value.where
    assert caught.value.fix
    assert not [words for words in says if words not in str(caught.value)]
