"""The audit's part on integrity: whether rows are what they say they are."""

import random
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from scipy.stats import binomtest

from audited import checks_of, estimate
from pairwright.audits.catalogue import names_of
from pairwright.audits.integrity import CHECKS
from pairwright.audits.integrity.responses import LIMIT, SAMPLE, breaks_off
from pairwright.audits.records import Check
from pairwright.dataset import Row, RowAspect, RowPost
from pairwright.dataset.row import derived_twin_id
from pairwright.intervals import LEVEL, exact

FIRST = "I keep bees behind the greenhouse and the smoke bothers my neighbour."
SECOND = "My neighbour's child is allergic to \u201cpollen\u201d, so she tells me."
ASPECTS = (
    RowAspect(aspect="Considers the neighbour", evidence="smoke bothers", post_ids=("p1",)),
    RowAspect(aspect="Names the risk of an allergy", evidence='to "pollen"', post_ids=("p2",)),
)


def post(id: str, words: str, created: str | None = None) -> RowPost:
    return RowPost(id=id, text=words, created=created)


POSTS = (
    post("p1", FIRST, "2023-01-01T00:00:00"),
    post("p2", SECOND, "2023-02-01T00:00:00.5"),
)


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
    return checks_of((new() for new in CHECKS), rows, name)


def only(rows: Iterable[Row], name: str) -> Check:
    (check,) = checks(rows, name)
    return check


def test_sound_rows_fail_nothing() -> None:
    rows = [row(1), *twin(2), row(3), *twin(4)]
    assert [c.name for c in checks(rows) if c.status == "fail" or c.count] == []


def test_every_check_is_explained_and_speaks_of_no_rows_too() -> None:
    named = {check.name for check in checks([row(), row(2, mode=None, id="x")])}
    assert named == set(names_of("integrity")) - {"unreadable_rows", "ties", "not_computed"}
    assert {check.status for check in checks([])} == {"note"}


# Ids


def test_a_second_row_with_an_id_is_found_whatever_it_holds() -> None:
    check = only([row(1, id="a"), row(2, id="b"), row(3, id="a")], "duplicate_id")
    assert (check.status, check.count, check.of) == ("fail", 1, 3)


@pytest.mark.parametrize("field", ["chosen", "rejected", "user", "item_id"])
def test_a_row_changed_after_it_was_named_is_found(field: str) -> None:
    check = only([row(1), changed(row(2), **{field: "something else"})], "derived_id")
    assert (check.status, check.count, check.of) == ("fail", 1, 2)
    assert check.flags[0].detail.startswith("its content gives pair-")


def test_ids_of_others_are_their_own() -> None:
    check = only([row(mode=None, id="row 17")], "derived_id")
    assert (check.status, check.of) == ("note", 0)


# Labels


@pytest.mark.parametrize(
    ("chosen", "rejected", "count"),
    [
        ("Put it there.", "Put it there.", 1),
        ("Put it there.", "Put  it\n\nthere. ", 1),
        ("Caf\u00e9 there.", "Cafe\u0301 there.", 1),
        ("Put it there.", "Put it\u00a0th\u200bere.", 1),
        ("9n-4", "9n+4", 0),
        ("C", "C++", 0),
        ("MARIA", "maria", 0),
        ("10\u00b2", "102", 0),
        ("Is it?", "Is it!", 0),
        ("It costs $5.", "It costs \u20ac5.", 0),
        ("if a:\n    b\nc", "if a:\n    b\n    c", 0),
        ("if a:\n    b\nc", "if a:  \n    b\n\nc\n", 1),
        ("\U0001f600", "\U0001f600 ", 1),
        ("\U0001f600", "\U0001f601", 0),
        ("Put it there.", "Put it here.", 0),
    ],
)
def test_sides_that_are_the_same_are_found(chosen: str, rejected: str, count: int) -> None:
    assert only([row(chosen=chosen, rejected=rejected)], "same_sides").count == count


def plain(id: str, chosen: str, rejected: str, **changes: Any) -> Row:
    fields: dict[str, Any] = {
        "mode": None, "user": None, "profile": (), "question": "What is best?",
        "rubric_aspects": (), "created": None,
    }  # fmt: skip
    return row(id=id, chosen=chosen, rejected=rejected, **{**fields, **changes})


