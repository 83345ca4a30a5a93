"""Questions that give no twin: placebos where nothing is known of the asker."""

from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from bread import (
    ASKER,
    PARTNER,
    PLAIN,
    QUESTION,
    VICTOR,
    script,
)

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Unit
from pairwright.construct.partners import TWIN, Candidates, TriedUsers, plan_question
from pairwright.construct.session import Session
from pairwright.models import CallLog
from pairwright.modes.placebo import build_placebo
from pairwright.modes.rules import says_nothing
from pairwright.modes.twin import build_twin
from pairwright.records import Aspect, Dropped, DroppedAspect, Item, Kept, Post, Rubric
from scripted import (
    Others,
    Scripted,
    expect,
    item,
    models,
    policy,
    posts,
    wait,
)

OTHER_PLAIN = (
    "Choose a day with little else to do, and start with a recipe that has few steps. Read it to"
    " the end before the first spoon of flour, and leave the loaf alone until it has cooled down."
)
STRANGER = posts("My canary sings at noon, and I bake bread for it.", prefix="wim")
NOBODY = item(STRANGER, question=QUESTION, user="wim")
SILENT = posts("The cat sleeps on the radiator all day.", prefix="xia")
NOBODY_EITHER = item(SILENT, question="Which cat?", user="xia", id="item-3")


def placebo(llm: Scripted, partner: Item = NOBODY_EITHER, **config: Any) -> Kept | Dropped:
    return wait(build_placebo(NOBODY, partner, models(llm), policy(**config)))


# Placebos


def plain(request: Any) -> str:
    return (PLAIN, OTHER_PLAIN)[request.draw % 2]


def test_a_placebo_is_two_plain_responses_for_two_users_and_no_rubric() -> None:
    llm = script(write_plain=plain)
    made = expect(Kept, placebo(llm))
    asked, other = made.pairs
    assert (asked.mode, asked.user, other.user) == ("placebo", "wim", "xia")
    assert (asked.chosen, asked.rejected) == (other.rejected, other.chosen) == (PLAIN, OTHER_PLAIN)
    assert (asked.asked, other.asked) == (True, False)
    assert asked.twin_id == other.twin_id == made.id
    assert made.id.startswith("placebo-")
    assert (asked.profile, other.profile) == (STRANGER, SILENT)
    assert all(half.rubric.aspects == () and half.rubric.origin is None for half in made.pairs)
    assert (asked.adherence, asked.blind_preference) == ({}, None)
    assert set(asked.quality) == {"chosen", "rejected"}
    # All that is shown of the partner is planned from; adherence to nothing is not judged.
    assert sorted(set(llm.purposes)) == ["compare", "plan", "quality", "write_plain"]
    assert len(llm.asked("plan")) == 1


def test_a_partner_of_whom_something_is_or_may_be_known_after_all_makes_no_placebo() -> None:
    llm = script(write_plain=plain)
    made = expect(Dropped, placebo(llm, PARTNER))
    assert (made.stage, made.reason, made.user) == ("placebo", "partner_signal", "victor")
    assert not llm.asked("compare")
    # A plan that cannot be read is not taken for a signal.
    made = expect(Dropped, placebo(script(write_plain=plain, plan="No JSON.")))
    assert (made.stage, made.reason, made.user) == ("plan", "unparseable", "xia")


def test_a_placebo_is_of_users_with_about_as_many_posts_before_the_question() -> None:
    late = Post(id="late", text="The cat has a new bed.", created="2031-01-01T00:00:00")
    for number in (0, 3):
        older = posts(*(f"The cat sleeps on radiator {n}." for n in range(number)), prefix="xia")
        partner = NOBODY_EITHER.model_copy(update={"profile": (*older, late)})
        llm = script(write_plain=plain)
        made = expect(Dropped, placebo(llm, partner))
        assert (made.reason, llm.purposes) == ("unlike_histories", [])
        assert made.detail == f"1 posts of the asker, {number} of the partner"


@pytest.mark.parametrize("mode", ["twin", "placebo"])
def test_two_accounts_with_the_same_posts_are_no_couple(tmp_path: Path, mode: str) -> None:
    own, other = posts("I bake.", "I sing."), posts("I sing.", "I bake.", prefix="other")
    # What the other account wrote after the question tells nothing.
    other = (*other, Post(id="late", text="I swim.", created="2031-01-01T00:00:00"))
    asker, double = item(own, user="una"), item(other, user="uno", id="item-2")
    unit, source, llm = Unit(f"{mode}:item", mode, 0, 0, partner="uno"), mock.Mock(), script()
    source.models.return_value = models(llm)
    with closing(Corpus.write([asker, double], tmp_path / "items", 0)) as corpus:
        session = Session(corpus, policy(), mock.Mock())
        made = expect(Dropped, wait(session.result(unit, source, CallLog())))
    assert (made.stage, made.reason, llm.purposes) == ("partners", "same_posts", [])


# The plan


@pytest.mark.parametrize(
    ("reasons", "nothing"),
    [
        ((), True),
        (("support_far_fetched", "evidence_not_in_post"), True),
        (("support_stands_without",), False),
        (("support_far_fetched", "expected_by_others"), False),
        (("generic_answer_meets_it",), False),
    ],
)
def test_when_posts_say_nothing(reasons: tuple[str, ...], nothing: bool) -> None:
    dropped = tuple(
        DroppedAspect(aspect=Aspect(aspect="a", reason="r", evidence="e"), reason=reason)
        for reason in reasons
    )
    refused = Dropped(stage="plan", reason="no_personal_signal", dropped=dropped)
    assert says_nothing(refused) == nothing
    unread = Dropped(stage="plan", reason="unparseable", dropped=dropped)
    assert not says_nothing(unread)


def test_a_plan_finds_possible_partners_and_the_twin_takes_the_rubric_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = policy(Others([VICTOR, STRANGER]))
    wim = item(STRANGER, user="wim", id="q4")
    with closing(Corpus.write([ASKER, PARTNER, wim], tmp_path / "items.jsonl", 0)) as corpus:
        candidates = Candidates(corpus, rules)
        monkeypatch.setattr(candidates, "of", lambda _: TriedUsers(("victor", "wim"), 2, ("wim",)))
        found = wait(plan_question(ASKER, candidates, models(script()), rules))
    # Wim's posts give no aspect.
    assert [user for user, worth in found.worth.items() if worth >= TWIN] == ["victor"]
    llm, again = script(), script()
    rubric = expect(Rubric, found.rubric)
    made = wait(build_twin(ASKER, PARTNER, models(llm), rules, rubric))
    assert made == wait(build_twin(ASKER, PARTNER, models(again), rules))
    assert len(llm.asked("support")) < len(again.asked("support"))
