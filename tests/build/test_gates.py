"""Gates: what each lets through, what it refuses, and that it names what it measured."""

import re
from collections.abc import Iterable
from typing import Any, get_args

import pytest

from pairwright.gates.checks import (
    DraftSides,
    Fit,
    check_writing,
    judge_fits,
    judge_quality,
    shared_words,
)
from pairwright.records import Adherence, AspectScore, Comparison, DraftSide, GateResult, Quality
from pairwright.settings.rules import GateRules, TextGate, TwinRules
from scripted import rubric

QUESTION = "How do I bake good bread during the week?"
POSTS = (
    "I live on a narrowboat and we have only one gas burner, no oven at all.",
    "My son is allergic to hazelnuts, so our kitchen is free of them.",
)
FIRST = (
    "Mix the dough in the evening and let it rise slowly overnight. In the morning shape flat "
    "loaves and cook them in a heavy covered pan, turning once, until both sides sound hollow."
)
SECOND = (
    "A preheated steel gives the strongest lift, so start with it an hour before. Let steam in "
    "for the first minutes, then dry heat for a dark crust, and cool the loaves on a rack."
)
AS_IT_IS, TWIN = GateRules(), TwinRules()
OF_TWO_RUBRICS = ("echo_gap", "shared_words")
TEXT_GATES = tuple(gate for gate in get_args(TextGate) if gate not in OF_TWO_RUBRICS)
"""Those that `check_writing` measures; the others follow where all of them pass."""


def sides(first: str = FIRST, second: str = SECOND, **changes: Any) -> DraftSides:
    aspects = rubric("Bread without an oven", "Nothing with nuts")
    of = DraftSides(QUESTION, first, second, (aspects,), None, (POSTS,), "en")
    return of._replace(**changes)


def measured(
    gate: str,
    of: DraftSides,
    gates: GateRules = AS_IT_IS,
    words: int = 100,
    twin: TwinRules = TWIN,
) -> GateResult:
    (found,) = (g for g in check_writing(of, gates, twin, words=words) if g.gate == gate)
    return found


def refuses(gate: str, said: str, gates: GateRules = AS_IT_IS, **changes: Any) -> bool:
    """Whether a gate refuses a response beside a good one, on either side, and names that side."""
    both = sides(said, **changes), sides(SECOND, said, **changes)
    return [measured(gate, of, gates).sides for of in both] == [("first",), ("second",)]


# All text gates


def test_every_gate_is_measured_and_two_good_answers_pass_them() -> None:
    for of, words, refused in (
        (sides(), 100, set[str]()),
        (sides("I cannot help."), 10, {"refusal", "word_limit", "too_short", "length_ratio"}),
    ):
        found = check_writing(of, AS_IT_IS, TWIN, words=words)
        assert [g.gate for g in found] == list(TEXT_GATES)
        assert {g.gate for g in found if not g.passed} >= refused
        assert [g.sides != () for g in found] == [not g.passed for g in found]
        assert refused or all(g.passed for g in found)


# Size and form


@pytest.mark.parametrize(
    ("gate", "first", "second", "words", "passed", "value", "limit"),
    [
        ("word_limit", 60, 40, 60, True, 60, 60),
        ("word_limit", 60, 40, 59, False, 60, 59),
        ("too_short", 19, 40, 100, False, 19, 20),
        ("too_short", 20, 40, 100, True, 20, 20),
        ("length_ratio", 30, 20, 100, True, 1.5, 1.5),
        ("length_ratio", 31, 20, 100, False, 1.55, 1.5),
        # An empty side is measured without dividing by nothing.
        ("length_ratio", 31, 0, 100, False, 31, 1.5),
    ],
)
def test_length_is_held_to_limits_on_either_side(
    gate: str, first: int, second: int, words: int, passed: bool, value: float, limit: float
) -> None:
    one, other = "a " * first, "b " * second
    for of in (sides(one, other), sides(other, one)):
        found = measured(gate, of, words=words)
        assert (found.passed, found.value, found.limit) == (passed, value, limit)
    assert measured("too_short", sides("a " * 19, "b " * 19), GateRules(min_words=19)).passed


