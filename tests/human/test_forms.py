"""The labelling configurations and the guidelines: what they ask, in whose words, and what may come
back."""

import re
import tomllib
from html import unescape
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

from label_studio_server import controls
from live_study import LiveStudy, usual
from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Anchor, Scale
from pairwright_human_eval.forms import labelling_config, load_language, render_guidelines
from pairwright_human_eval.label_studio import same_form
from pairwright_human_eval.records import KINDS, KeyedTask, Kind, Tool
from released import PAIRS, Answers, run_of
from sheets import ANSWER, fill, sheet_rows
from small_studies import SCALES

GUIDELINES = render_guidelines(SCALES)
FORMS = {kind: labelling_config(kind, SCALES) for kind in KINDS}
# The keys that a task's data has, by kind, and what a row of a list has.
DATA = {
    "quality": {"question", "response_a", "response_b"},
    "preference": {"question", "response_a", "response_b", "posts"},
    "rubric": {"question", "response_a", "response_b", "posts", "narrative", "aspects"},
}
ROWS = {"posts.when", "posts.text", "narrative.text", "aspects.text", "aspects.quote"}


def form(kind: Kind) -> ElementTree.Element:
    return ElementTree.fromstring(FORMS[kind])


def values(root: ElementTree.Element, tag: str) -> list[str]:
    return [element.attrib["value"] for element in root.iter(tag)]


