"""`pairwright human plan`: hours, money and power, held to known answers and to the leaderboard;
and how much there is to read in the tasks of a study."""

import json
import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from live_study import LiveStudy
from pairwright.estimate import share
from pairwright.evaluation.board.sign_flips import SimulatedReleases
from pairwright.intervals import LEVEL
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright.workflows.answers import simulate_verdicts
from pairwright.workflows.participants import list_participants
from pairwright.workflows.plan_page import plan_page
from pairwright.workflows.study_plan import plan_study
from pairwright_human_eval.decisions import decide_all
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import Data, Kind, pseudonyms
from pairwright_human_eval.study_files import read_study
from pairwright_human_eval.study_tasks import StudyPlan
from pairwright_human_eval.subjects import outline_of, subjects_of
from pairwright_human_eval.workload import (
    BRIEFING,
    WORDS_A_MINUTE,
    ReadingRate,
    reading_rate,
    readings,
    study_load,
    study_pilot,
    words_shown,
)
from released import placebo, run_of, twinned
from small_studies import FILE, OF_THREE, mixed, study_of, violate
from study import VERIFIED, Study, pairwright


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten users, built with the double of a model. Not to be changed."""
    study = Study.make(tmp_path_factory.mktemp("built") / "study", limit=10, **VERIFIED)
    done = study.build()
    assert done.code == 0, done.said
    return study.run


@pytest.fixture
def built_study(built: Path, tmp_path: Path) -> LiveStudy:
    return LiveStudy(Path(shutil.copytree(built, tmp_path / "run")))


def stored(study: LiveStudy) -> Any:
    """The plan as it is kept."""
    return json.loads((study.run / "human" / "plan.json").read_bytes())


SIZE = ("--size", 40)


def test_the_power_of_two_scorers_alone_is_that_of_mcnemars_exact_test() -> None:
    n, disagreement, difference = 100, 0.3, 0.15
    releases = SimulatedReleases([1] * n, disagreement, 0.0)
    power = 0.0
    for split in range(1, n + 1):
        ahead = np.arange(split + 1)
        tails = np.minimum(binom.cdf(ahead, split, 0.5), binom.sf(ahead - 1, split, 0.5))
        found = (2 * tails < LEVEL) & (2 * ahead > split)
        chances = binom.pmf(ahead, split, (1 + difference / disagreement) / 2)
        power += binom.pmf(split, n, disagreement) * float(chances[found].sum())
    assert releases.difference_power(difference) == pytest.approx(power, abs=0.02)


def test_the_power_against_chance_is_that_of_wilsons_interval() -> None:
    n, accuracy = 200, 0.6
    right = np.arange(n + 1)
    above = np.array([(share(int(k), n).low or 0) > 0.5 for k in right])
    power = float(binom.pmf(right, n, accuracy)[above].sum())
    found = SimulatedReleases([1] * n, 0.3, 0.0).chance_power(accuracy)
    # The design effect is estimated, and never below 1.
    assert power - 0.04 < found <= power + 0.01


@pytest.mark.real
def test_more_scorers_and_alike_pairs_of_a_dyad_need_larger_differences() -> None:
    releases = SimulatedReleases([2] * 60, 0.3)
    alone, many = releases.least_difference(), releases.least_difference(10)
    alike = SimulatedReleases([2] * 60, 0.3, 0.6).least_difference()
    assert 0 < (alone or 0) < min(many or 0, alike or 0)
    assert SimulatedReleases([2] * 4, 0.3).least_difference() is None
    assert SimulatedReleases([8], 0.3).least_accuracy() is None


def test_a_study_is_counted_as_it_would_be_exported() -> None:
    subjects = subjects_of(mixed(4, 0), FILE)
    rules = HumanRules(**OF_THREE, wrong_profile=0, narrative=0, repeats=0)
    fixed = StudyPlan(pseudonyms(9), 3, 0, rules, PlanRules())
    load = study_load(subjects, 30, fixed, {"quality": 60, "preference": 120}, 20)
    tasks = {kind.kind: kind.tasks for kind in load.kinds}
    assert tasks == {"quality": 90, "preference": 180, "rubric": 180}
    hours = {kind.kind: kind.hours for kind in load.kinds}
    assert (hours["quality"], hours["preference"]) == (1.5, 6.0)
    # Nobody timed rubric tasks: their words are read once.
    rubric = next(kind for kind in load.kinds if kind.kind == "rubric")
    assert rubric.hours == pytest.approx(rubric.words * 180 / 238 / 60, rel=0.02)
    assert (load.people, load.controls) == (9, 0)
    assert load.hours == pytest.approx(1.16 * sum(hours.values()) + 9)


def test_more_people_are_asked_where_one_would_work_too_long() -> None:
    subjects = subjects_of(mixed(4, 0), FILE)
    fixed = StudyPlan(pseudonyms(9), 3, 0, HumanRules(**OF_THREE), PlanRules())
    seconds: dict[Kind, float] = {"quality": 300.0, "preference": 300.0, "rubric": 300.0}
    load = study_load(subjects, 30, fixed, seconds, 4)
    assert load.people > 9
    assert BRIEFING < load.hours_each <= 4.5


def test_what_is_refused_before_all_answers_are_in_does_not_count() -> None:
    """Two twins are refused by their first votes; two are verified by all of theirs."""
    outlines = [outline_of(subject) for subject in subjects_of(mixed(4, 0), FILE)]
    blank = decide_all(outlines, [], HumanRules(**OF_THREE), frozenset())
    nothing = study_pilot(outlines, blank, [], "twin")
    assert (nothing.verified.value, nothing.verified.n, nothing.times) == (None, 0, {})
    decisions = {
        id: decision.model_copy(update={"state": "refused" if n < 2 else "verified"})
        for n, (id, decision) in enumerate(blank.items())
    }
    early = frozenset(list(blank)[:2])
    whole = study_pilot(outlines, decisions, [], "twin", early).verified
    assert (whole.value, whole.n) == (1.0, 2)
    assert study_pilot(outlines, decisions, [], "twin").verified.value == 0.5


@pytest.mark.real
def test_without_a_pilot_the_plan_says_that_hours_are_those_of_reading(
    built_study: LiveStudy,
) -> None:
    assert "NO PILOT" in built_study.do("plan", *SIZE)
    (size,) = stored(built_study)["sizes"]
    assert (size["units"], size["verified"], size["cost"]) == (40, None, None)
    assert size["pairs"] == 2 * (40 - size["controls"])
    # It writes no study: an export comes after it.
    built_study.do("export", "--seed", 0)


@pytest.mark.real
def test_a_pilots_yield_and_times_give_the_cost_of_a_verified_twin(
    built_study: LiveStudy,
) -> None:
    # A drawn seed now and then gives a pilot that verifies nothing, which has no cost of one.
    for command in (("export", "--seed", 0), ("simulate",), ("report",)):
        built_study.do(*map(str, command))
    paid = (*SIZE, "--wage", 20, "--currency", "GBP")
    said = built_study.do("plan", *paid)
    assert "SIMULATED" in said
    assert "GBP a verified one" in said
    found = stored(built_study)
    (size,) = found["sizes"]
    pilot = found["pilot"]["verified"]
    assert size["verified"]["value"] == pytest.approx((40 - size["controls"]) * pilot["value"])
    assert size["cost"] == pytest.approx(20 * size["hours"])
    each = size["cost_per_verified"]
    assert each["value"] == pytest.approx(size["cost"] / size["verified"]["value"])
    assert each["low"] < each["value"] < each["high"]
    assert set(found["pilot"]["times"]) == {"quality", "preference", "rubric"}
    page = built_study.files()["plan.html"]
    assert page.count(b"<svg") == 1
    built_study.do("plan", *paid)
    assert built_study.files()["plan.html"] == page


def paid_study(folder: Path, twins: range, seed: int) -> float:
    """A study of two rounds with slow and quick people, and tabs that stayed open; hours paid."""
    pairs = [pair for n in twins for pair in twinned(n)]
    # Who cannot tell so often in so few checks would be excluded.
    run = run_of(
        folder, pairs, study=False, cannot_tell=1.0, quality_votes=0, rubric_votes=0,
        attention_floor=0,
    )  # fmt: skip
    # As many as the plan takes where votes = 3.
    assert pairwright("human", "export", run, "--seed", seed, "--annotators", 9).code == 0
    simulate_verdicts(run, accuracy=0.95, cannot_tell=0.3, seed=seed)
    assert pairwright("human", "adjudicate", run).code == 0
    simulate_verdicts(run, accuracy=0.95, cannot_tell=0.3, seed=seed)
    assert [keyed for keyed in read_study(HumanFolder(run)).key.values() if keyed.round == 2]
    for path in sorted(HumanFolder(run).raw.glob("*.json")):
        export = json.loads(path.read_bytes())
        pace = np.random.default_rng([seed, int(export["annotator"][-2:])]).lognormal(0, 0.3)
        chance = np.random.default_rng([seed, len(path.read_bytes())])
        for task in export["tasks"]:
            for one in task["annotations"]:
                one["seconds"] *= pace * float(chance.choice([1, 1, 1, 1, 8, 400]))
        path.write_text(json.dumps(export), encoding="utf-8")
    return sum(one.hours or 0 for one in list_participants(run))


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """A study of six twins, and the hours that were paid for it. Not to be changed."""
    folder = tmp_path_factory.mktemp("pilot") / "run"
    return folder, paid_study(folder, range(6), 1)


@pytest.fixture
def powerful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every difference is found, at once: what is tested is something else."""
    monkeypatch.setattr(SimulatedReleases, "difference_power", lambda *_: 1.0)


