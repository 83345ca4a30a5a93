"""Simulated studies whose subjects are sound, or have one fault that was planted.

Half of the subjects are twins and half violate pairs. A rubric has one to three aspects, and two or
three where one is contradicted. In a sound subject people prefer the chosen response, both
responses are equally good, and the posts carry every aspect, which the chosen response alone
delivers. The fault of a twin is in one of its halves. Subjects with a half that has no signal are
twins: there the posts say nothing of the preference, and who reads them takes either response by a
coin, or answers honestly, in a share of votes, that there is no difference or that they cannot
tell. In a sound placebo people say that there is no difference, but for a share of votes that take
either response by a coin; in one with a signal a share of the people see it in one half.

Three people of a panel rate quality and aspects, or as many as the study has for it, as many as the
rule needs vote, and others of the panel vote in the second round that the rule asks for.

A reader's answer is right with the accuracy of the noise, and otherwise any of the others; scores
follow the five points of `simulated_ratings.py`. A non-reader answers at random. Everybody meets
attention checks; who fails is replaced until the panel is full.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
from simulated_ratings import ACCURACY, CUTS, NOISE, SIDES

from pairwright.estimate import share
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import FEWEST_CHECKS, excluded_by
from pairwright_human_eval.decisions import Decision, decide
from pairwright_human_eval.records import (
    BOTH,
    CANNOT_TELL,
    EQUAL,
    NEITHER,
    AspectAnswer,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    RubricAnswers,
    Support,
    Verdict,
)
from pairwright_human_eval.subjects import Outline, OutlinePair

Fault = Literal[
    "", "rejected delivers", "two points apart", "contradicted aspect", "half without signal",
    "no signal", "half with signal",
]  # fmt: skip
FAULTS: tuple[Fault, ...] = get_args(Fault)[1:4]
NO_SIGNAL: tuple[Fault, ...] = get_args(Fault)[4:6]
"""Faults of a twin alone: one half, or both, in which preference is a coin."""
T = TypeVar("T", bound=str)
Answers = PreferenceAnswer | QualityAnswers | RubricAnswers
RULES = HumanRules()
PANEL = 30
CHECKS = 15
"""Of each annotator, as in a study of 21 twins by eleven people. Who reads agrees with the others
as often as they are right."""
SCALES = ("correctness", "relevance", "helpfulness")
GOOD = 0.7
"""The place of a response of which most readers say 4 of 5; a unit is a point."""
SUPPORTS: tuple[Support, ...] = get_args(Support)


class Noise(NamedTuple):
    """How far readers err."""

    accuracy: float
    sides: tuple[float, float]
    """What a hard and an easy subject add to the accuracy."""
    spread: float
    """By how much a reader is more or less accurate, at most, and one standard deviation of
    leniency in points."""


STEADY = Noise(0.95, (0.0, 0.0), 0.0)
"""As in `agreement.py`."""
NOISY = Noise(ACCURACY, SIDES, 0.05)
"""As in `simulated_ratings.py`."""


class Person(NamedTuple):
    name: str
    reads: bool
    accuracy: float
    leniency: float


def panel(study: "Study", chance: random.Random) -> list[Person]:
    """PANEL people who passed the attention checks, where a share of those who came do not read."""
    noise = study.noise
    people: list[Person] = []
    while len(people) < PANEL:
        reads = chance.random() >= study.nonreaders
        accuracy = noise.accuracy + chance.uniform(-noise.spread, noise.spread)
        right = sum(chance.random() < (accuracy if reads else 0.5) for _ in range(study.checks))
        passed = {"": share(right, study.checks)}
        if not excluded_by(passed, RULES.attention_floor, FEWEST_CHECKS):
            leniency = chance.gauss(0, 4 * noise.spread)
            people.append(Person(f"annotator-{len(people) + 1:02}", reads, accuracy, leniency))
    return people


class Study(NamedTuple):
    """Who answers, and by which rule."""

    noise: Noise
    nonreaders: float = 0.0
    """Of those who come."""
    checks: int = CHECKS
    """Of each annotator."""
    rules: HumanRules = RULES
    undecided: float = 0.0
    """The share of votes without a signal that say so."""
    twins: bool | None = None
    """Whether all subjects are twins, or single pairs; None: half of them."""
    overlap: int = 3
    """Who rate quality and aspects, where the rule does not ask for more."""
    placebos: bool = False
    """Whether all subjects are placebos."""
    seen: float = 1.0
    """The share of people who see the signal of a placebo that has one."""
    leaning: float = 0.0
    """The share of votes on what makes no difference that take a response all the same."""


class Decided(NamedTuple):
    """A decision, and the preference votes that it took."""

    decision: Decision
    votes: int
    """On all pairs of the subject, in both rounds."""


def decided(fault: Fault, n: int, study: Study, seed: int) -> Iterator[Decided]:
    """Decisions on `n` subjects; every 50 have a panel of their own."""
    chance = random.Random(f"{fault} {study.noise} {study.nonreaders} {seed}")
    people: list[Person] = []
    for number in range(n):
        if number % 50 == 0:
            people = panel(study, chance)
        either = study.placebos or fault in NO_SIGNAL or number % 2 == 1
        twin = either if study.twins is None else study.twins
        outline = _outline(number, fault, chance, twin=twin, placebo=study.placebos)
        side = chance.choice(study.noise.sides)
        answers = Planted(outline, fault, study, side, chance.choice(outline.pairs), chance)
        verdicts = answers.verdicts(people)
        decision = decide(outline, verdicts, study.rules)
        if decision.disputed:
            verdicts += answers.second_round(people, decision.disputed, verdicts)
            decision = decide(outline, verdicts, study.rules)
        yield Decided(decision, sum(verdict.kind == "preference" for verdict in verdicts))


def _outline(
    number: int, fault: Fault, chance: random.Random, *, twin: bool, placebo: bool
) -> Outline:
    least = 2 if fault == "contradicted aspect" else 1
    pairs = tuple(
        OutlinePair(
            id=f"pair-{number}-{half}",
            asked=not half,
            chosen="second" if half else "first",
            rejected="first" if half else "second",
            aspects=tuple(f"aspect-{half}-{k}" for k in range(chance.randint(least, 3))),
            adherence={},
        )
        for half in range(1 + twin)
    )
    return Outline(
        id=f"subject-{number}", mode="placebo" if placebo else "twin" if twin else "violate",
        domain="D", dyad="d", first="first", second="second", pairs=pairs, quality={},
    )  # fmt: skip


class Planted(NamedTuple):
    """What is true of a subject, and what people answer who see it through their noise."""

    outline: Outline
    fault: Fault
    study: Study
    side: float
    """What the subject adds to everybody's accuracy."""
    faulty: OutlinePair
    chance: random.Random

    def verdicts(self, people: Sequence[Person]) -> list[Verdict]:
        found = []
        better = self.chance.choice(("first", "second"))
        rules, overlap = self.study.rules, self.study.overlap
        for who in self.chance.sample(people, max(overlap, rules.quality_votes)):
            found.append(self._verdict(who, None, self._quality(who, better)))
        for pair in self.outline.pairs:
            fault = self.fault if pair == self.faulty else ""
            for who in self.chance.sample(people, rules.votes):
                found.append(self._verdict(who, pair, self._preference(who, pair)))
            for who in self.chance.sample(people, max(overlap, rules.rubric_votes)):
                found.append(self._verdict(who, pair, self._rubric(who, pair, fault)))
        return found

    def second_round(
        self, people: Sequence[Person], disputed: Sequence[str], first: Sequence[Verdict]
    ) -> list[Verdict]:
        """The further votes, of people who did not vote on the pair before."""
        found = []
        for pair in self.outline.pairs:
            voted = {vote.annotator for vote in first if vote.pair == pair.id}
            fresh = [who for who in people if who.name not in voted]
            if pair.id in disputed:
                for who in self.chance.sample(fresh, self.study.rules.closing_votes):
                    vote = self._verdict(who, pair, self._preference(who, pair))
                    found.append(vote.model_copy(update={"round": 2}))
        return found

    def _preference(self, who: Person, pair: OutlinePair) -> PreferenceAnswer:
        choices = (pair.chosen, pair.rejected, EQUAL, CANNOT_TELL)
        if self.outline.no_preference:
            signal = self.fault == "half with signal" and pair == self.faulty
            if signal and self.chance.random() < self.study.seen:
                return PreferenceAnswer(choice=self._said(who, choices, pair.chosen))
            if who.reads and self.chance.random() < self.study.leaning:
                return PreferenceAnswer(choice=self.chance.choice(choices[:2]))
            return PreferenceAnswer(choice=self._said(who, choices, EQUAL))
        coin = self.fault == "no signal" or (
            self.fault == "half without signal" and pair == self.faulty
        )
        if not coin or not who.reads:
            return PreferenceAnswer(choice=self._said(who, choices, pair.chosen))
        honest = self.chance.random() < self.study.undecided
        return PreferenceAnswer(choice=self.chance.choice(choices[2:] if honest else choices[:2]))

    def _quality(self, who: Person, better: str) -> QualityAnswers:
        apart = self.fault == "two points apart"
        scores: dict[str, dict[str, int | None]] = {}
        for response in ("first", "second"):
            place = GOOD + (0 if not apart else 1 if response == better else -1)
            scores[response] = {scale: self._score(who, place) for scale in SCALES}
        return QualityAnswers(scores=scores)

    def _score(self, who: Person, place: float) -> int:
        if not who.reads:
            return self.chance.randint(1, 5)
        felt = place + who.leniency + self.chance.gauss(0, NOISE)
        return int(np.searchsorted(CUTS, felt)) + 1

    def _rubric(self, who: Person, pair: OutlinePair, fault: Fault) -> RubricAnswers:
        sides = (pair.chosen, pair.rejected, BOTH, NEITHER, CANNOT_TELL)
        best = pair.rejected if fault == "rejected delivers" else pair.chosen
        rows = []
        for n, name in enumerate(pair.aspects):
            refuted = fault == "contradicted aspect" and n == 0
            support = self._said(who, SUPPORTS, "contradicted" if refuted else "clearly")
            rows.append(
                AspectAnswer(aspect=name, support=support, delivered=self._said(who, sides, best))
            )
        return RubricAnswers(aspects=tuple(rows))

    def _said(self, who: Person, choices: Sequence[T], truth: T) -> T:
        if not who.reads:
            return self.chance.choice(choices)
        if self.chance.random() < who.accuracy + self.side:
            return truth
        return self.chance.choice([choice for choice in choices if choice != truth])

    def _verdict(self, who: Person, pair: OutlinePair | None, answers: Answers) -> Verdict:
        kind: Kind = answers.kind
        return Verdict(
            task="", kind=kind, purpose="vote", round=1, annotator=who.name,
            subject=self.outline.id, pair=pair.id if pair else None, domain="D", a="first",
            b="second", answers=answers, comment="", created="", updated="", seconds=None, raw="",
            simulated=True,
        )  # fmt: skip