@pytest.mark.parametrize(
    "form",
    [
        "- First mix it.\n- Then bake it.", "* First mix it.", "\u2022 First mix it.",
        "1. First mix it.\n2. Then bake it.", "1) First mix it.", "  - Indented too.",
        "# Bread\nMix it.", "### Bread\nMix it.", "**Bread**\nMix it.", "**Bread:**\nMix it.",
        "Use **strong** flour.", "Run `oven --hot`.", "See [this](http://example.org).",
        "> Quoted.", "| a | b |", "|a|b|\n|---|---|\n|1|2|",
    ],
)  # fmt: skip
def test_a_form_that_only_one_side_has_is_refused(form: str) -> None:
    assert refuses("format_parity", f"{FIRST}\n{form}")
    assert measured("format_parity", sides(f"{FIRST}\n{form}", f"{SECOND}\n{form}")).passed


# Ways of talking

TALK = {
    "persona_talk": """
        As someone who bakes at dawn, start early. As a person who bakes at dawn, start early.
        As a vegetarian who bakes, start early. As a busy parent with your hands full, start early.
        This suits someone like you, or a cook like you, for somebody like you.
        Given your budget, buy one pan. Given that you work nights, start early.
        Considering your allergies, leave them out. Knowing your kitchen, use the pan.
        Because you love rye, add some. Because you don't eat nuts, wait.
        Based on your preferences, add some. SINCE YOU ARE SHORT OF SPACE, use the pan.
        You said that there is no oven. Since you\u2019re short of space, wait.
        From your previous posts it seems that there is no oven. You\u2019ve mentioned a boat.
        With the user's background in chemistry it is simple. As a vegetarian, you can use oil.
        Given\nyour budget, buy one pan.
    """,
    "meta_talk": """
        I will avoid ovens here. I'll leave out the oven. I am going to skip the oven.
        The user wants bread. This response avoids ovens. My answer covers pans.
        These aspects matter. All required aspects are served. By the rubric this is right.
        As requested, no oven. That is within the word limit. That makes 100 words or fewer.
    """,
    "refusal": """
        I'm sorry, but I can't help with that. I am unable to do so. I cannot provide recipes.
        As an AI language model, I have no oven. I\u2019m sorry, but I can\u2019t help with that.
        I can't fulfill this request. Sorry, I must decline this request.
    """,
}
"""Sentences each of which a gate is to find."""


@pytest.mark.parametrize(
    ("gate", "sentence"),
    [(gate, said) for gate, text in TALK.items() for said in re.split(r"(?<=\.)\s+", text.strip())],
)
def test_talk_about_the_reader_the_task_or_oneself_is_refused(gate: str, sentence: str) -> None:
    assert refuses(gate, f"{FIRST} {sentence}")


ORDINARY = {
    "persona_talk": (
        "Given a choice, take the pan. As a rule, start early. As you know, salt slows it. Bakers "
        "who love rye add some. Use your hands and trust your nose. It has been popular since the "
        "war. Post your questions to a forum. Any pot works as long as you have a lid. Eat as much "
        "as you like. It works because you are trapping steam. Ask around, such as a friend who "
        "bakes. Choose the size based on your oven. It is worth knowing that you can freeze it. A "
        "pan is a good gift for someone who bakes. Show your interest in the club early. If you "
        "said no before, say yes now. It is faster because you don't have to wait. Adjust the salt "
        "based on your preferences. Given your options, take the pan."
    ),
    "meta_talk": (
        "As an aide to memory, write it down. A user of such pans told us. One aspect of rye is "
        "its smell. Avoid plastic, skip the rest. Read the user manual of the oven. Keep the "
        "aspect ratio. The answer will depend on the flour. Teachers share a grading rubric. Take "
        "it as instructed by the doctor. Send an abstract of 250 words or less."
    ),
    "refusal": (
        "As an aide, use a timer. I would not help it along. They are sorry when it burns. "
        'Say "I\'m sorry I was late" and mean it. Tell them "I can\'t help on Sundays" early. A '
        "tool such as an AI planner helps. When I am afraid of a dough, I wait."
    ),
}
"""What a gate is not to take for such talk."""


@pytest.mark.parametrize("gate", ORDINARY)
def test_an_ordinary_answer_is_not_taken_for_such_talk(gate: str) -> None:
    assert measured(gate, sides(f"{FIRST} {ORDINARY[gate]}")).value is None


# Leakage and copying


NAMED, OTHER = rubric("Bread that needs no oven whatever", "x").aspects
SPELLED = NAMED.model_copy(
    update={
        "reason": "Because the boat has too little power for one",
        "evidence": "there is simply no room for it",
    }
)