def test_opposite_labels_on_one_prompt_are_a_contradiction() -> None:
    rows = [plain("a", "One.", "Two."), plain("b", "Two. ", " One.", question="What  is best?")]
    check = only(rows, "contradiction")
    assert (check.status, [f.row for f in check.flags]) == ("fail", ["b"])
    assert check.flags[0].detail == "the opposite of a"
    assert only(rows, "duplicate_pair").count == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"question": "What is worst?"},
        {"user": "u2"},
        {"user": None, "profile": POSTS},
        {"chosen": "Three."},
        {"chosen": "TWO."},
    ],
)
def test_opposite_labels_for_another_reader_or_question_are_none(changes: dict[str, Any]) -> None:
    user = changes.get("user")
    first = plain("a", "One.", "Two.", user="u1" if user else None)
    assert only([first, plain("b", **{"chosen": "Two.", "rejected": "One.", **changes})],
                "contradiction").count == 0  # fmt: skip


@pytest.mark.parametrize("mark", ["{}!", "{} ", "{} ...", "{}?!"])
def test_a_mark_at_the_end_makes_no_other_text(mark: str) -> None:
    rows = [plain("a", "One.", "Two."), plain("b", mark.format("Two"), "One.")]
    assert only(rows, "contradiction").count == 1
    code = [plain("a", "x == 1", "x = 2"), plain("b", "x = 2", "x != 1")]
    assert only(code, "contradiction").count == 0


def test_halves_of_a_twin_do_not_contradict_each_other() -> None:
    assert only(twin(), "contradiction").count == 0
    same_user = [changed(half, user="one") for half in twin()]
    assert only(same_user, "contradiction").count == 1


def test_the_same_pair_twice_is_found_and_not_as_a_contradiction() -> None:
    rows = [plain("a", "One.", "Two."), plain("b", "One.", "Two.")]
    check = only(rows, "duplicate_pair")
    assert (check.status, check.flags[0].detail) == ("fail", "the same as a")
    assert only(rows, "contradiction").count == 0


@pytest.mark.parametrize(("first", "second"), [("9n-4", "9n+4"), ("C", "C++"), ("A", "a")])
def test_answers_that_differ_in_a_symbol_or_case_are_two_pairs(first: str, second: str) -> None:
    rows = [plain("a", first, "Something else."), plain("b", second, "Something else.")]
    assert only(rows, "duplicate_pair").count == 0
    turned = [rows[0], plain("c", "Something else.", second)]
    assert only(turned, "contradiction").count == 0


# Twins


