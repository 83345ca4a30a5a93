"""Forms, spreadsheets and guidelines in another language: the same questions, the same answers."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from label_studio_server import controls
from live_study import LiveStudy, usual
from pairwright.errors import InputError
from pairwright_human_eval.form import Shown, marks, view_of
from pairwright_human_eval.label_studio.files import config_hashes, labelling_config
from pairwright_human_eval.language import (
    ENGLISH,
    languages,
    load_language,
    page_text,
    render_guidelines,
)
from pairwright_human_eval.qualification import checks_in
from pairwright_human_eval.records import KINDS, Data, KeyedTask, Kind, PreferenceAnswer
from released import PAIRS, Answers, run_of
from sheets import ANSWER, FIELD, fill, sheet_rows, write
from small_studies import SCALES

OTHERS = [code for code in languages() if code != "en"]
READ = ("value", "requiredMessage", "placeholder")


def texts(kind: Kind, code: str, adjudication: bool) -> list[str]:
    """What a form says, without the places of a task's own texts."""
    xml = labelling_config(kind, SCALES, adjudication=adjudication, language=load_language(code))
    found = (
        element.attrib[name]
        for element in ElementTree.fromstring(xml).iter()
        for name in READ
        if name in element.attrib
    )
    return [text for text in found if not text.startswith("$")]


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_form_is_translated_whole_and_stores_the_same(code: str, kind: Kind) -> None:
    for adjudication in (False, True):
        english, other = texts(kind, "en", adjudication), texts(kind, code, adjudication)
        assert len(english) == len(other)
        assert not [text for text in english if text in other and not re.fullmatch(r"\d", text)]
    root = ElementTree.fromstring(labelling_config(kind, SCALES, language=load_language(code)))
    asked = {
        choices.attrib["name"].replace("{{idx}}", "0"): frozenset(
            choice.attrib["alias"] for choice in choices.iter("Choice")
        )
        for choices in root.iter("Choices")
    }
    assert asked == controls(kind, SCALES, aspects=1) | {mark: {mark} for mark in marks(kind)}


@pytest.mark.parametrize("code", OTHERS)
def test_every_form_of_another_language_has_another_hash(code: str) -> None:
    assert OTHERS == ["de"]
    english, other = config_hashes(SCALES), config_hashes(SCALES, load_language(code))
    assert english.keys() == other.keys()
    assert not set(english.values()) & set(other.values())


@pytest.mark.parametrize("code", OTHERS)
def test_guidelines_say_as_much_and_name_the_choices_as_the_form_does(code: str) -> None:
    language = load_language(code)
    page, english = render_guidelines(SCALES, language), render_guidelines(SCALES)
    for mark in ("\n## ", "\n### ", "\n| ", "\n- **", "\n> ", "\n**"):
        assert page.count(mark) >= english.count(mark) > 0
    assert "[[" not in page
    fewer = render_guidelines(SCALES, language, aspects=False)
    assert "[[" not in fewer
    assert len(fewer.split()) < 0.85 * len(page.split())
    assert not any(f"\n- **{language(word)}" in fewer for word in ("Clearly", "Contradicted"))
    assert set(fewer.splitlines()) < set(page.splitlines())
    for scale in SCALES:
        assert language(scale.question) in page
        assert all(language(anchor.text) in page for anchor in scale.anchors)
    flat = " ".join(page.split())
    named = (
        "No difference for this person", "Cannot tell", "Clearly", "Plausibly", "Contradicted",
        "Only A", "Only B", "Both", "Neither", "Cannot judge", "Response B",
    )  # fmt: skip
    for choice in named:
        assert language(choice) in flat


def test_a_text_that_a_language_lacks_is_named(tmp_path: Path) -> None:
    own = SCALES[0].model_copy(update={"question": "Is it kind?"})
    with pytest.raises(InputError, match="Is it kind") as error:
        labelling_config("quality", (own,), language=load_language("de"))
    assert error.value.where.endswith("de.toml")
    assert ENGLISH("Is it kind?") == "Is it kind?"


@pytest.fixture
def study(tmp_path: Path) -> LiveStudy:
    """A run without a study."""
    return LiveStudy(run_of(tmp_path / "run", PAIRS[:3], study=False))


def test_a_language_that_there_is_not_is_refused(study: LiveStudy) -> None:
    assert "en, de" in study.refused("export", "--language", "tlh")
    assert not study.folder.path.exists()


