"""What people were asked, and their answers: do they agree with the study and with each other?"""

import re
from collections.abc import Iterable, Mapping

from pairwright.modes import MODES
from pairwright.releases.verify.comparison import difference, same, shown
from pairwright_human_eval.attention import vote_checks
from pairwright_human_eval.public_study import (
    UNRELEASED,
    PublicAnnotator,
    PublicStudy,
    ReleasedStudy,
)
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    PreferenceAnswer,
    QualityAnswers,
    Verdict,
)
from pairwright_human_eval.subjects import Outline


def check_outlines(
    outlines: Iterable[Outline], study: PublicStudy, file: str
) -> dict[str, Outline]:
    """The outlines by their ids; raises Difference."""
    scales = {scale.name for scale in study.scales}
    by_id: dict[str, Outline] = {}
    for number, outline in enumerate(outlines, start=1):
        where = f"{file}:{number}"
        if outline.id in by_id:
            raise difference(f"{outline.id} is there twice", where)
        by_id[outline.id] = outline
        _check_pairs(outline, where)
        for pair in outline.pairs:
            for side, scores in pair.adherence.items():
                same(f"the number of adherence.{side}", len(scores), len(pair.aspects), where)
        if strangers := outline.quality.keys() - {outline.first, outline.second}:
            raise difference(f"quality is of {min(strangers)}, a response of nobody", where)
        if unknown := {name for scores in outline.quality.values() for name in scores} - scales:
            raise difference(f"quality is on {min(unknown)!r}, a scale of nobody", where)
    if len(by_id) + study.left_out > study.of:
        raise difference(
            f"holds {len(by_id)} subjects, {study.left_out} left out, of {study.of} in the run",
            file,
        )
    return by_id


def _check_pairs(outline: Outline, where: str) -> None:
    """A twin's halves mirror each other, the asked one first; a pair is alone."""
    same("the number of pairs", len(outline.pairs), MODES[outline.mode].halves, where)
    for n, pair in enumerate(outline.pairs):
        same(f"pairs.{n}.asked", pair.asked, n == 0, where)
        sides = (outline.first, outline.second) if n == 0 else (outline.second, outline.first)
        same(f"pairs.{n}: chosen and rejected", (pair.chosen, pair.rejected), sides, where)
    if len(outline.pairs) == 1:
        same("the pair's id", outline.pairs[0].id, outline.id, where)


_PSEUDONYM = re.compile(r"(annotator|adjudicator)-\d{2,}")
_RAW = re.compile(r"sha256:[0-9a-f]{64}")
_PRIVATE = ("comment", "created", "updated")
"""Fields that are emptied before a release."""


def check_verdicts(
    public: ReleasedStudy, outlines: Mapping[str, Outline], study: str, file: str
) -> None:
    """`study` and `file` name study.json and verdicts.jsonl. Raises Difference."""
    counts = {name: getattr(public.study, name) for name in ("overlap", "of", "left_out")}
    counts |= {f"set_aside.{reason}": n for reason, n in public.study.set_aside.items()}
    for name, n in counts.items():
        if n < 0:
            raise difference(f"is {shown(n)}", f"{study} [{name}]")
    annotators = _annotators(public.study, study)
    tasks, answered = set[str](), set[tuple[object, ...]]()
    for number, verdict in enumerate(public.verdicts, start=1):
        where = f"{file}:{number}"
        if verdict.task in tasks:
            raise difference(f"{verdict.task} was answered before", where)
        tasks.add(verdict.task)
        _check_annotator(verdict, annotators, where)
        outline = outlines.get(verdict.subject)
        if outline is None:
            raise difference(f"{verdict.subject} is not a subject of the study", where)
        _check_task(verdict, outline, where)
        _check_answers(verdict, outline, public.study, where)
        own = (verdict.annotator, verdict.kind, verdict.pair or verdict.subject, verdict.round)
        if own in answered:
            raise difference(f"{own[0]} answered this on {own[2]} before", where)
        answered.add(own)
    # An annotator is somebody who answered; whose answers left with their subjects, too.
    idle = annotators.keys() - {verdict.annotator for verdict in public.verdicts}
    for n, annotator in enumerate(public.study.annotators):
        known = annotator.checks or annotator.repeats or public.study.left_out
        if annotator.annotator in idle and not known:
            raise difference(f"{annotator.annotator} answered nothing", f"{study} [annotators.{n}]")
    order = [(verdict.task, verdict.annotator) for verdict in public.verdicts]
    if order != sorted(order):
        raise difference("is not ordered by task", file)
    _check_attention(public, study)


