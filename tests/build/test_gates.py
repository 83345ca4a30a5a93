"""Gates: what each lets through, what it refuses, and that it names what it measured."""

from typing import Any, get_args

import py3langid
import pytest

from pairwright import text
from pairwright.gates import (
    DraftSides,
    check_echo,
    check_shared_words,
    check_writing,
    judge_contrast,
    judge_quality,
    judge_twin,
)
from pairwright.gates.writing import shared_words
from pairwright.records import (
    Adherence,
    AspectScore,
    Comparison,
    Draft,
    GateResult,
    Quality,
)
from pairwright.settings.rules import GateRules, TextGate, TwinRules
from pairwright.text import language, languages
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
AS_IT_IS = GateRules()
OF_TWO_RUBRICS = ("echo_gap", "shared_words")
TEXT_GATES = tuple(gate for gate in get_args(TextGate) if gate not in OF_TWO_RUBRICS)
"""Those that `check_writing` measures; the others follow where all of them pass."""


def sides(first: str = FIRST, second: str = SECOND, **changes: Any) -> DraftSides:
    fields: dict[str, Any] = {
        "question": QUESTION,
        "first": first,
        "second": second,
        "rubrics": (rubric("Bread without an oven", "Nothing with nuts"),),
        "narrative": None,
        "histories": (POSTS,),
        "language": "en",
    }
    return DraftSides(**(fields | changes))


def measured(
    gate: str, of: DraftSides, gates: GateRules = AS_IT_IS, words: int = 100
) -> GateResult:
    (found,) = (g for g in check_writing(of, gates, words=words) if g.gate == gate)
    return found


def both_orders(first: str, second: str = SECOND) -> tuple[DraftSides, DraftSides]:
    return sides(first, second), sides(second, first)


# All text gates


def test_every_gate_is_measured_and_two_good_answers_pass_them() -> None:
    found = check_writing(sides(), AS_IT_IS, words=100)
    assert [g.gate for g in found] == list(TEXT_GATES)
    assert [g for g in found if not g.passed or g.sides] == []
    # Though an earlier one refuses.
    found = check_writing(sides("I cannot help."), AS_IT_IS, words=10)
    assert [g.gate for g in found] == list(TEXT_GATES)
    assert {g.gate for g in found if not g.passed} >= {"refusal", "word_limit", "too_short"}


def test_a_gate_that_is_off_refuses_nothing_but_is_measured_all_the_same() -> None:
    bad = sides("I'm sorry, but I cannot help.")
    for gate in ("refusal", "too_short"):
        on, off = (measured(gate, bad, GateRules(off=names)) for names in ((), (gate,)))
        assert not on.passed
        assert off.passed
        assert (off.value, off.limit) == (on.value, on.limit)
    assert not measured("refusal", bad, GateRules(off=("too_short",))).passed


def test_every_text_gate_can_be_switched_off() -> None:
    off = GateRules(off=TEXT_GATES)
    bad = sides("- I'm sorry, as an AI I avoid it, given your boat.", "## Je ne sais pas, merci.")
    assert all(g.passed for g in check_writing(bad, off, words=5))


# Size and form


def test_length_is_held_to_limits_on_either_side() -> None:
    for gate, first, second, words, passed, value, limit in (
        ("word_limit", 60, 40, 60, True, 60, 60),
        ("word_limit", 60, 40, 59, False, 60, 59),
        ("too_short", 19, 40, 100, False, 19, 20),
        ("too_short", 20, 40, 100, True, 20, 20),
        ("length_ratio", 30, 20, 100, True, 1.5, 1.5),
        ("length_ratio", 31, 20, 100, False, 1.55, 1.5),
    ):
        for of in both_orders(" ".join(["a"] * first), " ".join(["b"] * second)):
            found = measured(gate, of, words=words)
            assert (found.passed, found.value, found.limit) == (passed, value, limit), gate
    assert measured("too_short", sides("a " * 19, "b " * 19), GateRules(min_words=19)).passed
    # An empty side is measured without dividing by nothing.
    assert not measured("length_ratio", sides(FIRST, "")).passed


@pytest.mark.parametrize(
    "form",
    [
        "- First mix it.\n- Then bake it.",
        "* First mix it.",
        "\u2022 First mix it.",
        "1. First mix it.\n2. Then bake it.",
        "1) First mix it.",
        "  - Indented too.",
        "# Bread\nMix it.",
        "### Bread\nMix it.",
        "**Bread**\nMix it.",
        "**Bread:**\nMix it.",
        "Use **strong** flour.",
        "Run `oven --hot`.",
        "See [this](http://example.org).",
        "> Quoted.",
        "| a | b |",
        "|a|b|\n|---|---|\n|1|2|",
    ],
)
def test_a_form_that_only_one_side_has_is_refused(form: str) -> None:
    for of in both_orders(f"{FIRST}\n{form}"):
        found = measured("format_parity", of)
        assert not found.passed
        assert isinstance(found.value, list)
        assert found.value[0] != found.value[1]
    assert measured("format_parity", sides(f"{FIRST}\n{form}", f"{SECOND}\n{form}")).passed


