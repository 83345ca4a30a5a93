"""Synthetic studies for benchmarks: pairs, key and verdicts without a build or an export."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pairwright import __version__, assets
from pairwright.records import (
    Adherence,
    Aspect,
    AspectScore,
    Draft,
    Pair,
    Post,
    Quality,
    Rubric,
    content_id,
)
from pairwright.settings.domains import load_scales
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.records import (
    AspectAnswer,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Study,
    Verdict,
    aspect_id,
    pseudonyms,
    response_id,
)
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Subject

SCALES = load_scales(assets.RUBRICS)
ANNOTATORS = pseudonyms(9)
OVERLAP = 3
DOMAIN = "Art_and_Entertainment"
RULES = HumanRules(votes=OVERLAP, rule="majority", further=0)


@dataclass(frozen=True)
class SyntheticStudy:
    """Violate pairs that each of three annotators was asked about."""

    subjects: list[Subject]
    fixed: FixedStudy

    @property
    def key(self) -> dict[str, KeyedTask]:
        return self.fixed.key

    def folder(self, run: Path) -> HumanFolder:
        folder = HumanFolder(run)
        folder.private.mkdir(parents=True)
        return folder

    def unanswered(self) -> Iterator[tuple[Verdict, Subject]]:
        """A verdict for every task, with a placeholder for its answers."""
        by_id = {subject.id: subject for subject in self.subjects}
        for n, keyed in enumerate(self.key.values()):
            yield _verdict(keyed, n), by_id[keyed.subject]

    def answered(self, accuracy: float, seed: int = 0) -> list[Verdict]:
        """Answers for the chosen response with this accuracy, good quality, carried aspects."""
        chance = random.Random(seed)
        verdicts = []
        for verdict, subject in self.unanswered():
            right = chance.random() < accuracy
            answers = _answers(verdict, subject, right, chance)
            verdicts.append(verdict.model_copy(update={"answers": answers}))
        return verdicts


def make(n: int, kinds: tuple[Kind, ...]) -> SyntheticStudy:
    """A study of `n` violate pairs."""
    subjects = [Subject(pair.id, (pair,)) for pair in map(made_pair, range(n))]
    key = {}
    for place, subject in enumerate(subjects):
        for step, kind in enumerate(kinds):
            for turn in range(OVERLAP):
                who = ANNOTATORS[(place + step * OVERLAP + turn) % len(ANNOTATORS)]
                keyed = _keyed(subject, kind, who)
                key[keyed.task] = keyed
    study = Study(
        version=__version__, pairs_hash="", seed=0, salts={DOMAIN: 0},
        annotators=ANNOTATORS, overlap=OVERLAP, sampled=n, of=n, policy=RULES,
        scales=SCALES, config_hashes={},
    )  # fmt: skip
    return SyntheticStudy(subjects, FixedStudy(study, key))


def made_pair(n: int) -> Pair:
    chosen, rejected = f"An answer that fits person {n}.", f"Another answer to person {n}."
    aspects = tuple(
        Aspect(aspect=f"wants {what} for {n}", reason="", evidence="I said so", post_ids=("p",))
        for what in ("quiet", "speed")
    )
    fits, misses = (
        Adherence(scores=tuple(AspectScore(reason="", score=score) for _ in aspects))
        for score in (2, 0)
    )
    good = Quality(reason="", scores={scale.name: 4 for scale in SCALES})
    return Pair(
        id=content_id("pair", str(n)), mode="violate", item_id=f"item-{n}", user=f"user-{n}",
        question=f"What suits me, asks person {n}?", category="movies", domain=DOMAIN,
        profile=(Post(id="p", text="I said so, and I meant it."),),
        rubric=Rubric(question_id=f"item-{n}", user=f"user-{n}", origin="planner", aspects=aspects),
        chosen=chosen, rejected=rejected,
        draft=Draft(
            draw=0, strategy="omit", generator="writer", first=chosen, second=rejected,
            adherence={"first": fits, "second": misses},
            quality={"first": good, "second": good},
        ),
        judge="judge",
    )  # fmt: skip


def _keyed(subject: Subject, kind: Kind, annotator: str) -> KeyedTask:
    pair = subject.asked
    return KeyedTask(
        task=content_id("task", subject.id, kind, annotator), kind=kind, purpose="vote", round=1,
        annotator=annotator, subject=subject.id, pair=None if kind == "quality" else pair.id,
        domain=DOMAIN, a=response_id(subject.first), b=response_id(subject.second),
        expected=None if kind == "quality" else "A",
        aspects=tuple(aspect_id(a.aspect) for a in pair.rubric.aspects) if kind == "rubric" else (),
        data_hash="",
    )  # fmt: skip


def _verdict(keyed: KeyedTask, n: int) -> Verdict:
    return Verdict(
        task=keyed.task, kind=keyed.kind, purpose="vote", round=1, annotator=keyed.annotator,
        subject=keyed.subject, pair=keyed.pair, domain=keyed.domain, a=keyed.a, b=keyed.b,
        answers=PreferenceAnswer(choice="equal"), comment="", created="2026-01-01T00:00:00Z",
        updated="2026-01-01T00:00:00Z", seconds=40.0 + n % 30, raw="", simulated=True,
    )  # fmt: skip


def _answers(
    verdict: Verdict, subject: Subject, right: bool, chance: random.Random
) -> QualityAnswers | PreferenceAnswer | RubricAnswers:
    if verdict.kind == "preference":
        return PreferenceAnswer(choice=verdict.a if right else verdict.b)
    if verdict.kind == "quality":
        return QualityAnswers(
            scores={
                side: {scale.name: chance.choice((3, 4, 4, 5)) for scale in SCALES}
                for side in (verdict.a, verdict.b)
            }
        )
    return RubricAnswers(
        aspects=tuple(
            AspectAnswer(
                aspect=aspect_id(aspect.aspect),
                support="clearly" if right else "no",
                delivered=verdict.a if right else verdict.b,
            )
            for aspect in subject.asked.rubric.aspects
        )
    )
