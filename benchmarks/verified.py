"""What "verified" proves: how often the default rule verifies planted faults, and sound units.

    .venv/bin/python benchmarks/verified.py [STUDIES]

Simulated studies of 200 units by 30 people, of whom 0, 20 or 40 % do not read. Half of the units
are twins, the others single pairs. Half are sound: people prefer the chosen response, both
responses are good, the posts carry every aspect and the chosen response alone delivers it. The
others have one fault: the rejected response delivers the aspects, one response is two points
better, the posts contradict an aspect, or they say nothing (then who reads takes either response by
a coin). The fault of a twin is in one half. Who reads is right in 95 % of the answers, with scores
as in `simulated_ratings.py`; who does not answers at random. Who fails the attention checks is
replaced until nobody does. Disputes go to people who were not asked about the unit.

`false_verified`: of units with a fault. `true_verified`: of sound ones. `no_signal`: of twins of
which one half says nothing. `nonreaders_passing`: of non-readers with four checks or more, those
who pass; `readers_failing`: of readers, those who fail. `cpu_seconds_100k`: the checks and
decisions of 100,000 answers.
"""

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from agreement import twins, votes
from simulated_ratings import CUTS, NOISE

from pairwright.settings.rules import HumanRules
from pairwright_human_eval.agreement import FEWEST_CHECKS, checks, excluded_by
from pairwright_human_eval.decisions import decide
from pairwright_human_eval.records import BOTH, CANNOT_TELL, EQUAL, NEITHER, SUPPORT, Answer
from pairwright_human_eval.units import Outline, OutlinePair

RULES = HumanRules()
UNITS, PEOPLE, NONREADERS = 200, 30, (0.0, 0.2, 0.4)
ACCURACY = 0.95
OTHERS = 3
"""People who rate quality and aspects."""
FAULTS = ("rejected delivers", "two points apart", "contradicted aspect", "no signal")
SCALES = ("correctness", "relevance", "helpfulness")
GOOD = 0.7
"""The place of a response of which most readers say 4 of 5; a unit is a point."""
CHOICES = {
    "preference": ("chosen", "rejected", EQUAL, CANNOT_TELL),
    "support": SUPPORT,
    "delivery": ("chosen", "rejected", BOTH, NEITHER, CANNOT_TELL),
}
Asked = tuple[int, str, str, int]
"""A unit by its number, a pair (empty for quality), what is asked, and the round."""