@pytest.mark.parametrize(
    "plain",
    [
        "In 1990 - or so - it began.",
        "Wait 2.5 hours at 30 * 2 degrees.",
        "Use strong flour (12 % protein) and salt, e.g. 1) fine or 2) coarse.",
        "It's hash #1 of the year.",
        "The well-known three-day rye.",
        "Water < flour > salt.",
        "The state is |T> = (|0> + e|1>), which is |0><1| + c*|1><0|.",
        "|01><10| + c*|10><01|",
    ],
)
def test_prose_with_dashes_numbers_and_stars_is_no_form(plain: str) -> None:
    assert measured("format_parity", sides(f"{FIRST} {plain}")).passed


# Ways of talking


def talks(gate: str, sentence: str) -> bool:
    """Whether a gate refuses a good answer with this sentence in it, on either side."""
    found = {measured(gate, of).passed for of in both_orders(f"{FIRST} {sentence}")}
    assert len(found) == 1
    return not found.pop()


@pytest.mark.parametrize(
    ("gate", "sentence"),
    [
        ("persona_talk", "As someone who bakes at dawn, start early."),
        ("persona_talk", "As a person who bakes at dawn, start early."),
        ("persona_talk", "As a vegetarian who bakes, start early."),
        ("persona_talk", "As a busy parent with your hands full, start early."),
        ("persona_talk", "This suits someone like you, or a cook like you, for somebody like you."),
        ("persona_talk", "Given your budget, buy one pan."),
        ("persona_talk", "Given that you work nights, start early."),
        ("persona_talk", "Considering your allergies, leave them out."),
        ("persona_talk", "Based on your earlier questions, start early."),
        ("persona_talk", "Knowing your kitchen, use the pan."),
        ("persona_talk", "Since you mentioned the boat, use the pan."),
        ("persona_talk", "Because you love rye, add some."),
        ("persona_talk", "As you only have one pan, or because you don't eat nuts, wait."),
        ("persona_talk", "Given your love of rye, add some."),
        ("persona_talk", "Based on your preferences, add some."),
        ("persona_talk", "Since you're short of space, use the pan."),
        ("persona_talk", "SINCE YOU ARE SHORT OF SPACE, use the pan."),
        ("persona_talk", "You've mentioned a boat."),
        ("persona_talk", "You said that there is no oven."),
        ("persona_talk", "From your previous posts it seems that there is no oven."),
        ("persona_talk", "With the user's background in chemistry it is simple."),
        ("persona_talk", "Since you\u2019re short of space, wait."),
        ("persona_talk", "You\u2019ve mentioned a boat."),
        ("persona_talk", "As a vegetarian, you can use oil."),
        ("persona_talk", "Since you live on a boat, use the pan."),
        ("persona_talk", "Given\nyour budget, buy one pan."),
        ("meta_talk", "I will avoid ovens here."),
        ("meta_talk", "I'll leave out the oven."),
        ("meta_talk", "I am going to skip the oven."),
        ("meta_talk", "I omit the oven."),
        ("meta_talk", "The user wants bread."),
        ("meta_talk", "This response avoids ovens."),
        ("meta_talk", "My answer covers pans."),
        ("meta_talk", "These aspects matter."),
        ("meta_talk", "All required aspects are served."),
        ("meta_talk", "By the rubric this is right."),
        ("meta_talk", "As requested, no oven."),
        ("meta_talk", "As instructed, no oven."),
        ("meta_talk", "That is within the word limit."),
        ("meta_talk", "That makes 100 words or fewer."),
        ("meta_talk", "I\u2019ll leave out the oven."),
        ("refusal", "I'm sorry, but I can't help with that."),
        ("refusal", "I am unable to do so."),
        ("refusal", "I cannot provide recipes."),
        ("refusal", "I won't answer this."),
        ("refusal", "As an AI language model, I have no oven."),
        ("refusal", "I'm just an AI."),
        ("refusal", "I am a language model."),
        ("refusal", "I\u2019m sorry, but I can\u2019t help with that."),
        ("refusal", "I can\u2019t assist with this request."),
        ("refusal", "I can't fulfill this request."),
        ("refusal", "Sorry, I must decline this request."),
    ],
)  # fmt: skip
def test_talk_about_the_reader_the_task_or_oneself_is_refused(gate: str, sentence: str) -> None:
    assert talks(gate, sentence)