def scale(question: str = "Is it?", **change: object) -> Scale:
    anchors = (Anchor(score=1, text="no"), Anchor(score=3, text="yes"))
    return Scale.model_validate(
        {"name": "good", "question": question, "anchors": anchors, **change}
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_as_label_studio_and_the_study_need_it(kind: Kind) -> None:
    root = form(kind)
    asked = {}
    for choices in root.iter("Choices"):
        # Every question must be answered, once.
        assert choices.attrib["required"] == "true"
        assert choices.attrib["requiredMessage"].endswith(".")
        assert choices.attrib["choice"] == "single-radio"
        shown = values(choices, "Choice")
        assert len(set(shown)) == len(shown)
        aliases = frozenset(choice.attrib["alias"] for choice in choices)
        asked[choices.attrib["name"].replace("{{idx}}", "0")] = aliases
    assert asked == controls(kind, SCALES, aspects=1)
    (comment,) = root.iter("TextArea")
    assert comment.attrib["name"] == "comment"
    assert "required" not in comment.attrib

    names = [e.attrib["name"] for e in root.iter() if "name" in e.attrib]
    assert len(set(names)) == len(names)
    assert {e.attrib["toName"] for e in root.iter() if "toName" in e.attrib} <= set(names)
    # The SDK takes the longest name that an answer's name begins with.
    for name in names:
        start = name.removesuffix("{{idx}}")
        assert not [other for other in names if other != name and other.startswith(start)]

    # It shows all of a task's data, and nothing else.
    used, rows = set(), set()
    for value in (value for element in root.iter() for value in element.attrib.values()):
        used |= set(re.findall(r"\$(\w+)", value))
        rows |= {".".join(found) for found in re.findall(r"\$(\w+)\[\{\{idx}}\]\.(\w+)", value)}
        # Label Studio puts the row's number in place of the first only.
        assert value.count("{{idx}}") <= 1
    assert used == DATA[kind]
    assert rows == {row for row in ROWS if row.split(".")[0] in DATA[kind]}

    # Nothing in the style that Label Studio escapes.
    (style,) = root.iter("Style")
    assert not re.search(r"[<>&]|url\(", style.text or "<")

    # Nothing tells what a task is really about.
    telling = (
        r"(?i)\b(chosen|reject\w*|model\w*|judge\w*|modes?|twins?|rubric\w*|adher\w*|violat\w*)\b"
    )
    assert not re.findall(telling, FORMS[kind].replace("Cannot judge", ""))


def test_markup_in_a_scale_is_text() -> None:
    question = "Is 1 < 2 & \"so\" 'on' [[ true ]] <b>?</b>"
    xml = labelling_config("quality", (scale(question),))
    assert f"1. {question}" in values(ElementTree.fromstring(xml), "Header")


@pytest.mark.parametrize("kind", KINDS)
def test_questions_and_choices_of_the_guidelines_are_those_of_the_form(kind: Kind) -> None:
    asked = re.findall(r'<Header value="([^"$]*\?[^"]*)"', FORMS[kind])
    choices = re.findall(r'<Choice value="([^"]*)"', FORMS[kind])
    words = " ".join(GUIDELINES.split())
    for text in (*asked, *choices):
        shown = unescape(text).partition(": ")[2] if text[0].isdigit() and ": " in text else text
        if not shown.endswith("(optional)"):
            assert unescape(shown) in words, shown


def test_guidelines_are_short_practical_and_unblind_nothing() -> None:
    assert len(GUIDELINES.split()) < 2_400  # Ten minutes are enough.
    said = "Use a computer: a phone is too small for the form. If Submit fails, sign in again."
    assert said in " ".join(GUIDELINES.split())
    for word in ("chosen", "rejected", "twin", "mode ", "model", "wrong profile", "Pairwright"):
        assert word not in GUIDELINES


def test_a_wheel_has_everything_that_an_export_reads() -> None:
    settings = tomllib.loads((assets.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    there = {path.name for path in assets.HUMAN_EVAL.iterdir() if path.is_file()} - {"README.md"}
    assert "guidelines.md" in there
    for name in there:
        assert included[f"human_eval/{name}"] == f"pairwright/human_eval/{name}"


@pytest.mark.parametrize("text", ["Costs $much?", "Is {{idx}} right?"])
def test_words_that_label_studio_would_replace_are_refused(text: str) -> None:
    for bad in (scale(text), scale(anchors=({"score": 1, "text": text}, {"score": 2, "text": ""}))):
        with pytest.raises(InputError, match="for a variable") as caught:
            labelling_config("quality", (bad,))
        assert "[good]" in caught.value.where


def test_a_form_laid_out_anew_is_the_same_and_every_other_is_not() -> None:
    for xml in FORMS.values():
        root = ElementTree.fromstring(xml)
        ElementTree.indent(root, "\t")
        for element in root.iter():
            reverse = dict(reversed(element.attrib.items()))
            element.attrib.clear()
            element.attrib.update(reverse)
        anew = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
        assert anew != xml
        assert same_form(f'<?xml version="1.0"?>\n<!-- stored -->{anew}', xml)
    assert not same_form(FORMS["preference"], FORMS["quality"])
    xml = FORMS["preference"]
    for old, new in (
        ('required="true"', 'required="false"'),
        ('alias="A"', 'alias="B"'),
        ("$response_a", "$response_b"),
        ("No difference for", "None for"),
        ("display: none", "display: block"),
    ):
        assert old in xml
        assert not same_form(xml.replace(old, new, 1), xml)
    for text in ("", "<View>", "{}", "<View/><View/>", "<View a='&x;'/>"):
        assert not same_form(text, xml)


@pytest.mark.parametrize("tool", get_args(Tool))
@pytest.mark.parametrize("code", ["en", "de"])
def test_guidelines_speak_of_the_tool_that_people_have(tool: Tool, code: str) -> None:
    page = render_guidelines(SCALES, load_language(code), tool)
    sheet = tool == "spreadsheet"
    assert ("CSV (UTF-8)" in page, bool(re.search(r"\bAdd\b", page))) == (sheet, not sheet)
    assert "[[" not in page
    assert "[%" not in page


# In German


def texts(kind: Kind, code: str) -> list[str]:
    """What a form says, without the places of a task's own texts."""
    root = ElementTree.fromstring(labelling_config(kind, SCALES, load_language(code)))
    read = ("value", "requiredMessage", "placeholder")
    found = (one.attrib[name] for one in root.iter() for name in read if name in one.attrib)
    return [text for text in found if not text.startswith("$")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_translated_whole_and_stores_the_same(kind: Kind) -> None:
    english, other = texts(kind, "en"), texts(kind, "de")
    assert len(english) == len(other)
    assert not [text for text in english if text in other and not re.fullmatch(r"\d", text)]
    form = labelling_config(kind, SCALES, load_language("de"))
    assert re.findall(r'(?:name|alias)="[^"]*"', form) == re.findall(
        r'(?:name|alias)="[^"]*"', FORMS[kind]
    )


def test_a_german_spreadsheet_is_answered_in_german(tmp_path: Path) -> None:
    study = LiveStudy(run_of(tmp_path / "run", PAIRS[:3], study=False))
    assert "en or de" in study.refused("export", "--language", "tlh")
    assert not study.folder.path.exists()
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
