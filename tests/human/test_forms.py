"""The labelling configurations: what they ask, in whose words, and what may come back."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Anchor, Scale, load_scales
from pairwright.settings.prompt import Prompts
from pairwright_human_eval.form import controls
from pairwright_human_eval.label_studio.files import config_hash, labelling_config
from pairwright_human_eval.records import KINDS, Kind

SCALES = load_scales(assets.RUBRICS)
FORMS = [(kind, adjudication) for kind in KINDS for adjudication in (False, True)]
# The keys that a task's data has, by kind, and what a row of a list has.
DATA = {
    "quality": {"question", "response_a", "response_b"},
    "preference": {"question", "response_a", "response_b", "posts", "narrative"},
    "rubric": {"question", "response_a", "response_b", "posts", "narrative", "aspects"},
}
ROWS = {"posts.when", "posts.text", "narrative.text", "aspects.text", "aspects.quote"}


def form(kind: Kind, adjudication: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(labelling_config(kind, SCALES, adjudication=adjudication))


def scale(question: str = "Is it?", **change: object) -> Scale:
    anchors = (Anchor(score=1, text="no"), Anchor(score=3, text="yes"))
    return Scale.model_validate(
        {"name": "good", "question": question, "anchors": anchors, **change}
    )


# What comes back


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_the_controls_are_those_of_the_form(kind: Kind, adjudication: bool) -> None:
    asked = {
        choices.attrib["name"].replace("{{idx}}", "0"): frozenset(
            choice.attrib["alias"] for choice in choices.iter("Choice")
        )
        for choices in form(kind, adjudication).iter("Choices")
    }
    assert asked == controls(kind, SCALES, aspects=1)


def test_every_scale_is_answered_for_both_sides() -> None:
    scores = frozenset("12345")
    assert controls("quality", SCALES, 0) == {
        "correctness_a": scores | {"cannot_judge"},
        "correctness_b": scores | {"cannot_judge"},
        "relevance_a": scores,
        "relevance_b": scores,
        "helpfulness_a": scores,
        "helpfulness_b": scores,
    }


def test_a_preference_is_one_answer() -> None:
    assert controls("preference", SCALES, 3) == {
        "preference": frozenset({"A", "B", "equal", "cannot_tell"})
    }


def test_every_aspect_has_two_answers() -> None:
    found = controls("rubric", SCALES, 2)
    assert sorted(found) == ["delivered_0", "delivered_1", "support_0", "support_1"]
    assert found["support_1"] == {"clearly", "plausibly", "no", "contradicted"}
    assert found["delivered_0"] == {"A", "B", "both", "neither", "cannot_tell"}
    assert controls("rubric", SCALES, 0) == {}


def test_scores_without_an_anchor_can_be_given_too() -> None:
    assert controls("quality", (scale(),), 0)["good_a"] == {"1", "2", "3"}


# What Label Studio needs


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_every_question_must_be_answered_once(kind: Kind, adjudication: bool) -> None:
    for choices in form(kind, adjudication).iter("Choices"):
        assert choices.attrib["required"] == "true"
        assert choices.attrib["requiredMessage"].endswith(".")
        assert choices.attrib["choice"] == "single-radio"
        shown = [choice.attrib["value"] for choice in choices]
        assert len(set(shown)) == len(shown)


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_names_are_unique_and_point_to_something(kind: Kind, adjudication: bool) -> None:
    elements = list(form(kind, adjudication).iter())
    names = [e.attrib["name"] for e in elements if "name" in e.attrib]
    assert len(set(names)) == len(names)
    assert {e.attrib["toName"] for e in elements if "toName" in e.attrib} <= set(names)
    # The SDK takes the longest name that an answer's name begins with.
    for name in names:
        start = name.removesuffix("{{idx}}")
        assert not [other for other in names if other != name and other.startswith(start)]


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_it_shows_all_of_a_tasks_data_and_nothing_else(kind: Kind, adjudication: bool) -> None:
    used, rows = set(), set()
    for element in form(kind, adjudication).iter():
        for value in element.attrib.values():
            used |= set(re.findall(r"\$(\w+)", value))
            rows |= {".".join(found) for found in re.findall(r"\$(\w+)\[\{\{idx}}\]\.(\w+)", value)}
            # Label Studio puts the row's number in place of the first only.
            assert value.count("{{idx}}") <= 1
    assert used == DATA[kind] | ({"earlier"} if adjudication else set())
    expected = {row for row in ROWS if row.split(".")[0] in DATA[kind]}
    assert rows == expected | ({"earlier.text"} if adjudication else set())


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_the_style_has_nothing_that_label_studio_escapes(kind: Kind, adjudication: bool) -> None:
    (style,) = form(kind, adjudication).iter("Style")
    assert style.text is not None
    assert not set("<>&") & set(style.text)
    assert "url(" not in style.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_comment_can_be_left_out(kind: Kind) -> None:
    (comment,) = form(kind).iter("TextArea")
    assert comment.attrib["name"] == "comment"
    assert "required" not in comment.attrib


def test_without_a_narrative_its_heading_is_not_there_either() -> None:
    (repeated,) = [r for r in form("preference").iter("Repeater") if r.attrib["on"] == "$narrative"]
    assert [h.attrib["value"] for h in repeated.iter("Header")] == [
        "What this person wrote below the question"
    ]


# What people read


@pytest.mark.parametrize(("kind", "adjudication"), FORMS)
def test_nothing_tells_what_a_task_is_really_about(kind: Kind, adjudication: bool) -> None:
    text = labelling_config(kind, SCALES, adjudication=adjudication).replace("Cannot judge", "")
    told = (
        r"(?i)\b(chosen|reject\w*|model\w*|judge\w*|modes?|twins?|rubric\w*|adher\w*|violat\w*)\b"
    )
    assert not re.findall(told, text)


def test_people_read_the_words_of_the_scales() -> None:
    page = form("quality")
    headers = [header.attrib["value"] for header in page.iter("Header")]
    shown = [choice.attrib["value"] for choice in page.iter("Choice")]
    for n, each in enumerate(SCALES, start=1):
        assert f"{n}. {each.question}" in headers
        for anchor in each.anchors:
            assert shown.count(f"{anchor.score}: {anchor.text}") == 2
    assert shown.count("Cannot judge") == 2


def test_both_sides_are_asked_in_the_same_words() -> None:
    def words(side: str) -> list[list[str]]:
        return [
            [choice.attrib["value"] for choice in choices]
            for choices in form("quality").iter("Choices")
            if choices.attrib["name"].endswith(f"_{side}")
        ]

    assert words("a") == words("b")
    assert len(words("a")) == len(SCALES)


def test_the_preference_is_asked_about_this_person() -> None:
    headers = [header.attrib["value"] for header in form("preference").iter("Header")]
    assert (
        "Going only by these posts, which answer would this person find more useful?"
        " Not which you prefer."
    ) in headers


@pytest.mark.parametrize("kind", KINDS)
def test_earlier_answers_are_shown_in_adjudication_only(kind: Kind) -> None:
    assert "What others answered" not in labelling_config(kind, SCALES)
    assert "What others answered" in labelling_config(kind, SCALES, adjudication=True)


def test_markup_in_a_scale_is_text() -> None:
    question = "Is 1 < 2 & \"so\" 'on' [[ true ]] <b>?</b>"
    xml = labelling_config("quality", (scale(question),))
    headers = [h.attrib["value"] for h in ElementTree.fromstring(xml).iter("Header")]
    assert f"1. {question}" in headers


# What is refused


@pytest.mark.parametrize("text", ["Costs $much?", "Is {{idx}} right?"])
def test_words_that_label_studio_would_replace_are_refused(text: str) -> None:
    for bad in (scale(text), scale(anchors=({"score": 1, "text": text}, {"score": 2, "text": ""}))):
        with pytest.raises(InputError, match="for a variable") as caught:
            labelling_config("quality", (bad,))
        assert "[good]" in caught.value.where


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The templates that ship, to break."""
    for path in assets.HUMAN_EVAL.glob("*.jinja"):
        shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("[% for %]", "not a template"),
        ("[[ missing ]]", "'missing' is undefined"),
        ("[[ parts.missing() ]]", "has no attribute 'missing'"),
        ("<View>", "not XML"),
        ("&nbsp;", "not XML"),
    ],
)
def test_a_template_that_cannot_be_rendered_is_named(
    folder: Path, change: str, message: str
) -> None:
    path = folder / "labeling_config_preference.xml.jinja"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<Choices", f"{change}<Choices"), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        labelling_config("preference", SCALES, folder=folder)
    assert caught.value.where.startswith(str(path))
    labelling_config("quality", SCALES, folder=folder)