ORDINARY = {
    "persona_talk": (
        "Given a choice, take the pan. Given time, it rises by itself. As a rule, start "
        "early. As an aside, salt slows it. As you know, salt slows it. Bakers who love rye "
        "add some. Use your hands and trust your nose. It has been popular since the war. "
        "Post your questions to a forum. Any pot works as long as you have a lid. Stop as "
        "soon as you are happy with it. Add seeds as you like. Eat as much as you like. It "
        "works because you are trapping steam. Ask around, such as a friend who bakes. Use it "
        "as a base with your own toppings. Choose the size based on your oven. It is worth "
        "knowing that you can freeze it. A pan is a good gift for someone who bakes. Show "
        "your interest in the club early. Read the letter you wrote once more. If you said no "
        "before, say yes now. Read what you posted before you send it. It is easier since you "
        "only need one pan. It is faster because you don't have to wait. Adjust the salt "
        "based on your preferences. Think of it as a house guest who needs feeding. Given "
        "your options, take the pan."
    ),
    "meta_talk": (
        "As an aide to memory, write it down. A user of such pans told us. One aspect of rye "
        "is its smell. Avoid plastic, skip the rest. In other words, wait. The user interface "
        "of the oven helps. Read the user manual of the oven. Keep the aspect ratio of the "
        "picture. It changes all aspects of a kitchen. The answer will depend on the flour. "
        "Teachers share a grading rubric first. Take it as instructed by the doctor. Check "
        "the word limit of the journal. Send an abstract of 250 words or less."
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
    for of in both_orders(f"{FIRST} {ORDINARY[gate]}"):
        assert measured(gate, of).value is None


def test_the_phrase_that_was_found_is_named() -> None:
    found = measured("persona_talk", sides(f"{FIRST} Given your budget, wait."))
    assert (found.value, found.limit) == ("Given your budget", "none")


def test_what_the_question_itself_says_an_answer_may_say_too() -> None:
    question = "What should the rubric say to someone who is late, given your experience?"
    said = "Given your experience, the rubric says enough."
    for gate in ("persona_talk", "meta_talk"):
        assert not measured(gate, sides(f"{FIRST} {said}")).passed
        assert measured(gate, sides(f"{FIRST} {said}", question=question)).passed
        both = measured(gate, sides(f"{FIRST} {said} As requested, since you said so."))
        assert not both.passed


# Leakage and copying


FIVE = GateRules(leak_words=5)


def test_a_run_of_an_aspect_its_reason_evidence_or_the_narrative_leaks() -> None:
    aspects = rubric("Bread that needs no oven whatever", "x").aspects
    spelled = aspects[0].model_copy(
        update={
            "reason": "Because the boat has too little power for one",
            "evidence": "there is simply no room for it",
        }
    )
    of = rubric().model_copy(update={"aspects": (spelled, aspects[1])})
    narrative = "We tried a camping stove all summer and failed."
    for said in (
        "Make bread that needs no oven at all.",
        "It has too little power for it.",
        "If there is simply no room, wait.",
        "Others tried a camping stove all year.",
    ):
        for changed in both_orders(f"{FIRST} {said}"):
            draft = changed._replace(rubrics=(of,), narrative=narrative)
            found = measured("rubric_leakage", draft, FIVE)
            assert not found.passed
            assert isinstance(found.value, str)
            assert len(found.value.split()) == 5
            assert found.value in said.lower()
            assert found.limit == "5 words"


def test_both_rubrics_of_a_twin_are_held_against_both_sides() -> None:
    rubrics = (rubric("Loaves that need no oven"), rubric("Steam for a very dark crust"))
    for said in ("Make loaves that need no oven.", "Use steam for a very dark crust."):
        for changed in both_orders(f"{FIRST} {said}"):
            assert not measured("rubric_leakage", changed._replace(rubrics=rubrics)).passed


def test_eight_words_in_a_row_leak_and_seven_do_not() -> None:
    of = rubric("Loaves for people whose kitchen has no oven, made in one pan")
    for said, passed in (
        ("Loaves for people whose kitchen has no gas.", True),
        ("Loaves for people whose kitchen has no oven.", False),
    ):
        for draft in both_orders(f"{FIRST} {said}"):
            assert measured("rubric_leakage", draft._replace(rubrics=(of,))).passed is passed


def test_a_short_aspect_leaks_if_a_response_repeats_it_whole() -> None:
    of = rubric("Bread from a covered pan", "No nuts at all")
    said = "Bread from a covered pan is good, with no nuts at all."
    found = measured("rubric_leakage", sides(f"{FIRST} {said}", rubrics=(of,)))
    assert (found.passed, found.value) == (False, "bread from a covered pan")
    # An ordinary turn of four words, and a part of an aspect, are no quotation.
    for fine in ("Use no nuts at all.", "Bake bread from a covered pot."):
        assert measured("rubric_leakage", sides(f"{FIRST} {fine}", rubrics=(of,))).passed


def test_four_words_of_an_aspect_or_words_of_the_question_do_not_leak() -> None:
    short = sides(f"{FIRST} Bread without an iron.")
    assert measured("rubric_leakage", short).passed
    assert not measured("rubric_leakage", short, GateRules(leak_words=3)).passed
    of = rubric("How to bake good bread during the week", "A pan with a lid")
    draft = sides(f"{FIRST} Use a pan with a cover.", rubrics=(of,))
    assert measured("rubric_leakage", draft, FIVE).passed
    said = "To bake good bread during the week is simple."
    question = "Is it possible to bake good bread during the week?"
    for asked, passed in (("?", False), (question, True)):
        draft = sides(f"{FIRST} {said}", rubrics=(of,), question=asked)
        assert measured("rubric_leakage", draft, FIVE).passed is passed


def test_a_run_of_words_from_a_post_is_a_copy() -> None:
    for of in both_orders(f"{FIRST} If we have only one gas burner, no oven at all, wait."):
        found = measured("profile_copy", of)
        assert not found.passed
        assert found.value == "have only one gas burner no oven at"
    for of in both_orders(f"{FIRST} If you have only one gas burner, wait."):
        assert measured("profile_copy", of).passed
        assert not measured("profile_copy", of, FIVE).passed


LIFE = (
    "I asked at www.loafclub.example/rye and wrote to jo.k@mill.example; thanks to @crumbly_joe.",
    "We moved from Upper Marlow in 2019, my old cat Tobias too, and I bake 413 g loaves on 37 mm "
    "tiles. I own a French press, 300 ml, 12.5 kg of Italian flour and 25 tins.",
)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("See https://www.loafclub.example/rye.", "loafclub.example/rye"),
        ("Ask jo.k@mill.example first.", "jo.k@mill.example"),
        ("Ask @crumbly_joe first.", "@crumbly_joe"),
        ("Upper Marlow has hard water.", "Upper Marlow"),
        ("Keep Tobias away from it.", "Tobias"),
        ("Weigh 413 grams of it.", "413"),
        ("Stack 12.5 litres of it.", "12.5"),
        ("Use tiles of 37 mm.", "37 mm"),
    ],
)
def test_a_name_number_or_address_of_a_post_is_a_copy(said: str, found: str) -> None:
    for of, side in zip(both_orders(f"{FIRST} {said}"), ("first", "second"), strict=True):
        measure = measured("profile_copy", of._replace(histories=(LIFE,)))
        assert (measure.passed, measure.value, measure.sides) == (False, [found], (side,))
        # A name or number that any answer may have, both may; an address is somebody's.
        both = measured(
            "profile_copy", sides(f"{FIRST} {said}", f"{SECOND} {said}", histories=(LIFE,))
        )
        assert both.sides == (("first", "second") if "example" in found or "@" in found else ())


