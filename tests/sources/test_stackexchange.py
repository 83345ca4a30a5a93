"""A site's dump becomes its users' questions, each with what that user wrote before it."""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from reading import DOMAINS, Result
from reading import result as read_source

from pairwright.assets import RUBRICS
from pairwright.dataset.address import licence_of
from pairwright.errors import SourceError
from pairwright.extras import install
from pairwright.records import Item, Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceProblem, read, source_hash
from pairwright.sources.markup import post_text
from pairwright.sources.stackexchange.histories import why_unanswerable

DUMPS = Path(__file__).resolve().parents[3] / "shared" / "data" / "stackexchange" / "dumps"
needs_dumps = pytest.mark.skipif(not DUMPS.is_dir(), reason=f"no real dumps at {DUMPS}")
SITE = "cooking.stackexchange.com"
HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>\n'


def result(folder: Path, path: str = SITE, **rules: Any) -> Result:
    return read_source(folder, path, format="stackexchange", **rules)


def xml(root: str, rows: Iterable[dict[str, object]]) -> str:
    """As Stack Exchange writes one: a row a line, the first on line 3."""
    lines = [
        "  <row " + " ".join(f'{k}="{_attribute(v)}"' for k, v in row.items()) + " />"
        for row in rows
    ]
    return HEAD + "\n".join([f"<{root}>", *lines, f"</{root}>\n"])


def _attribute(value: object) -> str:
    return escape(str(value)).replace("\n", "&#xA;")


def present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def question(id: int, day: int, title: str, user: int | None = 7, **more: object) -> dict[str, Any]:
    row = {
        "Id": id, "PostTypeId": 1, "CreationDate": f"2015-01-{day:02}T10:00:00.000", "Score": 4,
        "Body": f"<p>The whole of question {id} &amp; its story.</p>\n", "OwnerUserId": user,
        "Title": title, "Tags": "<bread><oven>", **more,
    }  # fmt: skip
    return present(row)


def answer(id: int, day: int, parent: int, user: int | None = 7, **more: object) -> dict[str, Any]:
    row = {
        "Id": id, "PostTypeId": 2, "ParentId": parent, "OwnerUserId": user, "Score": 1,
        "CreationDate": f"2015-01-{day:02}T11:00:00.000", **more,
        "Body": more.get("Body", f"<p>Answer {id} from a tiny kitchen.</p>"),
    }  # fmt: skip
    return present(row)


def comment(id: int, day: int, post: int, words: str, user: int | None = 7) -> dict[str, Any]:
    row = {
        "Id": id, "PostId": post, "Score": 0, "Text": words, "UserId": user,
        "CreationDate": f"2015-01-{day:02}T12:00:00.000",
    }  # fmt: skip
    return present(row)


# User 7 has an item: an answer to user 8, and two questions before the last.
RYE = question(3, 3, "Is rye flour worth its price?")
KNIFE = question(4, 4, "Which knife suits a left-handed beginner?", AcceptedAnswerId=6)
WHOLE = (
    question(1, 1, "How warm is a proofing basket?", 8, AcceptedAnswerId=2),
    answer(2, 2, 1),
    RYE,
    KNIFE,
    answer(5, 5, 4, 8, Score=-2),
    answer(6, 6, 4, 9, Score=3),
)


def write(folder: Path, *posts: dict[str, Any], comments: Iterable[dict[str, Any]] = ()) -> Path:
    """A dump in a folder of the site's name."""
    dump = folder / SITE
    dump.mkdir(exist_ok=True)
    (dump / "Posts.xml").write_text(xml("posts", posts), encoding="utf-8")
    if comments:
        (dump / "Comments.xml").write_text(xml("comments", comments), encoding="utf-8")
    return dump


def of_dump(folder: Path, *posts: dict[str, Any], **rules: Any) -> Result:
    """What is read of a dump of these posts."""
    write(folder, *posts)
    return result(folder, **rules)


