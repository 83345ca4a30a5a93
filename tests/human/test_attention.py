"""How often attention checks let through an annotator who does not read, and one who does; and what
the wrong-profile control can show: by simulation, and by planted leaks."""

from collections import Counter
from itertools import product

import pytest

from pairwright.estimate import share
from pairwright_human_eval.assign import control_power, one_sided
from pairwright_human_eval.attention import (
    FEWEST_CHECKS,
    excluded_by,
    nonreader_pass,
    pass_rate,
    possible_checks,
    vote_checks,
)
from pairwright_human_eval.qualification import enough_checks
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, PreferenceAnswer, Verdict, response_id
from released import placebo
from small_studies import mixed, study_of, twin, violate, votes


@pytest.mark.parametrize(
    ("checks", "floor", "fewest", "rate"),
    [
        (4, 0.75, None, 5 / 16),  # 3 or 4 of 4
        (7, 0.75, None, 8 / 128),  # 6 or 7 of 7
        (8, 0.75, None, 37 / 256),  # 6, 7 or 8 of 8
        (10, 0.75, None, 56 / 1024),  # 8, 9 or 10 of 10
        (4, 1.0, None, 1 / 16),
        (5, 0.0, None, 1.0),
        (0, 0.75, None, 1.0),
        (3, 0.7, FEWEST_CHECKS, 1.0),
        (4, 0.7, FEWEST_CHECKS, 5 / 16),
    ],
)
def test_the_rate_of_a_non_reader_is_counted_by_hand(
    checks: int, floor: float, fewest: int | None, rate: float
) -> None:
    assert nonreader_pass(checks, floor, fewest) == pytest.approx(rate, abs=1e-15)


def test_a_reader_passes_as_the_binomial_says() -> None:
    assert pass_rate(2, 1.0, 0.9) == pytest.approx(0.81)
    assert pass_rate(7, 0.75, 0.95) == pytest.approx(0.95**7 + 7 * 0.05 * 0.95**6)
    assert pass_rate(7, 0.75, 1.0) == 1


@pytest.mark.parametrize(
    ("floor", "most", "number"),
    [
        (0.7, 16, 9),  # 9 let through 9.0 %, 8 let through 14.5 %
        (0.75, 16, 7),
        (1.0, 16, 4),
        (0.75, 5, 5),  # too few are there
        (0.4, 16, 8),  # 8 lets through 63.7 %, any other number more
    ],
)
def test_a_qualification_has_so_many_checks_that_who_does_not_read_is_noticed(
    floor: float, most: int, number: int
) -> None:
    assert enough_checks(floor, most) == number


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
    assert excluded_by(vote_checks(unsure), 0.7, FEWEST_CHECKS) == {FIRST}


@pytest.mark.parametrize(
    "changes",
    [
        *({"purpose": purpose} for purpose in ("repeat", "narrative", "own")),
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


def test_nobody_is_excluded_by_fewer_than_four_checks_unless_the_study_is_of_before() -> None:
    """Studies of older versions, and so their releases, promised to exclude by a single one."""
    failed = {"none": share(0, 0), "one": share(0, 1), "few": share(0, 3), "enough": share(0, 4)}
    assert excluded_by(failed, 0.7, FEWEST_CHECKS) == {"enough"}
    assert excluded_by(failed, 0.7, None) == {"one", "few", "enough"}
    passed = {"at the floor": share(7, 10), "below": share(6, 10)}
    assert excluded_by(passed, 0.7, FEWEST_CHECKS) == {"below"}


def test_the_tasks_of_a_study_say_how_many_votes_can_be_checks() -> None:
    made = study_of(mixed(6, 6))
    given = made.keyed("vote", kind="preference")
    of_twins = Counter(keyed.annotator for keyed in given if keyed.subject.startswith("twin"))
    assert possible_checks(made.tasks) == {who: of_twins[who] for who in made.tasks}
    placebos = study_of([half for n in range(6) for half in placebo(n)])
    alone = study_of(mixed(6, 0), overlap=1, annotators=3)
    for none in (placebos, alone):
        assert not any(possible_checks(none.tasks).values())


@pytest.mark.parametrize(("choices", "power"), [(0, 0), (15, 0.3), (60, 0.75), (120, 0.95)])
def test_more_choices_show_it_more_often(choices: int, power: float) -> None:
    assert control_power(choices) == pytest.approx(power, abs=0.05)


def test_the_one_sided_bound_is_nearer_than_the_end_of_a_two_sided_interval() -> None:
    assert one_sided(0.5, 0.5 + 1.959964 * 0.05) == pytest.approx(0.5 + 1.644854 * 0.05)
    assert one_sided(0.99, 1.2) == 1