def test_what_many_write_is_no_copy() -> None:
    said = (
        "A French press helps. Italian flour is finer. Take 300 ml, or 25 tins. In 2019 it was in"
        " fashion. Use 37 tins. The upper marlow road is long. Cats called so purr. On a narrowboat"
        " with burners and no hazelnuts."
    )
    for of in both_orders(f"{FIRST} {said}"):
        assert measured("profile_copy", of._replace(histories=(POSTS, LIFE))).passed


def test_a_name_or_number_of_the_question_or_of_an_aspect_may_be_used() -> None:
    said = f"{FIRST} In Upper Marlow take 413 g."
    assert not measured("profile_copy", sides(said, histories=(LIFE,))).passed
    asked = sides(said, histories=(LIFE,), question="How much of 413 g is water in upper Marlow?")
    assert measured("profile_copy", asked).passed
    aspect = sides(
        said, histories=(LIFE,), rubrics=(rubric("Life in Upper Marlow", "Loaves of 413 g"),)
    )
    assert measured("profile_copy", aspect).passed


def test_words_of_a_title_or_of_the_posts_own_lower_case_are_no_names() -> None:
    titled = "How to Bake Rye Bread Without Any Oven\nI like the Rye Bread Club, a rye bread club."
    said = f"{FIRST} Bake Rye Bread well. The Rye Bread Club knows."
    assert measured("profile_copy", sides(said, histories=((titled,),))).passed


def test_each_gate_on_a_text_names_the_side_at_fault() -> None:
    long = " ".join(["word"] * 101)
    for gate, said in (
        ("refusal", f"I'm sorry, but I can't help with that. {FIRST}"),
        ("word_limit", long),
        ("too_short", "Bake."),
        ("format_parity", f"- {FIRST}"),
        ("persona_talk", f"Given your budget, wait. {FIRST}"),
        ("meta_talk", f"As requested, no oven. {FIRST}"),
        ("rubric_leakage", f"{FIRST} Bread without an oven, nothing with nuts. Bread without an"),
        ("profile_copy", f"{FIRST} With only one gas burner, no oven at all, wait."),
        ("wrong_language", GERMAN),
    ):
        rubrics = (rubric("Bread without an oven, nothing with nuts"),)
        first, second = (measured(gate, of._replace(rubrics=rubrics)) for of in both_orders(said))
        assert (first.sides, second.sides) == (("first",), ("second",)), gate
    # The shorter one fell short of what both were asked for.
    ratio = measured("length_ratio", sides(" ".join(["a"] * 31), " ".join(["b"] * 20)))
    assert ratio.sides == ("second",)
    assert measured("near_duplicate", sides(FIRST, FIRST)).sides == ("first", "second")