def test_a_twin_with_one_half_lost_is_caught() -> None:
    check = only([*twin(1), twin(2)[0], *twin(3)], "twin_not_whole")
    assert (check.status, check.count, check.of) == ("fail", 1, 5)
    assert check.flags[0].detail == "its other half is not there"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda of: changed(of, question="Another?"), "different questions"),
        (lambda of: changed(of, item_id="other"), "different questions"),
        (lambda of: changed(of, domain="Home"), "the halves are in"),
        (lambda of: changed(of, chosen="New."), "do not mirror"),
        (lambda of: changed(of, chosen=of.rejected, rejected=of.chosen), "do not mirror"),
        (lambda of: changed(of, user="user-1"), "two different users"),
        (lambda of: changed(of, asked=True), "both halves"),
        (lambda of: changed(of, user="somebody"), "give the id twin-"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_halves_that_do_not_fit_are_caught(
    spoil: Callable[[Row], Row], said: str, turned: bool
) -> None:
    first, second = twin(1)
    rows = [first, spoil(second)]
    check = only(rows[::-1] if turned else rows, "twin_not_whole")
    assert (check.status, check.count) == ("fail", 2)
    assert said in check.flags[0].detail


def test_halves_far_apart_and_in_any_order_are_whole() -> None:
    halves = [half for n in range(30) for half in twin(n)]
    random.Random(0).shuffle(halves)
    assert only(halves, "twin_not_whole").count == 0


def test_a_third_half_and_a_twin_without_a_name_are_caught() -> None:
    third = changed(twin(1)[0], id="third")
    check = only([*twin(1), third, row(2, mode="twin")], "twin_not_whole")
    assert [f.row for f in check.flags] == ["third", row(2, mode="twin").id]


def test_both_of_a_half_that_nobody_asked_are_caught() -> None:
    rows = [changed(half, asked=False) for half in twin(1)]
    assert only(rows, "twin_not_whole").flags[0].detail == "no half's user asked"


# Aspects


def aspect(words: str, evidence: str = "", *posts: str) -> RowAspect:
    return RowAspect(aspect=words, evidence=evidence, post_ids=posts)


@pytest.mark.parametrize(
    ("of", "said"),
    [
        (aspect("A", "smoke bothers the dog", "p1"), "is not in a post"),
        (aspect("A", "smoke bothers", "p2"), "is not in a post"),
        (aspect("A", "smoke bothers\nwas never said", "p1", "p2"), "is not in a post"),
        (aspect("A", "smoke bothers\nallergic to", "p1"), "is not in a post"),
        (aspect("A", "smoke bothers", "p9"), "names none of the row's posts"),
        (aspect("A", "smoke bothers"), "names none of the row's posts"),
        (aspect("A", " ", "p1"), "has no evidence"),
        (aspect("A", "'.'", "p1"), "is not in a post"),
    ],
)
def test_evidence_that_does_not_stand_in_its_post_is_found(of: RowAspect, said: str) -> None:
    check = only([row(1), row(2, rubric_aspects=(ASPECTS[0], of))], "evidence_missing")
    assert (check.status, check.count) == ("fail", 1)
    assert check.flags[0].detail.startswith("aspect 2")
    assert said in check.flags[0].detail


def test_what_a_check_quotes_of_a_text_is_masked() -> None:
    told = "write to jane.doe@mail.test.org"
    of = (aspect("Considers Jane", told, "p1"), aspect(f"To {told}"), aspect(f"to {told}"))
    found = checks([row(rubric_aspects=of)])
    details = {check.name: check.flags[0].detail for check in found if check.flags}
    assert "j***.***@****.****.***" in details["evidence_missing"]
    assert "j***.***@****.****.***" in details["aspects_repeated"]
    assert not any("jane.doe" in detail for detail in details.values())


@pytest.mark.parametrize(
    "of",
    [
        aspect("A", '"The SMOKE  bothers my neighbour."'.replace("The ", ""), "p1"),
        aspect(
            "A", "is allergic to 'pollen'".replace("'", "\u201c", 1).replace("'", "\u201d"), "p2"
        ),
        aspect("A", "\u201esmoke bothers\u201c", "p1"),
        aspect("A", "\u300callergic to \u201epollen\u201c\u300d\u3002", "p2"),
        aspect("A", "smoke bothers", "p2", "p1"),
        aspect("A", "Allergic to\nsmoke bothers", "p2", "p1"),
    ],
)
def test_evidence_is_found_as_the_build_finds_it(of: RowAspect) -> None:
    assert only([row(rubric_aspects=(of, ASPECTS[1]))], "evidence_missing").count == 0


def test_evidence_of_gold_aspects_may_stand_in_any_post() -> None:
    given: dict[str, Any] = {"aspects_origin": "gold", "narrative": None}
    quoted = (aspect("One", "smoke bothers my neighbour"),)
    made_up = (aspect("One", "I am the mayor of this town"),)
    found = [
        row(id=name, rubric_aspects=of, **given) for name, of in (("a", quoted), ("b", made_up))
    ]
    assert [flag.row for flag in only(found, "evidence_missing").flags] == ["b"]
    told = [changed(one, aspects_origin="narrative", narrative="I am afraid.") for one in found]
    assert only(told, "evidence_missing").count == 2


def test_without_post_ids_evidence_stands_in_the_narrative() -> None:
    gold = (aspect("Considers the dog", "the dog is afraid"), aspect("Is cheap", "little money"))
    given: dict[str, Any] = {"rubric_aspects": gold, "aspects_origin": "gold", "mode": None}
    told = row(id="a", narrative="The dog is afraid, and I have little money.", **given)
    half = row(id="b", narrative="The dog is afraid.", **given)
    check = only([told, half], "evidence_missing")
    assert [f.row for f in check.flags] == ["b"]
    assert "a post or the narrative: little money" in check.flags[0].detail


def test_of_gold_aspects_that_came_with_the_data_one_in_a_hundred_may_be_loose() -> None:
    gold: dict[str, Any] = {"aspects_origin": "gold", "narrative": "The dog is afraid of me."}
    loose = aspect("Considers the dog", "the dog fears me")
    firm = aspect("Considers the dog", "the dog is afraid")
    rows = [row(n, rubric_aspects=(loose if n < 1 else firm,), **gold) for n in range(100)]
    check = only(rows, "evidence_missing")
    assert (check.status, check.count, check.config) == ("pass", 1, "Garden-violate")
    assert only(rows[:99], "evidence_missing").status == "fail"


def test_aspects_with_nothing_to_look_in_are_counted_apart() -> None:
    gold: dict[str, Any] = {
        "rubric_aspects": (aspect("One", "said so"), aspect("Two")), "aspects_origin": None,
    }  # fmt: skip
    rows = [
        row(id="a", mode=None, profile=(), **gold),
        row(id="b", mode=None, profile=(), narrative="He said so.", **gold),
    ]
    check = only(rows, "evidence_missing")
    assert (check.of, check.count, check.status) == (1, 0, "pass")
    assert check.detail == "1 rows have aspects and nothing to look for their evidence in"
    assert "posts or a narrative" in only(rows[:1], "evidence_missing").detail


@pytest.mark.parametrize("share", [2, 5, 20])
def test_evidence_of_others_stands_in_a_post_or_the_narrative(share: int) -> None:
    firm = (aspect("One", "smoke bothers my neighbour"), aspect("Two", "afraid of bees"))
    made_up = (aspect("One", "I am the mayor of this town"), aspect("Two"))
    rows = [
        row(n, id=f"r{n}", mode=None, aspects_origin=None, narrative="I am afraid of bees.",
            rubric_aspects=made_up if n % (100 // share) == 0 else firm)
        for n in range(100)
    ]  # fmt: skip
    check = only(rows, "evidence_missing")
    assert (check.status, check.count, check.of) == ("fail", share, 100)
    assert "is not in a post or the narrative: I am the mayor" in check.flags[0].detail
    bare = [changed(given, narrative=None) for given in rows if given.rubric_aspects == made_up]
    assert "is not in any post" in only(bare, "evidence_missing").flags[0].detail
    assert only([r for r in rows if r.rubric_aspects == firm], "evidence_missing").count == 0


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("Considers the neighbour", "considers the neighbours!", 1),
        ("Warns of allergic reactions", "Warns of reactions, allergic ones", 1),
        ("\U0001f41d", "\U0001f41d", 1),
        ("C", "c", 1),
        ("C", "C++", 0),
        ("Warns of allergic reactions", "Warns of the cost of a hive", 0),
    ],
)
def test_aspects_in_nearly_the_same_words_are_found(first: str, second: str, count: int) -> None:
    aspects = (aspect(first), aspect("Something of its own altogether"), aspect(second))
    check = only([row(mode=None, id="a", rubric_aspects=aspects)], "aspects_repeated")
    assert check.count == count
    assert not count or check.flags[0].detail.startswith("aspects 1 and 3:")


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 0), (2, 0)])
def test_a_row_of_a_build_without_an_aspect_is_found(n: int, count: int) -> None:
    assert only([row(rubric_aspects=ASPECTS[:n])], "aspects_missing").count == count


