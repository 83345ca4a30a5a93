"""The labelling configurations and the guidelines: what they ask, in whose words, and what may come
back."""

import re
from html import unescape
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

from live_study import LiveStudy, usual
from pairwright.errors import InputError
from pairwright.settings.domains import Scale
from pairwright_human_eval.forms import (
    labelling_config,
    load_language,
    questions,
    render_guidelines,
)
from pairwright_human_eval.label_studio import same_form
from pairwright_human_eval.records import KINDS, KeyedTask, Kind, Tool
from released import PAIRS, Answers, run_of
from sheets import ANSWER, fill, sheet_rows
from small_studies import SCALES

FORMS = {kind: labelling_config(kind, SCALES) for kind in KINDS}
GERMAN = load_language("de")
COMMON = {"question", "response_a", "response_b"}
# The keys that a task's data has, by kind, with those of the rows of a list.
DATA = {
    "quality": COMMON,
    "preference": {*COMMON, "posts", "posts.when", "posts.text"},
    "rubric": {*COMMON, "posts", "posts.when", "posts.text", "narrative", "narrative.text",
               "aspects", "aspects.text", "aspects.quote"},
}  # fmt: skip
TELLING = re.compile(
    r"(?i)chosen|reject|\bmodel|judge\b|\bmodes?\b|\btwin|rubric|adher|violat|generat|simulat|planner"
    r"|expected|purpose|attention|\bvote|@"
)


def values(root: ElementTree.Element, tag: str) -> list[str]:
    return [element.attrib["value"] for element in root.iter(tag)]


def scale(question: str = "Is it?", anchor: str = "no") -> Scale:
    anchors = ({"score": 1, "text": anchor}, {"score": 3, "text": "yes"})
    return Scale.model_validate({"name": "good", "question": question, "anchors": anchors})


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_as_label_studio_and_the_study_need_it(kind: Kind) -> None:
    root, asked = ElementTree.fromstring(FORMS[kind]), {}
    for choices in root.iter("Choices"):
        # Every question must be answered, once.
        assert (choices.attrib["required"], choices.attrib["choice"]) == ("true", "single-radio")
        assert choices.attrib["requiredMessage"].endswith(".")
        shown = values(choices, "Choice")
        assert len(set(shown)) == len(shown)
        name = choices.attrib["name"].replace("{{idx}}", "0")
        asked[name] = {choice.attrib["alias"] for choice in choices}
    assert asked == {name: {*one.choices} for name, one in questions(kind, SCALES, 1).items()}
    (comment,) = root.iter("TextArea")
    assert (comment.attrib["name"], "required" in comment.attrib) == ("comment", False)
    names = [e.attrib["name"] for e in root.iter() if "name" in e.attrib]
    assert len(set(names)) == len(names)
    assert {e.attrib["toName"] for e in root.iter() if "toName" in e.attrib} <= set(names)
    # The SDK takes the longest name that an answer's name begins with.
    starts = [name.removesuffix("{{idx}}") for name in names]
    assert not [(s, n) for s in starts for n in starts if s != n and n.startswith(s)]
    # It shows all of a task's data, and nothing else.
    used = set[str]()
    for value in (value for element in root.iter() for value in element.attrib.values()):
        used |= set(re.findall(r"\$(\w+)", value))
        used |= {".".join(found) for found in re.findall(r"\$(\w+)\[\{\{idx}}\]\.(\w+)", value)}
        # Label Studio puts the row's number in place of the first only.
        assert value.count("{{idx}}") <= 1
    assert used == DATA[kind]
    # Nothing in the style that Label Studio escapes, and nothing that tells what a task is about.
    (style,) = root.iter("Style")
    assert not re.search(r"[<>&]|url\(", style.text or "<")
    told = re.sub(r"(?s)<Style>.*?</Style>", "", FORMS[kind])
    assert not TELLING.findall(re.sub("(?i)cannot.judge", "", told))


def test_markup_in_a_scale_is_text_and_what_label_studio_would_replace_is_refused() -> None:
    question = "Is 1 < 2 & \"so\" 'on' [[ true ]] <b>?</b>"
    xml = labelling_config("quality", (scale(question),))
    assert f"1. {question}" in values(ElementTree.fromstring(xml), "Header")
    for text in ("Costs $much?", "Is {{idx}} right?"):
        for bad in (scale(text), scale(anchor=text)):
            with pytest.raises(InputError, match="for a variable") as caught:
                labelling_config("quality", (bad,))
            assert "[good]" in caught.value.where