# Echo of the own aspects

PLAIN_ASPECTS = rubric("Loaves from a saucepan", "Rye dough kept cool"), rubric("Steam, steel rack")


@pytest.mark.parametrize(
    ("first", "second", "gap", "at_fault"),
    [
        ("A saucepan makes loaves; rye dough is kept cool.", "Let them crackle.", 1.0, "first"),
        ("Let them crackle.", "Steam on a steel rack.", 1.0, "second"),
        ("A saucepan of rye.", "Steam and a rack.", 0.333, None),
        ("A saucepan of rye, kept cool.", "Let them crackle.", 0.667, "first"),
    ],
)
def test_a_twin_whose_sides_repeat_their_aspects_unequally_is_refused(
    first: str, second: str, gap: float, at_fault: str | None
) -> None:
    of = sides(first, second, rubrics=PLAIN_ASPECTS)
    found = check_echo(of, TwinRules(), AS_IT_IS)
    assert (found.gate, found.value, found.limit) == ("echo_gap", gap, 0.6)
    assert found.sides == ((at_fault,) if at_fault else ())
    assert found.passed is (at_fault is None)
    assert check_echo(of, TwinRules(echo_gap=gap), AS_IT_IS).passed
    assert check_echo(of, TwinRules(echo_gap=gap - 0.001), AS_IT_IS).passed is False
    assert check_echo(of, TwinRules(), GateRules(off=("echo_gap",))).passed


def test_an_aspect_without_a_word_beyond_the_question_has_no_echo() -> None:
    asked = sides(rubrics=(PLAIN_ASPECTS[0], rubric(QUESTION)))
    found = check_echo(asked, TwinRules(echo_gap=0), AS_IT_IS)
    assert (found.passed, found.value) == (True, None)


def test_two_sides_that_say_the_same_are_near_duplicates_but_not_by_an_equal_opening() -> None:
    opening = "Plan the dough for the evening and the baking for the morning. "
    shortened = FIRST.replace("slowly overnight", "overnight")
    for first, second, passed, least, most in (
        (FIRST, shortened, False, 0.6, 0.999), (shortened, FIRST, False, 0.6, 0.999),
        (FIRST, FIRST, False, 1.0, 1.0), ("Rye bread.", "Rye bread.", False, 1.0, 1.0),
        (FIRST, SECOND, True, 0.0, 0.0), (opening + FIRST, opening + SECOND, True, 0.1001, 0.6),
    ):  # fmt: skip
        found = measured("near_duplicate", sides(first, second))
        assert isinstance(found.value, float)
        assert found.passed is passed
        assert least <= found.value <= most


GERMAN = (
    "Am Abend den Teig mischen und \u00fcber Nacht langsam gehen lassen. Am Morgen flache Brote "
    "formen und in einer schweren Pfanne mit Deckel backen, bis sie hohl klingen."
)


def test_a_side_in_another_language_than_the_asker_is_refused() -> None:
    for of in both_orders(GERMAN):
        found = measured("wrong_language", of)
        assert not found.passed
        assert isinstance(found.value, list)
        assert sorted(map(str, found.value)) == ["de", "en"]
        assert found.limit == "en"
    assert not measured("wrong_language", sides(GERMAN, GERMAN)).passed


def test_where_a_language_cannot_be_told_or_is_the_askers_nothing_is_in_another() -> None:
    assert measured("wrong_language", sides(GERMAN, language=None)).passed
    found = measured("wrong_language", sides("Pizza al forno", "1 2 3"))
    assert (found.passed, found.value) == (True, [None, None])
    asked = sides(GERMAN, GERMAN, histories=(("Ich wohne auf einem Boot.",),), language="de")
    assert measured("wrong_language", asked).passed
    # One old post in another language does not make it the asker's.
    english = "My loaf is pale and the crust is soft, and nothing that I try helps with it."
    assert measured(
        "wrong_language", sides(histories=((f"{GERMAN} {GERMAN}", *[english] * 8),))
    ).passed


