"""Counts by configuration, and users who dominate."""

import pytest

from audited import checks_of
from pairwright.audits.records import Check, Status
from pairwright.pairs import Row


def row(n: int, **changes: object) -> Row:
    fields = {
        "id": f"pair-{n}", "question": f"Question {n}?", "chosen": "one two three",
        "rejected": "one", "domain": "Home", "user": f"user-{n}", **changes,
    }  # fmt: skip
    return Row.model_validate(fields)


def dominance(per_user: list[int]) -> Check:
    """The check on one configuration with this many pairs of each user."""
    users = [user for user, n in enumerate(per_user) for _ in range(n)]
    rows = (row(n, user=f"user-{user:03}") for n, user in enumerate(users))
    (check,) = checks_of(rows, "balance")
    assert (check.family, check.name) == ("balance", "user_dominates")
    return check


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


def test_a_user_who_dominates_is_named_with_the_first_row() -> None:
    check = dominance([6, *[1] * 94])
    assert [flag.row for flag in check.flags] == ["pair-0"]
    assert check.detail == "6 of 100 pairs are of user-000; 95 users"


def test_prompts_that_come_again_are_told_where_no_user_is_named() -> None:
    rows = [row(n, user=None, question=f"Question {n % 3}?") for n in range(9)]
    (check,) = checks_of(rows, "balance")
    assert (check.status, check.count, check.of) == ("note", 6, 9)
    assert check.detail == "3 different prompts"
    # Pairs of one item share its question on purpose.
    rows = [row(n, user=None, question="One?", item_id="i") for n in range(4)]
    (check,) = checks_of(rows, "balance")
    assert check.count == 0
