"""A site's dump becomes its users' questions, each with what that user wrote before it."""

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
from pairwright.records import Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import Problems, read, source_hash
from pairwright.sources.titles import why_unanswerable

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


def write(folder: Path, *posts: dict[str, Any]) -> Path:
    """A dump in a folder of the site's name."""
    dump = folder / SITE
    dump.mkdir(exist_ok=True)
    (dump / "Posts.xml").write_text(xml("posts", posts), encoding="utf-8")
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
    # A post that stands in two profiles is spoken of once.
    got = result(tmp_path, targets="all")
    assert Counter((p.reason, p.where) for p in got.problems).most_common(1)[0][1] == 1
    assert ("too_few_posts", "Posts.xml:5", f"{SITE}/users/7") in got.refused()


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


def test_the_hash_is_of_the_posts(tmp_path: Path) -> None:
    def digest() -> str:
        return source_hash(SourceRules(path=SITE, format="stackexchange"), tmp_path)

    write(tmp_path, *WHOLE)
    before = digest()
    (tmp_path / SITE / "Comments.xml").write_text("<comments/>")
    assert digest() == before
    write(tmp_path, *WHOLE[:4])
    assert digest() != before


@pytest.mark.parametrize(
    "line",
    [
        "<!DOCTYPE posts>",
        '<!DOCTYPE posts SYSTEM "http://x/y.dtd">',
        '<!DOCTYPE posts PUBLIC "-//X//Y" "y.dtd">',
        "<!DOCTYPE posts [<!ELEMENT posts ANY>]>",
    ],
)
def test_a_line_with_a_document_type_is_harmless(tmp_path: Path, line: str) -> None:
    dump = write(tmp_path, *WHOLE)
    expected = result(tmp_path)
    content = (dump / "Posts.xml").read_text(encoding="utf-8")
    (dump / "Posts.xml").write_text(content.replace("?>\n", f"?>{line}\n"), encoding="utf-8")
    assert result(tmp_path) == expected


def test_the_default_category_stands_in_for_a_site_of_no_domain(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE).rename(tmp_path / "chess.stackexchange.com")
    item = result(tmp_path, "chess.stackexchange.com", default_category="movies").item
    assert (item.id, item.category, item.domain) == ("chess_4", "movies", "Home")
    assert item.source_url == "https://chess.stackexchange.com/q/4"
    write(tmp_path, *WHOLE)
    assert result(tmp_path, default_category="movies").item.category == "cooking"


USELESS: dict[str, tuple[str | None, dict[str, Any], tuple[str, ...]]] = {
    "no folder": (None, {}, ("no such file or folder", "relative to")),
    "a folder without the dump": (None, {"path": "."}, ("Posts.xml: no such file", "folder")),
    "an empty file": ("", {}, ("Posts.xml: the file is empty", "again")),
    "another file of the dump": (xml("users", []), {}, ("<users>, not <posts>", "Posts.xml")),
    "not XML": ("Id,Title\n1,x\n", {}, ("Posts.xml:1: not XML", "again")),
    "a file cut in the middle": (
        xml("posts", WHOLE)[:-400], {}, ("Posts.xml:6: the file ends in the middle", "again"),
    ),
    "entities that multiply": (
        HEAD + '<!DOCTYPE posts [<!ENTITY a "aa">]>\n<posts/>', {},
        ("declares an entity", "Do not"),
    ),
    "an entity elsewhere": (
        HEAD + '<!DOCTYPE posts [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<posts/>', {},
        ("Posts.xml:2: declares an entity",),
    ),
    "parameter entities": (
        HEAD + '<!DOCTYPE posts [<!ENTITY % a SYSTEM "x.dtd"> %a;]>\n<posts/>', {},
        ("Posts.xml:2: declares an entity",),
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


def test_an_archive_is_to_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / f"{SITE}.7z").write_bytes(b"7z")
    with pytest.raises(SourceError, match=r"neither a folder nor an \.xml(.|\n)*7z x cooking"):
        result(tmp_path, f"{SITE}.7z")


def test_a_row_that_never_ends_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pairwright.sources.dumps.LONGEST", 1000)
    long = question(1, 1, "x", Body="b" * 3_000_000)
    with pytest.raises(SourceError, match=r"Posts.xml:\d+: a row of more than 1,000 bytes"):
        of_dump(tmp_path, long)


def test_a_site_is_one_of_stack_exchange_and_told_by_the_folder_or_set(tmp_path: Path) -> None:
    write(tmp_path, *WHOLE).rename(tmp_path / "cooking")
    with pytest.raises(SourceError, match=r"which site this is(.|\n)*Set `site`"):
        result(tmp_path, "cooking")
    with pytest.raises(SourceError, match="is not the host of a Stack Exchange site"):
        result(tmp_path, "cooking", site="example.org")


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
        next(read(rules, Domains.load(RUBRICS), tmp_path, Problems()))


@pytest.mark.parametrize("path", [SITE, f"{SITE}/Posts.xml"])
def test_a_dump_under_another_format_says_which_to_set(tmp_path: Path, path: str) -> None:
    write(tmp_path, *WHOLE)
    with pytest.raises(SourceError, match='format = "stackexchange"'):
        next(read(SourceRules(path=path), DOMAINS, tmp_path, Problems()))


# ---- real dumps


@needs_dumps
def test_a_real_dump_comes_in_whole() -> None:
    domains = Domains([DOMAINS.by_key["Home"].model_copy(update={"also": ("coffee",)})], Path())
    rules = SourceRules(
        path=str(DUMPS / "coffee"), format="stackexchange", site="coffee.stackexchange.com"
    )
    problems = Problems()
    users = list(read(rules, domains, Path(), problems))
    assert len(users) == len({item.user for item in users}) == 34
    for item in users:
        times = [post.created or "" for post in item.profile]
        assert times == sorted(times)
        assert times[-1] < (item.created or "")
        assert not any("<p>" in post.text or "&amp;" in post.text for post in item.profile)
    reasons = problems.counts("refused")
    assert reasons["unanswerable_title"] < 0.05 * (reasons["unanswerable_title"] + 225)