def test_a_form_laid_out_anew_is_the_same_and_every_other_is_not() -> None:
    for xml in FORMS.values():
        root = ElementTree.fromstring(xml)
        ElementTree.indent(root, "\t")
        anew = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
        assert anew != xml
        assert same_form(f'<?xml version="1.0"?>\n<!-- stored -->{anew}', xml)
    xml = FORMS["preference"]
    changes = {
        'required="true"': 'required="false"',
        'alias="A"': 'alias="B"',
        "$response_a": "$response_b",
        "No difference for": "None for",
        "display: none": "display: block",
    }
    others = [xml.replace(old, new, 1) for old, new in changes.items()]
    assert xml not in others
    for text in (*others, FORMS["quality"], "", "<View>", "{}", "<View a='&x;'/>"):
        assert not same_form(text, xml)


# Guidelines and languages


@pytest.mark.parametrize("kind", KINDS)
def test_guidelines_have_the_questions_and_choices_of_the_form_and_unblind_nothing(
    kind: Kind,
) -> None:
    page = render_guidelines(SCALES)
    asked = re.findall(r'<Header value="([^"$]*\?[^"]*)"', FORMS[kind])
    choices = re.findall(r'<Choice value="([^"]*)"', FORMS[kind])
    words = " ".join(page.split())
    for text in (*asked, *choices):
        shown = unescape(text).partition(": ")[2] if text[0].isdigit() and ": " in text else text
        assert shown.endswith("(optional)") or unescape(shown) in words, shown
    assert not re.search("chosen|rejected|twin|mode |model|wrong profile|Pairwright", page)
    assert len(page.split()) < 2_400  # Ten minutes are enough.


@pytest.mark.parametrize("tool", get_args(Tool))
@pytest.mark.parametrize("code", ["en", "de"])
def test_guidelines_speak_of_the_tool_that_people_have(tool: Tool, code: str) -> None:
    page = render_guidelines(SCALES, load_language(code), tool)
    sheet = tool == "spreadsheet"
    assert ("CSV (UTF-8)" in page, bool(re.search(r"\bAdd\b", page))) == (sheet, not sheet)
    assert not re.search(r"\[\[|\[%", page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_translated_whole_and_stores_the_same(kind: Kind) -> None:
    pattern = r'(?:value|requiredMessage|placeholder)="([^"$][^"]*)"'
    translated = labelling_config(kind, SCALES, GERMAN)
    english, other = (re.findall(pattern, form) for form in (FORMS[kind], translated))
    assert len(english) == len(other)
    assert not [text for text in english if text in other and not re.fullmatch(r"\d", text)]
    stored = [re.findall(r'(?:name|alias)="[^"]*"', form) for form in (FORMS[kind], translated)]
    assert stored[0] == stored[1]


def test_a_german_spreadsheet_is_answered_in_german(tmp_path: Path) -> None:
    study = LiveStudy(run_of(tmp_path / "run", PAIRS[:3], study=False))
    assert "en or de" in study.refused("export", "--language", "tlh")
    assert not study.folder.path.exists()
    study.do("export", "--tool", "spreadsheet", "--language", "de", "--seed", 1, "--annotators", 9)
    assert study.folder.guidelines.read_text("utf-8").startswith("# Anleitung")
    said = {"A": "Response A", "B": "Response B", "clearly": "Clearly"}

    def answer(task: KeyedTask) -> Answers:
        ticks = usual(task) or {}
        words = said | ({"A": "Only A", "B": "Only B"} if task.kind == "rubric" else {})
        return {name: GERMAN(words.get(choice, choice)) for name, choice in ticks.items()}

    for path in (paths := sorted(study.folder.sheets.iterdir())):
        assert sheet_rows(path, ";")[0][ANSWER] == "antwort"
        fill(path, answer, study.key, separator=";")
    study.do("import", *paths)
    assert len(study.answered) == len(study.key)
    assert set(study.states().values()) == {"verified"}