def test_rows_of_others_without_aspects_are_found_beside_those_that_have_some() -> None:
    few = [row(n, mode=None, rubric_aspects=ASPECTS if n % 4 else ()) for n in range(40)]
    few += [row(40, mode=None, rubric_aspects=(aspect(" "),))]
    for rows in (few, few[::-1]):
        check = only(rows, "aspects_missing")
        assert (check.status, check.count, check.of) == ("fail", 11, 41)
        assert [flag.row for flag in check.flags] == [
            one.id for one in rows if len(one.rubric_aspects) < 2
        ]


def test_pairs_of_others_need_no_aspects() -> None:
    assert only([row(mode=None, id="a", rubric_aspects=())], "aspects_missing").of == 0


# Profiles


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (("2023-02-01T00:00:00", "2023-01-01T00:00:00"), "comes before"),
        (("2023-02-01T00:00:00.2", None, "2023-02-01T00:00:00.1"), "comes before"),
        (("2023-01-01T00:00:00+02:00",), "not a time"),
        (("yesterday",), "not a time"),
    ],
)
def test_posts_out_of_order_and_times_of_other_forms_are_found(
    times: tuple[str | None, ...], said: str
) -> None:
    profile = tuple(post(str(n), "Something.", time) for n, time in enumerate(times))
    check = only([row(profile=profile)], "times_in_order")
    assert (check.status, check.count) == ("fail", 1)
    assert said in check.flags[0].detail


@pytest.mark.parametrize(
    "times",
    [
        ("2023-01-01", "2023-01-01T00:00:00", "2023-01-01T00:00:00.001"),
        ("2023-01-01T00:00:00", "2023-01-01T00:00:00"),
        ("2023-01-01T09:00:00", "2023-01-01", "2023-01-02"),
        (None, "2023-01-01T00:00:00", None),
    ],
)
def test_posts_oldest_first_are_in_order(times: tuple[str | None, ...]) -> None:
    profile = tuple(post(str(n), "Something.", time) for n, time in enumerate(times))
    assert only([row(profile=profile)], "times_in_order").count == 0