@pytest.mark.parametrize("name", ["labeling_config_rubric.xml.jinja", "labeling_parts.xml.jinja"])
def test_a_missing_template_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match="missing") as caught:
        labelling_config("rubric", SCALES, folder=folder)
    assert caught.value.where == str(folder / name)


# The hash


def test_a_configuration_laid_out_anew_has_the_same_hash() -> None:
    for kind in KINDS:
        xml = labelling_config(kind, SCALES)
        root = ElementTree.fromstring(xml)
        ElementTree.indent(root, "\t")
        for element in root.iter():
            reverse = dict(reversed(element.attrib.items()))
            element.attrib.clear()
            element.attrib.update(reverse)
        anew = ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)
        assert anew != xml
        assert config_hash(f'<?xml version="1.0"?>\n<!-- stored -->{anew}') == config_hash(xml)
        assert re.fullmatch("sha256:[0-9a-f]{64}", config_hash(xml))


def test_every_configuration_has_its_own_hash() -> None:
    hashes = {config_hash(labelling_config(k, SCALES, adjudication=a)) for k, a in FORMS}
    assert len(hashes) == len(FORMS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('required="true"', 'required="false"'),
        ('alias="A"', 'alias="B"'),
        ("$response_a", "$response_b"),
        ("About equal", "Equal"),
        ("display: none", "display: block"),
    ],
)
def test_a_changed_configuration_has_another_hash(old: str, new: str) -> None:
    xml = labelling_config("preference", SCALES)
    assert old in xml
    assert config_hash(xml.replace(old, new, 1)) != config_hash(xml)


@pytest.mark.parametrize("xml", ["", "<View>", "{}", "<View/><View/>", "<View a='&x;'/>"])
def test_what_is_no_xml_has_no_hash(xml: str) -> None:
    with pytest.raises(InputError, match="not XML"):
        config_hash(xml)


# `cannot_judge` is for people


def test_the_judges_prompt_is_the_same_with_and_without_cannot_judge() -> None:
    prompts = Prompts.load(assets.PROMPTS)
    assert [each.name for each in SCALES if each.cannot_judge] == ["correctness"]
    without = tuple(each.model_copy(update={"cannot_judge": False}) for each in SCALES)
    for name, values in (
        ("quality", {"question": "Q", "response": "R"}),
        ("compare", {"question": "Q", "first": "R", "second": "S"}),
    ):
        ask = prompts.ask(name, **values, scales=SCALES)
        assert ask.messages == prompts.ask(name, **values, scales=without).messages
        assert "cannot judge" not in ask.messages[-1].content.lower()


def test_cannot_judge_makes_no_other_run() -> None:
    assert repr(scale(cannot_judge=True)) == repr(scale())
