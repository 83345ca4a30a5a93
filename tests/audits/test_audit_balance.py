"""Counts by property, users who dominate, and figures beside a target's."""

from collections.abc import Iterable

import pytest

from audited import line
from pairwright.audits.balance import MOST_VALUES, Balance, ComparedPairs, compare
from pairwright.audits.records import Breakdown, Check, Status
from pairwright.dataset import Row, RowAspect
from pairwright.estimate import Estimate


def row(n: int, **changes: object) -> Row:
    fields = {
        "id": f"pair-{n}", "question": f"Question {n}?", "chosen": "one two three",
        "rejected": "one", "domain": "Home", "user": f"user-{n}", **changes,
    }  # fmt: skip
    return Row.model_validate(fields)


def counted(rows: Iterable[Row]) -> Balance:
    balance = Balance()
    for each in rows:
        balance.add(line(each))
    return balance


def dominance(per_user: list[int]) -> Check:
    """The check on one configuration with this many pairs of each user."""
    users = [user for user, n in enumerate(per_user) for _ in range(n)]
    rows = (row(n, user=f"user-{user:03}") for n, user in enumerate(users))
    (check,) = counted(rows).checks()
    assert (check.family, check.name, check.config) == ("balance", "user_dominates", "Home")
    return check


def breakdown(balance: Balance, by: str) -> Breakdown:
    (found,) = (each for each in balance.breakdowns() if each.by == by)
    return found


@pytest.mark.parametrize(
    ("per_user", "status"),
    [
        ([5, *[1] * 95], "pass"),
        ([6, *[1] * 94], "fail"),
        ([2, *[1] * 19], "pass"),
        ([3, *[1] * 17, 0, 0], "note"),
        ([4, *[1] * 22], "fail"),
        ([3, *[1] * 20], "pass"),
        ([50, 1], "note"),
        ([100], "note"),
    ],
)
def test_a_user_dominates_with_more_than_three_shares(per_user: list[int], status: Status) -> None:
    assert dominance(per_user).status == status


def test_the_rows_of_a_user_who_dominates_are_named_in_their_order() -> None:
    check = dominance([*[1] * 50, 10])
    assert check.status == "fail"
    assert (check.count, check.of, check.limit) == (10, 60, round(3 / 51, 6))
    assert [flag.row for flag in check.flags] == [f"pair-{n}" for n in range(50, 60)]
    assert "user-050" in check.detail


def test_users_are_held_against_their_own_configuration() -> None:
    rows = [row(n, domain="Home") for n in range(30)]
    rows += [row(100 + n, domain="Music", user="user-0") for n in range(10)]
    rows += [row(200 + n, domain="Music") for n in range(30)]
    assert [check.status for check in counted(rows).checks()] == ["pass", "fail"]


def repeated(rows: Iterable[Row]) -> Check:
    (check,) = (check for check in counted(rows).checks() if check.name == "repeated_prompts")
    return check


def test_prompts_that_come_again_are_told_where_no_user_is_named() -> None:
    rows = [row(n, user=None, question=f"Question {n % 50}?") for n in range(75)]
    check = repeated(rows)
    assert (check.status, check.count, check.of) == ("note", 25, 75)
    assert check.detail == "50 different prompts"
    assert (check.flags[0].row, check.flags[0].detail) == ("pair-50", "the prompt of pair-0")
    # Case and space do not make another prompt; an item's own pairs are one row.
    alike = [row(1, user=None, question="Which  one?"), row(2, user=None, question="which one?")]
    assert repeated(alike).count == 1
    one = [row(n, user=None, question="Which one?", item_id="q") for n in range(3)]
    assert repeated(one).count == 0


def test_users_who_ask_the_same_are_not_told_here() -> None:
    rows = [row(n, question="Which one?") for n in range(30)]
    assert [check.name for check in counted(rows).checks()] == ["user_dominates"]


def test_pairs_without_users_are_held_against_nothing() -> None:
    (check,) = counted(row(n, user=None) for n in range(50)).checks()
    assert (check.name, check.status, check.count) == ("repeated_prompts", "note", 0)


def test_a_breakdown_counts_pairs_users_and_words() -> None:
    rows = [
        row(1, category="Art", chosen="a b c d", rejected="a b"),
        row(2, category="Art", user="user-1"),
        row(3, category="Food", user=None),
    ]
    art, food = breakdown(counted(rows), "category").rows
    assert (art.name, art.pairs, art.users) == ("Art", 2, 1)
    assert (art.chosen_words, art.rejected_words) == (3.5, 1.5)
    assert (food.name, food.pairs, food.users) == ("Food", 1, 0)