@pytest.mark.parametrize("share", [2, 5, 20])
@pytest.mark.parametrize("where", ["question", "post"])
@pytest.mark.parametrize(
    "time", ["2099-01-01T00:00:00", "1970-01-01T00:00:00", "0001-01-01", "9999"]
)
def test_times_that_cannot_be_are_found(time: str, where: str, share: int) -> None:
    rows = []
    for n in range(100):
        changes: dict[str, Any] = {}
        if n % (100 // share) == 0:
            late = (post("p1", FIRST, time), POSTS[1])
            changes = {"created": time} if where == "question" else {"profile": late}
        rows.append(row(n, **changes))
    check = only(rows, "implausible_time")
    assert (check.status, check.count, check.of) == ("fail", share, 100)
    assert check.flags[0].detail == f"{where}{' 1' if where == 'post' else ''} is of {time}"


def test_times_of_the_last_decades_and_none_are_plausible() -> None:
    given = row(created="2036-12-31T23:59:59", profile=(post("p1", FIRST, "1985-01-01T00:00:00"),))
    assert only([given], "implausible_time").count == 0
    bare = row(created=None, profile=(post("p1", FIRST),))
    assert only([bare], "implausible_time").status == "note"


def test_an_empty_profile_fails_among_ours_and_among_rows_that_have_one() -> None:
    assert only([row(1), row(2, profile=())], "profile_empty").status == "fail"
    others = [row(n, id=str(n), mode=None) for n in range(200)]
    empty = [row(n, id=str(n), mode=None, profile=()) for n in range(200, 203)]
    assert only([*others, *empty[:2]], "profile_empty").status == "pass"
    assert only([*others, *empty], "profile_empty").status == "fail"
    none = only(empty, "profile_empty")
    assert (none.status, none.detail[:21]) == ("note", "no row has a profile:")


# Texts


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"question": " \n"}, "question"),
        ({"chosen": ""}, "chosen"),
        ({"rejected": "\u2003"}, "rejected"),
        ({"profile": (*POSTS, post("p3", ""))}, "post 3"),
    ],
)
def test_empty_texts_are_found_with_their_place(changes: dict[str, Any], where: str) -> None:
    check = only([row(1), row(2, **changes)], "empty_text")
    assert (check.status, check.flags[0].detail) == ("fail", f"{where} is empty")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("a \ufffd b", "replacement"),
        ("\ufeffa", "byte order mark"),
        ("a\x00b", "control"),
        ("a\x1b[0m", "control"),
        ("a\x92s", "control"),
        ("cafÃ©", "mojibake"),
        ("donâ€™t", "mojibake"),
        ("20 Â°C", "mojibake"),
        ("ðŸ˜€", "mojibake"),
        ("ï»¿a", "mojibake"),
        ("Ã¼ber", "mojibake"),
        ("Ã\xa0 la", "mojibake"),
    ],
)
def test_wrongly_decoded_texts_are_found(words: str, kind: str) -> None:
    check = only([row(1), row(2, narrative=words)], "encoding")
    assert (check.status, check.count) == ("fail", 1)
    assert check.flags[0].detail == f"{kind} in narrative"


SOUND = {
    ("encoding", "narrative"): [
        "NÃO, À MÃE", "Âge, forêt, château", "âge €5", "20 °C", "tab\tand\r\nline", "שלום",
        "日本語", "\U0001f600\u200d", "Ð²", "naïve — “so”", "ÃO", "Ångström ü",
    ],
    ("no_answer", "chosen"): [
        "7", "No.", "\U0001f44d", "C++", "An error in line 3 is the cause.", "$5", "x[i]",
        "The error: 429 is sent by the server.", "Use a test.", "I was told [sic] so.", "TypeError",
        "Error handling comes first.", "None of them fits you.", "[1, 2]",
    ],
    ("hidden_characters", "chosen"): [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "Qui\u00a0?",
        "10\u00a0000 km",
        "5\u00a0km", "\u00ab\u00a0oui\u00a0\u00bb",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937", "\u05e9\u05dc\u05d5\u05dd\u200f (a)", "see e.g.\u00a0this",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f", "na\u00efve \u2014 \u201cso\u201d", 
        "\u65e5\u672c\u8a9e", "\u25b6\ufe0e 3\ufe0f\u20e3", "\u8fbb\U000e0100",
        "\u03b2-carotene, 5 \u03bcm",
        "\u0441\u043b\u043e\u0432\u043e PDF\u043e\u043c, \u0410 and A", "\u0394x = \u03c1gh",
    ],
}  # fmt: skip