class Study:
    """Units with their faults, and people with what they are asked."""

    def __init__(self, nonreaders: float, seed: int) -> None:
        self.chance, self.nonreaders = random.Random(f"{nonreaders} {seed}"), nonreaders
        self.faults = ["" if n % 2 else FAULTS[n // 2 % len(FAULTS)] for n in range(UNITS)]
        self.outlines = [*map(self._outline, range(UNITS))]
        self.faulty = [self.chance.choice(unit.pairs).id for unit in self.outlines]
        self.better = [self.chance.choice(("first", "second")) for _ in self.outlines]
        self.asked: list[list[Asked]] = [[] for _ in range(PEOPLE)]
        self.free = [*map(self._deal, range(UNITS))]
        self.reads = [self._comes() for _ in range(PEOPLE)]
        self.counts = Counter[str]()

    def _comes(self) -> bool:
        return self.chance.random() >= self.nonreaders

    def _outline(self, n: int) -> Outline:
        halves = 2 if n % 16 < 8 else 1
        pairs = tuple(
            OutlinePair(id=f"{n}-{half}", asked=not half, aspects=2, adherence={})
            for half in range(halves)
        )
        return Outline(
            id=str(n), mode="twin" if halves == 2 else "violate", dyad=str(n), label="chosen",
            pairs=pairs, quality={},
        )  # fmt: skip

    def _deal(self, n: int) -> list[int]:
        """Give out the unit, and name those who were not asked about it."""
        people = self.chance.sample(range(PEOPLE), PEOPLE)
        for who in people[:OTHERS]:
            self.asked[who].append((n, "", "quality", 1))
        used = 0
        for pair in self.outlines[n].pairs:
            for k, who in enumerate(people[used : used + RULES.votes]):
                self.asked[who] += [(n, pair.id, "preference", 1)]
                self.asked[who] += [(n, pair.id, "rubric", 1)] * (k < OTHERS)
            used += RULES.votes
        return people[max(used, OTHERS) :]

    def answers(self, who: int) -> Iterator[tuple[object, ...]]:
        """Everything that somebody answers, as rows of the table."""
        for n, pair, kind, round in self.asked[who]:
            for item_kind, item, label in self._said(n, pair, kind, reads=self.reads[who]):
                yield (
                    f"{n} {pair} {kind} {who}", f"p{who}", round, str(n), pair, item_kind, item,
                    label, 9.0, "", "0001-0",
                )  # fmt: skip

    def _said(self, n: int, pair: str, kind: str, *, reads: bool) -> Iterator[tuple[str, str, str]]:
        fault = self.faults[n] if pair in ("", self.faulty[n]) else ""
        if kind == "quality":
            for role in ("first", "second"):
                apart = 0 if fault != "two points apart" else 1 if role == self.better[n] else -1
                for scale in SCALES:
                    felt = GOOD + apart + self.chance.gauss(0, NOISE)
                    score = int(np.searchsorted(CUTS, felt)) + 1
                    yield (
                        kind,
                        f"{scale} {role}",
                        str(score if reads else self.chance.randint(1, 5)),
                    )
        elif kind == "preference":
            coin = reads and fault == "no signal"
            said = self.chance.choice(("chosen", "rejected")) if coin else ""
            yield kind, "", said or self._answer(kind, "chosen", reads=reads)
        else:
            best = "rejected" if fault == "rejected delivers" else "chosen"
            for item in ("1", "2"):
                refuted = fault == "contradicted aspect" and item == "1"
                there = "contradicted" if refuted else "clearly"
                yield "support", item, self._answer("support", there, reads=reads)
                yield "delivery", item, self._answer("delivery", best, reads=reads)

    def _answer(self, kind: str, truth: str, *, reads: bool) -> str:
        choices: Sequence[str] = CHOICES[kind]
        if not reads:
            return self.chance.choice(choices)
        right = self.chance.random() < ACCURACY
        return truth if right else self.chance.choice([one for one in choices if one != truth])

    def decide(self) -> None:
        """Answer, replace who fails the checks, vote a second time on disputes, and count."""
        own = {who: [*self.answers(who)] for who in range(PEOPLE)}
        new = set(own)
        while new:
            found = checks(table(own), self.outlines)
            out = {int(name[1:]) for name in excluded_by(found, RULES.attention_floor)}
            for who in new:
                enough = f"p{who}" in found.index and found["n"][f"p{who}"] >= FEWEST_CHECKS
                name = "readers" if self.reads[who] else "nonreaders"
                self.counts[name] += enough
                self.counts[f"{name} out"] += who in out
            new = out
            for who in out:
                self.reads[who] = self._comes()
                own[who] = [*self.answers(who)]
        decided = decide(self.outlines, table(own), RULES)
        self.asked = [[] for _ in range(PEOPLE)]
        for n, free in enumerate(self.free):
            for pair in decided[str(n)].disputed:
                for who in self.chance.sample(free, RULES.closing_votes):
                    self.asked[who].append((n, pair, "preference", 2))
        both = {who: [*rows, *self.answers(who)] for who, rows in own.items()}
        decided = decide(self.outlines, table(both), RULES)
        for unit, fault in zip(self.outlines, self.faults, strict=True):
            verified = decided[unit.id].state == "verified"
            if fault != "no signal" or len(unit.pairs) == 2:
                self.counts[fault] += 1
                self.counts[f"{fault} verified"] += verified


def table(own: dict[int, list[tuple[object, ...]]]) -> pd.DataFrame:
    rows = [row for rows in own.values() for row in rows]
    return pd.DataFrame(rows, columns=list(Answer.model_fields))


def cpu_seconds() -> float:
    """Checks and decisions of 100,000 votes."""
    units = twins(12_500)
    given = votes(units, RULES.votes, np.random.default_rng(0), 1)
    start = time.process_time()
    excluded = excluded_by(checks(given, units), RULES.attention_floor)
    decide(units, given, RULES, excluded)
    return round(time.process_time() - start, 2)


def main(studies: int) -> None:
    counts = Counter[str]()
    for nonreaders in NONREADERS:
        own = Counter[str]()
        for seed in range(studies):
            study = Study(nonreaders, seed)
            study.decide()
            own += study.counts
        for fault in ("", *FAULTS):
            n = own[fault]
            print(f"{nonreaders:4.0%} {fault or 'sound':20} {own[f'{fault} verified']:5} of {n}")
        counts += own

    def rate(*names: str, of: str = " verified") -> float:
        total = sum(counts[name] for name in names)
        return round(sum(counts[f"{name}{of}"] for name in names) / max(1, total), 4)

    figures = {
        "false_verified": rate(*FAULTS[:3]),
        "true_verified": rate(""),
        "no_signal": rate("no signal"),
        "nonreaders_passing": round(1 - rate("nonreaders", of=" out"), 4),
        "readers_failing": rate("readers", of=" out"),
        "cpu_seconds_100k": cpu_seconds(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