@pytest.mark.usefixtures("powerful")
def test_hours_are_those_that_people_are_paid_for(
    tmp_path: Path, pilot: tuple[Path, float]
) -> None:
    folder, few = pilot
    whole = tmp_path / "whole"
    many = paid_study(whole, range(10, 22), 11)
    planned = plan_study(whole, pilot=folder, sizes=[6, 12]).sizes
    for size, paid in zip(planned, (few, many), strict=True):
        hours, briefing = size.hours_range, size.people * BRIEFING
        assert hours
        assert (hours.low or math.inf) < paid + briefing < (hours.high or 0)
    (same,) = plan_study(folder, sizes=[6]).sizes
    assert same.hours - same.people * BRIEFING == pytest.approx(few, rel=0.03)


@pytest.mark.usefixtures("powerful")
def test_the_page_opens_with_three_sentences_and_its_main_tables_are_narrow(
    pilot: tuple[Path, float],
) -> None:
    plan = plan_study(pilot[0], sizes=[6, 30], wage=20, currency="<b>|*€*", scorers=4)
    page = plan_page(plan)
    assert "SIMULATED" in page.opening[0]
    verdict = page.opening[-1]
    size = plan.sizes[-1]
    assert size.verified is not None
    assert f"and {size.hours:,.0f} hours, <b>|*€* {size.cost:,.0f}. Of the 30 twins" in verdict
    assert f"{size.verified.text(0)} are verified" in verdict
    assert len(re.findall(r"\.( |$)", verdict)) <= 3
    rules = re.findall(r"^\|[ :|-]+\|$", page.markdown, flags=re.MULTILINE)
    assert len(rules) == 5
    assert max(rule.count("|") - 1 for rule in rules) <= 5
    assert "<b>" not in page.html
    assert plan_page(plan, drawn=False).opening == page.opening