def _check_attention(public: ReleasedStudy, file: str) -> None:
    """Attention checks are votes, which are in the release unless their subjects left it."""
    if public.study.fewest_checks is None or public.study.left_out:
        return
    found = vote_checks(public.verdicts)
    for n, annotator in enumerate(public.study.annotators):
        met = found.get(annotator.annotator)
        right = f"{met.k or 0} of {met.n}" if met else "0 of 0"
        stated = f"{annotator.passed} of {annotator.checks}"
        same("passed, of checks,", stated, right, f"{file} [annotators.{n}]")


def _annotators(study: PublicStudy, file: str) -> dict[str, PublicAnnotator]:
    annotators = {}
    for n, annotator in enumerate(study.annotators):
        where = f"{file} [annotators.{n}]"
        if not _PSEUDONYM.fullmatch(annotator.annotator):
            raise difference(f"{annotator.annotator!r} is not a pseudonym", where)
        if annotator.annotator in annotators:
            raise difference(f"{annotator.annotator} is there twice", where)
        for some, all_ in (("passed", "checks"), ("repeated", "repeats")):
            k, n = getattr(annotator, some), getattr(annotator, all_)
            if not 0 <= k <= n:
                raise difference(f"{some} is {k}, of {n} {all_}", where)
        annotators[annotator.annotator] = annotator
    same("the order of annotators", list(annotators), sorted(annotators), file)
    return annotators


def _check_annotator(
    verdict: Verdict, annotators: Mapping[str, PublicAnnotator], where: str
) -> None:
    annotator = annotators.get(verdict.annotator)
    if annotator is None:
        raise difference(f"{verdict.annotator!r} is not an annotator of the study", where)
    same("simulated", verdict.simulated, annotator.simulated, where)
    for name in _PRIVATE:
        same(name, getattr(verdict, name), "", where)
    if not _RAW.fullmatch(verdict.raw):
        raise difference("raw is not a hash", f"{where} [raw]")


def _check_task(verdict: Verdict, outline: Outline, where: str) -> None:
    """A task shows both responses of a subject, for one of its users or, of quality, for none."""
    same("kind", verdict.kind, verdict.answers.kind, where)
    same("domain", verdict.domain, outline.domain, where)
    same("a and b", {verdict.a, verdict.b}, {outline.first, outline.second}, where)
    known = {pair.id for pair in outline.pairs}
    if verdict.kind == "quality":
        same("pair", verdict.pair, None, where)
    elif verdict.pair not in known:
        raise difference(f"{verdict.pair!r} is not a pair of {outline.id}", where)
    if verdict.purpose in UNRELEASED:
        raise difference(f"purpose is {verdict.purpose}, which is never released", where)
    if verdict.round not in (1, 2):
        raise difference(f"round is {verdict.round}", where)


def _check_answers(verdict: Verdict, outline: Outline, study: PublicStudy, where: str) -> None:
    answers, sides = verdict.answers, {verdict.a, verdict.b}
    if isinstance(answers, PreferenceAnswer):
        _allowed("choice", answers.choice, sides | {EQUAL, CANNOT_TELL}, where)
    elif isinstance(answers, QualityAnswers):
        same("the responses that are scored", set(answers.scores), sides, where)
        for response, scores in answers.scores.items():
            _check_scores(scores, study, f"{where} [{response}]")
    else:
        aspects = next(pair.aspects for pair in outline.pairs if pair.id == verdict.pair)
        given = tuple(answer.aspect for answer in answers.aspects)
        same("aspects", given, aspects, where)
        for answer in answers.aspects:
            _allowed("delivered", answer.delivered, sides | {BOTH, NEITHER, CANNOT_TELL}, where)


def _check_scores(scores: Mapping[str, int | None], study: PublicStudy, where: str) -> None:
    same("the scales", set(scores), {scale.name for scale in study.scales}, where)
    for scale in study.scales:
        low, high, score = scale.low, scale.high, scores[scale.name]
        if score is None and not scale.cannot_judge:
            raise difference(f"{scale.name} is empty, which its form does not allow", where)
        if score is not None and not low <= score <= high:
            raise difference(f"{scale.name} is {score}, of {low} to {high}", where)


def _allowed(name: str, choice: str, choices: set[str], where: str) -> None:
    if choice not in choices:
        raise difference(f"{name} is {choice!r}, which its form does not offer", where)