def test_a_users_latest_question_has_their_earlier_posts_as_history(tmp_path: Path) -> None:
    got = of_dump(tmp_path, *WHOLE)
    item = got.item
    assert (item.id, item.user) == ("cooking_4", f"{SITE}/users/7")
    assert item.question == "Which knife suits a left-handed beginner?"
    assert item.narrative == "The whole of question 4 & its story."
    assert (item.category, item.domain) == ("cooking", "Home")
    assert (item.created, item.source_url) == ("2015-01-04T10:00:00.000", f"https://{SITE}/q/4")
    assert item.profile == (
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
    )  # fmt: skip
    # Nobody but user 7 has both a question and two posts before it.
    assert got.refused() == [
        ("too_few_posts", "Posts.xml:3", f"{SITE}/users/8"),
        ("no_question", "Posts.xml:8", f"{SITE}/users/9"),
    ]


COMMENTS = (
    comment(2, 2, 1, "My oven only reaches two hundred degrees."),
    comment(5, 3, 2, "I bake rye at sea level; altitude matters a lot."),
    comment(6, 3, 2, "@Ann Thanks!"),
    comment(9, 3, 1, "I'm voting to close this question as off-topic because it is about pans."),
    comment(7, 3, 77, "[Cast iron](https://example.org/pans?a=1) pans hold their heat for longer."),
    comment(8, 3, 1, "Somebody without an account bakes too.", None),
)


def test_comments_are_history_where_they_are_wanted(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE, comments=COMMENTS)
    assert {post.kind for post in result(tmp_path).item.profile} == {"question", "answer"}
    got = result(tmp_path, comments=True)
    # The numbers of posts and of comments are two series: 2 is both.
    assert [post.id for post in got.item.profile] == ["a2", "c2", "q3", "c5", "c7"]
    comments = [post for post in got.item.profile if post.kind == "comment"]
    about = 'Comment on "How warm is a proofing basket?":\n'
    assert [post.text for post in comments] == [
        f"{about}My oven only reaches two hundred degrees.",
        f"{about}I bake rye at sea level; altitude matters a lot.",
        "Cast iron pans hold their heat for longer.",
    ]
    assert comments[0].source_url == f"https://{SITE}/posts/comments/2"
    assert ("short_comment", "Comments.xml:5", "c6") in got.refused()
    assert ("moderation_comment", "Comments.xml:6", "c9") in got.refused()
    assert ("deleted_user", "Comments.xml:8", "8") in got.refused()
    assert ("missing_question", "c7") in [(p.reason, p.id) for p in got.problems]


