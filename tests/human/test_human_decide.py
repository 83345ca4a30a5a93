"""What people's answers come to: every rule of the decision, on small tables of answers."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd
import pytest

from pairwright.pairs import PairVotes
from pairwright.records import Rubric
from pairwright.settings.rules import HumanRules
from pairwright_human_eval import agreement
from pairwright_human_eval.agreement import checks, excluded_by, votes_of
from pairwright_human_eval.decisions import decide, preference_outcome, table_of
from pairwright_human_eval.records import Answer, Label
from pairwright_human_eval.units import Unit, outline_of
from small_studies import (
    OF_THREE,
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


def of(answers: list[Answer], unit: Unit = VIOLATE, **policy: Any) -> str:
    """The state and its reasons, divided by slashes."""
    made = decided(unit, answers, **policy)
    return " / ".join((made.state, *made.reasons))


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


def counted(choices: str) -> PairVotes:
    chosen, rejected, equal, cannot_tell = map(choices.count, "+-=?")
    return PairVotes(
        pair="p", chosen=chosen, rejected=rejected, equal=equal, cannot_tell=cannot_tell
    )


@pytest.mark.parametrize(
    ("policy", "table", "label"),
    [
        (OF_THREE, MAJORITY, "chosen"),
        (OF_THREE | {"rule": "unanimity"}, UNANIMITY, "chosen"),
        ({}, DEFAULT, "chosen"),
        ({}, PLACEBO, "equal"),
        (OF_THREE | {"cannot_tell": 0}, "refused cannot_tell ++?", "chosen"),
        (OF_THREE | {"cannot_tell": 0.5}, "disputed no_majority ++??", "chosen"),
        (OF_THREE | {"cannot_tell": 0.49}, "refused cannot_tell ++??", "chosen"),
        (OF_THREE | {"cannot_tell": 0.29}, f"verified {'+' * 71 + '?' * 29}", "chosen"),
        (OF_THREE | {"votes": 1}, "refused for_the_other -", "chosen"),
        (OF_THREE | {"votes": 5}, "verified +++--", "chosen"),
    ],
)
def test_what_the_votes_on_a_pair_come_to(policy: dict[str, Any], table: str, label: Label) -> None:
    rules = HumanRules(**policy)
    for expected, first, closing in cases(table):
        found = preference_outcome(counted(first), counted(closing), rules, label)
        assert found == expected, (first, closing)
        if expected[0] != "disputed" and not closing:
            # Round 2 changes nothing but disputes.
            for vote in "+-=?":
                assert preference_outcome(counted(first), counted(vote), rules, label) == expected


@pytest.mark.parametrize("votes", [1, 2, 4])
@pytest.mark.parametrize("more", [{}, {"further": 0}, {"rule": "majority"}])
def test_how_often_coins_verify_a_pair(votes: int, more: dict[str, Any]) -> None:
    rules = HumanRules(votes=votes, **more)
    first, closing = (
        [*map("".join, product("+-", repeat=n))] for n in (rules.votes, rules.closing_votes)
    )
    verified = sum(
        preference_outcome(counted(one), counted(other), rules)[0] == "verified"
        for one in first
        for other in closing
    )
    assert rules.by_chance == pytest.approx(verified / len(first) / len(closing))


# Quality and aspects

GAPS = "refused / quality_gap: correctness / quality_gap: helpfulness"
UNKNOWN = "quality: correctness cannot be judged"
UNSUPPORTED = "refused / rubric: aspects_unsupported"
UNDELIVERED, CONTRADICTED = "refused / rubric: aspects_undelivered", "rubric: aspect_contradicted"


@pytest.mark.parametrize(
    ("people", "policy", "expected"),
    [
        # The minimum of quality holds on either side and on every scale,
        ("24/44 24/44", {"quality_gap": 4}, "refused / quality: correctness"),
        ("42/44 42/44", {"quality_gap": 4}, "refused / quality: helpfulness"),
        # on the mean of as many answers as a unit needs.
        ("22/44 44/44", {}, "verified"),
        ("44/44", {}, "waiting / quality: 1 of 2 answers"),
        ("11/11", {"quality_votes": 0}, "verified"),
        # "Cannot judge" is no score, and a second round closes it.
        ("?4/44 44/44", {}, "verified"),
        ("?4/44 ?4/44", {}, f"disputed / {UNKNOWN}"),
        ("?4/44 ?4/44 | 44/44", {}, "verified"),
        ("?4/44 ?4/44 | 24/44", {}, "refused / quality: correctness / quality_gap: correctness"),
        ("?4/44 ?4/44 | ?4/44", {}, f"refused / {UNKNOWN}"),
        # Neither response may be much better; the limit passes, although thirds are not exact.
        ("55/44 55/33", {}, "verified"),
        ("55/33 44/33 55/33", {}, GAPS),
        ("54/34 54/34", {}, "refused / quality_gap: correctness"),
        ("55/33 55/33 33/33", {"quality_gap": 4 / 3}, "verified"),
        ("55/33 55/33 33/33", {"quality_gap": 1.3}, GAPS),
        # An aspect is supported if most find it so: one of two is not most.
        ("C+P+ P+C+", {"aspects_supported": 1}, "verified"),
        ("C+N+ C+X+", {"aspects_supported": 0.6}, UNSUPPORTED),
        ("C+N+ N+C+", {}, UNSUPPORTED),
        ("C+N+ N+C+", {"aspects_supported": 0, "delivered": 0}, "verified"),
        ("N+N+ N+N+", {"rubric_votes": 0}, "verified"),
        # The chosen response alone delivers most of those; who cannot tell is left out.
        ("C+C+ C+Cb CbC+", {}, "verified"),
        ("C+C+ CnC? C?C?", {}, UNDELIVERED),
        ("C+Cb C+Cb C+Cb", {}, UNDELIVERED),
        ("C?C? C?C? C?C?", {"delivered": 0}, "verified"),
        ("C?C? C?C? C?C?", {}, UNDELIVERED),
        ("C+Nn C+Nn", {"delivered": 1}, "verified"),
        # No aspect may be contradicted by most.
        ("C+X+ C+X+ C+C+", {}, f"refused / {CONTRADICTED}"),
        ("C+X+ C+X+ C+X+", {"contradicted": 1}, "verified"),
        ("C-X- C-X-", {}, f"{UNDELIVERED} / {CONTRADICTED}"),
        ("C+C+", {"rubric_votes": 1}, "verified"),
        ("C+C+", {}, "waiting / rubric: 1 of 2 answers"),
    ],
)
def test_both_responses_are_good_and_the_chosen_one_alone_delivers_the_users_aspects(
    people: str, policy: dict[str, Any], expected: str
) -> None:
    """Scores, or words on aspects; those of the second round behind a bar. The rest is well."""
    first, _, second = people.partition("|")
    answers = votes(PAIR, "+++")
    if "/" in people:
        answers += quality(VIOLATE, *first.split()) + quality(VIOLATE, *second.split(), round=2)
        answers += support(PAIR, "C+C+", "C+C+")
    else:
        answers += quality(VIOLATE, "44/44", "44/44") + support(PAIR, *first.split())
    assert of(answers, **policy) == expected


# Twins and placebos


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("+++", "++-", "verified"),
        ("+++", "+-=", "disputed / preference: no_majority"),
        ("+++", "++", "waiting / preference: 2 of 3 votes"),
        ("---", "++", "refused / preference: for_the_other"),
        ("+-=", "++", "waiting / preference: 2 of 3 votes"),
    ],
)
def test_one_half_of_a_twin_decides_for_both(first: str, second: str, expected: str) -> None:
    for half, other in ((ASKED, PARTNER), (PARTNER, ASKED)):
        answers = [*well(TWIN), *votes(half, first), *votes(other, second)]
        assert of(answers, TWIN) == expected


@pytest.mark.parametrize("half", [0, 1])
def test_the_aspects_of_either_half_refuse_a_twin_and_a_placebo_has_none(half: int) -> None:
    answers = [*quality(TWIN, "44/44", "44/44"), *votes(ASKED, "+++"), *votes(PARTNER, "+++")]
    for n, pair in enumerate(TWIN.pairs):
        answers += support(pair, *["N+N+" if n == half else "C+C+"] * 2)
    assert of(answers, TWIN) == UNSUPPORTED
    nothing = Rubric(question_id="q", user="u", origin=None, aspects=())
    pairs = twin(3, mode="placebo", rubric=nothing)
    rest = [*well(one(*pairs)), *votes(pairs[1 - half], "===")]
    for choices, state in (("===", "verified"), ("=++", "refused"), ("=+-", "disputed")):
        assert of(rest + votes(pairs[half], choices), one(*pairs)).startswith(state)


def test_a_dispute_names_its_halves_and_the_votes_of_both_rounds() -> None:
    answers = [*well(TWIN), *votes(ASKED, "+++"), *votes(PARTNER, "+-=")]
    made = decided(TWIN, [*answers, *votes(PARTNER, "+", round=2)], further=6)
    assert made.reasons == ("preference: second round, 1 of 6 votes",)
    assert (made.about, made.disputed) == ({made.reasons[0]: (PARTNER.id,)}, (PARTNER.id,))
    assert [(vote.pair, vote.n) for vote in made.votes] == [(ASKED.id, 3), (PARTNER.id, 3)]
    assert [one.n for one in made.closing] == [0, 1]
    answers = [*well(TWIN), *votes(ASKED, "+-="), *votes(ASKED, "+", round=2)]
    for closing, state in (("", "disputed"), ("+", "verified"), ("-", "refused")):
        both = [*answers, *votes(PARTNER, "+-="), *votes(PARTNER, closing, round=2)]
        assert of(both, TWIN).startswith(state)


# What does not count


def test_repeats_comments_and_what_somebody_excluded_said_count_in_no_decision() -> None:
    answers = [*well(VIOLATE), *votes(PAIR, "+-=")]
    more = [*votes(PAIR, "+" * 50, round=0), *given(PAIR, [("comment", "", "well")])]
    assert decided(VIOLATE, [*answers, *more]) == decided(VIOLATE, answers)
    simulated = decided(VIOLATE, votes(PAIR, "+++", source="simulated-annotator-01-1-0.json"))
    assert (decided(VIOLATE, answers).simulated, simulated.simulated) == (False, True)
    good, bad = [*well(VIOLATE), *votes(PAIR, "++")], votes(PAIR, "--", annotator="bad")
    bad += quality(VIOLATE, *["11/11"] * 9, annotator="bad")
    bad += support(PAIR, *["N+N+"] * 3, annotator="bad")
    assert of([*good, *bad]).startswith("refused")
    rules, outlines = HumanRules(**OF_THREE), [outline_of(VIOLATE), outline_of(TWIN)]
    found = decide(outlines, table_of([*good, *bad]), rules, {"bad"})
    assert found[VIOLATE.id] == decided(VIOLATE, good)
    assert [one.state for one in found.values()] == ["waiting", "waiting"]


# Annotators


def cast_votes(here: str, across: str, unit: Unit = TWIN, **changes: Any) -> list[Answer]:
    """Votes on the two halves of a twin, each by somebody else: `a` and `b` are its responses, `=`
    is no difference and `?` cannot tell. `me` votes first."""
    found: list[Answer] = []
    for pair, choices in zip(unit.pairs, (here, across), strict=True):
        words = {"a": "+-"[not pair.asked], "b": "-+"[not pair.asked]}
        for n, choice in enumerate(choices):
            who = "me" if pair.asked and not n else f"{pair.id}-{n}"
            found += votes(pair, words.get(choice, choice), **{"annotator": who, **changes})
    return found


def checks_of(*answers: Answer) -> tuple[int, int]:
    """Those of `me`: right, and met."""
    found = checks(table_of(answers), [outline_of(TWIN)])
    return (int(found["k"]["me"]), int(found["n"]["me"])) if "me" in found.index else (0, 0)


@pytest.mark.parametrize(
    ("here", "across", "right"),
    [
        ("aaa", "bbb", True),
        ("baa", "bbb", False),
        ("?aa", "bbb", True),  # the first of two "cannot tell"
        ("aaa", "bba?", True),
        ("aaa", "aaa", None),  # the others see no difference between the users
        ("aab", "bbb", None),  # one against one
        ("aaa", "bb==", None),  # not more than half of those across
        ("a==", "bbb", None),  # most of the others say that it makes no difference
        ("ba", "bbb", None),  # one other person is no measure
        ("aaa", "", None),
    ],
)
def test_a_vote_is_a_check_if_the_others_see_that_the_posts_decide(
    here: str, across: str, right: bool | None
) -> None:
    expected = (0, 0) if right is None else (int(right), 1)
    assert checks_of(*cast_votes(here, across)) == expected


def test_whoever_does_not_read_is_right_by_a_fair_coin_whatever_the_others_answer() -> None:
    """Over all answers of two and two others, a choice that does not depend on the half is right on
    exactly one of the halves wherever it is a check."""
    answers, outlines = list[Answer](), []
    for n, (choice, *others) in enumerate(product("ab", *["ab="] * 4)):
        here, across = "".join(others[:2]), "".join(others[2:])
        for half, cast in enumerate(((choice + here, across), (here, choice + across))):
            unit = one(*twin(2 * n + half))
            said = cast_votes(*cast, unit)
            mine = (0, len(here))[half]
            said[mine] = Answer(**dict(said[mine]) | {"annotator": f"coin {n}"})
            answers += said
            outlines.append(outline_of(unit))
    found = checks(table_of(answers), outlines)
    coins = found[found.index.str.startswith("coin")]
    assert len(coins)
    assert (coins["n"] == 2 * coins["k"]).all()


def test_of_two_cannot_tell_one_counts_as_right() -> None:
    """So somebody who always says so fails, and one such answer excludes nobody."""
    unsure = [vote for n in range(5) for vote in cast_votes("?aa", "bbb", unit=one(*twin(n)))]
    found = checks(table_of(unsure), [outline_of(one(*twin(n))) for n in range(5)])
    assert (found["k"]["me"], found["n"]["me"]) == (3, 5)
    assert excluded_by(found, 0.7) == {"me"}
    # Nor does anything exclude who met fewer than four.
    found = pd.DataFrame({"k": [0, 0, 0, 7, 6], "n": [0, 3, 4, 10, 10]}, index=[*"abcde"])
    assert excluded_by(found, 0.7) == {*"ce"}


def test_repeats_other_rounds_and_placebos_hold_no_check() -> None:
    for round in (0, 2):
        assert checks_of(*cast_votes("aaa", "bbb", round=round)) == (0, 0)
    placebo = outline_of(one(*twin(2, mode="placebo")))
    assert checks(table_of(cast_votes("aaa", "bbb")), [placebo]).empty


def test_repeats_and_votes_with_most_of_the_others_are_counted() -> None:
    table = table_of(
        answer
        for who, first, again in zip("pqrs", "++-?", "+-??", strict=True)
        for round, choice in enumerate((again, first))
        for answer in votes(ASKED, choice, annotator=who, round=round)
    )
    assert agreement.repeats(table)["k"].to_dict() == {"p": 1, "q": 0}
    # Of the others of p, one is for it and one against: there is no majority.
    assert agreement.with_others(votes_of(table)).to_dict("index") == {"r": {"k": 0, "n": 1}}
    found = agreement.annotators(table, [outline_of(TWIN)]).to_dict("index")
    assert [*found] == ["p", "q", "r", "s"]
    assert {*found["s"].values()} == {0}
