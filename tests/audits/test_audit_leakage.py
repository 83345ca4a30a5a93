"""The audit's part on leakage: what a pair gives away that its reader is not to know."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

import pytest

from audited import checks_of, line
from pairwright import text
from pairwright.audits.catalogue import names_of
from pairwright.audits.leakage import leakage_checks
from pairwright.audits.leakage.sketch import SIMILAR, TextSketches, hash_words, runs, similar
from pairwright.audits.records import Check
from pairwright.audits.row_check import KEPT, WIDTH, RowCheck
from pairwright.dataset import Row, RowAspect, RowPost

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


def found(
    rows: Iterable[Row | tuple[Row, str]], name: str = "", corpora: Iterable[str] | None = None
) -> list[Check]:
    lines = (given if isinstance(given, Row) else line(*given) for given in rows)
    return checks_of(leakage_checks(corpora), lines, name)


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
DAY = "2024-01-01 (a day, which counts as its end)"


def after(*words: str) -> dict[str, Any]:
    """These posts after one that says nothing."""
    return {"profile": (post(POST), *map(post, words))}


def at(created: str | None, asked: str = "2024-01-01T00:00:00") -> dict[str, Any]:
    """A second post of this time."""
    first = post(POST, created="2020-01-01T00:00:00")
    return {"profile": (first, post("Something.", created=created)), "created": asked}


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    *(
        ("rubric_leak", {side: response}, f'{side}: "')
        for side in ("chosen", "rejected")
        for response in LEAKS
    ),
    ("response_in_profile",
     {"profile": (post(f"{GREEN_TEA}\u3002\u597d"),), "rejected": GREEN_TEA},
     "rejected: all of it is in post 1 of its profile"),
    ("target_in_profile", after(QUESTION), "post 2 of its profile repeats the question"),
    ("target_in_profile", after(f"Edited: {QUESTION.lower()} Thanks to all of you."),
     "post 2 of its profile repeats the question"),
    ("target_in_profile", after(f"{NARRATIVE} Well?"),
     "post 2 of its profile repeats the narrative"),
    ("later_post", at("2024-01-01T00:00:00"), ""),
    ("later_post", at("2025-01-01T00:00:00"), ""),
    *(
        ("later_post", at(day, asked), DAY)
        for day in ("2024-01-01", "2024-01-01T00:00:00.000", "2024-01-01 00:00")
        for asked in (day, "2024-01-01T09:00:00.000")
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "changes", "said"), FAULTS, ids=lambda of: of if isinstance(of, str) else ""
)
def test_a_leak_is_found_with_its_place(name: str, changes: dict[str, Any], said: str) -> None:
    check = only([row("clean"), row("leak", **changes)], name)
    assert (check.status, check.count, check.of, check.limit) == ("fail", 1, 2, 0.0)
    assert flagged(check) == ["leak"]
    assert said in check.flags[0].detail
    if name == "rubric_leak":
        counts = "1, in the rejected of 0" if "chosen" in changes else "0, in the rejected of 1"
        assert check.detail == f"in the chosen side of {counts}"


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
            ("Yes. I do think so.", "Yes."),
            ("a b c d e f g h i j k l m n o p", "p o n m l k j i h g f e d c b a"),
        )
    ],
    "target_in_profile": [
        after("How do I get the smell of garlic off my hands after I cook?"),
        after("An old wool coat of mine has moths: what keeps the smell of camphor out?"),
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


def test_posts_without_a_time_are_told() -> None:
    assert "1 of 2 posts have no time" in only([row(**at(None))], "later_post").detail
    assert "no time" not in only([row(**at("2023-12-31"))], "later_post").detail


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("rubric_leak", {"rubric_aspects": (), "narrative": None}, "aspects"),
        ("later_post", {"created": None}, ""),
        ("later_post", {"profile": (post(POST),)}, ""),
        ("near_duplicate_posts", {"profile": ()}, "no row names its user and has a post"),
        ("near_duplicate_posts", {"user": None}, ""),
        ("near_duplicate_questions", {"user": None}, ""),
        ("corpus_overlap", {}, "no corpus"),
    ],
)
def test_nothing_to_leak_is_said(name: str, changes: dict[str, Any], said: str) -> None:
    check = only([row(**changes), row(**changes)], name)
    assert (check.status, check.of) == ("note", 0)
    assert said in check.detail


# Responses and the profile


def personal(n: int, planted: dict[int, dict[str, str]], **changes: Any) -> list[Row]:
    """Rows of which each has texts of its own, with the given texts planted in some."""
    made = []
    for number in range(n):
        chance = random.Random(number)
        words = [f"w{chance.randrange(4000)}" for _ in range(200)]
        profile = tuple(post(" ".join(words[at : at + 30])) for at in (0, 30, 60))
        sides = {"chosen": " ".join(words[90:120]), "rejected": " ".join(words[120:150])}
        sides |= planted.get(number, {})
        made.append(row(f"r{number}", mode=None, profile=profile, **sides, **changes))
    return made


COPIES: dict[str, Callable[[list[str]], str]] = {
    "all of it": lambda words: " ".join(words),
    "half": lambda words: " ".join([*words[:15], *(f"n{n}" for n in range(15))]),
    "fifteen words": lambda words: " ".join(
        [*(f"n{n}" for n in range(20)), *words[10:25], *(f"m{n}" for n in range(20))]
    ),
    "half of a short one": lambda words: " ".join([*words[:8], *(f"n{n}" for n in range(6))]),
}


@pytest.mark.parametrize("side", ["chosen", "rejected"])
@pytest.mark.parametrize("copy", COPIES)
def test_a_response_that_copies_a_post_is_found(copy: str, side: str) -> None:
    posts = [given.profile[1].text.split() for given in personal(100, {})]
    planted = {n: {side: COPIES[copy](posts[n])} for n in (0, 50)}
    check = only(personal(100, planted), "response_in_profile")
    assert (check.status, check.count, check.of) == ("fail", 2, 100)
    assert flagged(check) == ["r0", "r50"]
    assert check.flags[0].detail.startswith(f"{side}: ")
    assert "post 2 of its profile" in check.flags[0].detail
    assert posts[0][12] not in check.flags[0].detail
    chosen, rejected = (2, 0) if side == "chosen" else (0, 2)
    assert check.detail.startswith(f"in the chosen side of {chosen}, in the rejected of {rejected}")


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
    "a post is somebody else's question": (
        [plain("a", "u1", QUESTION), plain("b", "u2", ALONE[0], QUESTION)], ["a"], ["b"]
    ),
    "a post is in many rows": (
        [plain(f"r{n}", f"u{n // 3}", f"Number {n} of a dozen, and of which?", " ".join(OTHER))
         for n in range(12)],
        [], [f"r{n}" for n in range(12)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ALIKE)
def test_questions_and_posts_of_two_users_that_are_nearly_alike_are_found(what: str) -> None:
    rows, questions, posts = ALIKE[what]
    found = [only(rows, f"near_duplicate_{of}") for of in ("questions", "posts")]
    assert [flagged(check) for check in found] == [questions, posts]
    assert {check.status for check in found if check.count} <= {"fail"}


def test_a_near_duplicate_is_told_with_where_it_is() -> None:
    questions = only(ALIKE["two users ask the same"][0], "near_duplicate_questions")
    assert (questions.count, questions.of) == (2, 3)
    assert [flag.detail for flag in questions.flags] == [
        f"question nearly repeats another user's: question of {other}" for other in "ca"
    ]
    posts = only(ALIKE["posts differ in a word, or in many"][0], "near_duplicate_posts")
    assert posts.flags[0].detail == "post 2 nearly repeats another user's: post 1 of b"


@pytest.mark.parametrize(("mode", "count"), [("natural", 0), ("twin", 3)])
def test_natural_twins_put_one_question_to_many_users_on_purpose(mode: str, count: int) -> None:
    rows = [plain(f"r{n}", f"u{n}", QUESTION, mode=mode) for n in range(3)]
    check = only(rows, "near_duplicate_questions")
    assert (check.count, check.of) == (count, count)
    assert ("natural twins" in check.detail) is (mode == "natural")


def test_others_may_ask_many_users_one_question() -> None:
    rows = [plain(f"r{n}", f"u{n}", QUESTION, mode=None) for n in range(3)]
    check = only(rows, "near_duplicate_questions")
    assert (check.status, check.count, check.limit) == ("note", 3, None)


def test_thousands_of_copies_cost_no_square() -> None:
    copied = long_text(3)
    rows = [
        plain(f"r{n}", f"u{n}", f"q{n} a{n} b{n} c{n} d{n} e{n}?", changed(copied, [n % 80]))
        for n in range(1500)
    ]
    start = time.process_time()
    assert only(rows, "near_duplicate_posts").count == 1500
    assert time.process_time() - start < 4


# Pairs in other words


def distinct(n: int) -> list[Row]:
    """Pairs of which each has words of its own, in sentences of six."""
    made = []
    for number in range(n):
        chance = random.Random(number)
        words = [f"word{chance.randrange(5000)}ly" for _ in range(90)]
        sentences = [" ".join(words[at : at + 6]) + "." for at in range(0, 90, 6)]
        sides = {"chosen": " ".join(sentences[2:8]), "rejected": " ".join(sentences[8:])}
        question = " ".join(sentences[:2])
        made.append(row(f"r{number}", question=question, item_id=f"i{number}", **sides))
    return made


def retold(given: Row, *, swapped: int = 0) -> Row:
    """Sentences in another order; of so many words in a hundred others in their place."""

    def other(words: str, chance: random.Random) -> str:
        parts = words.split(". ")
        chance.shuffle(parts)
        of = ". ".join(parts).split(" ")
        for at in chance.sample(range(len(of)), len(of) * swapped // 100):
            of[at] = f"else{chance.randrange(5000)}"
        return " ".join(of)

    chance = random.Random(given.id)
    texts = ("question", "chosen", "rejected")
    sides = {name: other(getattr(given, name), chance) for name in texts}
    again = {"id": f"{given.id}-again", "item_id": "", "user": "u2"}
    return given.model_copy(update=again | sides)


@pytest.mark.parametrize("swapped", [0, 10])
def test_pairs_with_sentences_moved_and_words_replaced_are_found(swapped: int) -> None:
    rows = distinct(100)
    again = [retold(given, swapped=swapped) for given in rows[:20]]
    check = only([*rows[20:], *again, *rows[:20]], "near_duplicate_pairs")
    assert (check.status, check.count, check.of) == ("note", 20, 120)
    assert flagged(check) == [f"r{n}" for n in range(20)]
    assert check.flags[0].detail == "nearly the words of r0-again"
    assert only(rows, "near_duplicate_pairs").count == 0


def test_a_pair_retold_in_other_words_is_not_found_and_the_check_says_so() -> None:
    rows = distinct(40)
    check = only([*rows, *(retold(given, swapped=50) for given in rows)], "near_duplicate_pairs")
    assert check.count == 0
    assert "a free retelling is not" in check.detail


def test_twins_and_pairs_of_one_item_are_no_near_duplicates() -> None:
    (given,) = distinct(1)
    halves = [given.model_copy(update={"id": str(n), "twin_id": "t"}) for n in range(2)]
    assert only(halves, "near_duplicate_pairs").count == 0
    modes = [given, given.model_copy(update={"id": "other", "mode": "twin"})]
    assert only(modes, "near_duplicate_pairs").count == 0
    assert only([row(str(n), item_id=f"i{n}") for n in range(4)], "near_duplicate_pairs").count == 0


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
        check = only([(r, "test") for r in rows], name)
        assert (check.status, check.of, check.detail) == ("note", 0, "all rows are in one split")
        check = only(rows, name)
        assert (check.status, check.of) == ("note", 0)


# Corpora

WORDS = [f"word{n}" for n in range(60)]


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("question", {"question": " ".join(WORDS[:13])}),
        ("chosen", {"chosen": "So: " + " ".join(WORDS[5:18]).upper() + "!"}),
        ("rejected", {"rejected": " ".join(WORDS[40:])}),
        ("post 2", {"profile": (post(POST), post(", ".join(WORDS)))}),
    ],
)
def test_words_of_a_corpus_are_found_in_every_text(place: str, changes: dict[str, Any]) -> None:
    corpus = ["Nothing of it here.", f"Before. {' '.join(WORDS)} After."]
    check = only([row("clean"), row("known", **changes)], "corpus_overlap", corpora=iter(corpus))
    assert (check.status, check.count, check.of) == ("fail", 1, 2)
    assert check.flags[0].row == "known"
    assert check.flags[0].detail == f"overlap in {place}"
    assert f"{place.split(' ')[0].replace('post', 'posts')} 1" in check.detail
    assert "compared with 2 texts" in check.detail


def test_twelve_words_of_a_corpus_are_not_enough() -> None:
    given = row(question=" ".join([*WORDS[:12], "different"]))
    assert only([given], "corpus_overlap", corpora=[" ".join(WORDS)]).count == 0


@pytest.mark.parametrize("corpus", [QUESTION.upper(), f"A title\n{QUESTION}\nand more of it"])
def test_a_text_that_is_a_whole_text_or_line_of_a_corpus_is_found(corpus: str) -> None:
    short = "Why is my bread flat?"
    given = row(question=short)
    corpora = [corpus.replace(QUESTION, short).replace(QUESTION.upper(), short.upper())]
    assert only([given], "corpus_overlap", corpora=corpora).count == 1
    assert only([row(question="Why is my bread")], "corpus_overlap", corpora=corpora).count == 0


def test_of_a_long_text_runs_are_kept_in_part_and_its_copy_is_found() -> None:
    words = long_text(5, 400)
    given = row(chosen=" ".join(words))
    corpora = [" ".join(words[100:140])]
    assert only([given], "corpus_overlap", corpora=corpora).count == 1


def test_an_empty_corpus_has_nothing_of_a_row() -> None:
    check = only([row()], "corpus_overlap", corpora=[])
    assert (check.status, check.count, check.of) == ("pass", 0, 1)
    assert only([], "corpus_overlap", corpora=["some text or other that is long"]).of == 0


# Hashes and sketches


def test_runs_of_words_have_the_same_number_wherever_they_stand() -> None:
    one, other = hash_words(WORDS), hash_words(["before", *WORDS[10:20]])
    assert len(runs(one, 5)) == 56
    assert set(runs(other, 5)) & set(runs(one, 5)) == set(runs(one, 5)[10:16])
    assert len(runs(one[:4], 5)) == 0
    # Held fast: the same on every machine and in every process.
    assert hash_words(["word"]).tolist() == [10776770685243991114]


def test_estimated_overlap_is_near_the_true_one() -> None:
    sketches, overlaps = TextSketches(), []
    for seed in range(200):
        base = long_text(seed, 100)
        other = changed(base, random.Random(seed).sample(range(100), seed % 40))
        overlaps.append(text.jaccard(text.spans(" ".join(base), 3), text.spans(other, 3)))
        sketches.add(base)
        sketches.add(other.split())
    signatures = sketches.signatures()
    assert signatures.shape == (400, 64)
    errors = (signatures[::2] == signatures[1::2]).mean(axis=1) - overlaps
    assert abs(errors.mean()) < 0.01
    # Binomial: at most the root of .25 / 64.
    assert 0.02 < errors.std() < 0.0625


def test_bands_find_what_comparing_all_with_all_finds() -> None:
    sketches = TextSketches()
    for seed in range(40):
        base = long_text(seed, 100)
        for n in (0, 1, 8):
            sketches.add(changed(base, random.Random(seed + n).sample(range(100), n)).split())
    signatures = sketches.signatures()
    near = {
        (a, b)
        for a, b in combinations(range(120), 2)
        if (signatures[a] == signatures[b]).mean() >= SIMILAR
    }
    by_bands = {(min(pair), max(pair)) for pair in similar(signatures).tolist()}
    assert by_bands <= near
    # One change in a hundred words is found each time.
    assert {(3 * n, 3 * n + 1) for n in range(40)} <= by_bands


def test_a_sketch_does_not_depend_on_the_texts_beside_it() -> None:
    texts = [long_text(seed, words) for seed, words in enumerate((3, 4, 50, 3, 3, 100))]
    together = TextSketches()
    for own in texts:
        together.add(own)
    for own, signature in zip(texts, together.signatures(), strict=True):
        alone = TextSketches()
        alone.add(own)
        assert alone.signatures().tolist() == [signature.tolist()]


def test_a_text_too_short_to_sketch_is_refused() -> None:
    with pytest.raises(ValueError, match="3 words"):
        TextSketches().add(("two", "words"))


# The whole part


def test_every_check_is_explained() -> None:
    assert {check.name for check in found([row()])} == set(names_of("leakage"))


def test_an_audit_of_no_rows_says_so_of_every_check() -> None:
    assert {check.status for check in found([])} == {"note"}


def test_details_stay_short_and_on_one_line() -> None:
    loud = "\n".join(["A" * 300] * 9)
    (check,) = found([row(chosen=loud, narrative=loud, question="?")], "rubric_leak")
    assert len(check.flags[0].detail) <= WIDTH
    assert "\n" not in check.flags[0].detail


def test_a_check_names_ten_thousand_rows_at_most_and_counts_them_all() -> None:
    check = RowCheck("rubric_leak", limit=0.0, others=0.0)
    places = [check.place(row(str(n))) for n in range(KEPT + 50)]
    for place in reversed(places):
        check.flag(place, "late")
    (whole,) = check.checks()
    assert (whole.count, len(whole.flags)) == (KEPT + 50, KEPT)
    assert [flag.row for flag in whole.flags[:3]] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "hostile",
    [
        "word " * 500_000,
        "\U0001f600" * 100_000,
        "\u202eשלום עולם " * 20_000,
        "a" * 3_000_000,
        "",
    ],
    ids=["megabytes of words", "emoji", "right to left", "one word of megabytes", "empty"],
)
def test_hostile_texts_are_worked_through(hostile: str) -> None:
    given = row(
        question=hostile, chosen=hostile, rejected=hostile, narrative=hostile,
        profile=(post(hostile),), rubric_aspects=(RowAspect(aspect=hostile, evidence=hostile),),
    )  # fmt: skip
    start = time.process_time()
    checks = found([given], corpora=[hostile[:1_000_000]])
    assert time.process_time() - start < 20
    assert all(len(flag.detail) <= WIDTH for check in checks for flag in check.flags)


_SAME = """
from audited import checks_of
from test_audit_leakage import many
from pairwright.audits.integrity import CHECKS
from pairwright.audits.leakage import leakage_checks
from pairwright.audits.people import people_checks
from pairwright.audits.people.scan import PersonalData
corpora = ["a corpus of five words", "number 7 of the dozens"]
data = PersonalData()
for checks in (leakage_checks(corpora), [new() for new in CHECKS], people_checks(data)):
    for check in checks_of(checks, many()):
        print(check.model_dump_json())
print(list(data.redactions()))
"""


def many() -> Iterator[Row]:
    """Rows with faults of many kinds."""
    chance = random.Random(0)
    for n in range(200):
        words = long_text(n % 150, 30)
        yield row(
            f"r{n % 190}", user=f"u{n}", question=f"Is number {n % 40} of the dozens of any use?",
            profile=(post(" ".join(words)), post(f"Ask person{n}@mail.test.org or @person_{n}.")),
            chosen=NARRATIVE if n % 9 == 0 else changed(words, chance.sample(range(30), 20)),
            rejected=f"No sense at all {n}",
        )  # fmt: skip


@pytest.mark.real
def test_the_same_rows_give_the_same_checks_whatever_the_hash_seed() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", _SAME], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert said[0] == said[1]
    checks = [json.loads(line) for line in said[0].splitlines()[:-1]]
    assert sum(bool(check["count"]) for check in checks) > 6
