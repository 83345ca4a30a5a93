"""Words, stems, runs and quotes: what retrieval and gates measure with."""

import random

import pytest

from pairwright import text
from pairwright.settings.prompt import guard


@pytest.mark.parametrize(
    "family",
    ["brake brakes braking braked", "berry berries", "loaf loaf's loaf\u2019s"],
)
def test_forms_of_one_word_have_one_stem(family: str) -> None:
    assert len({text.stemmer("en")(word) for word in text.words(family)}) == 1


@pytest.mark.parametrize(
    ("response", "question", "length", "copied"),
    [
        ("Bread? You have: ONLY one, gas-burner on; board!", "", 5, "have only one gas burner"),
        ("Use only one gas burner at noon.", "", 5, None),
        ("Use only one gas burner at noon.", "", 4, "only one gas burner"),
        # A run of the question is allowed, but not one that goes past it.
        ("With only one gas burner on the stove.", "Bread on only one gas burner on?", 5, None),
        ("Yes, only one gas burner on board works.", "Bread on only one gas burner on?", 5,
         "one gas burner on board"),
        # A run does not reach from one source into the next.
        ("Board and no oven I don\u2019t own", "", 5, None),
        ("I don\u2019t own an oven here", "", 5, "i don't own an oven"),
    ],
)  # fmt: skip
def test_a_copied_run_is_found_whatever_its_case_and_punctuation(
    response: str, question: str, length: int, copied: str | None
) -> None:
    sources = ["We have only one gas burner on board and no oven.", "I don't own an oven."]
    assert text.shared_span(response, sources, question, length) == copied


def test_a_run_is_found_wherever_it_stands_and_the_first_of_several_is_named() -> None:
    # Few words, so that known words in a row are seldom a run of a source.
    chance = random.Random(5)
    found = 0
    for _ in range(300):
        told, one, two, allowed = (" ".join(chance.choices("abcde", k=14)) for _ in range(4))
        runs = (text.spans(told, 4) - text.spans(allowed, 4)) & (
            text.spans(one, 4) | text.spans(two, 4)
        )
        first = min((" ".join(run) for run in runs), default=None)
        assert text.shared_span(told, [one, two], allowed, 4) == first
        found += first is not None
    assert 50 < found < 250


def test_a_quote_is_found_through_case_width_and_what_a_prompt_made_of_it() -> None:
    quote = 'she said: "I\'m allergic to nuts" ...'
    post = "She said: \u201cI\u2019m  allergic\nto \uff4euts\u201d \u2026"
    assert text.normalised(quote) == text.normalised(post)
    for post in (  # Its tags, its chat markers, and what is invisible.
        "I use List<String> and </b> in code.",
        "The template puts [INST] around what I write.",
        "I eat gluten\u200bfree bread\u2060.",
    ):
        assert guard(post) != post
        assert text.normalised(guard(post)) == text.normalised(post)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Rye  bread.\n", "Rye bread.", True), ("Caf\u00e9", "Cafe\u0301", True),
        ("Rye\u00a0bread", "Rye\u200b bread\ufeff", True), ("- rye\n- oats", "- rye - oats", True),
        ("a\r\nb", "a\nb", True), ("if x:\n    y\nz", "if x:\n    y\n    z", False),
        ("C", "C++", False), ("9n-4", "9n+4", False), ("MARIA", "maria", False),
        ("x\u00b2", "x2", False), ("\uff11", "1", False), ("Rye bread?", "Rye bread!", False),
    ],
)  # fmt: skip
def test_spaces_and_form_make_no_other_text(first: str, second: str, same: bool) -> None:
    assert (text.canonical(first) == text.canonical(second)) is same