NOBODYS = {
    "a deleted account": (answer(20, 3, 1, None), "deleted_user"),
    "a post of the community": (answer(20, 3, 1, -1), "community_owned"),
    "an answer that became the community's": (
        answer(20, 3, 1, CommunityOwnedDate="2015-02-01T00:00:00.000"), "community_owned",
    ),
    "a tag's page": ({"Id": 20, "PostTypeId": 5, "OwnerUserId": 7}, "not_a_post"),
    "a row without a number": (answer(20, 3, 1) | {"Id": "x"}, "missing_id"),
    "a number that no database holds": (answer(20, 3, 1) | {"Id": "9" * 40}, "missing_id"),
    "a number again": (answer(3, 3, 1), "duplicate_id"),
    "a time nobody can read": (answer(20, 3, 1) | {"CreationDate": "soon"}, "bad_time"),
    "no text": (answer(20, 3, 1, Body="<p> </p>"), "empty_text"),
    "the question itself, asked before": (
        question(20, 3, KNIFE["Title"], Body=KNIFE["Body"]), "target_in_profile",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("row", "reason"), NOBODYS.values(), ids=NOBODYS.keys())
def test_a_row_that_is_nobodys_post_is_refused(
    tmp_path: Path, row: dict[str, Any], reason: str
) -> None:
    got = of_dump(tmp_path, *WHOLE[:3], row, *WHOLE[3:])
    assert [post.id for post in got.item.profile] == ["a2", "q3"]
    assert (reason, "Posts.xml:6") in [(why, where) for why, where, _ in got.refused()]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ClosedDate": "2015-02-01T00:00:00.000"}, "closed_question"),
        ({"Title": "Which knife suits a left-handed beginner? [duplicate]"}, "closed_question"),
        ({"Title": "What is wrong with this knife?"}, "unanswerable_title"),
    ],
)
def test_what_cannot_be_asked_stays_a_post(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    last = question(9, 9, "How long does sourdough keep in a fridge?")
    got = of_dump(tmp_path, *WHOLE[:3], KNIFE | changes, last, targets="all")
    assert [item.id for item in got.items] == ["cooking_9"]
    assert [post.id for post in got.item.profile] == ["a2", "q3", "q4"]
    assert "[duplicate]" not in got.item.profile[2].text
    assert (reason, "Posts.xml:6", "q4") in got.refused()


def test_targets_are_the_latest_questions_each_with_what_is_older(tmp_path: Path) -> None:
    last = question(9, 9, "How long does sourdough keep in a fridge?")
    posts = [*WHOLE, last, answer(11, 12, 1, Body="<p>Later <code>words</code>.</p>")]
    write(tmp_path, *posts)
    profiles = {
        targets: {i.id: [p.id for p in i.profile] for i in result(tmp_path, targets=targets).items}
        for targets in (1, 2, "all")
    }
    two = {"cooking_4": ["a2", "q3"], "cooking_9": ["a2", "q3", "q4"]}
    assert profiles == {1: {"cooking_9": two["cooking_9"]}, 2: two, "all": two}
    # A post that stands in two profiles was made readable once, and is spoken of once.
    got = result(tmp_path, targets="all")
    assert got.items[0].profile[0] is got.items[1].profile[0]
    assert Counter((p.reason, p.where) for p in got.problems).most_common(1)[0][1] == 1
    assert ("too_few_posts", "Posts.xml:5", f"{SITE}/users/7") in got.refused()


def test_a_question_asked_again_is_one_item_and_leaves_room(tmp_path: Path) -> None:
    again = question(9, 9, "which knife suits a  left-handed beginner?")
    got = of_dump(tmp_path, *WHOLE, again, answer(10, 4, 1), targets=2, min_posts=1)
    assert [item.id for item in got.items] == ["cooking_3", "cooking_9"]
    assert ("repeated_question", "Posts.xml:6", "q4") in got.refused()
    assert [post.id for post in got.items[1].profile] == ["a2", "q3", "a10"]


@pytest.mark.parametrize(("editor", "day", "said"), [(7, 9, True), (7, 2, False), (8, 9, False)])
def test_a_post_edited_later_is_counted(tmp_path: Path, editor: int, day: int, said: bool) -> None:
    edit = {"LastEditorUserId": editor, "LastEditDate": f"2015-01-{day:02}T13:00:00.000"}
    got = of_dump(tmp_path, WHOLE[0], WHOLE[1] | edit, *WHOLE[2:])
    assert [post.id for post in got.item.profile] == ["a2", "q3"]
    assert (("edited_later", "a2") in [(p.reason, p.id) for p in got.problems]) == said


def test_a_category_may_be_the_tag_that_most_questions_have(tmp_path: Path) -> None:
    oven = question(30, 20, "How often should an oven be cleaned?", 11, Tags="|oven|")
    item = of_dump(tmp_path, *WHOLE, oven, category_by="tag").item
    assert (item.category, item.domain) == ("cooking/oven", "Home")


def test_licences_follow_from_addresses_and_dates(tmp_path: Path) -> None:
    dates = ("2010-06-01", "2012-06-01", "2019-06-01")
    posts = [
        question(n, n, f"How is loaf number {n} kept fresh?", CreationDate=f"{date}T00:00:00.000",
                 Body=f"<p>{n} {'crumb ' * n}</p>")
        for n, date in enumerate(dates, 1)
    ]  # fmt: skip
    item = of_dump(tmp_path, *posts).item
    licences = [licence_of(p.source_url, p.created) for p in item.profile]
    licences.append(licence_of(item.source_url, item.created))
    assert licences == ["CC-BY-SA-2.5", "CC-BY-SA-3.0", "CC-BY-SA-4.0"]


# ---- what a body becomes


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        ("<p>one\n  line of <b>a</b> page</p>", "one line of a page"),
        ("<pre><code>a = 1\n  b\n</code></pre>", "a = 1\n  b"),
        ("<p>so:</p><pre>1\n2\n3\n4\n</pre><p>done</p>", "so:\n\n[code, 4 lines]\n\ndone"),
        ('<img src="x" alt="enter image description here">', "[image]"),
        ('<img src="x" alt="my  old grinder">', "[image: my old grinder]"),
        ("<blockquote>\n<p>said\nhe</p><blockquote>she</blockquote></blockquote>yes",
         "> said he\n>\n> > she\n\nyes"),
        ("<ol><li>grind</li>\n<li><p>pour</p></li></ol>", "1. grind\n2. pour"),
        ("<ul>\n<li><p>grind</p></li>\n</ul>", "- grind"),
        ('10<sup>-3</sup> of <a href="http://x">this site</a>', "10^-3 of this site"),
        ("end.<br><sup>Sources: books</sup>", "end.\nSources: books"),
        ("use <code>List&lt;b&gt;</code> &amp;amp;", "use List<b> &amp;"),
        ("no end <pre>of\ncode", "no end\n\nof\ncode"),
    ],
)  # fmt: skip
def test_a_body_is_read_with_marks_for_what_text_cannot_hold(html: str, plain: str) -> None:
    assert post_text(html)[0] == plain


