"""What people's answers come to: every rule of the decision, on small tables of answers."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd
import pytest

from pairwright.records import Rubric
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement import (
    annotators,
    checks,
    excluded_by,
    repeats,
    votes_of,
    with_others,
)
from pairwright_human_eval.decisions import Votes, decide, preference_outcome, table_of
from pairwright_human_eval.records import Answer, Label, State
from pairwright_human_eval.units import Unit, outline_of
from small_studies import (
    OF_THREE,
    Said,
    decided,
    given,
    one,
    quality,
    support,
    twin,
    violate,
    votes,
    well,
)

PAIR = violate(1)
VIOLATE = one(PAIR)
ASKED, PARTNER = twin(2)
TWIN = one(ASKED, PARTNER)
CLEAR = ("clearly", "clearly")
UNSUPPORTED, UNDELIVERED = ("rubric: aspects_unsupported",), ("rubric: aspects_undelivered",)
Found = tuple[State, tuple[str, ...]]


def of(answers: list[Answer], unit: Unit = VIOLATE, **policy: Any) -> Found:
    """The state and its reasons."""
    made = decided(unit, answers, **policy)
    return made.state, made.reasons


# Preference

MAJORITY = """
    verified                        +++ ++- ++= ++? +++-- +++-
    refused    for_the_other        --- --+ --?
    refused    no_difference        === ==+ ==?
    disputed   no_majority          +-= +-? +=? ++-- ++-=
    refused    cannot_tell          +?? -?? ???
    waiting    0_of_3_votes         ,
    waiting    2_of_3_votes         ++ -- ??
    verified                        +-=,+ +-=,++ +-?,+ ++--,++
    refused    adjudicated          +-=,- +-=,= +-?,? ++--,+-
"""
UNANIMITY = """
    verified                        +++ ++++
    refused    not_unanimous        ++- ++= ++?
    refused    for_the_other        --+ ---
    refused    no_difference        ===
    refused    cannot_tell          +??
    waiting    2_of_3_votes         ++
"""
DEFAULT = """
    waiting    3_of_4_votes         +++
    verified                        ++++ ++++,------ +++-,+++++ +++-,+-++++
    disputed   one_not_for_it       +++- +++? ++++-
    disputed   second_round,_4_of_6_votes  +++=,++++ +++=,-+++
    refused    adjudicated          +++-,-= +++-,+-+++?
    refused    not_unanimous        ++--,++++++ ++-=
    refused    for_the_other        +---
"""
PLACEBO = """
    waiting    3_of_4_votes         ===
    verified                        ==== ===+,===== ===?,=+====
    disputed   one_not_for_it       ===-
    disputed   second_round,_4_of_6_votes  ===?,====
    refused    adjudicated          ===+,+- ===+,==?+==
    refused    not_unanimous        ==+- ==++ ==+-,======
    refused    for_one_response     =+++ ---- ---=
    refused    cannot_tell          ==??
