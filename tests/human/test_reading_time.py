"""How much there is to read in a study's tasks."""

import pytest

from pairwright_human_eval.records import Data
from pairwright_human_eval.subjects import subjects_of
from pairwright_human_eval.workload import (
    WORDS_A_MINUTE,
    ReadingRate,
    reading_rate,
    readings,
    words_shown,
)
from small_studies import FILE, mixed, study_of, violate

TASK: Data = {
    "task": "task-0123456789abcdef",
    "question": "How is it done?",
    "response_a": "<p>Take <strong>two</strong> steps.</p>\n<ul>\n<li>One &amp; two</li>\n</ul>",
    "response_b": "<p><em>Ask</em>.</p>",
}


def test_every_word_on_the_page_counts_and_no_tag() -> None:
    assert words_shown(TASK) == 4 + 6 + 1
    posts: Data = {"posts": [{"when": "2024-01-01", "text": "One post here."}], "narrative": []}
    assert words_shown(TASK | posts) == 11 + 4
    aspects: Data = {"aspects": [{"text": "wants two", "quote": "I want two"}]}
    assert words_shown(TASK | aspects) == 11 + 5


@pytest.mark.parametrize("rate", [238, 179])
def test_so_many_words_take_a_minute(rate: int) -> None:
    made = study_of(mixed(6, 6))
    found = readings(made.all(), ReadingRate(rate, "English"))
    assert [of.kind for of in found] == ["quality", "preference", "rubric"]
    assert sum(of.tasks for of in found) == len(made.all())
    words = sum(words_shown(task.data) for task in made.all())
    assert sum(of.minutes for of in found) == pytest.approx(words / rate)
    for of in found:
        assert of.seconds == pytest.approx(of.words / rate * 60)


def test_a_kind_without_tasks_is_left_out() -> None:
    made = study_of(mixed(0, 3), annotators=6)
    quality = [task for task in made.all() if task.keyed.kind == "quality"]
    assert [of.kind for of in readings(quality, reading_rate([]))] == ["quality"]
    assert readings([], reading_rate([])) == ()


GERMAN = "Nehmen Sie die Brille ab, bevor Sie die Maske aufsetzen, und wischen Sie sie erst danach."
FRENCH = "Enlevez vos lunettes avant de mettre le masque, puis essuyez-les avec un chiffon sec."
KOREAN = "마스크를 쓰기 전에 안경을 벗고, 그다음에 마른 천으로 닦으세요. 뜨거운 물은 쓰지 마세요."
ENGLISH = "Take your glasses off before you put the mask on, and wipe them with a dry cloth after."


@pytest.mark.parametrize(
    ("texts", "rate"),
    [
        ([GERMAN, GERMAN, ENGLISH], "179 words a minute (German)"),
        ([FRENCH], "195 words a minute (French)"),
        ([KOREAN], "184 words a minute (the mean of 17 languages)"),
        ([ENGLISH, ENGLISH, GERMAN], "238 words a minute (English)"),
    ],
)
def test_texts_are_read_at_the_rate_of_their_language(texts: list[str], rate: str) -> None:
    """Whatever the language of the forms is."""
    pairs = [violate(n, question=text, chosen=text, rejected=text) for n, text in enumerate(texts)]
    assert str(reading_rate(subjects_of(pairs, FILE), "ja")) == rate


def test_where_no_language_is_certain_it_is_that_of_the_forms() -> None:
    pairs = [violate(1, question="Xq?", chosen="Zv 1.", rejected="Zv 2.")]
    subjects = subjects_of(pairs, FILE)
    assert reading_rate(subjects, "de").words == 179
    assert reading_rate(subjects).words == 238


def test_the_rates_are_those_of_the_study() -> None:
    """Of the 17 languages but English, whose rate is that of silent reading; the mean of all is
    that of its abstract, 184."""
    aloud = {**WORDS_A_MINUTE, "en": 228}
    assert len(aloud) == 17
    assert round(sum(aloud.values()) / 17) == 184