@pytest.mark.parametrize(
    "said",
    [
        "Make bread that needs no oven at all.", "It has too little power for it.",
        "If there is simply no room, wait.", "Others tried a camping stove all year.",
        # Both rubrics of a twin are held against both sides.
        "Use steam for a very dark one.",
    ],
)  # fmt: skip
def test_a_run_of_an_aspect_its_reason_evidence_or_the_narrative_leaks(said: str) -> None:
    of = rubric().model_copy(update={"aspects": (SPELLED, OTHER)})
    changes: dict[str, Any] = {
        "rubrics": (of, rubric("Steam for a very dark crust")),
        "narrative": "We tried a camping stove all summer and failed.",
    }
    five = GateRules(leak_words=5)
    assert refuses("rubric_leakage", f"{FIRST} {said}", five, **changes)
    found = measured("rubric_leakage", sides(f"{FIRST} {said}", **changes), five)
    assert (len(str(found.value).split()), found.limit) == (5, "5 words")
    assert str(found.value) in said.lower()


def test_a_text_that_is_too_long_too_short_or_copied_is_at_fault() -> None:
    assert refuses("word_limit", "word " * 101)
    assert refuses("too_short", "Bake.")
    assert refuses("profile_copy", f"{FIRST} With only one gas burner, no oven at all, wait.")
    # The shorter one fell short of what both were asked for.
    assert measured("length_ratio", sides("a " * 31, "b " * 20)).sides == ("second",)
    assert measured("near_duplicate", sides(FIRST, FIRST)).sides == ("first", "second")


# Echo of the own aspects

PLAIN_ASPECTS = rubric("Loaves from a saucepan", "Rye dough kept cool"), rubric("Steam, steel rack")


@pytest.mark.parametrize(
    ("first", "second", "gap", "at_fault"),
    [
        ("A saucepan makes loaves; rye dough is kept cool.", "Let them crackle.", 1.0, ("first",)),
        ("Let them crackle.", "Steam on a steel rack.", 1.0, ("second",)),
        ("A saucepan of rye.", "Steam and a rack.", 0.333, ()),
    ],
)
def test_a_twin_whose_sides_repeat_their_aspects_unequally_is_refused(
    first: str, second: str, gap: float, at_fault: tuple[str, ...]
) -> None:
    of = sides(first, second, rubrics=PLAIN_ASPECTS, histories=(POSTS, POSTS))
    for off in ((), ("echo_gap",)):
        rules = GateRules.model_validate({"min_words": 0, "length_ratio": 9, "off": off})
        for most, refused in ((0.6, at_fault != ()), (gap, False), (gap - 0.001, True)):
            found = measured("echo_gap", of, rules, twin=TwinRules(echo_gap=most))
            assert (found.value, found.limit) == (gap, most)
            assert found.passed is (not refused or off != ())
            assert found.sides in ((), at_fault or found.sides)


def test_two_sides_that_say_the_same_are_near_duplicates_but_not_by_an_equal_opening() -> None:
    opening = "Plan the dough for the evening and the baking for the morning. "
    shortened = FIRST.replace("slowly overnight", "overnight")
    for first, second, least, most in (
        (FIRST, shortened, 0.6001, 0.999), (FIRST, FIRST, 1.0, 1.0), (FIRST, SECOND, 0.0, 0.0),
        ("Rye bread.", "Rye bread.", 1.0, 1.0), (opening + FIRST, opening + SECOND, 0.1001, 0.6),
    ):  # fmt: skip
        for of in (sides(first, second), sides(second, first)):
            found = measured("near_duplicate", of)
            assert isinstance(found.value, float)
            assert least <= found.value <= most
            assert found.passed is (most <= 0.6)


GERMAN = (
    "Am Abend den Teig mischen und \u00fcber Nacht langsam gehen lassen. Am Morgen flache Brote "
    "formen und in einer schweren Pfanne mit Deckel backen, bis sie hohl klingen."
)


def test_a_side_in_another_language_than_the_asker_is_refused() -> None:
    assert refuses("wrong_language", GERMAN)
    assert measured("wrong_language", sides(GERMAN)).value == ["de", "en"]
    assert not measured("wrong_language", sides(GERMAN, GERMAN)).passed
    # Where a language cannot be told or is the asker's, nothing is in another.
    for of in (
        sides("Pizza al forno", "1 2 3"), sides(GERMAN, language=None),
        sides(GERMAN, GERMAN, language="de"),
    ):  # fmt: skip
        assert measured("wrong_language", of).passed


