"""The audit's part on integrity: whether rows are what they say they are."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from audited import checks_of
from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.records import Check
from pairwright.pairs import Row, RowAspect, RowPost
from pairwright.pairs.row import derived_twin_id

FIRST = "I keep bees behind the greenhouse and the smoke bothers my neighbour."
SECOND = "My neighbour's child is allergic to \u201cpollen\u201d, so she tells me."
ASPECTS = (
    RowAspect(aspect="Considers the neighbour", evidence="smoke bothers", post_ids=("p1",)),
    RowAspect(aspect="Names the risk of an allergy", evidence='to "pollen"', post_ids=("p2",)),
)


def post(id: str, words: str, created: str | None = None) -> RowPost:
    return RowPost(id=id, text=words, created=created)


POSTS = (post("p1", FIRST, "2023-01-01T00:00:00"), post("p2", SECOND, "2023-02-01T00:00:00.5"))


def row(number: int = 1, **changes: Any) -> Row:
    """A row without a fault, named for its content."""
    fields: dict[str, Any] = {
        "id": "", "question": f"Where do I put hive number {number}?", "profile": POSTS,
        "rubric_aspects": ASPECTS, "chosen": f"By hedge number {number}.",
        "rejected": f"On roof number {number}.", "item_id": f"item-{number}", "domain": "Garden",
        "mode": "violate", "user": f"user-{number}", "aspects_origin": "planner",
        "created": "2024-01-01T00:00:00",
    }  # fmt: skip
    made = Row(**{**fields, **changes})
    return made if made.id or not made.mode else _named(made)


def _named(made: Row) -> Row:
    return made.model_copy(update={"id": made.derived_id()})


def twin(number: int = 1) -> tuple[Row, Row]:
    asked = row(number, mode="twin")
    other = asked.model_copy(
        update={"user": "partner", "asked": False, "chosen": asked.rejected,
                "rejected": asked.chosen}
    )  # fmt: skip
    name = derived_twin_id(asked, other)
    return tuple(_named(half.model_copy(update={"twin_id": name})) for half in (asked, other))  # type: ignore[return-value]


def changed(given: Row, **changes: Any) -> Row:
    return given.model_copy(update=changes)


def checks(rows: Iterable[Row], name: str = "") -> list[Check]:
    return checks_of(rows, "integrity", name=name)


def only(rows: Iterable[Row], name: str) -> Check:
    (check,) = checks(rows, name)
    return check


def test_every_check_is_explained_and_speaks_of_no_rows_too() -> None:
    named = {check.name for check in checks([row(), row(2, mode=None, id="x")])}
    known = {name for name, one in DEFINITIONS.items() if one.family == "integrity"}
    assert named == known - {"unreadable_rows", "ties", "read_as"}
    assert {check.status for check in checks([])} == {"note"}


# Faults of one row


def aspect(words: str, evidence: str = "", *posts: str) -> RowAspect:
    return RowAspect(aspect=words, evidence=evidence, post_ids=posts)


def sides(chosen: str, rejected: str) -> dict[str, Any]:
    return {"chosen": chosen, "rejected": rejected}


def evidence(told: str, *posts: str) -> dict[str, Any]:
    """The second aspect rests on this."""
    return {"rubric_aspects": (ASPECTS[0], aspect("A", told, *posts))}


HIDDEN = [
    ("zero width space", "a\u200bb"), ("soft hyphen", "gar\u00adden"),
    ("change of direction", "a \u202eb"), ("tag character", "a\U000e0041\U000e0042b"),
    ("line separator", "a\u2028b\u0085"), ("blank character", "a \u3164 b\u2800"),
]  # fmt: skip
NO_ANSWERS = [
    "N/A", "...", "[deleted]", "[INSERT RESPONSE HERE]", "Error 429: Too Many Requests", "TODO",
    "Rate limit exceeded, try again in 20s", "<think>I should say so.</think> Yes.",
    "Dear [Your Name], it is so.", "Hello {{ name }}", "Yes.<|im_end|>", "An error occurred.",
]  # fmt: skip
FAULTS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "same_sides": [
        (sides("Put it there.", "Put it there."), "both sides are the same"),
        (sides("Put it there.", "Put  it\n\nth\u200bere. "), "both sides are the same but for"),
        (sides("Caf\u00e9 there.", "Cafe\u0301 there."), "both sides are the same but for"),
    ],
    "evidence_missing": [
        (evidence("smoke bothers the dog", "p1"), "aspect 2's evidence is not in a post"),
        (evidence("smoke bothers", "p2"), "aspect 2's evidence is not in a post"),
        (evidence("smoke bothers\nwas never said", "p1", "p2"), "aspect 2's evidence is not in"),
        (evidence("smoke bothers", "p9"), "aspect 2's evidence is not in a post that it"),
        (evidence(" ", "p1"), "aspect 2 has no evidence"),
        (evidence("") | {"aspects_origin": "planner"}, "aspect 2 names none of the row's posts"),
    ],
    "profile_empty": [({"profile": ()}, "no posts")],
    "empty_text": [
        ({"question": " \n"}, "question is empty"),
        ({"rejected": "\u2003"}, "rejected is empty"),
        ({"profile": (*POSTS, post("p3", ""))}, "post 3 is empty"),
    ],
    "encoding": [
        ({"chosen": "a \ufffd b"}, "replacement in chosen"),
        ({"chosen": "\ufeffa"}, "byte order mark in chosen"),
        *(({"chosen": words}, "control in chosen") for words in ("a\x00b", "a\x1b[0m", "a\x92s")),
        *(({"chosen": words}, "mojibake in chosen") for words in ("cafÃ©", "donâ€™t", "Ã\xa0 la")),
    ],
    "hidden_characters": [({"chosen": words}, f"{kind} in chosen") for kind, words in HIDDEN],
    "no_answer": [
        *(({"rejected": words}, "rejected ") for words in NO_ANSWERS),
        ({"chosen": "WHERE DO I PUT  HIVE NUMBER 2?"}, "chosen is the question"),
    ],
    "duplicate_id": [({"id": "r1"}, "an earlier row has this id")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [(name, *case) for name, cases in FAULTS.items() for case in cases],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_fault_of_a_row_is_found(name: str, changes: dict[str, Any], said: str) -> None:
    faulty = changed(row(2), **changes)
    check = only([row(1, id="r1"), faulty], name)
    assert (check.status, check.count, check.of) == ("fail", 1, 2)
    assert (check.flags[0].row, check.flags[0].detail[: len(said)]) == (faulty.id, said)


SOUND: dict[str, list[dict[str, Any]]] = {
    "same_sides": [
        sides("9n-4", "9n+4"), sides("C", "C++"), sides("A", "a"), sides("Is it?", "Is it!"),
        sides("if a:\n    b\nc", "if a:\n    b\n    c"), sides("\U0001f600", "\U0001f601"),
    ],
    "evidence_missing": [
        evidence('"SMOKE  bothers my neighbour."', "p1"),
        evidence("is allergic to \u201cpollen\u201d", "p2"),
        evidence("\u300callergic to \u201epollen\u201c\u300d\u3002", "p2"),
        evidence("Allergic to\nsmoke bothers", "p2", "p1"),
    ],
    "encoding": [{"chosen": words} for words in (
        "NÃO, À MÃE", "Âge, forêt, château", "20 °C", "tab\tand\r\nline", "שלום", "日本語", "Ð²",
    )],
    "no_answer": [{"chosen": words} for words in (
        "7", "No.", "\U0001f44d", "C++", "An error in line 3 is the cause.", "$5", "x[i]",
        "The error: 429 is sent by the server.", "None of them fits you.", "[1, 2]",
    )],
    "hidden_characters": [{"chosen": words} for words in (
        "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "Qui\u00a0?", "5\u00a0km",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937",
        "\u05e9\u05dc\u05d5\u05dd\u200f (a)", "\u03b2-carotene, 5 \u03bcm", "\u0394x = \u03c1gh",
    )],
}  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_a_row_that_only_looks_faulty_is_sound(name: str) -> None:
    for changes in SOUND[name]:
        assert only([row(1), changed(row(2), **changes)], name).count == 0, changes


@pytest.mark.parametrize("name", ["encoding", "hidden_characters", "no_answer"])
def test_one_row_in_100_may_be_garbled(name: str) -> None:
    changes = FAULTS[name][0][0]
    rows = [row(n) for n in range(99)]
    bad = [changed(row(n), **changes) for n in (100, 101)]
    one, two = only([*rows, bad[0]], name), only([*rows[1:], *bad], name)
    assert (one.status, one.count, one.of) == ("pass", 1, 100)
    assert (two.status, two.count, two.of) == ("fail", 2, 100)


# Labels


def plain(id: str, chosen: str, rejected: str, **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "mode": None, "user": None, "profile": (), "question": "What is best?",
        "rubric_aspects": (), "created": None,
    }  # fmt: skip
    return row(id=id, chosen=chosen, rejected=rejected, **{**fields, **changes})


ONE_TWO, TWO_ONE = ("One.", "Two."), ("Two.", "One.")
BESIDE: list[tuple[tuple[str, str], tuple[str, str], dict[str, Any], str]] = [
    (ONE_TWO, ("Two. ", " One."), {"question": "What  is best?"}, "contradiction"),
    (ONE_TWO, ("Two ...", "One."), {}, "contradiction"),
    (ONE_TWO, ONE_TWO, {}, "duplicate_pair"),
    (ONE_TWO, TWO_ONE, {"question": "What is worst?"}, ""),
    (ONE_TWO, TWO_ONE, {"user": "u2"}, ""),
    (ONE_TWO, TWO_ONE, {"profile": POSTS}, ""),
    (ONE_TWO, ("TWO.", "One."), {}, ""),
    (("x == 1", "x = 2"), ("x = 2", "x != 1"), {}, ""),
    (("C", "Else."), ("Else.", "C++"), {}, ""),
]


@pytest.mark.parametrize(("first", "second", "changes", "name"), BESIDE, ids=str)
def test_two_labels_on_one_prompt_contradict_repeat_or_have_nothing_to_do_with_each_other(
    first: tuple[str, str], second: tuple[str, str], changes: dict[str, Any], name: str
) -> None:
    user = "u1" if "user" in changes else None
    rows = [plain("a", *first, user=user), plain("b", *second, **changes)]
    found = {one: only(rows, one) for one in ("contradiction", "duplicate_pair")}
    assert {one: check.count for one, check in found.items() if check.count} == (
        {name: 1} if name else {}
    )
    if name:
        detail = "the opposite of a" if name == "contradiction" else "the same as a"
        (flag,) = found[name].flags
        assert (found[name].status, flag.row, flag.detail) == ("fail", "b", detail)


# Twins


def test_a_twin_with_one_half_lost_is_caught() -> None:
    check = only([*twin(1), twin(2)[0], *twin(3)], "twin_not_whole")
    assert (check.status, check.count, check.of) == ("fail", 1, 5)
    assert check.flags[0].detail == "its other side is not there"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda of: changed(of, question="Another?"), "different questions"),
        (lambda of: changed(of, item_id="other"), "different questions"),
        (lambda of: changed(of, domain="Home"), "the sides are in"),
        (lambda of: changed(of, chosen="New."), "responses swapped"),
        (lambda of: changed(of, chosen=of.rejected, rejected=of.chosen), "responses swapped"),
        (lambda of: changed(of, user="user-1"), "two different users"),
        (lambda of: changed(of, asked=True), "both sides"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_odd_halves_are_caught(spoil: Callable[[Row], Row], said: str, turned: bool) -> None:
    first, second = twin(1)
    rows = [first, spoil(second)]
    check = only(rows[::-1] if turned else rows, "twin_not_whole")
    assert (check.status, check.count) == ("fail", 2)
    assert said in check.flags[0].detail


def test_a_third_half_and_a_twin_without_a_name_are_caught() -> None:
    third = changed(twin(1)[0], id="third")
    check = only([*twin(1), third, row(2, mode="twin")], "twin_not_whole")
    assert [f.row for f in check.flags] == ["third", row(2, mode="twin").id]


# Aspects


def test_what_a_check_quotes_of_a_text_is_masked() -> None:
    told = "write to jane.doe@mail.kitchen.org"
    check = only([row(rubric_aspects=(aspect("Considers Jane", told, "p1"),))], "evidence_missing")
    assert "j***.***@****.*******.***" in check.flags[0].detail


def test_evidence_of_others_stands_in_a_post_or_the_narrative() -> None:
    firm = (aspect("One", "smoke bothers my neighbour"), aspect("Two", "afraid of bees"))
    made_up = (aspect("One", "I am the mayor of this town"), aspect("Two"))
    rows = [
        row(n, id=f"r{n}", mode=None, aspects_origin=None, narrative="I am afraid of bees.",
            rubric_aspects=firm if n > 1 else made_up)
        for n in range(100)
    ]  # fmt: skip
    check = only(rows, "evidence_missing")
    assert (check.status, check.count, check.of) == ("fail", 2, 100)
    assert "is not in a post or the narrative: I am the mayor" in check.flags[0].detail
    assert only([r for r in rows if r.rubric_aspects == firm], "evidence_missing").count == 0


# Profiles


def test_one_row_of_others_in_a_hundred_may_have_no_profile() -> None:
    others = [row(n, id=str(n), mode=None) for n in range(200)]
    empty = [row(n, id=str(n), mode=None, profile=()) for n in range(200, 203)]
    assert only([*others, *empty[:2]], "profile_empty").status == "pass"
    assert only([*others, *empty], "profile_empty").status == "fail"
    none = only(empty, "profile_empty")
    assert (none.status, none.detail[:21]) == ("note", "no row has a profile:")


# Texts


def test_invisible_characters_of_posts_are_as_people_left_them() -> None:
    profile = (post("p1", f"{FIRST} a\u200bb", "2023-01-01T00:00:00"), POSTS[1])
    assert only([row(profile=profile)], "hidden_characters").count == 0


# Languages

ENGLISH = (
    "The hive should stand where the morning sun reaches it, far enough from the path that "
    "nobody who walks past is bothered by the bees that fly in and out."
)
GERMAN = (
    "Der Bienenstock sollte dort stehen, wo ihn die Morgensonne erreicht, und weit genug vom Weg "
    "entfernt, damit niemand von den Bienen belästigt wird, die ein und aus fliegen."
)


def spoken(number: int, rejected: str, **changes: Any) -> Row:
    return row(number, chosen=f"{ENGLISH} {number}", rejected=f"{rejected} {number}", **changes)


def test_sides_in_another_language_fail_where_they_are_many() -> None:
    rows = [spoken(n, GERMAN if n < 20 else ENGLISH) for n in range(100)]
    check = only(rows, "other_language")
    assert (check.status, check.count, check.of, check.limit) == ("fail", 20, 100, 0.05)
    assert check.flags[0].detail == "de, en on a question in en"
    # One row of nine may be over the limit by chance.
    assert only(rows[19:28], "other_language").status == "pass"
    german = tuple(post(f"p{n}", GERMAN) for n in range(2))
    asked: dict[str, Any] = {"question": GERMAN[:50], "profile": german}
    right = [row(n, **asked, chosen=f"{GERMAN}{n}", rejected=f"{n} {GERMAN}") for n in range(100)]
    assert only(right, "other_language").status == "pass"


def test_thirty_characters_of_chinese_tell_a_language() -> None:
    asked = "我住在一条窄船上，船上没有烤箱，只有一个煤气灶，怎样才能在工作日吃上好的面包呢？"
    chosen = "前一天晚上把面和好，慢慢发酵，第二天做成薄饼，用厚底锅盖上盖子小火煎熟。"
    rows = [row(n, question=asked, profile=(), chosen=chosen, rejected=ENGLISH) for n in range(9)]
    check = only(rows, "other_language")
    assert (check.count, check.of) == (9, 9)
    assert check.flags[0].detail == "en, zh on a question in zh"
    short = [row(n, question=asked[:20], profile=(), chosen=chosen) for n in range(9)]
    assert only(short, "other_language").of == 0


# Users and prompts


@pytest.mark.parametrize(
    ("per_user", "status"),
    [
        ([5, *[1] * 95], "pass"), ([6, *[1] * 94], "fail"), ([4, *[1] * 22], "fail"),
        ([3, *[1] * 20], "pass"), ([3, *[1] * 17], ""), ([50, 1], ""),
    ],
)  # fmt: skip
def test_a_user_dominates_with_more_than_three_shares(per_user: list[int], status: str) -> None:
    users = [user for user, n in enumerate(per_user) for _ in range(n)]
    rows = [row(n, user=f"user-{user:03}") for n, user in enumerate(users)]
    found = checks_of(rows, "balance", name="user_dominates")
    assert [check.status for check in found] == ([status] if status else [])
    flags = [flag.row for check in found for flag in check.flags]
    assert flags == ([rows[0].id] if status == "fail" else [])


# Hostile texts


@pytest.mark.parametrize(
    "hostile",
    ["word " * 500_000, "\U0001f600" * 100_000, "." * 500_000],
    ids=["2 MB", "emoji", "dots"],
)
def test_hostile_texts_are_worked_through(hostile: str) -> None:
    aspects = (aspect(hostile, hostile), aspect(hostile[1:], hostile + "x", "p1"))
    given = row(
        question=hostile, chosen=hostile, rejected=hostile + "x", narrative=hostile,
        profile=(post("p1", hostile, hostile),), rubric_aspects=aspects,
    )  # fmt: skip
    start = time.process_time()
    found = checks_of([given, given], "integrity", "leakage")
    assert time.process_time() - start < 20
    assert all(len(flag.detail) <= 120 for check in found for flag in check.flags)