def test_marks_are_counted_as_repairs(tmp_path: Path) -> None:
    body = '<pre>1\n2\n3\n4</pre><img src="x"><p>Some words &#8238;on my</p>'
    got = of_dump(tmp_path, *WHOLE[:2], RYE | {"Body": body}, KNIFE)
    assert {p.reason for p in got.problems if p.id == "q3"} == {
        "html_to_text", "code_block", "image", "control_characters",
    }  # fmt: skip
    assert got.item.profile[1].text.endswith("[code, 4 lines]\n\n[image]\n\nSome words on my")


@pytest.mark.parametrize(
    "hostile", ["<pre>", "<blockquote>", "<pre>x</blockquote>", "<ol><li>", "<sup>", "<b>a </b>"]
)
def test_a_hostile_body_costs_no_more_than_its_length(hostile: str) -> None:
    body = hostile * 4000
    assert len(post_text(body)[0]) < 10 * len(body)  # without a bound on quotes in quotes, not


@pytest.mark.parametrize(
    "title",
    [
        "What is wrong with this circuit?", "Which of these pans should I buy?",
        "How can I fix the following recipe?", "Why does my code print nothing?",
        "What is the pan in the picture called?", "Is the example above right?",
        "Why did he leave the lid off?", "How could Eli bake all those loaves?",
        "Please help", "Question about bread", "How do I start?", "What does that mean?",
    ],
)  # fmt: skip
def test_a_title_that_needs_its_text_is_not_asked(title: str) -> None:
    assert why_unanswerable(title)


@pytest.mark.parametrize(
    "title",
    [
        "What is a doppio?", "How is cascara made?", "Which knife suits a left-handed beginner?",
        "Is there a grinder that fits into a drawer?", "What do bakers do at this time of year?",
        "Why does a baker wait when he could knead?", "How do all those who bake alone cope?",
        "How does water above 90 degrees change the taste?", "Making bread without a scale",
        "Does the picture on a coffee bag tell its age?", "パンを長く保存する方法はありますか？",
    ],
)  # fmt: skip
def test_a_title_that_says_what_it_asks_is_asked(title: str) -> None:
    assert why_unanswerable(title) is None


# ---- which site, which files


@pytest.mark.parametrize(
    ("path", "rules"), [(f"{SITE}/Posts.xml", {}), ("here", {"site": SITE}), (f"{SITE}/", {})]
)
def test_folder_file_or_rules_tell_a_site(tmp_path: Path, path: str, rules: dict[str, str]) -> None:
    dump = write(tmp_path, *WHOLE)
    expected = result(tmp_path)
    (tmp_path / "here").symlink_to(dump)
    assert result(tmp_path, path, **rules) == expected


