"""`--people N`: what a few people are asked, by which rule, and how a weak rule is named wherever
its decisions are shown."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from pairwright.dataset import Layout
from pairwright.errors import InputError
from pairwright.evaluation.board.sign_flips import SimulatedReleases
from pairwright.modes import Mode
from pairwright.releases.verify import verify_release
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright.workflows.decision_report import decide
from pairwright.workflows.plan_page import plan_page
from pairwright.workflows.study_plan import plan_study
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.report.claims import READER, no_signal_share
from pairwright_human_eval.report.page import WEAK, weakness
from pairwright_human_eval.small_study import SmallStudy, small_study
from pairwright_human_eval.study_files import read_study
from pairwright_human_eval.study_tasks import StudyPlan, make_tasks
from pairwright_human_eval.subjects import subjects_of
from released import answered, right, rows, run_of, twinned
from small_studies import FILE, decided, mixed, one, twin, violate, votes, well
from study import pairwright

TWINS = [pair for n in range(6) for pair in twinned(n)]
OF_HALVES: dict[int, Mode] = {2: "twin", 1: "violate"}
FEW = [(people, 2) for people in range(2, 11)] + [(people, 1) for people in range(2, 7)]


@pytest.mark.parametrize(("people", "halves"), FEW)
def test_who_answers_what(people: int, halves: int) -> None:
    few = small_study(people, OF_HALVES[halves])
    assert halves * few.votes + few.rubric_votes == people
    subjects = subjects_of(mixed(8 * (halves == 2), 8 * (halves == 1)), FILE)
    plan = StudyPlan(pseudonyms(people), 0, 0, few.rule(HumanRules()), PlanRules())
    tasks, _ = make_tasks(subjects, plan)
    keyed = [task.keyed for own in tasks.values() for task in own]
    asked = Counter((k.subject, k.pair, k.kind) for k in keyed if k.purpose == "vote")
    for subject in subjects:
        assert asked[subject.id, None, "quality"] == 2
        for pair in subject.pairs:
            assert asked[subject.id, pair.id, "preference"] == few.votes
            assert asked[subject.id, pair.id, "rubric"] == few.rubric_votes
    # Nobody who votes on a subject sees its other half or its aspects.
    work = defaultdict(list)
    for k in keyed:
        if k.purpose == "vote" and k.kind != "quality":
            work[k.annotator, k.subject].append(k.kind)
    assert all(len(kinds) == 1 for kinds in work.values() if "preference" in kinds)
    loads = Counter(k.annotator for k in keyed if k.purpose == "vote")
    assert max(loads.values()) - min(loads.values()) <= 3
    assert not {k.purpose for k in keyed} & {"wrong_profile", "narrative"}


def test_who_are_more_do_a_whole_study() -> None:
    for people, halves in ((11, 2), (7, 1)):
        with pytest.raises(InputError, match="whole study"):
            small_study(people, OF_HALVES[halves])
    with pytest.raises(InputError, match="verify no placebos"):
        small_study(2, "placebo")


@pytest.mark.parametrize(("people", "halves"), FEW)
def test_the_counts_are_those_of_the_rule(people: int, halves: int) -> None:
    """Quality and aspects can only refuse more than the votes do."""
    few = small_study(people, OF_HALVES[halves])
    rule = few.rule(HumanRules())
    unanimous = 0.95 ** (few.votes * halves)
    sound, silent = few.sound_share.value or 0, few.silent_share.value or 0
    # One reader of the aspects refuses every tenth half, and two as many.
    assert 0.8**halves * unanimous < sound < unanimous + 0.02
    assert silent < no_signal_share(few.votes, rule, halves) + 0.02
    worst = few.sound_share_at_worst.value or 0
    assert worst < sound
    found = few.verified(30)
    assert (found.low or 30) < 30 * worst < 30 * sound < (found.high or 0) <= 30


@pytest.mark.parametrize(
    ("rules", "halves", "said"),
    [
        ({}, 2, ""),
        ({}, 1, ""),
        ({"votes": 1, "further": 0}, 2, "by 2 annotators, 1 vote on each half of a twin."),
        ({"votes": 1, "further": 0}, 2, "48 % of twins of which one half's posts say nothing"),
        ({"votes": 2, "further": 0}, 1, "up to 25 % of pairs whose posts say nothing, the default"),
        ({"votes": 3, "rule": "majority", "further": 0}, 1, "most of 3 votes on each pair"),
        ({"votes": 4, "further": 0}, 2, ""),
    ],
)
def test_a_weak_rule_is_named(rules: dict[str, object], halves: int, said: str) -> None:
    rule = HumanRules.model_validate(rules)
    found = weakness(rule.votes, rule, halves, 2)
    assert said in found
    assert bool(found) == bool(said) == (no_signal_share(rule.votes, rule, halves) > WEAK)


@pytest.mark.parametrize(
    "rules",
    [
        {"votes": 3, "rule": "majority", "further": 0},
        {"votes": 4, "rule": "majority", "further": 3},
        {"votes": 4, "rule": "unanimity", "further": 6},
    ],
)
@pytest.mark.parametrize("halves", [1, 2])
def test_how_weak_a_rule_is_follows_from_its_decisions(rules: dict[str, Any], halves: int) -> None:
    """Every way in which the votes can fall, by people who toss a coin on one half."""
    rule = HumanRules.model_validate(rules)
    subject = one(*twin(1)) if halves == 2 else one(violate(1))
    sound, right_on = well(subject), (0.5, READER)

    def ways(n: int) -> Iterator[tuple[float, tuple[str, ...]]]:
        for counts in product(range(n + 1), repeat=halves):
            shares = (binom.pmf(k, n, p) for k, p in zip(counts, right_on, strict=False))
            yield math.prod(shares), tuple("+" * k + "-" * (n - k) for k in counts)

    def verified(first: tuple[str, ...], second: tuple[str, ...] = ()) -> str:
        given = [*sound]
        for round, choices in ((1, first), (2, second)):
            for pair, said in zip(subject.pairs, choices, strict=False):
                given += votes(pair, said, round=round)
        return decided(subject, given, **rules).state

    found = 0.0
    for share, first in ways(rule.votes):
        state = verified(first)
        found += share * (state == "verified")
        if state == "disputed":
            further = ways(rule.closing_votes)
            found += share * sum(p for p, said in further if verified(first, said) == "verified")
    assert found == pytest.approx(no_signal_share(rule.votes, rule, halves))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of two people, in which one of six twins is voted down. Not to be changed."""
    run = run_of(tmp_path_factory.mktemp("small") / "run", [*TWINS, *mixed(0, 2)], study=False)
    done = pairwright("human", "export", run, "--people", 2, "--seed", 0)
    assert done.code == 0, done.said
    (run / "export.txt").write_text(done.out, encoding="utf-8")
    answered(run, right({"Question 3, how is it done?"}))
    decide(run)
    return run