@pytest.mark.parametrize("words", ["now", "earlier"])
def test_a_german_spreadsheet_is_answered_in_german(study: LiveStudy, words: str) -> None:
    options = ("--tool", "spreadsheet", "--language", "de", "--seed", 1, "--annotators", 9)
    study.do("export", *options)
    german = load_language("de")
    if words == "earlier":
        german = german.before
        assert german("Plausibly") == "Naheliegend"
    assert study.folder.guidelines.read_text("utf-8").startswith("# Anleitung")
    labels = {"clearly": "Plausibly", "A": "Response A", "B": "Response B"}

    def answer(task: KeyedTask) -> Answers | None:
        only = {"A": "Only A", "B": "Only B"}
        ticks = {}
        for name, choice in (usual(task) or {}).items():
            own = labels | (only if name.startswith("delivered") else {})
            ticks[name] = german(own[choice]) if choice in own else choice
        if task.kind == "preference":
            ticks["seen"] = "WAHR" if task.purpose == "repeat" else "Nein"
        return ticks

    paths = [study.sheet(f"annotator-{n:02}") for n in range(1, 10)]
    for path in paths:
        assert sheet_rows(path, ";")[0][ANSWER] == "antwort"
        fill(path, answer, study.key, separator=";")
    rows = sheet_rows(paths[0], ";")
    next(row for row in rows if row[FIELD] == "consent")[ANSWER] = "nein"
    said = study.refused("import", write(paths[0].with_name("no.csv"), rows, ";"))
    assert "column antwort: the person has not agreed" in said
    assert "(field consent, ja)" in said
    study.do("import", *paths)
    assert len(study.verdicts) == len(study.key)
    assert not study.set_aside
    assert set(study.states().values()) == {"verified"}
    for verdict in study.verdicts:
        if isinstance(verdict.answers, PreferenceAnswer):
            assert verdict.answers.seen == (verdict.purpose == "repeat")


@pytest.mark.parametrize("code", languages())
@pytest.mark.parametrize("kind", KINDS)
def test_a_spreadsheet_says_what_the_form_says(code: str, kind: Kind) -> None:
    language, row = load_language(code), {"text": "t", "quote": "q", "when": ""}
    data: Data = {"question": "q", "response_a": "a", "response_b": "b"}
    if kind != "quality":
        data |= {"posts": [{**row}], "narrative": [{**row}]}
    if kind == "rubric":
        data["aspects"] = [{**row}]
    form = [re.sub(r"^\d+[.:] ", "", text) for text in texts(kind, code, False)]
    for part in view_of(data, kind, SCALES, language):
        if isinstance(part, Shown):
            heading = part.heading.removeprefix(f"{language('Line')} 1: ")
            assert any(text.startswith(heading) for text in form), part
        else:
            question = re.sub(r"^\d+\. ", "", part.question).partition(" (")[0]
            assert any(text.startswith(question) for text in form)
            assert part.control in marks(kind) or {
                re.sub(r"^\d: ", "", label) for label in part.choices.values()
            } <= set(form)


def test_a_german_qualification_has_german_checks_and_a_study_in_german_says_what_it_is(
    tmp_path: Path,
) -> None:
    study = LiveStudy(run_of(tmp_path / "run", PAIRS, study=False))
    study.do("qualify", "--out", tmp_path / "people", "--language", "de", "--seed", 0)
    tried = {keyed.subject for keyed in LiveStudy(tmp_path / "people").key.values()}
    assert tried <= {half.id for check in checks_in("de") for half in check.halves}
    assert not {one.question for one in checks_in("de")} & {one.question for one in checks_in("en")}
    said = study.do("export", "--language", "de", "--annotators", 9, "--seed", 0)
    assert "there is no reserve" in said


def test_a_language_without_checks_says_where_to_write_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("de.toml", "xx.toml"):
        (tmp_path / part).write_text("[words]\n", encoding="utf-8")
    monkeypatch.setattr("pairwright_human_eval.language.FOLDER", tmp_path)
    with pytest.raises(InputError, match="no attention checks in this language") as raised:
        checks_in("xx")
    assert "checks.xx.toml" in str(raised.value)


def test_a_language_whose_files_are_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pairwright_human_eval.language.FOLDER", tmp_path)
    path = tmp_path / "xx.toml"
    for text, said in (
        ("[words", "Expected"),
        ("words = 3\n", r"\[words\]: Input should be a table"),
        ("nothing = 1\n", "nothing"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said) as caught:
            load_language("xx")
        assert str(caught.value.where).startswith(str(path))
    path.write_text("[words]\n", encoding="utf-8")
    with pytest.raises(InputError, match="No such file") as caught:
        page_text("consent", load_language("xx"))
    assert caught.value.where == str(tmp_path / "consent.xx.md")