DUTCH = (
    "Meng het deeg in de avond en laat het over nacht rijzen in de koelkast. Bak het brood in een "
    "hete pan, want zo is de korst van het brood op zijn best."
)
NORWEGIAN = (
    "Bland deigen om kvelden og la den heve over natten i en bolle for at den skal bli god. Stek "
    "den i en varm panne under lokk, for her er det ingen ovn om bord."
)
IN_MANY_LANGUAGES = [
    FIRST, SECOND, *POSTS, GERMAN, DUTCH, NORWEGIAN,
    "If you can get it to rise at all in there, then it will be as good as any that they sell.",
    "So what would you do with it if it were yours, and how long would you keep it after that?",
    "- Proof: 8 h at 5 C\n- Bake: 250 C, 25 min\n- Cool: 1 h",
    "Mescola la farina con il lievito e lascia riposare l'impasto per una notte in frigo.",
    "M\u00e9langez la farine avec de l'eau et laissez lever la p\u00e2te toute la nuit au frais.",
    "A massa deve descansar a noite toda no frio, e o forno tem de estar bem quente.",
    "Am an t-aran a dh\u2019fhuineadh agus a chur an uair sin do an \u00e0mhainn a tha teth.",
    "Izinhlamvu zamagama ezinganele zokungena ekwazisweni kokugunyaza nesinkwa esishisayo.",
    # An answer that begins in one language and goes on in another.
    f"{GERMAN[:90]} {FIRST}", f"{DUTCH[:90]} {SECOND}", f"{FIRST[:60]} {NORWEGIAN}",
    "Isevisi yokugunyaza ayikwazi ukulanda izinhlamvu zomsebenzisi. Let it stand in the cold.",
    # Hardly anything to go by.
    "", "Yes.", "As it is.", "It was in the oven, on the top.", "Pizza al forno", "1 2 3",
]  # fmt: skip


def test_a_look_at_the_function_words_says_what_the_classifier_says() -> None:
    for said in IN_MANY_LANGUAGES:
        assert language(said) in {None, py3langid.classify(said[:200])[0]}, said


def test_plain_english_needs_no_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(languages, "_identifier")
    assert (
        language("If it rises in there at all, then it will be as good as any they sell.") == "en"
    )
    # Ordinary answers hold fewer function words, too.
    fewer = "With rye, order counts for more than effort: weigh flour, knead dough, leave the loaf"
    assert language(f"{fewer} to rise before any oven gets hot.") == "en"


# Judgements


def fit(share: float) -> Adherence:
    """An adherence of this share, in tenths: five aspects of 0, 1 or 2."""
    points = round(share * 10)
    scores = [min(2, max(0, points - 2 * n)) for n in range(5)]
    found = Adherence(scores=tuple(AspectScore(reason="", score=s) for s in scores))
    assert found.share == pytest.approx(share)
    return found


def grade(*scores: int) -> Quality:
    return Quality(reason="", scores={f"scale {n}": s for n, s in enumerate(scores)})


def draft(
    shares: dict[str, float],
    qualities: tuple[Quality, Quality] = (grade(4, 4, 4), grade(4, 4, 4)),
    comparison: Comparison = Comparison.TIE,
) -> Draft:
    return Draft(
        draw=0,
        strategy="omit",
        generator="m",
        first=FIRST,
        second=SECOND,
        adherence={name: fit(share) for name, share in shares.items()},
        quality=dict(zip(("first", "second"), qualities, strict=True)),
        comparison=comparison,
    )


def contrast(chosen: float, rejected: float, **limits: Any) -> dict[str, GateResult]:
    of = draft({"first": chosen, "second": rejected})
    return {g.gate: g for g in judge_contrast(of, GateRules(**limits))}


def twin(a: float, b: float, c: float, d: float, margin: float = 0.3) -> dict[str, GateResult]:
    """The matrix: own and other response by the asker's rubric, then by the partner's."""
    shares = {"first_own": a, "second_other": b, "second_own": c, "first_other": d}
    gates = judge_twin(draft(shares), TwinRules(margin=margin), GateRules())
    return {g.gate: g for g in gates}


def quality(
    first: Quality, second: Quality, comparison: Comparison, **limits: Any
) -> dict[str, GateResult]:
    of = draft({"first": 1.0, "second": 0.0}, (first, second), comparison)
    return {g.gate: g for g in judge_quality(of, GateRules(**limits), winner_gap=None)}


def test_a_contrast_needs_a_fitting_side_an_unfitting_one_and_a_gap() -> None:
    passed = contrast(1.0, 0.0)
    assert list(passed) == ["adherence", "violation", "adherence_margin"]
    for shares, refused, sides in (
        ((1.0, 0.0), [], []),
        ((0.5, 0.0), ["adherence"], [("first",)]),
        ((1.0, 0.6), ["violation"], [("second",)]),
        # A side that fails alone is blamed alone for a gap that is too small.
        ((0.8, 0.5), ["adherence_margin"], [("first", "second")]),
        ((0.5, 0.2), ["adherence", "adherence_margin"], [("first",)] * 2),
        ((0.9, 0.6), ["violation", "adherence_margin"], [("second",)] * 2),
    ):
        found = [g for g in contrast(*shares).values() if not g.passed]
        assert [(g.gate, g.sides) for g in found] == list(zip(refused, sides, strict=True))
    measures = {name: (g.value, g.limit) for name, g in contrast(0.5, 0.6).items()}
    assert measures["adherence"] == (0.5, 0.6)
    assert measures["violation"] == (0.6, 0.5)
    assert measures["adherence_margin"] == (-0.1, 0.4)


