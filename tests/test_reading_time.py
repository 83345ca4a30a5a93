"""How much there is to read in a study's tasks."""

import pytest

from pairwright_human_eval.reading_time import readings, words_shown
from pairwright_human_eval.records import Data
from small_studies import mixed, study_of

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


def test_238_words_take_a_minute() -> None:
    made = study_of(mixed(6, 6))
    found = readings(made.all())
    assert [of.kind for of in found] == ["quality", "preference", "rubric"]
    assert sum(of.tasks for of in found) == len(made.all())
    words = sum(words_shown(task.data) for task in made.all())
    assert sum(of.minutes for of in found) == pytest.approx(words / 238)
    for of in found:
        assert of.seconds == pytest.approx(of.words / 238 * 60)


def test_a_kind_without_tasks_is_left_out() -> None:
    made = study_of(mixed(0, 3), annotators=6)
    quality = [task for task in made.all() if task.keyed.kind == "quality"]
    assert [of.kind for of in readings(quality)] == ["quality"]
    assert readings([]) == ()