def test_the_hash_is_of_the_files_that_are_read(tmp_path: Path) -> None:
    def digest(**rules: Any) -> str:
        return source_hash(SourceRules(path=SITE, format="stackexchange", **rules), tmp_path)

    write(tmp_path, *WHOLE, comments=COMMENTS)
    before, both = digest(), digest(comments=True)
    assert before != both
    write(tmp_path, *WHOLE, comments=COMMENTS[:1])
    assert (digest(), digest(comments=True) != both) == (before, True)
    write(tmp_path, *WHOLE[:4])
    assert digest() != before


def pack(folder: Path, name: str, *files: str, inside: str = "") -> Path:
    py7zr = pytest.importorskip("py7zr", reason="py7zr is in the extra `stackexchange`")
    with py7zr.SevenZipFile(folder / name, "w") as archive:
        for file in files:
            archive.write(folder / SITE / file, f"{inside}{file}")
    return folder / name


@pytest.mark.parametrize("inside", ["", "dump/"])
def test_an_archive_gives_what_its_folder_gives(tmp_path: Path, inside: str) -> None:
    write(tmp_path, *WHOLE, comments=COMMENTS)
    # As published: comments before posts, and files that are not read.
    (tmp_path / SITE / "Badges.xml").write_text("<not a badge")
    pack(tmp_path, f"{SITE}.7z", "Badges.xml", "Comments.xml", "Posts.xml", inside=inside)
    assert result(tmp_path, f"{SITE}.7z", comments=True) == result(tmp_path, comments=True)
    assert not list(tmp_path.glob("dump*")), "nothing was unpacked"


def test_an_archive_that_is_of_no_use_is_an_error(tmp_path: Path) -> None:
    dump = write(tmp_path, *WHOLE)
    whole = pack(tmp_path, f"{SITE}.7z", "Posts.xml")
    with pytest.raises(SourceError, match=r"\.7z: holds no Comments.xml"):
        result(tmp_path, f"{SITE}.7z", comments=True)
    whole.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(SourceError, match=r"\.7z: is not a whole \.7z archive"):
        result(tmp_path, f"{SITE}.7z")
    (dump / "Posts.xml").write_text(xml("posts", WHOLE)[:-400], encoding="utf-8")
    pack(tmp_path, f"{SITE}.7z", "Posts.xml")
    with pytest.raises(SourceError, match=r"\.7z/Posts\.xml:6: the file ends in the middle"):
        result(tmp_path, f"{SITE}.7z")


def test_without_the_extra_an_archive_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "py7zr", None)
    (tmp_path / f"{SITE}.7z").write_bytes(b"7z\xbc\xaf\x27\x1c")
    with pytest.raises(SourceError, match=re.escape(install("stackexchange"))) as caught:
        result(tmp_path, f"{SITE}.7z")
    assert "or unpack the archive" in caught.value.fix


USELESS: dict[str, tuple[str | None, dict[str, Any], tuple[str, ...]]] = {
    "no folder": (None, {}, ("no such file or folder", "relative to")),
    "a folder without the dump": (None, {"path": "."}, ("Posts.xml: no such file", "folder")),
    "no comments": (xml("posts", WHOLE), {"comments": True}, ("Comments.xml: no such", "false")),
    "an empty file": ("", {}, ("Posts.xml: the file is empty", "again")),
    "another file of the dump": (xml("users", []), {}, ("<users>, not <posts>", "Posts.xml")),
    "not XML": ("Id,Title\n1,x\n", {}, ("Posts.xml:1: not XML", "again")),
    "a file cut in the middle": (
        xml("posts", WHOLE)[:-400], {}, ("Posts.xml:6: the file ends in the middle", "again"),
    ),
    "entities that multiply": (
        HEAD + '<!DOCTYPE posts [<!ENTITY a "aa">]>\n<posts/>', {}, ("document type", "Do not"),
    ),
    "a document type elsewhere": (
        HEAD + '<!DOCTYPE posts SYSTEM "http://x/y.dtd">\n<posts/>', {}, ("Posts.xml:2",),
    ),
    "no rows": (xml("posts", []), {}, ("no rows",)),
    "not one item": (xml("posts", WHOLE[:1]), {}, ("not one usable row: too_few_posts 1",)),
}  # fmt: skip