"""


def cases(table: str) -> Iterator[tuple[tuple[str, str], str, str]]:
    """State and reason, and the votes of the first round and, behind a comma, of the second."""
    for line in table.strip().splitlines():
        state, *words = line.split()
        reason = words.pop(0) if words[0][-1].isalpha() else ""
        reason = reason.replace("_", " ") if "_of_" in reason else reason
        for said in words:
            first, _, closing = said.partition(",")
            yield (state, f"preference: {reason}" if reason else ""), first, closing


def counted(choices: str) -> Votes:
    chosen, rejected, equal, cannot_tell = map(choices.count, "+-=?")
    return Votes(pair="p", chosen=chosen, rejected=rejected, equal=equal, cannot_tell=cannot_tell)


@pytest.mark.parametrize(
    ("policy", "table", "label"), [
        (OF_THREE, MAJORITY, "chosen"), (OF_THREE | {"rule": "unanimity"}, UNANIMITY, "chosen"),
        ({}, DEFAULT, "chosen"), ({}, PLACEBO, "equal"),
    ],
    ids=["majority", "unanimity", "default", "placebo"],
)  # fmt: skip
def test_what_the_votes_on_a_pair_come_to(policy: dict[str, Any], table: str, label: Label) -> None:
    rules = HumanRules(**policy)
    for expected, first, closing in cases(table):
        found = preference_outcome(counted(first), counted(closing), rules, label)
        assert found == expected, (first, closing)
        if expected[0] != "disputed" and not closing:
            # Round 2 changes nothing but disputes.
            for one in "+-=?":
                assert preference_outcome(counted(first), counted(one), rules, label) == expected


@pytest.mark.parametrize(
    ("policy", "choices", "state"),
    [
        ({"cannot_tell": 0}, "++?", "refused"),
        ({"cannot_tell": 0.5}, "++??", "disputed"),
        ({"cannot_tell": 0.49}, "++??", "refused"),
        ({"cannot_tell": 1}, "???", "disputed"),
        ({"cannot_tell": 0.29}, "+" * 71 + "?" * 29, "verified"),  # the most passes
        ({"votes": 1}, "-", "refused"),
        ({"votes": 2}, "+-", "disputed"),
        ({"votes": 5}, "+++", "waiting"),
        ({"votes": 5}, "+++--", "verified"),
    ],
)
def test_limits_of_the_rule_on_votes(policy: dict[str, Any], choices: str, state: str) -> None:
    rules = HumanRules(**OF_THREE | policy)
    assert preference_outcome(counted(choices), counted(""), rules)[0] == state


@pytest.mark.parametrize(
    "policy",
    [{}, {"further": 0}, {"votes": 1}, {"votes": 2}, {"votes": 3, "rule": "majority"},
     {"votes": 2, "rule": "majority", "further": 0}, {"rule": "majority"}],
)  # fmt: skip
def test_how_often_coins_verify_a_pair(policy: dict[str, Any]) -> None:
    rules = HumanRules(**policy)
    first = [*map("".join, product("+-", repeat=rules.votes))]
    closing = [*map("".join, product("+-", repeat=rules.closing_votes))]
    verified = sum(
        preference_outcome(counted(one), counted(other), rules)[0] == "verified"
        for one in first
        for other in closing
    )
    assert rules.by_chance == pytest.approx(verified / len(first) / len(closing))


# Quality and aspects


def scores(correctness: int | None, helpfulness: int | None = 4) -> dict[str, int | None]:
    return {"correctness": correctness, "helpfulness": helpfulness}


def rated(*people: tuple[Any, Any], **changes: Any) -> list[Answer]:
    """The scores that each person gives the two responses."""
    return [a for one, other in people for a in quality(VIOLATE, one, other, n=1, **changes)]


UNSURE, GAPS = scores(None), ("quality_gap: correctness", "quality_gap: helpfulness")
POOR, UNKNOWN = "quality: correctness", "quality: correctness cannot be judged"


@pytest.mark.parametrize(
    ("answers", "policy", "state", "reasons"),
    [
        # The minimum holds on either side and on every scale,
        (rated((scores(2), 4), (scores(2), 4)), {"quality_gap": 4}, "refused", (POOR,)),
        (rated((4, scores(2)), (4, scores(2))), {"quality_gap": 4}, "refused", (POOR,)),
        (rated((scores(4, 2), 4)) * 2, {"quality_gap": 4}, "refused", ("quality: helpfulness",)),
        (rated((scores(None, 2), 4)) * 2, {"quality_gap": 4}, "refused",
         ("quality: helpfulness",)),
        # on the mean of as many answers as a unit needs.
        (rated((2, 4), (4, 4)), {}, "verified", ()),
        (rated((3, 4), (3, 4), (4, 4)), {"quality_floor": 10 / 3}, "verified", ()),
        (rated((4, 4)), {}, "waiting", ("quality: 1 of 2 answers",)),
        (rated((1, 1)), {"quality_votes": 0}, "verified", ()),
        # "Cannot judge" is no score, and a second round closes it.
        (rated((UNSURE, 4), (4, 4)), {}, "verified", ()),
        (rated((UNSURE, 4), (UNSURE, 4)), {}, "disputed", (UNKNOWN,)),
        (rated((UNSURE, 4)) * 2 + rated((4, 4), round=2), {}, "verified", ()),
        (rated((UNSURE, 4)) * 2 + rated((scores(2), 4), round=2), {}, "refused",
         (POOR, "quality_gap: correctness")),
        (rated((UNSURE, 4)) * 2 + rated((UNSURE, 4), round=2), {}, "refused", (UNKNOWN,)),
        # Neither response may be much better; the limit passes, although thirds are not exact.
        (rated((5, 4), (5, 3)), {}, "verified", ()),
        (rated((5, 3), (4, 3), (5, 3)), {}, "refused", GAPS),
        (rated((3, 5), (3, 5)), {}, "refused", GAPS),
        (rated((scores(5), scores(3))) * 2, {}, "refused", GAPS[:1]),
        (rated((5, 3), (5, 3), (3, 3)), {"quality_gap": 4 / 3}, "verified", ()),
        (rated((5, 3), (5, 3), (3, 3)), {"quality_gap": 1.3}, "refused", GAPS),
    ],
)  # fmt: skip
def test_both_responses_are_good_and_equally_so(
    answers: list[Answer], policy: dict[str, Any], state: State, reasons: tuple[str, ...]
) -> None:
    rest = [*support(PAIR, CLEAR, CLEAR), *votes(PAIR, "+++")]
    assert of([*answers, *rest], **policy) == (state, reasons)


CODES = {"+": "chosen", "-": "rejected", "b": "both", "n": "neither", "?": "cannot_tell",
         "C": "clearly", "P": "plausibly", "N": "no", "X": "contradicted"}  # fmt: skip


def on_aspects(people: str) -> list[Answer]:
    """For each person, support and delivery of both aspects, as in `C+N-`."""
    found: list[Answer] = []
    for said_by in people.split():
        said: list[Said] = []
        for n, (there, by) in enumerate(zip(said_by[::2], said_by[1::2], strict=True), start=1):
            said += [("support", str(n), CODES[there]), ("delivery", str(n), CODES[by])]
        found += given(PAIR, said)
    return [*quality(VIOLATE, 4, 4), *votes(PAIR, "+++"), *found]


CONTRADICTED = ("rubric: aspect_contradicted",)


@pytest.mark.parametrize(
    ("people", "policy", "reasons"),
    [
        # An aspect is supported if most find it so: one of two is not most.
        ("C+P+ P+C+", {"aspects_supported": 1}, ()),
        ("C+N+ C+X+", {}, ()),
        ("C+N+ C+X+", {"aspects_supported": 0.6}, UNSUPPORTED),
        ("C+N+ N+C+", {}, UNSUPPORTED),
        ("C+N+ N+C+", {"aspects_supported": 0, "delivered": 0}, ()),
        ("N+N+ N+N+", {"rubric_votes": 0}, ()),
        # The chosen response alone delivers most of those; who cannot tell is left out.
        ("C+C+ C+C- C-C+", {}, ()),
        ("C+C+ C+Cb CbC+", {}, ()),
        ("C+C+ C+C? C?C?", {}, ()),
        ("C+C+ CnC? C?C?", {}, UNDELIVERED),
        ("C+C- C+C- C+C-", {}, UNDELIVERED),
        ("C+Cb C+Cb C+Cb", {}, UNDELIVERED),
        ("C-C- C-C- C-C-", {}, UNDELIVERED),
        ("C?C? C?C? C?C?", {"delivered": 0}, ()),
        ("C?C? C?C? C?C?", {}, UNDELIVERED),
        ("C+Nn C+Nn", {"delivered": 1}, ()),
        ("C+Cn C+Cn", {"delivered": 1}, UNDELIVERED),
        # No aspect may be contradicted by most.
        ("C+X+ C+C+ C+C+", {}, ()),
        ("C+X+ C+X+ C+C+", {}, CONTRADICTED),
        ("C+X+ C+X+ C+X+", {"contradicted": 1}, ()),
        ("C-X- C-X-", {}, (*UNDELIVERED, *CONTRADICTED)),
        ("C+C+", {"rubric_votes": 1}, ()),
    ],
)
def test_the_aspects_are_the_users_and_the_chosen_response_alone_delivers_them(
    people: str, policy: dict[str, Any], reasons: tuple[str, ...]
) -> None:
    assert of(on_aspects(people), **policy) == ("refused" if reasons else "verified", reasons)


def test_a_rubric_that_too_few_answered_waits() -> None:
    assert of(on_aspects("C+C+")) == ("waiting", ("rubric: 1 of 2 answers",))


# Twins and placebos


@pytest.mark.parametrize("half", [ASKED, PARTNER], ids=["asked", "partner"])
def test_the_aspects_of_either_half_refuse_a_twin(half: Any) -> None:
    answers = [*quality(TWIN, 4, 4), *votes(ASKED, "+++"), *votes(PARTNER, "+++")]
    for pair in TWIN.pairs:
        answers += support(pair, *([("no", "no")] * 2 if pair is half else [CLEAR] * 2))
    assert of(answers, TWIN) == ("refused", UNSUPPORTED)


@pytest.mark.parametrize(
    ("asked", "partner", "state", "reason"),
    [
        ("+++", "++-", "verified", ""),
        ("+++", "---", "refused", "preference: for_the_other"),
        ("+++", "+-=", "disputed", "preference: no_majority"),
        ("+++", "++", "waiting", "preference: 2 of 3 votes"),
        ("---", "++", "refused", "preference: for_the_other"),
        ("+-=", "++", "waiting", "preference: 2 of 3 votes"),
    ],
)
def test_one_half_of_a_twin_decides_for_both(
    asked: str, partner: str, state: str, reason: str
) -> None:
    for first, second in ((asked, partner), (partner, asked)):
        answers = [*well(TWIN), *votes(ASKED, first), *votes(PARTNER, second)]
        assert of(answers, TWIN) == (state, (reason,) if reason else ())


@pytest.mark.parametrize("half", [0, 1])
def test_a_placebo_is_verified_if_both_halves_make_no_difference(half: int) -> None:
    """Nobody is asked about aspects."""
    plain = Rubric(question_id="q", user="u", origin=None, aspects=())
    pairs = [pair.model_copy(update={"mode": "placebo", "rubric": plain}) for pair in twin(3)]
    placebo = one(*pairs)
    rest = quality(placebo, 4, 4) + votes(pairs[1 - half], "===")
    for choices, state in (("===", "verified"), ("=++", "refused"), ("=+-", "disputed")):
        assert of(rest + votes(pairs[half], choices), placebo)[0] == state


def test_a_dispute_names_its_halves_and_the_votes_of_both_rounds() -> None:
    answers = [*well(TWIN), *votes(ASKED, "+++"), *votes(PARTNER, "+-=")]
    made = decided(TWIN, [*answers, *votes(PARTNER, "+", round=2)], further=6)
    assert made.reasons == ("preference: second round, 1 of 6 votes",)
    assert (made.about, made.disputed) == ({made.reasons[0]: (PARTNER.id,)}, (PARTNER.id,))
    assert [(vote.pair, vote.n) for vote in made.votes] == [(ASKED.id, 3), (PARTNER.id, 3)]
    assert [one.n for one in made.closing] == [0, 1]
    assert decided(TWIN, [*answers, *votes(PARTNER, "+", round=2)]).disputed == ()
    answers = [*well(TWIN), *votes(ASKED, "+-="), *votes(PARTNER, "+-=")]
    assert decided(TWIN, answers).disputed == (ASKED.id, PARTNER.id)
    answers += votes(ASKED, "+", round=2)
    for closing, state in (("", "disputed"), ("+", "verified"), ("-", "refused")):
        assert of([*answers, *votes(PARTNER, closing, round=2)], TWIN)[0] == state


# What does not count


def test_repeats_comments_and_what_somebody_excluded_said_count_in_no_decision() -> None:
    answers = [*well(VIOLATE), *votes(PAIR, "+-=")]
    more = [*votes(PAIR, "+" * 50, round=0), *given(PAIR, [("comment", "", "well")])]
    assert decided(VIOLATE, [*answers, *more]) == decided(VIOLATE, answers)
    simulated = decided(VIOLATE, votes(PAIR, "+++", source="simulated-annotator-01-1-0.json"))
    assert (decided(VIOLATE, answers).simulated, simulated.simulated) == (False, True)
    good, bad = [*well(VIOLATE), *votes(PAIR, "++")], votes(PAIR, "--", annotator="bad")
    bad += quality(VIOLATE, 1, 1, n=9, annotator="bad")
    bad += support(PAIR, *[("no", "no")] * 3, annotator="bad")
    assert decided(VIOLATE, [*good, *bad]).state == "refused"
    rules, outlines = HumanRules(**OF_THREE), [outline_of(VIOLATE), outline_of(TWIN)]
    found = decide(outlines, table_of([*good, *bad]), rules, {"bad"})
    assert found[VIOLATE.id] == decided(VIOLATE, good)
    assert [one.state for one in found.values()] == ["waiting", "waiting"]


# Annotators


OUTLINE = outline_of(TWIN)
SIDES = {ASKED.id: {"a": "+", "b": "-"}, PARTNER.id: {"a": "-", "b": "+"}}
FIRST, ACROSS = f"{ASKED.id}-0", f"{PARTNER.id}-0"
"""Who votes first on each half."""


def cast_votes(here: str, across: str, **changes: object) -> list[Answer]:
    """Votes on the two halves of a twin, each by somebody else: `a` and `b` are its responses, `=`
    is no difference and `?` cannot tell."""
    return [
        answer
        for pair, choices in ((ASKED, here), (PARTNER, across))
        for n, choice in enumerate(choices)
        for answer in votes(
            pair, SIDES[pair.id].get(choice, choice), annotator=f"{pair.id}-{n}", **changes
        )
    ]


def checks_of(answers: list[Answer], who: str = FIRST) -> tuple[int, int]:
    """One person's: right, and met."""
    found = checks(table_of(answers), [OUTLINE])
    return (int(found["k"][who]), int(found["n"][who])) if who in found.index else (0, 0)