def flat(text: str) -> str:
    return re.sub(r"[\s>*]+", " ", text)


MARK = "Decided by 2 annotators, 1 vote on each half of a twin. This rule is WEAKER"


def test_export_says_in_five_lines_what_it_can_and_cannot_show_and_one_figure_of_hours(
    run: Path,
) -> None:
    said = (run / "export.txt").read_text(encoding="utf-8")
    lines = said[said.index("With 2 people") :].splitlines()
    starts = ("With 2 people and 6 twins you will verify about 5 (2 to 6) if all are sound, in ",
              "Who does what: 1 vote on each half of a twin, and nobody is asked about aspects",
              "It shows: ", "It cannot show: how far people agree",
              "Report, card and audit will say: ")  # fmt: skip
    for line, start in zip(lines, starts, strict=False):
        assert line.startswith(start)
    assert MARK in lines[4]
    assert "Rubric" not in (run / "human/guidelines.md").read_text(encoding="utf-8").split("|")[0]
    assert "2 violate pairs. So few people are asked about twins alone." in said
    (verdict,) = re.findall(r"in ([\d.]+) hours each of reading alone", flat(said))
    (most,) = re.findall(r"hours of reading each, with the guidelines +[\d.]+ to ([\d.]+)", said)
    assert verdict == most


def test_the_rule_follows_from_the_number_of_people(run: Path) -> None:
    """[human] of the run's config asks for three votes; other keys of it hold."""
    fixed = read_study(HumanFolder(run)).study
    assert (fixed.people, fixed.overlap, fixed.policy.votes) == (2, 0, 1)
    found = decide(run)
    assert Counter(one.state for one in found.decisions.values()) == {"verified": 5, "refused": 1}
    assert found.report.head.changes == ()
    assert found.report.label_error.value is None
    (whole, *_) = found.report.decisions
    assert (whole.of_verifiable.k, whole.of_verifiable.n) == (5, 6)


@pytest.mark.usefixtures("audit_page")
def test_wherever_its_decisions_are_shown_it_is_said_how_weak_they_are(
    run: Path, tmp_path: Path
) -> None:
    made = pairwright("release", run, "--out", tmp_path / "release", "--version", "1.0.0")
    assert MARK in flat(made.out), made.said
    layout = Layout(tmp_path / "release")
    verify_release(layout.root)
    found = rows(layout)
    assert len(found) == 10
    assert {(row.verified, row.label_error, row.votes and row.votes.chosen) for row in found} == {
        (True, None, 1)
    }
    pages = [
        run / "human/report.md", layout.root / "README.md", layout.root / "DATASHEET.md",
        layout.root / "audit/report.html", layout.root / "audit/audit.json",
    ]  # fmt: skip
    for page in pages:
        assert MARK in flat(page.read_text(encoding="utf-8")), page
    for command in ("report", "status"):
        assert MARK in flat(pairwright("human", command, run).out), command


def test_the_plan_answers_in_the_words_of_the_export(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimulatedReleases, "difference_power", lambda *_: 1.0)
    plan = plan_study(run, people=2, pilot=None, sizes=[6, 30])
    page = plan_page(plan, drawn=False)
    assert page.opening[0].startswith("With 2 people and 6 twins you will verify about 5 (")
    assert page.opening[1].startswith("With 2 people and 30 twins you will verify about ")
    assert [size.people for size in plan.sizes] == [2, 2]
    plain = run_of(run.parent / "plain", TWINS, study=False)
    (size,) = plan_study(plain, people=2).sizes
    few = small_study(2, "twin")
    assert size.verified == few.verified(6)
    assert {kind.kind: kind.tasks for kind in size.kinds}["quality"] == 12
    stored = json.loads((plain / "human/plan.json").read_bytes())
    assert SmallStudy.model_validate(stored["few"]) == few
    # The terminal begins with what the page opens with, and says it once.
    said = pairwright("human", "plan", plain, "--people", 2).out
    assert said.startswith("With 2 people and 6 twins")
    assert said.count("With 2 people") == 1
    assert said.index("What it takes") > said.index("It cannot show")