def test_texts_in_other_scripts_short_answers_and_marks_with_work_are_sound() -> None:
    for name, field, words in [(*where, words) for where, of in SOUND.items() for words in of]:
        assert only([changed(row(), **{field: words})], name).count == 0


def test_a_few_garbled_texts_are_let_pass_and_very_long_ones_told() -> None:
    rows = [row(n) for n in range(200)]
    assert only([*rows, row(200, narrative="\ufffd")], "encoding").status == "pass"
    long = only([*rows, row(200, chosen="word " * 20_001)], "very_long")
    assert (long.status, long.flags[0].detail) == ("fail", "chosen has 100,005 characters")
    assert only([row(chosen="x" * 100_000)], "very_long").count == 0


HIDDEN = {
    "zero width space": "a\u200bb",
    "zero width joiner": "a\u200db",
    "soft hyphen": "gar\u00adden",
    "change of direction": "a \u202eb",
    "mark of direction": "a\u200e b",
    "tag character": "a\U000e0041\U000e0042b",
    "hard space": "two\u00a0words",
    "line separator": "a\u2028b\u0085",
    "zero width space ": "a\u2062b",
    "blank character": "a \u3164 b\u2800",
    "variation selector": "so.\ufe0e",
    "letter of another script": "p\u0430st",
}


@pytest.mark.parametrize("field", ["question", "chosen", "rejected"])
@pytest.mark.parametrize("kind", HIDDEN)
def test_hidden_characters_in_few_rows_are_found(kind: str, field: str) -> None:
    if (kind, field) == ("hard space", "question"):
        return  # It marks no side.
    clean = [row(n) for n in range(100)]
    for share in (2, 5, 20):
        planted = [
            changed(r, **{field: f"{getattr(r, field)} {HIDDEN[kind]}"}) for r in clean[:share]
        ]
        check = only([*planted, *clean[share:]], "hidden_characters")
        assert (check.status, check.count, check.of) == ("fail", share, 100)
        assert check.flags[0].detail == f"{kind.strip()} in {field}"
        assert check.detail == f"{kind.strip()} {share}"


NO_ANSWERS = [
    "N/A", "none", ".", "...", "\u2014", "[deleted]", "[INSERT RESPONSE HERE]", "Error: 429",
    "Error 429: Too Many Requests", "429 Too Many Requests", "TODO", "No response.",
    "Rate limit exceeded, try again in 20s", "<think>I should say so.</think> Yes.",
    "Dear [Your Name], it is so.", "Hello {{ name }}", "Yes.<|im_end|>", "An error occurred.",
    "Answer:", "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>",
]  # fmt: skip


@pytest.mark.parametrize("words", NO_ANSWERS)
def test_responses_that_are_no_answer_are_found(words: str) -> None:
    rows = [row(n, **({"rejected": words} if n % 5 == 0 else {})) for n in range(100)]
    check = only(rows, "no_answer")
    assert (check.status, check.count) == ("fail", 20)
    assert check.flags[0].detail.startswith("rejected ")


def test_the_question_again_is_no_answer() -> None:
    for again in (" Where do I put  hive number 1?", "WHERE DO I PUT HIVE NUMBER 1?"):
        check = only([row(chosen=again)], "no_answer")
        assert check.flags[0].detail == "chosen is the question"


@pytest.mark.parametrize(("field", "count"), [("user", 20), ("item_id", 20)])
def test_rows_without_a_user_or_an_id_beside_others_are_found(field: str, count: int) -> None:
    lacking = {"user": None, "item_id": ""}
    rows = [plain(str(n), f"A {n}.", "B.", user=f"u{n}") for n in range(100)]
    some = [changed(r, **{field: lacking[field]}) if n % 5 == 0 else r for n, r in enumerate(rows)]
    assert (only(some, "missing_id").status, only(some, "missing_id").count) == ("fail", count)
    assert only(rows, "missing_id").count == 0
    assert only([changed(r, **{field: lacking[field]}) for r in rows], "missing_id").count == 0