# Judgements


def fit(share: float) -> Adherence:
    """An adherence of this share, in tenths: five aspects of 0, 1 or 2."""
    points = round(share * 10)
    scores = (min(2, max(0, points - 2 * n)) for n in range(5))
    return Adherence(scores=tuple(AspectScore(reason="", score=score) for score in scores))


def grade(*scores: int) -> Quality:
    return Quality(reason="", scores={f"scale {n}": score for n, score in enumerate(scores)})


GOOD, SOUND, CLOSE, NEAR = grade(5, 5, 5), grade(4, 4, 4), grade(4, 4, 3), grade(4, 3, 3)
FAIR = grade(3, 3, 3)
VIOLATE_GATES = ("adherence", "violation", "adherence_margin")
TWIN_GATES = ("adherence", "cross_adherence", "twin_margin", "twin_margin_mirror")
BOTH_SIDES = ("first", "second")


def faults_of(results: Iterable[GateResult]) -> dict[str, tuple[str, ...]]:
    return {result.gate: result.sides for result in results if not result.passed}


@pytest.mark.parametrize(
    ("chosen", "rejected", "faults"),
    [
        (1.0, 0.0, {}),
        (0.5, 0.0, {"adherence": ("first",)}),
        (1.0, 0.6, {"violation": ("second",)}),
        # A side that fails alone is blamed alone for a gap that is too small.
        (0.8, 0.5, {"adherence_margin": BOTH_SIDES}),
        (0.5, 0.2, {"adherence": ("first",), "adherence_margin": ("first",)}),
        (0.9, 0.6, {"violation": ("second",), "adherence_margin": ("second",)}),
        (0.5, 0.6, dict(zip(VIOLATE_GATES, [("first",), ("second",), BOTH_SIDES], strict=True))),
        # Values at their limits; as floating numbers, 0.7 - 0.3 < 0.4.
        (0.7, 0.3, {}), (0.6, 0.0, {}), (1.0, 0.5, {}),
    ],
)  # fmt: skip
def test_a_violate_pair_needs_a_fitting_side_an_unfitting_one_and_a_gap(
    chosen: float, rejected: float, faults: dict[str, tuple[str, ...]]
) -> None:
    found = judge_fits([{"first": fit(chosen), "second": fit(rejected)}], AS_IT_IS, TWIN)
    assert faults_of(found) == faults
    measures = (chosen, 0.6), (rejected, 0.5), (pytest.approx(chosen - rejected), 0.4)
    assert {g.gate: (g.value, g.limit) for g in found} == dict(
        zip(VIOLATE_GATES, measures, strict=True)
    )


@pytest.mark.parametrize(
    ("shares", "rules", "faults"),
    [
        ((1.0, 0.2, 0.9, 0.3), {}, {}),
        # By the asker's rubric both responses are good; by the partner's only the partner's is.
        ((0.7, 0.5, 1.0, 0.0), {}, {"twin_margin": BOTH_SIDES}),
        ((1.0, 0.0, 0.7, 0.5), {}, {"twin_margin_mirror": BOTH_SIDES}),
        ((0.5, 0.0, 1.0, 0.0), {}, {"adherence": ("first",)}),
        ((1.0, 0.0, 0.5, 0.0), {}, {"adherence": ("second",)}),
        ((0.5, 0.3, 1.0, 0.0), {}, {"adherence": ("first",), "twin_margin": ("first",)}),
        ((1.0, 0.0, 0.9, 0.7), {}, {"cross_adherence": ("first",),
                                    "twin_margin_mirror": ("first",)}),
        # A response that serves four of six points of the other rubric, too, ahead by the margin.
        ((1.0, 0.6, 1.0, 0.0), {}, {"cross_adherence": ("second",)}),
        ((1.0, 0.0, 1.0, 0.6), {}, {"cross_adherence": ("first",)}),
        ((1.0, 0.6, 1.0, 0.0), {"cross_adherence": 0.6}, {}),
        # Values at their limits; as floating numbers, 0.7 - 0.4 < 0.3.
        ((1.0, 0.5, 1.0, 0.5), {}, {}), ((0.7, 0.4, 0.7, 0.4), {}, {}),
        ((0.9, 0.5, 1.0, 0.5), {"margin": 0.5}, {"twin_margin": BOTH_SIDES}),
        ((0.6, 0.5, 0.6, 0.5), {"margin": 0.1}, {}),
    ],
)  # fmt: skip
def test_a_twin_needs_both_margins_and_sides_that_fit_their_own_rubric_alone(
    shares: tuple[float, float, float, float],
    rules: dict[str, float],
    faults: dict[str, tuple[str, ...]],
) -> None:
    a, b, c, d = shares
    asker: Fit = {"first": fit(a), "second": fit(b)}
    partner: Fit = {"first": fit(d), "second": fit(c)}
    found = judge_fits((asker, partner), AS_IT_IS, TwinRules(**{"margin": 0.3, **rules}))
    assert faults_of(found) == faults
    measures = (min(a, c), max(b, d), pytest.approx(a - b), pytest.approx(c - d))
    assert {g.gate: g.value for g in found} == dict(zip(TWIN_GATES, measures, strict=True))


