"""Few answers of people and many of a judge: known values, and what a report shows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from live_study import LiveStudy
from pairwright.intervals import Floats
from pairwright_human_eval.report.calibration import powered_mean
from study import VERIFIED, Study

ANSWERS = np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0], float)
PREDICTIONS = np.array([0.9, 0.2, 0.7, 0.8, 0.4, 0.6, 0.9, 0.5, 0.3, 0.8, 0.7, 0.6])
OTHERS = np.array(
    "0.9 0.8 0.7 0.1 0.2 0.5 0.6 0.9 0.8 0.7 0.4 0.3 0.6 0.9 0.8"
    " 0.5 0.7 0.6 0.2 0.9 0.8 0.4 0.3 0.7 0.6 0.5 0.9 0.8 0.1 0.7".split(),
    float,
)


def powered(
    answers: Floats, predictions: Floats, others: Floats, each: int = 1
) -> tuple[float, float, float]:
    """Where so many answers, one after the other, are a cluster."""
    n = len(answers)
    places = np.arange(n + len(others)) // each
    return powered_mean(answers, predictions, places[:n], others, places[n:])


def test_values_are_those_of_ppi_python() -> None:
    # ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, alpha=.05, power-tuned.
    value, error, _ = powered(ANSWERS, PREDICTIONS, OTHERS)
    assert value == pytest.approx(0.64692305, abs=1e-7)
    ends = [value + side * 1.959964 * error for side in (-1, 1)]
    assert ends == pytest.approx([0.44017856, 0.85366754], abs=1e-6)


def test_predictions_that_say_nothing_change_nothing() -> None:
    value, error, tuning = powered(ANSWERS, np.full(len(ANSWERS), 0.5), np.full(30, 0.5))
    assert value == pytest.approx(ANSWERS.mean())
    assert tuning == 0
    assert error == pytest.approx(ANSWERS.std() / np.sqrt(len(ANSWERS)))


def test_alike_answers_of_a_dyad_widen_the_interval() -> None:
    answers, judged, others = (np.repeat(of, 2) for of in (ANSWERS, PREDICTIONS, OTHERS))
    apart, by_dyad = (powered(answers, judged, others, each)[1] for each in (1, 2))
    assert by_dyad == pytest.approx(np.sqrt(2) * apart, rel=1e-6)


def report(study: LiveStudy) -> tuple[Any, str]:
    """The report of a study, and its page."""
    study.do("report")
    files = study.files()
    return json.loads(files["report.json"]), files["report.md"].decode()


@pytest.mark.real
def test_a_report_holds_the_judges_margins_against_people(tmp_path: Path) -> None:
    built = Study.make(tmp_path / "study", **VERIFIED)
    assert built.build().code == 0
    study = LiveStudy(built.run)
    # With other seeds now and then somebody is excluded, and some pairs wait.
    study.do("export", "--sample", 30, "--seed", 1)
    study.do("simulate")
    found, page = report(study)
    least = [one["least"] for one in found["calibration"]]
    assert sum(one["pairs"] for one in found["calibration"]) > 30
    assert least == sorted(least)
    assert {share["mode"] for share in found["powered"]} == {"twin", "violate"}
    for share in found["powered"]:
        assert 0 <= share["powered"]["value"] <= 1
        assert share["judged"] > 0
        assert share["waiting"] == 0
        assert (share["powered"]["low"] is None) == (share["people"]["clusters"] < 20)
    assert "prediction-powered" in page
    assert "NOT ALL ARE DECIDED" not in page
    for path in sorted(study.folder.raw.glob("*.json"))[:4]:
        path.unlink()
    found, page = report(study)
    assert sum(share["waiting"] for share in found["powered"]) > 0
    assert "NOT ALL ARE DECIDED" in page