@pytest.mark.parametrize(("content", "rules", "says"), USELESS.values(), ids=USELESS.keys())
def test_a_dump_of_no_use_is_an_error_that_says_where_and_what_to_do(
    tmp_path: Path, content: str | None, rules: dict[str, Any], says: tuple[str, ...]
) -> None:
    if content is not None:
        (tmp_path / SITE).mkdir()
        (tmp_path / SITE / "Posts.xml").write_text(content, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        result(tmp_path, **{"path": SITE, **rules})
    assert str(tmp_path) in caught.value.where
    assert caught.value.fix
    for words in says:
        assert words in str(caught.value)


def test_a_row_that_never_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pairwright.sources.stackexchange.rows.LONGEST", 1000)
    long = question(1, 1, "x", Body="b" * 3_000_000)
    with pytest.raises(SourceError, match=r"Posts.xml:\d+: a row of more than 1,000 bytes"):
        of_dump(tmp_path, long)


@pytest.mark.parametrize("site", ["https://cooking.stackexchange.com", "cooking", "A.b", ""])
def test_a_site_is_a_host(site: str) -> None:
    with pytest.raises(ValueError, match="is not a host such as"):
        SourceRules(path="x", format="stackexchange", site=site)


def test_a_site_is_one_of_stack_exchange_and_told_by_the_folder_or_set(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE).rename(tmp_path / "cooking")
    with pytest.raises(SourceError, match=r"which site this is(.|\n)*Set `site`"):
        result(tmp_path, "cooking")
    with pytest.raises(SourceError, match="is not the host of a Stack Exchange site"):
        result(tmp_path, "cooking", site="example.org")


def test_keys_of_another_format_are_refused() -> None:
    with pytest.raises(ValueError, match="comments goes with format = 'stackexchange'"):
        SourceRules(path="x", comments=True)
    with pytest.raises(ValueError, match="targets goes with"):
        SourceRules(path="x", targets=2)


def test_a_site_of_no_domain_says_what_to_write_into_which_files(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE).rename(tmp_path / "chess.stackexchange.com")
    with pytest.raises(SourceError) as caught:
        result(tmp_path, "chess.stackexchange.com")
    assert "'chess' is in no domain" in caught.value.what
    for said in ('also = ["chess"]', "Home.toml in rubrics"):
        assert said in caught.value.fix
    # The files of the installation are not to be edited.
    rules = SourceRules(path="chess.stackexchange.com", format="stackexchange")
    with pytest.raises(SourceError, match="`pairwright init` writes copies to edit"):
        next(read(rules, Domains.load(RUBRICS), tmp_path))


@pytest.mark.parametrize("path", [SITE, f"{SITE}/Posts.xml", f"{SITE}.7z"])
def test_a_dump_under_another_format_says_which_to_set(tmp_path: Path, path: str) -> None:
    write(tmp_path, *WHOLE)
    (tmp_path / f"{SITE}.7z").write_bytes(b"7z")
    with pytest.raises(SourceError, match='format = "stackexchange"'):
        next(read(SourceRules(path=path), DOMAINS, tmp_path))


# ---- real dumps


@needs_dumps
def test_a_real_dump_comes_in_whole() -> None:
    domains = Domains([DOMAINS.by_key["Home"].model_copy(update={"also": ("coffee",)})], Path())
    rules = SourceRules(
        path=str(DUMPS / "coffee"), format="stackexchange", site="coffee.stackexchange.com"
    )
    found = list(read(rules, domains, Path()))
    users = [item for item in found if isinstance(item, Item)]
    assert len(users) == len({item.user for item in users}) == 34
    for item in users:
        times = [post.created or "" for post in item.profile]
        assert times == sorted(times)
        assert times[-1] < (item.created or "")
        assert not any("<p>" in post.text or "&amp;" in post.text for post in item.profile)
    reasons = Counter(one.reason for one in found if isinstance(one, SourceProblem))
    assert reasons["unanswerable_title"] < 0.05 * (reasons["unanswerable_title"] + 225)
