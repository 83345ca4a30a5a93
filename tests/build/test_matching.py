"""Which couples are formed of what the plans found, and which questions they are given."""

import random

import pytest

from matching_graphs import most_questions, questions_of, random_graph
from pairwright.construct.partners import (
    TWIN,
    UNPLANNED,
    Asked,
    assign_partners,
    match_couples,
)
from pairwright.records import Dropped
from scripted import expect


def question(item: str, user: str, *possible: str | tuple[str, float], each: int = TWIN) -> Asked:
    """A question of `user` for which the posts of these show a signal; with how they bear on it."""
    partners = dict(one if isinstance(one, tuple) else (one, 0.5) for one in possible)
    worth = {name: each + round(10_000 * bears) for name, bears in partners.items()}
    return Asked(item, user, worth, signal=True)


def assigned(*questions: Asked, most: int = 4, seed: int = 0) -> dict[str, str]:
    """The partner of each question, or the reason why it has none."""
    found = assign_partners(questions, most, seed)
    return {item: one.reason if isinstance(one, Dropped) else one for item, one in found.items()}


def test_a_couple_is_given_the_questions_of_both_for_which_the_partner_shows_a_signal() -> None:
    one, two = question("q1", "una", "vic"), question("q2", "vic", "una")
    assert assigned(one, two) == {"q1": "vic", "q2": "una"}
    # A partner needs no question of the own.
    assert assigned(one) == {"q1": "vic"}
    assert assigned(one, question("q2", "vic")) == {"q1": "vic", "q2": "partner_does_not_fit"}
    found = assigned(one, question("q2", "vic", "wim"))
    assert sorted(found.values()) in (["no_partner", "wim"], ["partner_does_not_fit", "vic"])


@pytest.mark.parametrize("seed", range(5))
def test_couples_of_more_questions_come_first_then_those_whose_posts_bear_more(seed: int) -> None:
    found = assigned(
        question("q1", "una", ("wim", 0.9), "vic"),
        question("q2", "vic", "una"),
        question("q3", "wim", ("xia", 0.9)),
        seed=seed,
    )
    assert found == {"q1": "vic", "q2": "una", "q3": "xia"}
    found = assigned(question("q1", "una", ("vic", 0.4), ("wim", 0.6)), seed=seed)
    assert found == {"q1": "wim"}


def test_ties_are_drawn_by_the_seed_and_the_order_decides_nothing() -> None:
    crowd = [f"u{n}" for n in range(6)]
    asked = [question(f"q-{u}", u, *(v for v in crowd if v != u)) for u in crowd]
    results = []
    for seed in range(10):
        found = assigned(*asked, seed=seed)
        shuffled = random.Random(seed).sample(asked, len(asked))
        assert assigned(*shuffled, seed=seed) == found
        assert all(found[f"q-{partner}"] == item[2:] for item, partner in found.items())
        results.append(tuple(sorted(found.items())))
    assert len(set(results)) > 5


def test_why_a_question_has_no_partner_is_said() -> None:
    asked = question("q1", "una"), question("q2", "vic", "wim"), question("q3", "xia", ("wim", 0.9))
    found = assign_partners(asked, most=4, seed=0)
    for name, said in (("q1", "no user"), ("q2", "others' partners")):
        why = expect(Dropped, found[name])
        assert (why.reason, said in why.detail) == ("no_partner", True)


# How good the matching is


def test_the_matching_is_the_best_there_is() -> None:
    for seed in range(6):
        worth = random_graph(users=60, each=5, seed=seed)
        found = match_couples(worth, seed)
        assert all(found[found[user]] == user for user in found)
        assert questions_of(found, worth) == most_questions(worth)


def test_a_question_without_a_plan_of_its_couple_is_tried_and_a_known_signal_goes_first() -> None:
    known = question("q1", "ada", "bob")
    untried = question("q2", "ada", ("bob", 0.9), each=UNPLANNED)
    assert assign_partners([known, untried], 4, 0) == {"q1": "bob", "q2": "bob"}
    assert assign_partners([known, untried], 1, 0)["q1"] == "bob"
    # A couple with a known twin is better than one with several questions to be tried.
    more = [question(f"r{n}", "ada", ("cyd", 0.9), each=UNPLANNED) for n in range(5)]
    assert assign_partners([known, *more], 4, 0)["q1"] == "bob"
    assert set(assign_partners(more, 5, 0).values()) == {"cyd"}