@pytest.mark.parametrize("share", [2, 5, 20])
@pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b[0m", "\x85x\x90"])
def test_controls_in_few_rows_are_found(control: str, share: int) -> None:
    rows = [
        row(n, chosen=f"So {n}{control if n % (100 // share) == 0 else ''}") for n in range(100)
    ]
    check = only(rows, "encoding")
    assert (check.status, check.count) == ("fail", share)


def test_a_hard_space_of_a_question_marks_no_side() -> None:
    check = only([row(question="What\u00a0is a hive?")], "hidden_characters")
    assert (check.status, check.count) == ("pass", 0)
    assert "1 rows have some in posts or aspects, or hard spaces in the question" in check.detail
    both = only([row(question="What\u00a0is a\u200b hive?")], "hidden_characters")
    assert both.flags[0].detail == "zero width space in question"


def test_hidden_characters_of_posts_are_told_and_decide_nothing() -> None:
    profile = (post("p1", f"{FIRST} a\u200bb", "2023-01-01T00:00:00"), POSTS[1])
    check = only([row(profile=profile)], "hidden_characters")
    assert (check.status, check.count) == ("pass", 0)
    assert check.detail.startswith("1 rows have some in posts")


# Endings

LONG_GERMAN = "Das ist ein Satz, der gar nicht kurz ist, denn er hat mehr als zwölf Worte und ist"


WHOLE = [
    "It is so.", "Is it?", "So!", 'He said "so."', "It is **so.**", "so…", "これです。", "(so)",
    "`x`", "Do this:\n- one\n- two", "1. one\n2. two", "| a | b", "Well \U0001f600", 
    "```\ncode\n```", "", "So. \n\n", "15cm\u00b2", "$3700", "Paris", "9n-4", "C++", "A+",
    "It costs 50%",
    "def f(x):\n    y = x + 1\n    return y", "total = 0\nfor n in range(9):\n    total += n",
    "x = [1, 2]\nprint(x) # both", "So it is 5 x 5 = 625", "mouse, keyboard, screen",
    '"Saving Our Planet, One Step at a Time"', "A New Normal: Our Response to the Long Winter",
    "It is so.\n\nBest regards\nAnna", "It is so.\n\nSource: https://example.org/a-b",
    "Output: printer\nInput: mouse and keyboard", "$$\\alpha = 1$$", "It is $a + b$",
    "The rain comes down\nthe wind is up\nthe kettle sings\nwe fill a cup", "I \u2764\ufe0f",
    *(f"{LONG_GERMAN} {end}" for end in ("so.\u201c", "so!\u00ab", "so.\u2018", "so\uff0e")),
    f"{LONG_GERMAN} \u201egut\u201c", f"{LONG_GERMAN} \u00bbgut\u00ab",
    f"{'好' * 40}\uff5e", f"{'ខ្មែរ ' * 14}\u17d4", f"{'հայ ' * 14}\u0589", "ภาษาไทย" * 14,
    "It is \u300cso\u300d", "Remove one of the two",
    "Take this:\n1. Beans.\n2. Peas.\n3. Rice.",
    # What is cut off a long line above a list may begin as an item does.
    f"{'so ' * 300}- {'so ' * 662}so.\n- Beans.\n- Peas",
]  # fmt: skip


def test_whole_responses_do_not_break_off() -> None:
    assert [words for words in WHOLE if breaks_off(words)] == []


@pytest.mark.parametrize(
    "words",
    [
        "It is a", "First. Then you", "It is so,", "It is one +", "- one\nand then the",
        "```\ncode goes on",
        "- One.\n- Two.\n- Three of",
        "1. Beans are good.\n2. Peas are.\n3. Rice is very often eaten",
        "First of all we put the kettle on the stove and wait. Then we take the old brown",
        "He said to all of us (as it was late and we were tired",
        "He told all of us that he had never been there before and then he said. \u201c",
        LONG_GERMAN,
        "It is so well known that nobody who works here would ever ask for the long way home",
        # Exactly the last 300 characters of a longer line begin with a list's mark.
        *(f"It is well{f'{mark}known' + ' people' * 50:.300}" for mark in ("-", "+ ", "# ", "1. ")),
        "- One.\n- Two.\n- " + "it is so and " * 40 + "then",
    ],
)  # fmt: skip
def test_cut_responses_break_off(words: str) -> None:
    assert breaks_off(words)


def cut(number: int, side: str | None, **changes: Any) -> Row:
    return row(number, **({side: f"This is number {number} and it"} if side else {}), **changes)


def test_one_side_that_breaks_off_more_often_fails() -> None:
    rows = [cut(n, "rejected" if n < 20 else "chosen" if n < 22 else None) for n in range(100)]
    check = only(rows, "breaks_off")
    assert (check.status, check.count, check.of) == ("fail", 22, 100)
    low = binomtest(20, 22).proportion_ci(1 - LEVEL, method="exact").low
    assert (estimate(check).value, estimate(check).low) == (round(20 / 22, 6), round(low, 6))
    assert check.detail.startswith("2 chosen and 20 rejected sides break off")
    assert check.flags[0].detail == "the rejected side breaks off"


def test_sides_that_break_off_alike_or_rarely_pass() -> None:
    alike = [cut(n, "rejected" if n % 2 else "chosen") for n in range(60)]
    assert only(alike, "breaks_off").status == "pass"
    rare = [cut(n, "rejected" if n < 8 else None) for n in range(900)]
    check = only(rare, "breaks_off")
    assert check.status == "pass"
    assert (estimate(check).low or 0) > 0.5


def test_many_rows_of_one_user_are_one_cluster() -> None:
    rows = [cut(n, "rejected", user="one", dyad="one") for n in range(50)]
    check = only(rows, "breaks_off")
    assert (check.status, estimate(check).clusters, estimate(check).n) == ("pass", 1, 50)


def test_both_halves_of_a_twin_even_out() -> None:
    asked, other = (changed(half, dyad="d") for half in twin(1))
    asked = changed(asked, rejected="It breaks off")
    other = changed(other, chosen="It breaks off")
    check = only([asked, other], "breaks_off")
    assert estimate(check).clusters == 0


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
    assert (check.status, check.count, check.of, check.limit) == ("fail", 20, 100, LIMIT)
    assert estimate(check).low == round(exact(20, 100, LEVEL)[0], 6)
    assert check.flags[0].detail == "de, en on a question in en"
    german = tuple(post(f"p{n}", GERMAN) for n in range(2))
    right = [
        row(
            n,
            question=GERMAN[:50],
            profile=german,
            chosen=GERMAN + str(n),
            rejected=f"{n} {GERMAN}",
        )
        for n in range(100)
    ]
    assert only(right, "other_language").status == "pass"


def test_few_rows_do_not_settle_languages_and_the_need_is_told() -> None:
    check = only([spoken(n, ENGLISH) for n in range(20)], "other_language")
    assert (check.status, check.count) == ("too_few", 0)
    assert check.needed is not None
    high, before = (exact(0, n, LEVEL)[1] for n in (check.needed, check.needed - 1))
    assert high <= LIMIT < before


def test_thirty_characters_of_chinese_tell_a_language() -> None:
    asked = "我住在一条窄船上，船上没有烤箱，只有一个煤气灶，怎样才能在工作日吃上好的面包呢？"
    chosen = "前一天晚上把面和好，慢慢发酵，第二天做成薄饼，用厚底锅盖上盖子小火煎熟。"
    rows = [row(n, question=asked, profile=(), chosen=chosen, rejected=ENGLISH) for n in range(9)]
    check = only(rows, "other_language")
    assert (check.count, check.of) == (9, 9)
    assert check.flags[0].detail == "en, zh on a question in zh"
    short = [row(n, question=asked[:20], profile=(), chosen=chosen) for n in range(9)]
    assert only(short, "other_language").of == 0


def test_short_sides_tell_no_language() -> None:
    check = only([row(1, chosen="Ja.", rejected="Nein, danke.")], "other_language")
    assert (check.status, check.of) == ("note", 0)
    assert check.detail.endswith("of which 0 are long enough to detect a language")


def test_of_many_rows_a_sample_is_looked_at_and_the_check_says_so() -> None:
    rows = [row(n, chosen="Yes.", rejected=GERMAN) for n in range(SAMPLE + 500)]
    check = only(rows, "other_language")
    assert check.of == SAMPLE
    assert check.detail.startswith(f"a sample of {SAMPLE:,} of {SAMPLE + 500:,} rows")
    late = {rows[n].id for n in range(SAMPLE, SAMPLE + 500)}
    # A third of the rows come after the sample was first full; as many of it should.
    assert 250 < sum(flag.row in late for flag in check.flags) < 420


# Hostile texts


@pytest.mark.parametrize(
    "hostile",
    [
        "word " * 500_000,
        "\U0001f600" * 100_000,
        "\u202eשלום " * 20_000,
        "." * 500_000,
        "\x00" * 9,
    ],
    ids=["2 MB", "emoji", "right to left", "dots", "nulls"],
)
def test_hostile_texts_are_worked_through(hostile: str) -> None:
    aspects = (aspect(hostile, hostile), aspect(hostile[1:], hostile + "x", "p1"))
    given = row(
        question=hostile, chosen=hostile, rejected=hostile + "x", narrative=hostile,
        profile=(post("p1", hostile, hostile),), rubric_aspects=aspects,
    )  # fmt: skip
    start = time.process_time()
    found = checks([given, given])
    assert time.process_time() - start < 20
    assert all(len(flag.detail) <= 120 for check in found for flag in check.flags)
