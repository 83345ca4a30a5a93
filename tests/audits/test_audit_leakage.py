"""The audit's part on leakage: what a pair gives away that its reader is not to know."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from audited import checks_of, line
from pairwright.audits.records import Check
from pairwright.pairs import Row, RowAspect, RowPost

QUESTION = "How do I get the smell of smoke out of an old wool coat?"
NARRATIVE = "My grandfather left me his coat and he smoked a pipe in it for forty years at sea."
POST = "Which thread is strong enough to mend the lining of a heavy coat without puckering it?"
ASPECT = RowAspect(
    aspect="Keeps the colour of inherited cloth unchanged",
    evidence="mend the lining of a heavy coat without puckering it",
    post_ids=("p1",),
)


def row(id: str = "pair-1", **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "id": id, "question": QUESTION, "narrative": NARRATIVE, "rubric_aspects": (ASPECT,),
        "profile": (RowPost(id="p1", text=POST, created="2023-01-01T00:00:00"),),
        "chosen": "Air it in the shade for a week.", "rejected": "Wash it hot and tumble it dry.",
        "domain": "Home", "mode": "violate", "user": "user-1", "created": "2024-01-01T00:00:00",
    }  # fmt: skip
    return Row(**{**fields, **changes})


def post(words: str, **changes: Any) -> RowPost:
    return RowPost(id="p", text=words, **changes)


def found(rows: Iterable[Row | tuple[Row, str]], name: str = "") -> list[Check]:
    lines = (given if isinstance(given, Row) else line(*given) for given in rows)
    return checks_of(lines, "leakage", name=name)


def only(*given: Any, **more: Any) -> Check:
    (check,) = found(*given, **more)
    return check


def flagged(check: Check) -> list[str]:
    return [flag.row for flag in check.flags]


# Faults of one row


LEAKS = [
    "A lining keeps the colour of inherited cloth unchanged.",
    "For that, which thread is enough to mend? Mend the LINING of a heavy coat without hurry.",
    "So he smoked a pipe in it for forty years, I take it.",
]
"""Of a whole aspect, of evidence and of the narrative."""
GREEN_TEA = (
    "\u6211\u6bcf\u5929\u65e9\u4e0a\u559d\u4e00\u676f\u4e0d\u52a0\u7cd6\u7684\u7eff\u8336" * 2
)
DAY = "2024-01-01"


def after(*words: str) -> dict[str, Any]:
    """These posts after one that says nothing."""
    return {"profile": (post(POST), *map(post, words))}


def at(created: str | None, asked: str = "2024-01-01T00:00:00") -> dict[str, Any]:
    """A second post of this time."""
    first = post(POST, created="2020-01-01T00:00:00")
    return {"profile": (first, post("Something.", created=created)), "created": asked}


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    *(("rubric_leak", {"chosen": response}, 'chosen: "') for response in LEAKS),
    ("response_in_profile",
     {"profile": (post(f"{GREEN_TEA}\u3002\u597d"),), "rejected": GREEN_TEA},
     "rejected: all of it is in post 1 of its profile"),
    ("response_in_profile", {"chosen": f"I would ask: {POST} Ask twice, and then once more."},
     "chosen: 12 words in a row are in post 1 of its profile"),
    ("response_in_profile", {"rejected": "Which thread is strong enough to mend the sail? None."},
     "rejected: 8 words in a row are in post 1 of its profile"),
    ("target_in_profile", after(f"Edited: {QUESTION.lower()} Thanks to all of you."),
     "post 2 of its profile repeats the question"),
    ("target_in_profile", after(f"{NARRATIVE} Well?"),
     "post 2 of its profile repeats the narrative"),
    ("later_post", at("2025-01-01T00:00:00"), ""),
    *(("later_post", at(day, "2024-01-01T09:00:00.000"), DAY)
      for day in ("2024-01-01", "2024-01-01T00:00:00.000", "2024-01-01 00:00")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "said"), FAULTS, ids=lambda of: of if isinstance(of, str) else ""
)
def test_a_leak_is_found_with_its_place(name: str, changes: dict[str, Any], said: str) -> None:
    check = only([row("clean"), row("leak", **changes)], name)
    assert (check.status, check.count, check.of, check.limit) == ("fail", 1, 2, 0.0)
    assert flagged(check) == ["leak"]
    assert said in check.flags[0].detail


CLEAN: dict[str, list[dict[str, Any]]] = {
    "rubric_leak": [
        {"chosen": response, "narrative": f"{NARRATIVE} {QUESTION}"}
        for response in (
            "It keeps the colour of inherited cloth.",
            "Pipe smoke? If he smoked a pipe, then for forty years.",
            "I get the smell of smoke out of an old wool coat by airing it.",
            "of inherited cloth unchanged mend the lining of a",
        )
    ],
    "response_in_profile": [
        {"profile": (post(words),), "chosen": response}
        for words, response in (
            # Seven words of fifteen, those of the question, one word, another order.
            (POST, "Which thread is strong enough to mend a sail? Try a waxed one of linen."),
            (f"{QUESTION} Thanks.", f"{QUESTION} Air it in the shade for a week."),
            ("a b c d e f g h i j k l m n o p", "p o n m l k j i h g f e d c b a"),
        )
    ],
    "target_in_profile": [
        after("How do I get the smell of garlic off my hands after I cook?"),
        after("\U0001f9e5\U0001f9e5\U0001f9e5"),
    ],
    "later_post": [
        at("2023-12-31T23:59:59.999"), at("2023-12-31"), at("2023-12-31T00:00:00.000"), at(None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CLEAN)
def test_what_only_looks_like_a_leak_is_let_be(name: str) -> None:
    for changes in CLEAN[name]:
        check = only([row(**changes)], name)
        assert (check.status, check.count, check.of) == ("pass", 0, 1), changes


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("rubric_leak", {"rubric_aspects": (), "narrative": None}, "aspects"),
        ("later_post", {"created": None}, ""),
        ("near_duplicate_posts", {"profile": ()}, "no row names its user and has a post"),
        ("near_duplicate_questions", {"user": None}, ""),
    ],
)
def test_nothing_to_leak_is_said(name: str, changes: dict[str, Any], said: str) -> None:
    check = only([row(**changes), row(**changes)], name)
    assert (check.status, check.of) == ("note", 0)
    assert said in check.detail


# Responses and the profile


# Near-duplicates


def plain(id: str, user: str | None, question: str, *posts: str, **changes: Any) -> Row:
    profile = tuple(post(words) for words in posts)
    return row(id, user=user, question=question, profile=profile, **changes)


def long_text(seed: int, words: int = 80) -> list[str]:
    chance = random.Random(seed)
    return [f"w{chance.randrange(5000)}" for _ in range(words)]


def changed(words: list[str], places: Iterable[int]) -> str:
    return " ".join("other" if n in set(places) else word for n, word in enumerate(words))


ALONE = [f"{words}, which stands quite alone?" for words in ("A question", "Another", "A third")]
COPIED, OTHER = long_text(1), long_text(2)
ALIKE: dict[str, tuple[list[Row], list[str], list[str]]] = {
    "two users ask the same": (
        [plain("a", "u1", QUESTION), plain("b", "u2", ALONE[0]),
         plain("c", "u3", QUESTION.upper().replace("?", ""))],
        ["a", "c"], [],
    ),
    "one user asks twice, or it is a twin": (
        [plain("a", "u1", QUESTION, mode="twin", twin_id="t1"),
         plain("b", "u2", QUESTION, mode="twin", twin_id="t1", asked=False),
         plain("c", "u1", QUESTION)],
        [], [],
    ),
    "four words are alike by chance": (
        [plain(f"r{n}", f"u{n}", "What film is this?") for n in range(3)], [], []
    ),
    "five are not": (
        [plain(f"r{n}", f"u{n}", "What old film is this?") for n in range(3)],
        ["r0", "r1", "r2"], [],
    ),
    "posts differ in a word, or in many": (
        [plain("a", "u1", ALONE[0], "Nothing of note here at all.", " ".join(COPIED)),
         plain("b", "u2", ALONE[1], changed(COPIED, [40])),
         plain("c", "u3", ALONE[2], changed(COPIED, range(0, 80, 4)))],
        [], ["a", "b"],
    ),
    "a post is in many rows": (
        [plain(f"r{n}", f"u{n // 3}", f"Number {n} of a dozen, and of which?", " ".join(OTHER))
         for n in range(12)],
        # Of the first user's three rows the first stands for all.
        [], ["r0", *(f"r{n}" for n in range(3, 12))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ALIKE)
def test_questions_and_posts_of_two_users_that_are_nearly_alike_are_found(what: str) -> None:
    rows, questions, posts = ALIKE[what]
    found = [only(rows, f"near_duplicate_{of}") for of in ("questions", "posts")]
    assert [flagged(check) for check in found] == [questions, posts]
    assert {check.status for check in found if check.count} <= {"fail"}


def test_natural_twins_put_one_question_to_many_users_on_purpose() -> None:
    rows = [plain(f"r{n}", f"u{n}", QUESTION, mode="natural") for n in range(3)]
    assert only(rows, "near_duplicate_questions").of == 0


def test_people_and_near_duplicates_in_two_splits_are_found() -> None:
    words = long_text(4)
    first = plain("a", "u1", "A question that stands alone?", " ".join(words), dyad="d1")
    near = plain("b", "u2", "Another question, unlike the first?", changed(words, [3]), dyad="d2")
    same = plain("c", "u1", "A third question by the first user?", dyad="d3")
    dyad = plain("d", "u4", "A fourth question of a known dyad?", dyad="d2")
    rows = [(first, "test"), (near, "validation"), (same, "validation"), (dyad, "test")]
    people = only(rows, "people_across_splits")
    assert (people.status, flagged(people)) == ("fail", ["c", "d"])
    assert people.flags[0].detail == "in validation, and in test"
    texts = only(rows, "near_duplicates_across_splits")
    assert (texts.status, flagged(texts)) == ("fail", ["a", "b"])


def test_the_same_rows_in_one_split_and_without_splits_are_let_be() -> None:
    rows = [plain("a", "u1", QUESTION, dyad="d1"), plain("b", "u1", QUESTION, dyad="d1")]
    for name in ("people_across_splits", "near_duplicates_across_splits"):
        assert only([(r, "test") for r in rows], name).count == 0
        check = only(rows, name)
        assert (check.status, check.of) == ("note", 0)