def test_placebos_take_eight_people_and_find_no_accuracy(tmp_path: Path) -> None:
    pairs = [pair for n in range(4) for pair in placebo(n)]
    run = run_of(tmp_path / "run", pairs, study=False, votes=4)
    found = plan_study(run, mode="placebo", sizes=[20])
    (size,) = found.sizes
    assert (found.mode, found.annotators, size.controls) == ("placebo", 8, 0)
    quality, preference = size.kinds
    assert (quality.kind, preference.kind) == ("quality", "preference")
    assert quality.tasks >= 60
    assert preference.tasks >= 160
    assert (size.two_alone, size.above_chance) == (None, None)
    page = plan_page(found)
    assert "no accuracy is found by them" in page.opening[-1]
    # docs/placebos.md has the same figure.
    table = page.tables[-1]
    assert (table.head, table.rows) == (("placebos", "flips, points"), (("20", "14"),))
    cells = [cell for table in page.tables for row in table.rows for cell in row]
    assert not [cell for cell in cells if "n/a" in cell]
    assert "two of 10" not in page.markdown


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [
        ("--mode", "both", "--mode"),
        ("--wage", "0", "wage"),
        ("--disagreement", "90%", "disagreement"),
        ("--pilot", "nowhere", "nowhere"),
    ],
)
def test_what_makes_no_sense_is_refused(
    pilot: tuple[Path, float], option: str, value: str, named: str
) -> None:
    assert named in LiveStudy(pilot[0]).refused("plan", *SIZE, option, value)


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
def test_so_many_words_take_a_minute_and_a_kind_without_tasks_is_left_out(rate: int) -> None:
    made = study_of(mixed(6, 6))
    found = readings(made.all(), ReadingRate(rate, "English"))
    assert [of.kind for of in found] == ["quality", "preference", "rubric"]
    assert sum(of.tasks for of in found) == len(made.all())
    words = sum(words_shown(task.data) for task in made.all())
    assert sum(of.hours for of in found) == pytest.approx(words / rate / 60)
    for of in found:
        assert of.seconds == pytest.approx(of.words / rate * 60)
    alone = readings(made.of("vote", "quality"), ReadingRate(rate, "English"))
    assert alone == found[:1]


