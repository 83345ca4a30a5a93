"""Forms, spreadsheets and guidelines in another language: the same questions, the same answers."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from label_studio_server import controls
from live_study import LiveStudy, usual
from pairwright_human_eval.forms import (
    labelling_config,
    load_language,
)
from pairwright_human_eval.forms import (
    sheet_rows as rows_of_sheet,
)
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind
from released import PAIRS, Answers, run_of
from sheets import ANSWER, fill, sheet_rows
from small_studies import SCALES

READ = ("value", "requiredMessage", "placeholder")


def texts(kind: Kind, code: str) -> list[str]:
    """What a form says, without the places of a task's own texts."""
    xml = labelling_config(kind, SCALES, load_language(code))
    found = (
        element.attrib[name]
        for element in ElementTree.fromstring(xml).iter()
        for name in READ
        if name in element.attrib
    )
    return [text for text in found if not text.startswith("$")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_translated_whole_and_stores_the_same(kind: Kind) -> None:
    english, other = texts(kind, "en"), texts(kind, "de")
    assert len(english) == len(other)
    assert not [text for text in english if text in other and not re.fullmatch(r"\d", text)]
    root = ElementTree.fromstring(labelling_config(kind, SCALES, load_language("de")))
    asked = {
        choices.attrib["name"].replace("{{idx}}", "0"): frozenset(
            choice.attrib["alias"] for choice in choices.iter("Choice")
        )
        for choices in root.iter("Choices")
    }
    assert asked == controls(kind, SCALES, aspects=1)


@pytest.fixture
def study(tmp_path: Path) -> LiveStudy:
    """A run without a study."""
    return LiveStudy(run_of(tmp_path / "run", PAIRS[:3], study=False))


def test_a_language_that_there_is_not_is_refused(study: LiveStudy) -> None:
    assert "en or de" in study.refused("export", "--language", "tlh")
    assert not study.folder.path.exists()


def test_a_german_spreadsheet_is_answered_in_german(study: LiveStudy) -> None:
    options = ("--tool", "spreadsheet", "--language", "de", "--seed", 1, "--annotators", 9)
    study.do("export", *options)
    german = load_language("de")
    assert study.folder.guidelines.read_text("utf-8").startswith("# Anleitung")
    labels = {"clearly": "Plausibly", "A": "Response A", "B": "Response B"}

    def answer(task: KeyedTask) -> Answers | None:
        only = {"A": "Only A", "B": "Only B"}
        ticks = {}
        for name, choice in (usual(task) or {}).items():
            own = labels | (only if name.startswith("delivered") else {})
            ticks[name] = german(own[choice]) if choice in own else choice
        return ticks

    paths = [study.folder.sheet(f"annotator-{n:02}") for n in range(1, 10)]
    for path in paths:
        assert sheet_rows(path, ";")[0][ANSWER] == "antwort"
        fill(path, answer, study.key, separator=";")
    study.do("import", *paths)
    assert len(study.answered) == len(study.key)
    assert not study.set_aside
    assert set(study.states().values()) == {"verified"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_spreadsheet_says_what_the_form_says(kind: Kind) -> None:
    language, row = load_language("de"), {"text": "t", "quote": "q", "when": ""}
    data: Data = {"task": "task-1", "question": "q", "response_a": "a", "response_b": "b"}
    if kind != "quality":
        data["posts"] = [{**row}]
    if kind == "rubric":
        data |= {"narrative": [{**row}], "aspects": [{**row}]}
    form = {re.sub(r"^\d+[.:] ", "", text) for text in texts(kind, "de")}
    rows = [[*row, ""][:5] for row in rows_of_sheet([(kind, data)], SCALES, language)]
    asked = 0
    for task, field, what, text, choices in rows:
        if not task:
            assert text in language.words.values()
        elif field:
            asked += bool(choices)
            assert re.sub(r"^\d+\. ", "", text).partition(" (")[0] in {
                f.partition(" (")[0] for f in form
            }
            assert {re.sub(r"^\d: ", "", one) for one in choices.split("\n")} - {""} <= form
        elif what:
            assert what.removeprefix(f"{language('Line')} 1: ") in form
    assert asked == {"quality": 6, "preference": 1, "rubric": 2}[kind]