@pytest.mark.parametrize(
    ("here", "across", "right"),
    [
        ("aaa", "bbb", True),
        ("baa", "bbb", False),
        ("=aa", "bbb", False),
        ("?aa", "bbb", True),  # the first of two "cannot tell"
        ("aaa", "?bb", True),
        ("aaa", "aaa", None),  # the others see no difference between the users
        ("aab", "bbb", None),  # one against one
        ("aaa", "bba?", True),
        ("aaa", "bb==", None),  # not more than half of those across
        ("a==", "bbb", None),  # most of the others say that it makes no difference
        ("a", "bbb", None),  # nobody else has these posts
        ("ba", "bbb", None),  # one other person is no measure
        ("baa", "b", None),
        ("baa", "b?", None),
        ("aaa", "", None),
    ],
)
def test_a_vote_is_a_check_if_the_others_see_that_the_posts_decide(
    here: str, across: str, right: bool | None
) -> None:
    found = checks_of(cast_votes(here, across))
    assert found == ((0, 0) if right is None else (int(right), 1))


def test_whoever_does_not_read_is_right_by_a_fair_coin_whatever_the_others_answer() -> None:
    """Over all answers of two and two others, a choice that does not depend on the half is right on
    exactly one of the halves wherever it is a check."""
    met = 0
    for others in map("".join, product("ab=", repeat=4)):
        here, across = others[:2], others[2:]
        for choice in "ab":
            one = checks_of(cast_votes(choice + here, across))
            two = checks_of(cast_votes(here, choice + across), ACROSS)
            assert one[1] == two[1] == one[0] + two[0]
            met += one[1]
    assert met


