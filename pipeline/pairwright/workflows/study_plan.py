"""What studies of several sizes take, and what their releases could show, before anybody is paid:
from a run, and a pilot where there is one."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Annotated

import numpy as np

from pairwright.construct.folder import RunFolder
from pairwright.construct.manifest import main_mode
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.errors import InputError
from pairwright.estimate import Estimate
from pairwright.evaluation.board.sign_flips import CORRELATION, SimulatedReleases
from pairwright.intervals import mean_points
from pairwright.modes import MODES, Mode, has_no_preference, is_own_choice, units_in_words
from pairwright.options import Doc, RunPath
from pairwright.workflows.output import write_page
from pairwright.workflows.plan_page import SizeEstimate, StudyEstimate, plan_page
from pairwright.workflows.progress import Progress, Step, log_notes
from pairwright.workflows.study import OpenStudy, check_to_verify, open_study
from pairwright_human_eval import LONGEST_MINUTES
from pairwright_human_eval.acceptance import Acceptance
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.people import task_times
from pairwright_human_eval.raw_files import stored_exports
from pairwright_human_eval.records import pseudonyms
from pairwright_human_eval.small_study import SmallStudy, small_study
from pairwright_human_eval.study_tasks import StudyPlan
from pairwright_human_eval.subjects import Subject, outlines_of, subjects_of
from pairwright_human_eval.workload import (
    ADJUDICATION,
    BRIEFING,
    GUIDELINES,
    StudyLoad,
    StudyPilot,
    TimedTask,
    reading_rate,
    repeated_subjects,
    study_load,
    study_pilot,
)

SIZES = (50, 100, 200, 500)


def plan_study(
    run: RunPath,
    *,
    pilot: Annotated[
        str | Path | None,
        Doc("A run whose study people have answered; else RUN's own.", "RUN"),
    ] = None,
    mode: Annotated[
        Mode | None,
        Doc("Which pairs: twin (where there are any), decoy, placebo or violate.", "MODE"),
    ] = None,
    sizes: Annotated[
        Sequence[int] | None,
        Doc(
            "A study of N twins or pairs; repeatable [50, 100, 200, 500; with --people all].",
            "N",
            name="--size",
            least=1,
        ),
    ] = None,
    overlap: Annotated[int, Doc("People who answer each question.", "N", least=1)] = 3,
    people: Annotated[
        int | None, Doc("How few people there are, as in `human export`.", "N", least=2, most=10)
    ] = None,
    hours_each: Annotated[
        float, Doc("The most hours that one person works.", "H", name="--hours", least=2)
    ] = 20,
    wage: Annotated[float | None, Doc("What an hour costs, with fees and taxes.", "MONEY")] = None,
    currency: Annotated[str, Doc("The currency of --wage.", "CODE")] = "EUR",
    scorers: Annotated[int, Doc("Scorers on the leaderboard to come.", "M", least=2)] = 10,
    disagreement: Annotated[
        float,
        Doc(
            "Share of pairs on which one of two scorers is right and the other wrong.",
            "SHARE",
            share=True,
        ),
    ] = 0.3,
    progress: Progress = log_notes,
) -> StudyEstimate:
    """Estimate what studies of a run's pairs take and show, and write it to RUN/human as plan.html,
    plan.md and plan.json.

    `pilot` is by default `run` where it has answers, and `mode` is `twin` where the run has twins.

    Raises InputError where the run holds no pair of the mode, or a number makes no sense.

        >>> plan = plan_study("runs/first", wage=18, sizes=[200])
        >>> plan.sizes[0].people, round(plan.sizes[0].hours)
        (12, 214)
    """
    run = Path(run)
    folder, human = RunFolder(run), HumanFolder(run)
    check_to_verify(folder)
    config = folder.settings()
    mode = mode or main_mode(config.modes)
    if is_own_choice(mode):
        raise InputError(
            f"people do not verify {MODES[mode].units}",
            where=f"--mode {mode}",
            fix=f"Plan a study of {units_in_words()}.",
        )
    pairs = run / "pairs.jsonl"
    subjects = [one for one in subjects_of(iterate_pairs(run), pairs) if one.mode == mode]
    if not subjects:
        raise InputError(
            f"holds no {MODES[mode].units}", where=pairs, fix="Build until some are kept."
        )
    if sizes is None:
        sizes = SIZES if people is None else (len(subjects),)
    _check(sizes, wage, scorers, disagreement)
    answered = Path(pilot) if pilot is not None else run if human.verdicts.exists() else None
    found = None if answered is None else _pilot(answered, mode)
    few, rule = None, config.human
    if people is not None:
        few = small_study(people, mode)
        overlap, rule = 0, few.rule(rule)
    fixed = StudyPlan((), overlap, 0, rule, config.planner)
    annotators = people or fixed.needed(mode)
    fixed = replace(fixed, annotators=pseudonyms(annotators))
    second_round = 0.0 if few else ADJUDICATION
    if found and found.second_round is not None:
        second_round = found.second_round
    estimates = []
    for n in sorted(set(sizes)):
        progress(Step(f"a study of {n}"))
        load = study_load(
            subjects,
            n,
            fixed,
            found.seconds if found else {},
            inf if few else hours_each,
            second_round,
            GUIDELINES if few else BRIEFING,
        )
        estimates.append(_estimate(load, subjects, found, few, wage, scorers, disagreement))
    plan = StudyEstimate(
        mode=mode,
        run_units=len(subjects),
        reading=str(reading_rate(subjects)),
        pilot=found,
        pilot_of="" if answered is None else str(answered),
        simulated=bool(found and found.simulated),
        annotators=annotators,
        few=few,
        overlap=overlap,
        hours_limit=hours_each,
        wage=wage,
        currency=currency,
        scorers=scorers,
        disagreement=disagreement,
        correlation=CORRELATION,
        sizes=tuple(estimates),
    )
    write_page(human.path, "plan", plan_page(plan), plan)
    return plan


def _check(sizes: Sequence[int], wage: float | None, scorers: int, disagreement: float) -> None:
    for name, wrong, fix in (
        ("sizes", not sizes or min(sizes) < 1, "Give numbers of 1 or more."),
        ("wage", wage is not None and wage <= 0, "Give what an hour costs."),
        ("scorers", scorers < 2, "Give 2 or more."),
        ("disagreement", not 0 < disagreement <= 0.5, "Give a share above 0, and 0.5 at most."),
    ):
        if wrong:
            raise InputError("makes no sense", where=name, fix=fix)


def _pilot(run: Path, mode: Mode) -> StudyPilot:
    with open_study(run, reading=True) as study:
        subjects, answers = study.subjects(), study.answers()
        decisions = study.decide(subjects, answers.verdicts)
        outlines = outlines_of(subjects, study.fixed.key)
        answered = {verdict.task for verdict in answers.verdicts}
        skipped = {aside.task for aside in answers.set_aside if aside.reason == "skipped"}
        unfinished = {
            keyed.subject
            for keyed in study.fixed.key.values()
            if keyed.purpose == "vote" and keyed.round == 1 and keyed.task not in answered | skipped
        }
        return study_pilot(
            outlines,
            decisions,
            answers.verdicts,
            mode,
            unfinished,
            _timed(study, answers),
            Counter((keyed.kind, keyed.round) for keyed in study.fixed.key.values()),
        )


def _timed(study: OpenStudy, answers: Acceptance) -> list[TimedTask]:
    """Every task that people are paid for, with all the time that they had it open."""
    key, longest = study.fixed.key, 60 * LONGEST_MINUTES
    found: dict[tuple[str, str], float] = defaultdict(float)
    times = task_times(stored_exports(study.folder), answers.people, longest)
    for (name, task, _), seconds in times.items():
        if task in key:
            found[name, task] += seconds
    return [
        TimedTask(name, key[task].kind, key[task].round, seconds)
        for (name, task), seconds in found.items()
    ]


def _estimate(
    load: StudyLoad,
    subjects: Sequence[Subject],
    pilot: StudyPilot | None,
    few: SmallStudy | None,
    wage: float | None,
    scorers: int,
    disagreement: float,
) -> SizeEstimate:
    able = load.units - load.controls
    verified = few.verified(able) if few else None
    if pilot:
        verified = _verified(able, pilot.verified)
    units = able if verified is None else round(verified.value or 0)
    sizes = cluster_sizes(subjects, units)
    # Nothing is chosen in a placebo, so no accuracy is found by them.
    labelled = len(sizes) > 1 and not has_no_preference(subjects[0].mode)
    releases = SimulatedReleases(sizes, disagreement) if labelled else None
    return SizeEstimate(
        **dict(load),
        hours_range=_hours_range(load, pilot),
        cost=None if wage is None else load.hours * wage,
        verified=verified,
        hours_per_verified=_per(load.hours, verified) if verified else None,
        cost_per_verified=_per(load.hours * wage, verified) if verified and wage else None,
        pairs=sum(sizes),
        clusters=len(sizes),
        two_alone=releases and releases.least_difference(),
        two_of_many=releases and releases.least_difference(scorers),
        above_chance=releases and releases.least_accuracy(),
        above_chance_of_many=releases and releases.least_accuracy(scorers),
        flips=_flips(units) if has_no_preference(subjects[0].mode) and units else None,
    )


FLIPS = 0.1
"""The share of placebos on which a good scorer's preference changes with the user."""


