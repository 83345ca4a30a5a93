"""Mode twin: what is kept, every way in which it refuses, and who sees what."""

import re
from typing import Any

import pytest
from bread import (
    ASKER,
    FOR_UNA,
    FOR_VICTOR,
    NARRATIVE,
    PARTNER,
    QUESTION,
    UNA,
    UNAS,
    VICTOR,
    VICTORS,
    by_response,
    kept_pair,
    kept_twin,
    no_twin,
    refusals,
    script,
    served,
    writer,
    written_for,
)

from pairwright.models import Request
from pairwright.modes.twin import build_twin
from pairwright.records import Dropped, Kept, Post, content_id, pseudonym
from scripted import (
    Answer,
    Canned,
    Said,
    Scripted,
    body,
    by_order,
    expect,
    graded,
    model,
    models,
    parts,
    policy,
    scored,
    wait,
)


def test_a_twin_is_two_halves_that_mirror_each_other() -> None:
    found = kept_twin(script())
    assert kept_twin(script()) == found
    users = pseudonym("una"), pseudonym("victor")
    assert found.id == content_id("twin", ASKER.id, *users, FOR_UNA, FOR_VICTOR)
    mine, theirs = found.pairs
    assert (mine.chosen, mine.rejected) == (theirs.rejected, theirs.chosen) == (FOR_UNA, FOR_VICTOR)
    assert mine.draft == theirs.draft
    for half, user, profile, aspects in (
        (mine, "una", UNA, UNAS), (theirs, "victor", VICTOR, VICTORS)
    ):  # fmt: skip
        name = content_id("pair", "twin", ASKER.id, pseudonym(user), half.chosen, half.rejected)
        assert (half.id, half.user, half.rubric.user) == (name, user, user)
        assert (half.profile, half.asked, half.twin_id) == (profile, half is mine, found.id)
        assert [a.aspect for a in half.rubric.aspects] == [a[2] for a in aspects]
        assert (half.question, half.domain, half.item_id) == (QUESTION, ASKER.domain, ASKER.id)
        # The narrative stays with the one who wrote it.
        assert half.narrative == (NARRATIVE if half is mine else None)


@pytest.mark.parametrize(
    ("said", "preference"),
    [
        (by_order("choice", FOR_UNA, "A", "B"), 2), (by_order("choice", FOR_UNA, "A", "A"), 1),
        (by_order("choice", FOR_UNA, "B", "A"), 0), ("no JSON", None),
    ],
)  # fmt: skip
def test_a_kept_unit_has_what_a_judge_prefers_that_knows_nobody_and_is_kept_whatever_it_is(
    said: Answer, preference: int | None
) -> None:
    asked, other = kept_twin(script(choose=said)).pairs
    mirrored = None if preference is None else 2 - preference
    assert (asked.blind_preference, other.blind_preference) == (preference, mirrored)
    assert kept_pair(script(choose=said)).blind_preference == preference


def test_twin_writers_and_judges_never_read_a_profile() -> None:
    llm = script()
    kept_twin(llm)
    kept_pair(llm)
    told = [p for p in llm.requests if p.purpose not in ("plan", "support")]
    assert len({p.purpose for p in told}) == 9
    private = [*(post.text for post in (*UNA, *VICTOR)), *(a[1] for a in (*UNAS, *VICTORS))]
    names = re.compile("|".join(rf"\b{re.escape(text)}\b" for text in (*private, "una", "victor")))
    for request in told:
        prompt = "\n".join(m.content for m in request.messages)
        assert not names.search(prompt), request.purpose


def test_of_the_partner_nothing_is_used_but_posts_that_are_older_than_the_question() -> None:
    late = Post(id="late", text="Since May I keep hens.", created="2020-01-01T00:00:00")
    later = Post(id="later", text="The hens lay well.", created="2021-05-01T00:00:00")
    timeless = Post(id="timeless", text="The cafe opens at six.")
    changes = {
        "profile": (*VICTOR, timeless, late, later),
        "narrative": "The dough tears when I stretch it.",
    }
    llm = script()
    _, theirs = kept_twin(llm, partner=PARTNER.model_copy(update=changes)).pairs
    assert theirs.profile == (*VICTOR, timeless)
    for request in llm.requests:
        assert not any(word in body(request) for word in ("hens", "pizza", "stretch"))
    # Without a time of the question all posts are used.
    of = ASKER.model_copy(update={"created": None})
    assert kept_twin(script(), of=of).pairs[1].profile == VICTOR


