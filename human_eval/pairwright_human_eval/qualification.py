"""Qualifications: attention checks that ship with their answers, for people who want to take part.

A check has two fictional people, of whom a fair coin draws one, and their posts ask for different
responses. So whatever is seen without the posts (the question, the responses, their order) says
nothing about the right answer, and somebody who skips the posts is right with probability 1/2.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.records import Record, content_id
from pairwright.settings.toml_files import read_toml, validated
from pairwright_human_eval.attention import FEWEST_CHECKS, nonreader_pass
from pairwright_human_eval.language import load_language
from pairwright_human_eval.tasks import BlindSubject, Task, attention_task

SHIPPED = assets.HUMAN_EVAL / "checks.toml"
NONREADER_PASS = 0.10
"""How often somebody who does not read may pass."""


class WrittenCheck(NamedTuple):
    """A question, a fictional person's posts, and the response that these posts ask for."""

    domain: str
    question: str
    posts: tuple[str, ...]
    good: str
    bad: str
    id: str


class MirroredCheck(Record):
    """Two responses that sound equally good to a stranger, and two people: the posts of one ask
    for the first response, and those of the other ask for the second."""

    domain: str
    question: str
    first: str
    second: str
    posts_for_first: tuple[str, ...] = Field(min_length=1)
    posts_for_second: tuple[str, ...] = Field(min_length=1)

    @property
    def halves(self) -> tuple[WrittenCheck, WrittenCheck]:
        """The check of either person."""
        one, other = (
            WrittenCheck(
                self.domain, self.question, posts, good, bad,
                content_id("check", self.question, good, bad),
            )
            for posts, good, bad in (
                (self.posts_for_first, self.first, self.second),
                (self.posts_for_second, self.second, self.first),
            )
        )  # fmt: skip
        return one, other


class _CheckFile(Record):
    check: tuple[MirroredCheck, ...] = Field(min_length=1)


def checks_in(language: str) -> tuple[MirroredCheck, ...]:
    """The written checks in a language, by its code; raises InputError where there are none."""
    code = load_language(language).code
    path = SHIPPED if code == "en" else SHIPPED.with_name(f"checks.{code}.toml")
    if not path.exists():
        raise InputError(
            "there are no attention checks in this language",
            where=path,
            fix="Write some there, like those of checks.de.toml.",
        )
    return load_checks(path)


def load_checks(path: Path) -> tuple[MirroredCheck, ...]:
    """The checks of a TOML file; raises InputError."""
    tables = read_toml(path, "Restore the file that ships.", InputError)
    return validated(_CheckFile, tables, path, docs=SHIPPED, error=InputError).check


def enough_checks(floor: float, most: int) -> int:
    """The fewest written checks, `most` at most, at which somebody who does not read passes in at
    most `NONREADER_PASS`. Where no number will do, the one at which that is least probable."""
    rates = {n: nonreader_pass(n, floor) for n in range(min(FEWEST_CHECKS, most), most + 1)}
    noticed = (n for n, rate in rates.items() if rate <= NONREADER_PASS)
    return next(noticed, min(rates, key=lambda n: rates[n]))


def qualification_tasks(
    people: Sequence[str], checks: Sequence[MirroredCheck], seed: int, floor: float
) -> dict[str, list[Task]]:
    """By person, the tasks of a qualification: written checks alone, in a seeded order."""
    number = enough_checks(floor, len(checks))
    return {who: [*_drawn(who, checks, number, seed)] for who in people}


def _drawn(who: str, checks: Sequence[MirroredCheck], number: int, seed: int) -> Iterator[Task]:
    chance = random.Random(content_id("qualification", str(seed), who))
    # Always saying the same passes half of them at most.
    swaps = [bool(n % 2) for n in range(number)]
    chance.shuffle(swaps)
    for check, swap in zip(chance.sample(checks, number), swaps, strict=True):
        # A fair coin draws the person.
        half = check.halves[chance.getrandbits(1)]
        a, b = (half.bad, half.good) if swap else (half.good, half.bad)
        yield attention_task(
            BlindSubject(seed, half.id, half.domain, half.question, a, b), who, half.posts,
            "B" if swap else "A",
        )  # fmt: skip
