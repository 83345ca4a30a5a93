"""Annotators read in the guidelines what the forms ask, in the same words."""

import re
import tomllib
from html import unescape

import pytest

from pairwright import assets
from pairwright.settings.domains import Scale, load_scales
from pairwright_human_eval.label_studio.files import labelling_config
from pairwright_human_eval.language import render_guidelines
from pairwright_human_eval.records import KINDS, Kind

SCALES = load_scales(assets.RUBRICS)
PAGE = render_guidelines(SCALES)


@pytest.mark.parametrize("kind", KINDS)
def test_questions_and_choices_are_those_of_the_form(kind: Kind) -> None:
    xml = labelling_config(kind, SCALES)
    asked = re.findall(r'<Header value="([^"$]*\?[^"]*)"', xml)
    choices = re.findall(r'<Choice value="([^"]*)"', xml)
    words = " ".join(PAGE.split())
    for text in (*asked, *choices):
        shown = unescape(text).partition(": ")[2] if text[0].isdigit() and ": " in text else text
        if not shown.endswith("(optional)"):
            assert unescape(shown) in words, shown


def test_scales_of_one_s_own_are_in_their_own_words() -> None:
    anchors = ({"score": 0, "text": "no | none"}, {"score": 2, "text": "yes"})
    own = Scale.model_validate({"name": "safety", "question": "Is it safe?", "anchors": anchors})
    page = render_guidelines((*SCALES[:1], own))
    assert (
        "| | 1. Is what the response says correct? | 2. Is it safe? |\n"
        "| --- | --- | --- |\n"
        "| 0 | | no \\| none |\n"
        "| 1 | wrong or unsafe on the main point | |\n"
        "| 2 | a serious error | yes |\n"
    ) in page
    assert "[[" not in page
    assert SCALES[1].question not in page


def test_ten_minutes_are_enough() -> None:
    assert len(PAGE.split()) < 2_400


def test_a_wheel_has_them_and_everything_else_that_an_export_reads() -> None:
    settings = tomllib.loads((assets.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    there = {path.name for path in assets.HUMAN_EVAL.iterdir() if path.is_file()} - {"README.md"}
    assert "guidelines.md" in there
    for name in there:
        assert included[f"human_eval/{name}"] == f"pairwright/human_eval/{name}"


def test_it_says_that_a_phone_will_not_do_and_what_helps_who_was_signed_out() -> None:
    said = "Use a computer: a phone is too small for the form. If Submit fails, sign in again."
    assert said in " ".join(PAGE.split())


def test_nothing_unblinds() -> None:
    for word in ("chosen", "rejected", "twin", "mode ", "model", "wrong profile", "Pairwright"):
        assert word not in PAGE