GERMAN = "Nehmen Sie die Brille ab, bevor Sie die Maske aufsetzen, und wischen Sie sie erst danach."
FRENCH = "Enlevez vos lunettes avant de mettre le masque, puis essuyez-les avec un chiffon sec."
KOREAN = "마스크를 쓰기 전에 안경을 벗고, 그다음에 마른 천으로 닦으세요. 뜨거운 물은 쓰지 마세요."
ENGLISH = "Take your glasses off before you put the mask on, and wipe them with a dry cloth after."


@pytest.mark.parametrize(
    ("texts", "forms", "rate"),
    [
        ([GERMAN, GERMAN, ENGLISH], "ja", "179 words a minute (German)"),
        ([FRENCH], "ja", "195 words a minute (French)"),
        ([KOREAN], "ja", "184 words a minute (the mean of 17 languages)"),
        ([ENGLISH, ENGLISH, GERMAN], "ja", "238 words a minute (English)"),
        # Where no language is certain it is that of the forms.
        (["Xq?"], "de", "179 words a minute (German)"),
        (["Xq?"], "en", "238 words a minute (English)"),
    ],
)
def test_texts_are_read_at_the_rate_of_their_language(
    texts: list[str], forms: str, rate: str
) -> None:
    pairs = [violate(n, question=text, chosen=text, rejected=text) for n, text in enumerate(texts)]
    assert str(reading_rate(subjects_of(pairs, FILE), forms)) == rate


def test_the_rates_are_those_of_the_study() -> None:
    """Of the 17 languages but English, whose rate is that of silent reading; the mean of all is
    that of its abstract, 184."""
    aloud = {**WORDS_A_MINUTE, "en": 228}
    assert len(aloud) == 17
    assert round(sum(aloud.values()) / 17) == 184
