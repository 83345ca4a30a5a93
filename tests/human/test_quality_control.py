"""Which votes are attention checks, who is excluded by them, and how annotators differ."""

from itertools import product

import pandas as pd
import pytest

from pairwright_human_eval.agreement import with_others
from pairwright_human_eval.decisions import (
    annotators,
    checks,
    excluded_by,
    repeats,
    table_of,
    votes_of,
)
from pairwright_human_eval.records import Answer
from pairwright_human_eval.units import outline_of
from small_studies import one, twin, violate, votes

ASKED, PARTNER = twin(1)
TWIN = outline_of(one(ASKED, PARTNER))
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
    found = checks(table_of(answers), [TWIN])
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
    assert excluded_by(checks(table_of(unsure), [TWIN]), 0.7) == {FIRST}


def test_repeats_other_rounds_placebos_and_single_pairs_hold_no_check() -> None:
    assert checks_of(cast_votes("aaa", "bbb", round=0)) == (0, 0)
    assert checks_of(cast_votes("aaa", "bbb", round=2)) == (0, 0)
    placebo = outline_of(one(*(pair.model_copy(update={"mode": "placebo"}) for pair in twin(1))))
    assert checks(table_of(cast_votes("aaa", "bbb")), [placebo]).empty
    assert checks(table_of(votes(violate(1), "+++-")), [TWIN]).empty


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
    found = annotators(table, [TWIN])
    assert set(found.to_dict("index")["s"].values()) == {0}
    assert list(found.index) == ["p", "q", "r", "s"]