def test_a_breakdown_is_by_frequency_and_says_what_it_leaves_out() -> None:
    rows = [row(n, category=f"c{n % (MOST_VALUES + 5):02}") for n in range(MOST_VALUES + 6)]
    found = breakdown(counted(rows), "category")
    assert [count.name for count in found.rows[:3]] == ["c00", "c01", "c02"]
    assert [count.pairs for count in found.rows[:3]] == [2, 1, 1]
    assert (len(found.rows), found.left_out) == (MOST_VALUES, 5)


def test_properties_that_no_row_has_have_no_breakdown() -> None:
    names = {each.by for each in counted([row(1)]).breakdowns()}
    assert "generator" not in names
    assert {"domain", "user", "aspects"} <= names


def test_lengths_are_counted_in_classes() -> None:
    rows = [row(n, chosen="word " * words) for n, words in enumerate((0, 49, 50, 120))]
    found = breakdown(counted(rows), "words of the chosen response")
    assert {count.name: count.pairs for count in found.rows} == {
        "0 to 49": 2, "50 to 99": 1, "100 to 149": 1,
    }  # fmt: skip


# Beside a target


def blind(name: str, config: str, value: float | None, low: float | None = None) -> Check:
    high = None if low is None else 0.9
    found = Estimate(value=value, low=low, high=high, n=40, clusters=20)
    return Check(family="shortcuts", name=name, config=config, status="fail", found=found, of=40)


def measured(
    name: str, checks: tuple[Check, ...], *configs: tuple[str, str | None]
) -> ComparedPairs:
    rows = [
        row(n, domain=domain, mode=mode, rubric_aspects=[RowAspect(aspect="a")] * 2)
        for n, (domain, mode) in enumerate(configs)
    ]
    return ComparedPairs(name, counted(rows), checks)


OFFICIAL = "Society_and_Culture"


def test_figures_of_a_domain_stand_beside_the_targets_and_decide_nothing() -> None:
    own = measured("own", (), (OFFICIAL, "violate"), (OFFICIAL, "violate"), ("Home", None))
    other = measured("theirs", (), (OFFICIAL, None))
    checks = list(compare(own, other))
    assert {(check.family, check.status) for check in checks} == {("target", "note")}
    details = {(check.config, check.name): check.detail for check in checks}
    assert details == {
        ("Home", "size"): f"1 pairs; theirs has no domain of this name, but {OFFICIAL!r}: nothing"
        " else is compared",
        (OFFICIAL, "size"): "2 pairs; 1 in theirs; the official benchmark has 1,074 items",
        (OFFICIAL, "lengths"): "3.0 words chosen and 1.0 rejected, on average;"
        " 3.0 and 1.0 in theirs",
        (OFFICIAL, "aspects_per_item"): "2.00 aspects on average; 2.00 in theirs",
    }


Side = tuple[tuple[Check, ...], tuple[tuple[str, str | None], ...]]
HOME = (("Home", None),)
COMPARED: dict[str, tuple[Side, Side, str, str]] = {
    "a domain, whatever the mode": (
        ((blind("longer", "Home-violate", 0.7, 0.6), blind("bold", "Home-violate", 0.5)),
         (("Home", "violate"),)),
        ((blind("longer", "Home", 0.8, 0.75), blind("longer", "Music", 0.4)),
         (*HOME, ("Music", None))),
        "Home-violate",
        "longer: 0.700 (0.600 to 0.900, n = 40); 0.800 (0.750 to 0.900, n = 40) in theirs, Home",
    ),
    "all pairs with nothing but all pairs": (
        ((blind("longer", "", 0.7), blind("longer", "Home", 0.6)), HOME),
        ((blind("longer", "", 0.8),), HOME),
        "", "longer: 0.700 (n = 40); 0.800 (n = 40) in theirs",
    ),
    "no estimate, and none with an interval": (
        ((blind("longer", "Home", None),), HOME), ((blind("longer", "Home", 0.5),), HOME),
        "Home", "longer: no estimate; 0.500 (n = 40) in theirs, Home",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", COMPARED)
def test_blind_accuracies_stand_beside_those_of_the_same_pairs(what: str) -> None:
    own, other, config, detail = COMPARED[what]
    sides = measured("own", own[0], *own[1]), measured("theirs", other[0], *other[1])
    (found,) = (check for check in compare(*sides) if check.name == "blind_accuracy")
    assert (found.config, found.detail) == (config, detail)
    assert found.found == own[0][0].found


def test_the_only_domain_of_each_set_is_compared_whatever_its_name() -> None:
    own = measured("own", (blind("longer", "", 0.7),), ("", None), ("", None))
    other = measured("theirs", (blind("longer", "Home", 0.8),), ("Home", None))
    details = {check.name: check.detail for check in compare(own, other)}
    assert details["size"] == "2 pairs; 1 in theirs, Home"
    assert details["lengths"].endswith("3.0 and 1.0 in theirs, Home")
    assert details["blind_accuracy"].endswith("0.800 (n = 40) in theirs, Home")