def test_of_two_cannot_tell_one_counts_as_right() -> None:
    """So somebody who always says so fails, and one such answer excludes nobody."""
    assert checks_of(cast_votes("?aa", "bbb")) == (1, 1)
    unsure = [vote for n in range(5) for vote in cast_votes("?aa", "bbb", unit=f"twin-{n:016x}")]
    assert checks_of(unsure) == (3, 5)
    assert excluded_by(checks(table_of(unsure), [OUTLINE]), 0.7) == {FIRST}


def test_repeats_other_rounds_placebos_and_single_pairs_hold_no_check() -> None:
    assert checks_of(cast_votes("aaa", "bbb", round=0)) == (0, 0)
    assert checks_of(cast_votes("aaa", "bbb", round=2)) == (0, 0)
    placebo = outline_of(one(*(pair.model_copy(update={"mode": "placebo"}) for pair in twin(2))))
    assert checks(table_of(cast_votes("aaa", "bbb")), [placebo]).empty
    assert checks(table_of(votes(violate(1), "+++-")), [OUTLINE]).empty


def test_nobody_is_excluded_by_fewer_than_four_checks() -> None:
    found = {"none": (0, 0), "few": (0, 3), "enough": (0, 4), "at": (7, 10), "below": (6, 10)}
    table = pd.DataFrame.from_dict(found, orient="index", columns=["k", "n"])
    assert excluded_by(table, 0.7) == {"enough", "below"}


def test_repeats_and_votes_with_most_of_the_others_are_counted() -> None:
    def by(who: str, first: str, again: str = "") -> list[Answer]:
        given = votes(ASKED, first, annotator=who)
        return [*given, *votes(ASKED, again, annotator=who, round=0)]

    table = table_of(
        [*by("p", "+", "+"), *by("q", "+", "-"), *by("r", "-", "?"), *by("s", "?", "?")]
    )
    assert repeats(table)["k"].to_dict() == {"p": 1, "q": 0}
    # Of the others of p, one is for it and one against: there is no majority.
    assert with_others(votes_of(table)).to_dict("index")["r"] == {"k": 0, "n": 1}
    assert "p" not in with_others(votes_of(table)).index
    found = annotators(table, [OUTLINE])
    assert set(found.to_dict("index")["s"].values()) == {0}
    assert list(found.index) == ["p", "q", "r", "s"]
