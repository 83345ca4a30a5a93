"""What the choices of others say of a user's, held to the same formula written out on dense
arrays; and the way of these figures to the rows, the card and the leaderboard."""

from pathlib import Path

import numpy as np
import pytest

from choosers import built_conversation, table_of_choices
from pairwright import load_release, release
from pairwright.assets import RUBRICS
from pairwright.construct.own_choice_pairs import VoteTable
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.dataset import Row
from pairwright.estimate import Estimate
from pairwright.intervals import Floats, accuracy_by_cluster
from pairwright.records import Neighbours
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources import Voter, read_choosers
from scripted import expect

PEOPLE, RESPONSES = 12, 9
QUESTION = "Which?"


def drawn(seed: int = 1) -> Floats:
    """Votes of shape (people, responses); nobody said anything of every third."""
    return np.random.default_rng(seed).integers(-1, 2, (PEOPLE, RESPONSES)).astype(float)


def voters(votes: Floats) -> list[Voter]:
    def texts(who: int, side: int) -> tuple[str, ...]:
        return tuple(f"response {n}" for n in np.flatnonzero(votes[who] == side))

    return [
        Voter(f"user {who}", QUESTION, texts(who, 1), texts(who, -1)) for who in range(len(votes))
    ]


def found(votes: Floats, me: int, other: int, a: int, b: int) -> Neighbours:
    names = (QUESTION, f"user {me}", f"user {other}", f"response {a}", f"response {b}")
    return VoteTable(voters(votes)).neighbours(*names)


def written_out(votes: Floats, me: int, other: int, a: int, b: int) -> list[float]:
    said = np.abs(votes)
    lean = (votes - votes.sum(0) / np.maximum(said.sum(0), 1)) * said
    rest = [n for n in range(RESPONSES) if n not in (a, b) and said[me, n]]
    sides = []
    for response in (a, b):
        weighed = weights = 0.0
        rated = [who for who in range(PEOPLE) if who not in (me, other) and said[who, response]]
        mean = sum(votes[who, response] for who in rated) / max(len(rated), 1)
        for who in rated:
            lengths = np.linalg.norm(lean[me, rest]) * np.linalg.norm(lean[who, rest])
            alike = lean[me, rest] @ lean[who, rest] / lengths if lengths > 1e-9 else 0.0
            weighed += alike * (votes[who, response] - mean)
            weights += abs(alike)
        sides.append(weighed / weights if weights > 1e-9 else 0.0)
    return sides


@pytest.mark.parametrize(("me", "other", "a", "b"), [(0, 1, 2, 3), (4, 0, 8, 1), (7, 11, 0, 5)])
def test_leanings_are_those_of_the_formula(me: int, other: int, a: int, b: int) -> None:
    votes = drawn()
    lean = found(votes, me, other, a, b)
    assert [lean.chosen, lean.rejected] == pytest.approx(
        written_out(votes, me, other, a, b), abs=1e-6
    )
    assert lean.chosen != 0.0
    assert 0 < lean.others <= PEOPLE - 2


def test_what_the_user_and_the_partner_chose_of_the_two_has_no_part_in_it() -> None:
    votes = drawn()
    votes[[0, 1], [2, 3]], votes[[0, 1], [3, 2]] = 1, -1
    turned = votes.copy()
    turned[[0, 1], [2, 3]], turned[[0, 1], [3, 2]] = -1, 1
    assert found(votes, 0, 1, 2, 3) == found(turned, 0, 1, 2, 3)
    assert found(votes, 0, 2, 2, 3) != found(turned, 0, 2, 2, 3), "user 1 is another one now"


def test_people_who_choose_at_random_tell_nothing() -> None:
    points = []
    for seed in range(60):
        votes = drawn(seed)
        votes[[0, 1], [2, 3]], votes[[0, 1], [3, 2]] = 1, -1
        pair = found(votes, 0, 1, 2, 3), found(votes, 1, 0, 3, 2)
        points += [(str(seed), one.point) for one in pair]
    share = expect(Estimate, accuracy_by_cluster(points))
    assert expect(float, share.low) < 0.5 < expect(float, share.high)


def test_somebody_whom_nobody_is_like_has_no_leaning() -> None:
    alone = np.zeros((2, RESPONSES))
    alone[:, :2] = [[1, -1], [-1, 1]]
    lean = found(alone, 0, 1, 0, 1)
    assert (lean.chosen, lean.rejected, lean.others) == (0.0, 0.0, 0)
    assert lean.point == 0.5


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_conversation(tmp_path_factory.mktemp("neighbours"))


def test_a_release_keeps_them(run: Path, tmp_path: Path) -> None:
    release(run, tmp_path / "release", "1.0.0")
    rows = [row for row in load_release(tmp_path / "release") if isinstance(row, Row)]
    built = {pair.id: pair.neighbours for pair in iterate_pairs(run)}
    assert {row.id: row.neighbours for row in rows} == built
    # Camps agree, so whoever chooses alike elsewhere is right of everything.
    assert all(row.neighbours and row.neighbours.point == 1 for row in rows)


def test_a_choice_without_a_history_is_heard_all_the_same(tmp_path: Path) -> None:
    path = table_of_choices(tmp_path / "choices.csv")
    source = SourceRules(path=str(path), format="choices", default_category="cooking", min_posts=2)
    _, rows = read_choosers(source, Domains.load(RUBRICS), tmp_path)
    votes = [one for one in rows if isinstance(one, Voter)]
    # The first two of each user's four choices have fewer than two before them.
    assert len(votes) == 12
    assert {one.user for one in votes} == {f"u{user}" for user in range(6)}
    assert all(len(one.taken) == len(one.refused) == 1 for one in votes)
