"""Own choices: does own minus yoked find what is personal, and nothing in people who flatter?

A community of PEOPLE users, each in TWINS twins with others of it, is given tasks as an own study
gives them. Everybody has a taste, which the label of a twin of their own fits as often as the
planted difference says, and that of a yoked twin in one half. People follow their taste but for
noise, in which they toss a coin; they answer "no difference" now and then; and in a share of their
answers they take what looks tailored, which is the label of either. How much of both differs from
person to person. Flatterers do nothing else.

    .venv/bin/python benchmarks/own_choices.py [STUDIES]

The last line has `own_minus_yoked_error`, the greatest error of the mean estimate over the planted
differences; `flatterers`, the mean estimate where all flatter; and `coverage`, the share of 95 %
intervals that hold the planted difference. `widths` are half of their mean width, by the number of
people.
"""

import json
import random
import sys
from statistics import fmean
from typing import NamedTuple

from studies import made_pair

from pairwright_human_eval.own_choices import own_tasks
from pairwright_human_eval.records import EQUAL, KeyedTask, PreferenceAnswer, Verdict
from pairwright_human_eval.report.own import own_counts, own_figures
from pairwright_human_eval.subjects import Subject

PEOPLE, TWINS = 30, 3
PLANTED = (0.0, 0.1, 0.2, 0.3, 0.4)
EQUALS, MEAN, SPREAD = 0.08, 0.05, 0.05
"""The share of answers "no difference"; the mean share of noise and of flattery, and how far a
person's is from it at most."""
LEFT = (1 - EQUALS) * (1 - MEAN) ** 2
"""What of a taste comes through."""


def main(studies: int) -> None:
    chance = random.Random(0)
    errors, held, n = [], 0, 0
    keys = {people: community(people) for people in (10, PEOPLE, 100)}
    for planted in PLANTED:
        found = [study(keys[PEOPLE], planted, chance) for _ in range(studies)]
        mean = fmean(one.value for one in found)
        inside = sum(one.low <= planted <= one.high for one in found)
        errors.append(abs(mean - planted))
        held, n = held + inside, n + studies
        print(f"planted {planted:.1f}: found {mean:.3f}, held {inside / studies:.3f}")
    flattered = fmean(study(keys[PEOPLE], 0.4, chance, 1.0).value for _ in range(studies))
    widths = {}
    for people, key in keys.items():
        some = [study(key, 0.3, chance) for _ in range(studies // 5)]
        widths[people] = round(fmean((one.high - one.low) / 2 for one in some), 3)
        print(f"{people} people: held {fmean(one.low <= 0.3 <= one.high for one in some):.3f}")
    print(
        json.dumps(
            {
                "own_minus_yoked_error": round(max(errors), 4),
                "flatterers": round(flattered, 4),
                "coverage": round(held / n, 4),
                "widths": widths,
            }
        )
    )


Tasks = dict[str, KeyedTask]


def community(people: int) -> Tasks:
    """The key of everybody's tasks on one day."""
    chance = random.Random(people)
    users = [f"user {n}" for n in range(people)]
    subjects = []
    for turn in range(TWINS):
        chance.shuffle(users)
        couples = zip(users[::2], users[1::2], strict=True)
        subjects += [twin(turn * people + n, *couple) for n, couple in enumerate(couples)]
    tasks = (
        task.keyed
        for n in range(people)
        for task in own_tasks(f"author-{n + 1:02}", f"user {n}", subjects, seed=0)[0]
    )
    return {keyed.task: keyed for keyed in tasks if keyed.purpose != "repeat"}


def twin(number: int, asker: str, partner: str) -> Subject:
    asked = made_pair(number).model_copy(update={"mode": "twin", "user": asker})
    turned = {"chosen": asked.rejected, "rejected": asked.chosen, "asked": False}
    other = {"id": f"other half of {number}", "user": partner}
    return Subject(f"twin {number}", (asked, asked.model_copy(update=turned | other)))


class Estimated(NamedTuple):
    value: float
    low: float
    high: float


def study(
    key: Tasks, planted: float, chance: random.Random, flattery: float | None = None
) -> Estimated:
    """Own minus yoked of one study; `flattery` is everybody's, where it is given."""
    taste = 0.5 + planted / LEFT
    people = {keyed.annotator for keyed in key.values()}
    flatters = {who: around(chance) if flattery is None else flattery for who in sorted(people)}
    noisy = {who: around(chance) for who in sorted(people)}
    verdicts = []
    for keyed in key.values():
        chosen, other = (keyed.a, keyed.b) if keyed.expected == "A" else (keyed.b, keyed.a)
        fits = chance.random() < (taste if keyed.purpose == "own" else 0.5)
        if chance.random() < noisy[keyed.annotator]:
            fits = chance.random() < 0.5
        choice = chosen if fits or chance.random() < flatters[keyed.annotator] else other
        verdicts.append(verdict(keyed, EQUAL if chance.random() < EQUALS else choice))
    counts = own_counts(key, verdicts, frozenset())
    figures = own_figures([*counts.values()], None, simulated=True)
    assert figures
    found = figures.difference
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    return Estimated(found.value, found.low, found.high)


def around(chance: random.Random) -> float:
    return MEAN + chance.uniform(-SPREAD, SPREAD)


def verdict(keyed: KeyedTask, choice: str) -> Verdict:
    # Not validated: there are millions of them.
    return Verdict.model_construct(
        **dict(keyed), answers=PreferenceAnswer.model_construct(choice=choice)
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