def test_a_twin_is_refused_with_its_reason() -> None:
    filtered = Said("no", "content_filter")
    refusing: list[tuple[dict[str, Answer], str]] = [
        ({"adherence": served(una_by_victor=2)}, "cross_adherence"),
        ({"quality": by_response(victor=2)}, "quality_floor"),
        ({"compare": filtered}, "compare_content_filter"),
        ({"write_adhering": FOR_UNA}, "near_duplicate"),
        ({"write_adhering": filtered}, "content_filter"),
    ]
    for changes, reason in refusing:
        assert no_twin(script(**changes), draws=1).reason == reason


def test_the_writers_of_a_twin_learn_which_of_their_own_words_the_posts_hold() -> None:
    def copying(request: Request) -> str:
        more = " Think of hazelnuts." if UNAS[0][2] in body(request) else ""
        return writer(request) + (more if request.draw == 0 else "")

    llm = script(write_adhering=copying)
    found = kept_twin(llm, twin={"shared_words": 0})
    assert refusals(found.refused) == ["shared_words"]
    (again,) = (body(r) for r in llm.asked("write_adhering") if r.draw == 1)
    (note,) = (line for line in again.split("\n") if line.startswith("- A count of words"))
    assert note.endswith("keep the rest as it is: hazelnuts.")
    assert len(llm.asked("compare")) == 1, "the first was not judged"
    kept = kept_twin(script(write_adhering=copying), twin={"shared_words": 5})
    assert kept.refused == ()


def test_an_aspect_that_was_not_served_twice_is_dropped_if_others_are_left() -> None:
    unserved = UNAS[1][2]

    def judge(request: Request) -> Canned:
        """Finds that every writer serves the own aspects, but for this one."""
        own = {"una": UNAS, "victor": VICTORS}.get(written_for(request), ())
        kept = {aspect for _, _, aspect in own} - {unserved}
        return scored(*(2 * (aspect in kept) for aspect in parts("aspect", body(request))))

    llm = script(adherence=judge)
    found = kept_twin(llm)
    asked, other = (half.rubric for half in found.pairs)
    assert [aspect.aspect for aspect in asked.aspects] == [UNAS[0][2]]
    assert [(one.aspect.aspect, one.reason) for one in asked.dropped] == [(unserved, "not_served")]
    assert [aspect.aspect for aspect in other.aspects] == [aspect[2] for aspect in VICTORS]
    assert refusals(found.refused) == ["adherence"] * 2
    # Who writes for fewer aspects begins again.
    last = [body(r) for r in llm.asked("write_adhering") if r.draw == 2]
    assert not any("earlier" in prompt for prompt in last)
    # Where no aspect would be left, or fewer than a rubric has, nothing further is drawn.
    for answer, least in ((served(una_by_una=0), 1), (judge, 2)):
        never = no_twin(script(adherence=answer), planner={"min_aspects": least})
        assert refusals(never.drafts) == ["adherence"] * 2


SECOND_JUDGE = "the-second-judge"


def test_of_two_judges_both_must_accept_a_draft_and_the_first_gives_the_scores() -> None:
    def judged(grades: Answer, **config: Any) -> tuple[Kept | Dropped, Scripted]:
        first, second = models(script()), script(quality=grades)
        both = first._replace(judges=(first.judge, model(second, SECOND_JUDGE)))
        return wait(build_twin(ASKER, PARTNER, both, policy(**config))), second

    found, second = judged(graded(5))
    pair = expect(Kept, found).pairs[0]
    assert pair.judge == f"the-judge + {SECOND_JUDGE}"
    assert {quality.mean for quality in pair.draft.quality.values()} == {4}
    assert {gate.judge for gate in pair.draft.gates} == {None, SECOND_JUDGE}
    # It judges drafts alone, and is asked for no forced choice.
    assert set(second.purposes) == {"compare", "adherence", "quality"}

    refused = expect(Dropped, judged(by_response(victor=2), draws=1)[0])
    assert refused.detail == f"measured 2.0, limit 3.0, by {SECOND_JUDGE}"
    # The scores are of the judge who refused it.
    (last,) = refused.drafts
    assert min(quality.mean for quality in last.quality.values()) == 2