UNSTABLE = (Comparison.TIE, Comparison.UNDECIDED)
WON = (Comparison.FIRST, Comparison.SECOND)


@pytest.mark.parametrize(
    ("verdicts", "pair", "parity", "winner_gap", "passed"),
    [
        # Without a stable winner close scores are parity.
        (UNSTABLE, (GOOD, GOOD), 0.67, None, True),
        (UNSTABLE, (SOUND, NEAR), 0.67, None, True),
        (UNSTABLE, (SOUND, NEAR), 0.5, None, False),
        (UNSTABLE, (SOUND, FAIR), 0.67, None, False),
        # A stable winner is none in a pair with a fixed chosen side.
        (WON, (GOOD, GOOD), 0.67, None, False),
        # In a twin it is up to a gap.
        (WON, (SOUND, CLOSE), 0.67, 0.34, True),
        (WON, (SOUND, NEAR), 0.67, 0.34, False),
        (WON, (SOUND, NEAR), 0.5, 0.67, True),
        (WON, (GOOD, grade(5, 5, 4)), 0.67, 0.0, False),
    ],
)
def test_what_is_parity(
    verdicts: tuple[Comparison, ...],
    pair: tuple[Quality, Quality],
    parity: float,
    winner_gap: float | None,
    passed: bool,
) -> None:
    most, rules = parity if verdicts is UNSTABLE else winner_gap, GateRules(parity=parity)
    for verdict in verdicts:
        grades: dict[DraftSide, Quality] = {"first": pair[0], "second": pair[1]}
        _, found = judge_quality(verdict, grades, rules, winner_gap=winner_gap)
        assert found.passed is passed
        assert found.limit == ("no stable winner" if most is None else ["gap", most])
    assert (GateRules().parity, TwinRules().winner_gap) == (0.67, 0.34)


# Words that each response shares with its user's posts

OVENS = ("I bake on a narrowboat with two burners and a heavy pan.",)
CAFE = ("The cafe has two steam ovens and a marble counter.",)


def of_two(first: str, second: str, *histories: tuple[str, ...]) -> DraftSides:
    rubrics = rubric("Bread without an oven"), rubric("Bread for a counter")
    return sides(first, second, rubrics=rubrics, histories=histories)


@pytest.mark.parametrize(
    ("first", "second", "interaction", "words"),
    [
        # Each has two words of its own user's posts; "two" is in both.
        ("Burners and a pan, two of them.", "Marble and steam, two of them.", 4,
         (("burners", "pan"), ("marble", "steam"))),
        # What both responses say tells nothing.
        ("Burners and marble.", "Marble and burners.", 0, ((), ())),
        # A word of the other user's posts takes one of the own away.
        ("Burners and marble, dry.", "Slow and cold.", 0, (("burners",), ())),
        # The wrong way round is below zero.
        ("Marble counter.", "Heavy burners.", -4, ((), ())),
        # Stems, and each word once.
        ("Burner, burners, burning.", "Dry.", 1, (("burner", "burners"), ())),
    ],
)  # fmt: skip
def test_the_interaction_counts_words_that_only_the_own_users_posts_have(
    first: str, second: str, interaction: int, words: tuple[tuple[str, ...], tuple[str, ...]]
) -> None:
    found = shared_words(of_two(first, second, OVENS, CAFE))
    assert found == (interaction, words)
    # With the users turned round, so is the sign.
    turned, _ = shared_words(of_two(first, second, CAFE, OVENS))
    assert turned == -interaction
