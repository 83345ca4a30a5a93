"""Mode violate: what is kept, every way in which it refuses, and what a redraw says."""

from collections.abc import Callable

import pytest
from bread import (
    ASKER,
    FOR_UNA,
    FOR_VICTOR,
    NARRATIVE,
    PLAIN,
    REFUSED,
    UNA,
    UNAS,
    by_response,
    kept_pair,
    no_pair,
    refusals,
    script,
    verdict,
    written_for,
)

from pairwright.models import Request
from pairwright.modes.writing import NOTES
from pairwright.records import GoldAspect, Item, content_id, pseudonym
from scripted import (
    Answer,
    Canned,
    Said,
    body,
    graded,
    parts,
    planned,
    posts,
    scored,
)


def test_a_violate_pair_holds_the_item_its_rubric_both_sides_and_what_was_judged() -> None:
    pair = kept_pair(script(), strategies=["omit"])
    name = content_id("pair", "violate", ASKER.id, pseudonym("una"), FOR_UNA, PLAIN)
    assert (pair.id, pair.mode, pair.user, pair.twin_id) == (name, "violate", "una", None)
    assert (pair.chosen, pair.rejected, pair.judge) == (FOR_UNA, PLAIN, "the-judge")
    for field in ("question", "category", "domain", "narrative", "created", "profile"):
        assert getattr(pair, field) == getattr(ASKER, field)
    assert [a.aspect for a in pair.rubric.aspects] == [a[2] for a in UNAS]
    draft = pair.draft
    assert (draft.strategy, draft.generator, draft.comparison) == ("omit", "the-generator", "tie")
    assert [{side: fit.share for side, fit in fits.items()} for fits in draft.adherence] == [
        {"first": 1, "second": 0}
    ]
    assert set(draft.quality) == {"first", "second"}
    assert [gate.passed for gate in draft.gates] == [True] * 16


LEAKS = "Methods for a stove without baking chamber are best. " + FOR_UNA


def fitting(**scores: int | tuple[int, int]) -> Callable[[Request], Canned]:
    """A judge of adherence that gives each writer's answers a score, or one for each aspect."""

    def given(request: Request) -> Canned:
        found = scores.get(written_for(request), 0)
        return scored(*(found if isinstance(found, tuple) else (found, found)))

    return given


JUDGED = f'"{UNAS[0][2]}" (reason 1); "{UNAS[1][2]}" (reason 2)'


@pytest.mark.parametrize(
    ("name", "changes", "note"),
    [
        ("write_adhering", {"write_adhering": f"{FOR_UNA} {FOR_UNA} {FOR_UNA} {PLAIN}"},
         "It had 136 words, which is too many."),
        ("write_adhering", {"write_adhering": "Bake."}, "It had 1 word, which is too few."),
        ("write_omitting", {"write_omitting": f"- {PLAIN}"}, NOTES["format_parity"]),
        ("write_adhering", {"write_adhering": f"As someone who bakes, wait. {FOR_UNA}"},
         NOTES["persona_talk"]),
        ("write_adhering", {"write_adhering": LEAKS},
         'It must not have these words in this order: '
         '"methods for a stove without baking chamber".'),
        ("write_adhering", {"write_adhering": f"{FOR_UNA} I live on a narrowboat and there is."},
         NOTES["profile_copy"]),
        ("write_adhering", {"adherence": fitting(una=1)},
         f"It did not serve this well enough: {JUDGED}."),
        ("write_omitting", {"write_omitting": FOR_VICTOR, "adherence": fitting(una=2, victor=2)},
         f"It served this, which it should not: {JUDGED}."),
        ("write_omitting", {"quality": by_response(plain=2)}, NOTES["quality_floor"]),
        ("write_omitting", {"quality": graded(4), "compare": verdict("A", "B")}, NOTES["parity"]),
        ("write_adhering", {"quality": graded(4), "compare": verdict("B", "A")},
         f"{NOTES['parity']} Begin with what serves anyone who asks, and let the aspects decide "
         "only cases and examples."),
        # Nothing is known to be wrong with either.
        ("write_adhering", {"quality": "no JSON"}, ""),
    ],
)  # fmt: skip
def test_a_redraw_says_what_was_wrong(name: str, changes: dict[str, Answer], note: str) -> None:
    llm = script(**changes)
    no_pair(llm, draws=2, strategies=["omit"])
    first, again = llm.asked(name)
    rest = body(again).split("</earlier_answer>")[-1]
    notes = [line[2:] for line in rest.split("\n") if line.startswith("- ")]
    assert (notes or [""])[0] == note
    assert len(notes) <= 2
    # It reads its own text again, and what the judge said where the other side was preferred.
    assert (REFUSED in body(again)) == bool(note)
    if note:
        assert parts("earlier_answer", body(again)) == [answered(changes, name)]
    of_parity = note.startswith((NOTES["parity"], NOTES["quality_floor"]))
    assert ("<reader>" in body(again)) == of_parity
    assert "earlier" not in body(first)