def _flips(placebos: int) -> float:
    """Half of the width of the leaderboard's interval of that share, each placebo of a couple of
    its own."""
    flips = (np.arange(placebos) < FLIPS * placebos).astype(np.float64)
    found = mean_points(flips, np.arange(placebos))
    assert found.low is not None
    assert found.high is not None
    return round((found.high - found.low) / 2, 6)


def _hours_range(load: StudyLoad, pilot: StudyPilot | None) -> Estimate | None:
    times = pilot.times if pilot else {}
    if pilot is None or any(kind.kind not in times for kind in load.kinds):
        return None
    highest = {kind: time.high for kind, time in times.items() if time.high is not None}
    return Estimate(
        value=round(load.hours, 6),
        low=round(load.hours_at({kind: time.low or 0.0 for kind, time in times.items()}), 6),
        high=round(load.hours_at(highest), 6) if len(highest) == len(times) else None,
        n=sum(time.n for time in times.values()),
        clusters=pilot.people,
    )


def cluster_sizes(subjects: Sequence[Subject], units: int) -> list[int]:
    """The pairs of each dyad, in a release of so many units like these."""
    counts: Counter[str] = Counter()
    for subject in repeated_subjects(subjects, units):
        counts[subject.dyad] += len(subject.pairs)
    return list(counts.values())


def _verified(able: int, share: Estimate) -> Estimate | None:
    """How many of those that can be verified are; None where the pilot decided nothing."""
    if share.value is None:
        return None
    return share.model_copy(
        update={
            "value": round(able * share.value, 6),
            "low": round(able * (share.low or 0.0), 6),
            "high": None if share.high is None else round(able * share.high, 6),
        }
    )


def _per(amount: float, verified: Estimate) -> Estimate | None:
    """An amount for each one that is verified; None where none is."""
    if not verified.value or not verified.high:
        return None
    return verified.model_copy(
        update={
            "value": round(amount / verified.value, 6),
            "low": round(amount / verified.high, 6),
            "high": round(amount / verified.low, 6) if verified.low else None,
        }
    )
