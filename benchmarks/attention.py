"""How often attention checks exclude those who do not read the posts, and those who do.

Studies of twins with four votes on each half, or two in a study of five people. Some of the people
do not read: they answer by a coin, or all by one taste, a response of each twin that everybody who
does not read prefers, or always that they cannot tell. The others read, cannot tell in a share of
their answers, and are right in a share of the rest. `vote_checks`
finds the checks in the answers and `excluded_by` those who fail, at the default floor.

    .venv/bin/python benchmarks/attention.py [STUDIES]

The last line: shares of readers who are excluded and of non-readers who are, over the studies in
which two of five do not read, by whether they answer by a coin or by one taste.
"""

import json
import random
import sys
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pairwright.estimate import Estimate, share
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import FEWEST_CHECKS, excluded_by, vote_checks
from pairwright_human_eval.records import CANNOT_TELL, PreferenceAnswer, Verdict

Person = Literal["reader", "coin", "taste", "unsure"]
FLOOR = HumanRules().attention_floor
STUDIES = ((21, 11, 4), (100, 11, 4), (21, 5, 2))
"""Twins, people, and votes on each half."""
READERS = ((0.95, 0.0), (0.9, 0.0), (0.8, 0.0), (0.95, 0.1), (0.9, 0.1))
"""Of those who read: the share of right answers, and that of "cannot tell"."""


class Found(NamedTuple):
    """Of people of one kind over several studies."""

    excluded: Estimate
    checks: float
    """Their mean number."""


def main(studies: int) -> None:
    figures: dict[str, float] = {}
    for twins, people, votes in STUDIES:
        print(f"{twins} twins, {people} people, {votes} votes on each half")
        for accuracy, unknown in READERS:
            for unread in (0.0, 0.2, 0.4, 0.6):
                for kind in ("coin", "taste", "unsure"):
                    if kind != "coin" and not unread:
                        continue
                    panel: list[Person] = ["reader"] * people
                    panel[: round(unread * people)] = [kind] * round(unread * people)
                    found = excluded_in(studies, twins, votes, panel, accuracy, unknown)
                    shares = "; ".join(
                        f"{name} {one.excluded.percent()} excluded, {one.checks:.1f} checks"
                        for name, one in found.items()
                    )
                    readers = f"right in {accuracy:.0%}, cannot tell in {unknown:.0%}"
                    print(f"  {readers}, {unread:.0%} do not read ({kind}): {shares}")
                    if (twins, people, accuracy, unknown, unread) == (21, 11, 0.95, 0.0, 0.4):
                        for name, one in found.items():
                            figures[f"{name}_excluded_beside_{kind}"] = one.excluded.value or 0.0
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}))


def excluded_in(
    studies: int, twins: int, votes: int, panel: list[Person], accuracy: float, unknown: float
) -> dict[Person, Found]:
    """Simulate studies of one panel."""
    counts: dict[Person, list[int]] = {kind: [0, 0, 0] for kind in dict.fromkeys(panel)}
    for study in range(studies):
        chance = random.Random(f"{study} {twins} {votes} {panel} {accuracy}")
        doubt = random.Random(f"{study} {unknown}")
        given = answers(twins, votes, panel, accuracy, chance)
        passed = vote_checks(with_doubt(given, panel, unknown, doubt))
        failed = excluded_by(passed, FLOOR, FEWEST_CHECKS)
        for n, kind in enumerate(panel):
            who = name_of(n)
            checks = passed[who].n if who in passed else 0
            for place, one in enumerate((who in failed, 1, checks)):
                counts[kind][place] += one
    return {
        kind: Found(share(failed, people), checks / people)
        for kind, (failed, people, checks) in counts.items()
    }


def answers(
    twins: int, votes: int, panel: list[Person], accuracy: float, chance: random.Random
) -> Iterator[Verdict]:
    """The votes of one study. Of twin N the halves are N-0 and N-1; the response that fits a half
    has its number."""
    for twin in range(twins):
        liked = chance.randrange(2)
        seats = chance.sample(range(len(panel)), 2 * votes)
        for place, n in enumerate(seats):
            half = place % 2
            fits = half if chance.random() < accuracy else 1 - half
            places = {"reader": fits, "coin": chance.randrange(2), "taste": liked, "unsure": half}
            choice = f"{twin}:{places[panel[n]]}"
            yield Verdict(
                task=f"task-{twin}-{place}", kind="preference", purpose="vote", round=1,
                annotator=name_of(n), subject=f"{twin}", pair=f"{twin}-{half}", domain="",
                a=f"{twin}:0", b=f"{twin}:1", answers=PreferenceAnswer(choice=choice),
                comment="", created="", updated="", seconds=None, raw="", simulated=True,
            )  # fmt: skip


def with_doubt(
    verdicts: Iterable[Verdict], panel: list[Person], unknown: float, doubt: random.Random
) -> Iterator[Verdict]:
    """The same votes, of which readers answer so many that they cannot tell, and the unsure all."""
    people = {name_of(n): kind for n, kind in enumerate(panel)}
    answer = PreferenceAnswer(choice=CANNOT_TELL)
    for verdict in verdicts:
        kind = people[verdict.annotator]
        if kind == "unsure" or (kind == "reader" and doubt.random() < unknown):
            verdict = verdict.model_copy(update={"answers": answer})
        yield verdict


def name_of(n: int) -> str:
    return f"annotator-{n + 1:02}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