def answered(changes: dict[str, Answer], name: str) -> str:
    answer = changes.get(name, PLAIN if name == "write_omitting" else FOR_UNA)
    assert isinstance(answer, str)
    return answer


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"write_adhering": LEAKS}, "rubric_leakage"),
        ({"adherence": fitting(una=1)}, "adherence"),
        ({"write_omitting": FOR_VICTOR, "adherence": fitting(una=2, victor=2)}, "violation"),
        ({"write_omitting": FOR_VICTOR, "adherence": fitting(una=2, victor=1)}, None),
        ({"write_omitting": FOR_VICTOR, "adherence": fitting(una=(2, 1), victor=1)},
         "adherence_margin"),
        ({"quality": by_response(plain=2)}, "quality_floor"),
        ({"quality": by_response(una=5), "compare": verdict("A", "B")}, "parity"),
        ({"adherence": "no JSON"}, "unparseable"),
        ({"quality": "no JSON"}, "quality_unparseable"),
        ({"compare": "no JSON"}, "compare_unparseable"),
        ({"quality": Said("no", "content_filter")}, "quality_content_filter"),
        ({"write_adhering": Said("no", "content_filter")}, "content_filter"),
        ({"write_omitting": ""}, "unusable_reply"),
        ({"plan": "no JSON"}, "unparseable"),
        ({"plan": planned()}, "no_personal_signal"),
    ],
)  # fmt: skip
def test_each_refusal_has_its_reason(changes: dict[str, Answer], reason: str | None) -> None:
    if reason is None:
        assert kept_pair(script(**changes), strategies=["omit"], draws=1)
        return
    rejected = no_pair(script(**changes), strategies=["omit"], draws=1)
    assert (rejected.reason, rejected.stage != "") == (reason, True)
    if rejected.stage == "gates":
        assert refusals(rejected.drafts) == [reason]
        # A judge that fails is no vote.
        assert rejected.drafts[0].comparison is None or "compare" not in reason


# Where rubrics come from

GOLD = (
    GoldAspect(aspect=UNAS[0][2], reason="no oven", evidence="from the stove"),
    GoldAspect(aspect=UNAS[1][2]),
)


def gold(*aspects: GoldAspect) -> Item:
    return ASKER.model_copy(update={"rubric_aspects": aspects})


def test_gold_aspects_are_taken_from_the_data_and_marked_as_not_inferable() -> None:
    llm = script()
    rubric = kept_pair(llm, of=gold(*GOLD), modes=["violate"], aspects="gold").rubric
    assert (rubric.origin, rubric.inferable) == ("gold", False)
    assert [(a.aspect, a.evidence) for a in rubric.aspects] == [
        (g.aspect, g.evidence) for g in GOLD
    ]
    assert not llm.asked("plan", "plan_blind", "support", "match")


# The paper's setting


def test_the_papers_setting_keeps_the_first_draft_of_ten_posts_ungated_and_unjudged() -> None:
    many = posts(*(f"I bake bread number {n}." for n in range(14)))
    for profile, shown in ((UNA, [post.text for post in UNA]), (many, None)):
        llm = script(paper_avoided="Bake.")
        of = gold(*GOLD).model_copy(update={"profile": profile})
        pair = kept_pair(llm, of=of, aspects="gold", draws=1, paper_writers=True, gated=False)
        assert (pair.chosen, pair.rejected) == (FOR_UNA, "Bake.")
        assert (pair.draft.strategy, pair.draft.gates, pair.judge) == ("avoid", (), None)
        assert sorted(llm.purposes) == ["paper_avoided", "paper_expected"]
        for prompt in llm.prompts("paper_expected", "paper_avoided"):
            found = parts("post", prompt)
            assert found == shown if shown else len(found) == 10
            assert parts("aspect", prompt) == [g.aspect for g in GOLD]
            assert NARRATIVE not in prompt
            assert "100 words" in prompt
