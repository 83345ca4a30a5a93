"""Which votes are attention checks, and who is excluded by them."""

from itertools import product

import pytest

from pairwright.estimate import share
from pairwright_human_eval.attention import excluded_by, vote_checks
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, PreferenceAnswer, Verdict, response_id
from small_studies import twin, violate, votes

ASKED, PARTNER = twin(1)
NAMED = {"a": response_id(ASKED.chosen), "b": response_id(ASKED.rejected)}
NAMED |= {"=": EQUAL, "?": CANNOT_TELL}
FIRST, ACROSS = f"{ASKED.id}-0", f"{PARTNER.id}-0"
"""Who votes first on each half."""


def cast_votes(here: str, across: str, **changes: object) -> list[Verdict]:
    """Votes on the two halves of a twin, each by somebody else: `a` and `b` are its responses, `=`
    is no difference and `?` cannot tell."""
    found = []
    for pair, choices in ((ASKED, here), (PARTNER, across)):
        for n, choice in enumerate(choices):
            (one,) = votes(pair, "+", annotator=f"{pair.id}-{n}", subject=ASKED.twin_id)
            answers = PreferenceAnswer(choice=NAMED[choice])
            found.append(one.model_copy(update={"answers": answers, **changes}))
    return found


def checks_of(verdicts: list[Verdict], who: str = FIRST) -> tuple[int, int]:
    """Of one person: right, and met."""
    found = vote_checks(verdicts).get(who)
    return (found.k or 0, found.n) if found else (0, 0)


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
        ("aaa", "", None),
    ],
)
def test_a_vote_is_a_check_where_the_others_see_that_the_posts_decide(
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
    once = cast_votes("?aa", "bbb", subject="twin-0000000000000000")
    assert checks_of(once) == (1, 1)
    more = (cast_votes("?aa", "bbb", subject=f"twin-{n:016x}") for n in range(1, 5))
    unsure = sum(more, once)
    assert checks_of(unsure) == (3, 5)
    assert excluded_by(vote_checks(unsure), 0.7) == {FIRST}


@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": "repeat"},
        {"round": 2},
        {"subject": "placebo-0000000000000001"},
    ],
    ids=str,
)
def test_other_tasks_and_placebos_hold_no_check(changes: dict[str, object]) -> None:
    assert vote_checks(cast_votes("aaa", "bbb"))
    assert vote_checks(cast_votes("aaa", "bbb", **changes)) == {}


def test_a_single_pair_holds_no_check() -> None:
    assert vote_checks(votes(violate(1), "+++-")) == {}


def test_nobody_is_excluded_by_fewer_than_four_checks() -> None:
    failed = {"none": share(0, 0), "one": share(0, 1), "few": share(0, 3), "enough": share(0, 4)}
    assert excluded_by(failed, 0.7) == {"enough"}
    passed = {"at the floor": share(7, 10), "below": share(6, 10)}
    assert excluded_by(passed, 0.7) == {"below"}