def test_a_value_at_its_limit_passes_whatever_floating_sums_make_of_it() -> None:
    assert 0.7 - 0.3 < 0.4
    found = contrast(0.7, 0.3)
    assert found["adherence_margin"].passed
    assert found["adherence_margin"].value == 0.4
    assert contrast(0.6, 0.0)["adherence"].passed
    assert contrast(1.0, 0.5)["violation"].passed
    assert 0.7 - 0.4 < 0.3
    assert all(g.passed for g in twin(0.7, 0.4, 0.7, 0.4).values())


def test_a_limit_with_many_digits_lets_its_own_value_pass() -> None:
    third = Adherence(scores=tuple(AspectScore(reason="", score=s) for s in (2, 0, 0)))
    none = Adherence(scores=tuple(AspectScore(reason="", score=s) for s in (0, 0, 0)))
    of = draft({"first": 1.0, "second": 0.0}).model_copy(
        update={"adherence": {"first": third, "second": none}}
    )
    gates = {g.gate: g for g in judge_contrast(of, GateRules(margin=1 / 3, adherence=0.3))}
    assert gates["adherence_margin"].passed


def test_each_judged_gate_can_be_switched_off_alone() -> None:
    names = ("adherence", "violation", "adherence_margin", "quality_floor", "parity")
    bad = draft({"first": 0.5, "second": 0.6}, (grade(2, 2, 2), grade(4, 4, 4)), Comparison.SECOND)

    def gates(rules: GateRules) -> list[GateResult]:
        return [*judge_contrast(bad, rules), *judge_quality(bad, rules, winner_gap=None)]

    assert not any(g.passed for g in gates(GateRules()))
    for name in names:
        found = gates(GateRules(off=(name,)))
        assert [g.gate for g in found if g.passed] == [name]


def test_a_twin_needs_both_margins_and_both_sides_fitting() -> None:
    passed = twin(1.0, 0.2, 0.9, 0.3)
    assert list(passed) == [
        "adherence", "cross_adherence", "twin_margin", "twin_margin_mirror",
    ]  # fmt: skip
    assert (passed["twin_margin"].value, passed["twin_margin_mirror"].value) == (0.8, 0.6)
    assert passed["adherence"].value == 0.9
    for shares, refused, at_fault in (
        ((1.0, 0.2, 0.9, 0.3), [], None),
        # By the asker's rubric both responses are good; by the partner's only the partner's is.
        ((0.7, 0.5, 1.0, 0.0), ["twin_margin"], ("first", "second")),
        ((1.0, 0.0, 0.7, 0.5), ["twin_margin_mirror"], ("first", "second")),
        ((0.5, 0.0, 1.0, 0.0), ["adherence"], ("first",)),
        ((1.0, 0.0, 0.5, 0.0), ["adherence"], ("second",)),
        ((0.5, 0.3, 1.0, 0.0), ["adherence", "twin_margin"], ("first",)),
        ((1.0, 0.0, 0.9, 0.7), ["cross_adherence", "twin_margin_mirror"], ("first",)),
    ):
        found = [g for g in twin(*shares).values() if not g.passed]
        assert [g.gate for g in found] == refused
        assert all(g.sides == at_fault for g in found)
    assert not twin(0.8, 0.4, 0.8, 0.4, margin=0.5)["twin_margin"].passed
    assert twin(0.6, 0.6, 0.6, 0.6, margin=0.0)["twin_margin"].passed


def test_a_response_of_a_twin_that_serves_the_other_rubric_as_well_is_refused() -> None:
    # It serves all of its own rubric and four of six points of the other: ahead by the margin.
    for shares, side in (((1.0, 0.6, 1.0, 0.0), "second"), ((1.0, 0.0, 1.0, 0.6), "first")):
        found = twin(*shares)
        assert [n for n, g in found.items() if not g.passed] == ["cross_adherence"]
        gate = found["cross_adherence"]
        assert (gate.value, gate.limit, gate.sides) == (0.6, 0.5, (side,))
    assert all(g.passed for g in twin(1.0, 0.5, 1.0, 0.5).values())
    of = draft({"first_own": 1.0, "second_other": 0.6, "second_own": 1.0, "first_other": 0.0})
    wider = judge_twin(of, TwinRules(cross_adherence=0.6), GateRules())
    assert all(g.passed for g in wider)


GOOD, FAIR, POOR = grade(5, 5, 5), grade(3, 3, 3), grade(2, 3, 3)


def test_the_quality_floor_holds_for_the_worse_side() -> None:
    for pair in ((FAIR, GOOD), (GOOD, FAIR)):
        assert quality(*pair, Comparison.TIE)["quality_floor"].passed
    for pair in ((POOR, GOOD), (GOOD, POOR)):
        found = quality(*pair, Comparison.TIE)["quality_floor"]
        assert not found.passed
        assert found.value == pytest.approx(8 / 3, abs=1e-6)


UNSTABLE = (Comparison.TIE, Comparison.UNDECIDED)
WON = (Comparison.FIRST, Comparison.SECOND)


def twin_quality(first: Quality, second: Quality, verdict: Comparison, **limits: Any) -> GateResult:
    of = draft({}, (first, second), verdict)
    winner_gap = TwinRules(**limits).winner_gap
    return judge_quality(of, GateRules(), winner_gap=winner_gap)[-1]


@pytest.mark.parametrize("verdict", UNSTABLE)
def test_without_a_stable_winner_close_scores_are_parity(verdict: Comparison) -> None:
    assert quality(GOOD, GOOD, verdict)["parity"].passed
    near = quality(grade(4, 4, 4), grade(4, 3, 3), verdict)["parity"]
    assert near.passed
    assert near.limit == ["gap", 0.67]
    assert not quality(grade(4, 4, 4), grade(3, 3, 3), verdict)["parity"].passed
    assert not quality(grade(4, 4, 4), grade(4, 3, 3), verdict, parity=0.5)["parity"].passed


def test_a_stable_tie_does_not_excuse_a_gap_nor_an_undecided_comparison_a_low_side() -> None:
    for qualities, verdict, value, at_fault in (
        ((GOOD, FAIR), Comparison.TIE, [2.0, "tie"], ("second",)),
        ((POOR, POOR), Comparison.UNDECIDED, [0.0, "undecided"], ("first", "second")),
    ):
        found = quality(*qualities, verdict)["parity"]
        assert (found.passed, found.value, found.sides) == (False, value, at_fault)


@pytest.mark.parametrize("verdict", WON)
def test_a_stable_winner_is_no_parity_in_a_pair_with_a_fixed_chosen_side(
    verdict: Comparison,
) -> None:
    found = quality(GOOD, GOOD, verdict)["parity"]
    assert not found.passed
    assert (found.value, found.limit) == ([0.0, verdict.value], "no stable winner")
    # Whose side loses is at fault.
    assert found.sides == ("second" if verdict is Comparison.FIRST else "first",)
    assert quality(GOOD, GOOD, verdict, off=("parity",))["parity"].passed


@pytest.mark.parametrize("verdict", WON)
def test_a_stable_winner_is_parity_in_a_twin_up_to_a_gap(verdict: Comparison) -> None:
    close = twin_quality(grade(4, 4, 4), grade(4, 4, 3), verdict)
    assert (close.passed, close.limit) == (True, ["gap", 0.34])
    assert not twin_quality(grade(4, 4, 4), grade(4, 3, 3), verdict).passed
    assert twin_quality(grade(4, 4, 4), grade(4, 3, 3), verdict, winner_gap=0.67).passed
    assert not twin_quality(GOOD, grade(5, 5, 4), verdict, winner_gap=0).passed


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
    turned = shared_words(of_two(first, second, CAFE, OVENS))
    assert turned.interaction == -interaction


def test_the_interaction_is_that_of_the_audits_word_overlap_over_both_halves() -> None:
    for first, second in ((FIRST, SECOND), (SECOND, FIRST)):
        of = of_two(first, second, (*POSTS, *OVENS), CAFE)
        own, other = (text.terms_of(history) for history in of.histories)
        one, two = text.terms(first), text.terms(second)
        halves = len(one & own) - len(two & own), len(two & other) - len(one & other)
        assert shared_words(of).interaction == sum(halves)


def test_a_draft_that_a_count_of_words_solves_is_refused_and_each_side_learns_its_own_words() -> (
    None
):
    of = of_two("Burners and a pan.", "Marble and steam.", OVENS, CAFE)
    for limit, passed in ((3, False), (4, True)):
        gate = check_shared_words(of, TwinRules(shared_words=limit), GateRules(), is_twin=True)
        assert (gate.passed, gate.limit) == (passed, limit)
        assert gate.value == [4, ["burners", "pan"], ["marble", "steam"]]
        assert gate.sides == (() if passed else ("first", "second"))
    # A decoy's other user is not in the pair, so that only the first response can be at fault.
    decoy = check_shared_words(of, TwinRules(shared_words=1), GateRules(), is_twin=False)
    assert (decoy.value, decoy.sides) == ([2, ["burners", "pan"], []], ("first",))
    off = GateRules(off=("shared_words",))
    assert check_shared_words(of, TwinRules(shared_words=0), off, is_twin=True).passed
