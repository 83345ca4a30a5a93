"""Attention checks: preference tasks that only the posts decide, and whose answers count by them.

A check is mirrored: the same two responses come with one of two people, and the posts of each ask
for another response. A fair coin draws the person. So whatever is seen without the posts (the
question, the responses, their order) says nothing about the right answer, and a reader who skips
the posts is right in each check with probability 1/2, independently of all others.

How a check is made like a task of the run is in check_wording.py.
"""

from collections.abc import Iterable, Mapping
from math import comb, fsum
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.estimate import Estimate, share
from pairwright.records import Record, content_id
from pairwright.settings.toml_files import read_toml, validated
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict

SHIPPED = assets.HUMAN_EVAL / "checks.toml"
NONREADER_PASS = 0.10
"""How often an annotator who does not read may pass the floor of a study."""


class Wording(NamedTuple):
    """What may be shown of a response."""

    text: str
    more: tuple[str, ...] = ()
    """Sentences that may follow, each or none, in this order: advice that goes with either."""
    terse: str = ""
    """The same as the text in shorter sentences of longer words."""
    common: tuple[str, ...] = ()
    """Sentences that may follow either, and that the other response has in other words."""


class AttentionCheck(NamedTuple):
    """A question, a fictional person's posts, and the response that these posts ask for. The first
    two posts decide, each alone."""

    domain: str
    question: str
    questions: tuple[str, ...]
    """The same question, shorter and longer."""
    posts: tuple[str, ...]
    other_posts: tuple[str, ...]
    """The posts of the other person, who asks for the other response."""
    good: Wording
    bad: Wording
    id: str


class MirroredCheck(Record):
    """Two responses that sound equally good to a stranger, and two people: the posts of one ask
    for the first response, and those of the other ask for the second."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    first: str
    first_more: tuple[str, ...] = ()
    first_terse: str = ""
    first_common: tuple[str, ...] = ()
    second: str
    second_more: tuple[str, ...] = ()
    second_terse: str = ""
    second_common: tuple[str, ...] = ()
    posts_for_first: tuple[str, ...] = Field(min_length=1)
    posts_for_second: tuple[str, ...] = Field(min_length=1)

    @property
    def halves(self) -> tuple[AttentionCheck, ...]:
        """The check of either person. One annotator gets one of them, drawn by a fair coin."""
        first, second = (
            Wording(*(getattr(self, side + part) for part in ("", "_more", "_terse", "_common")))
            for side in ("first", "second")
        )
        common = self.domain, self.question, self.questions
        return tuple(
            AttentionCheck(
                *common, *posts, good, bad, content_id("check", self.question, good.text, bad.text)
            )
            for posts, good, bad in (
                ((self.posts_for_first, self.posts_for_second), first, second),
                ((self.posts_for_second, self.posts_for_first), second, first),
            )
        )


class _CheckFile(Record):
    check: tuple[MirroredCheck, ...] = Field(min_length=1)


def checks_in(language: str) -> tuple[MirroredCheck, ...]:
    """The checks that ship in a language, by its code; raises InputError where there are none."""
    code = load_language(language).code
    path = SHIPPED if code == "en" else SHIPPED.with_name(f"checks.{code}.toml")
    if not path.exists():
        raise InputError(
            "there are no attention checks in this language",
            where=path,
            fix="Write some there, like those of checks.de.toml, or export with --checks 0.",
        )
    return load_checks(path)


def load_checks(path: Path) -> tuple[MirroredCheck, ...]:
    """The checks of a TOML file; raises InputError."""
    tables = read_toml(path, "Restore the file that ships.", InputError)
    return validated(_CheckFile, tables, path, docs=SHIPPED, error=InputError).check


def checks_passed(verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]) -> dict[str, Estimate]:
    """By annotator: attention checks answered right, of those met.

    A check is met if it is answered, or if something behind it is: skipping one is missing it.
    """
    answers = {
        verdict.task: verdict
        for verdict in verdicts
        if verdict.kind == "preference" and verdict.round == 1
    }
    passed: dict[str, list[bool]] = {}
    waiting: dict[str, int] = {}
    for keyed in key.values():  # In the order of each annotator's work.
        if keyed.kind != "preference" or keyed.round != 1:
            continue
        who, verdict = keyed.annotator, answers.get(keyed.task)
        if verdict is None:
            waiting[who] = waiting.get(who, 0) + (keyed.purpose == "attention")
            continue
        found = passed.setdefault(who, [])
        found += [False] * waiting.pop(who, 0)
        if keyed.purpose == "attention" and isinstance(verdict.answers, PreferenceAnswer):
            expected = keyed.a if keyed.expected == "A" else keyed.b
            found.append(verdict.answers.choice == expected)
    return {who: share(sum(found), len(found)) for who, found in sorted(passed.items()) if found}


def excluded_by(passed: Mapping[str, Estimate], floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor`: none of their answers counts."""
    return frozenset(
        who for who, found in passed.items() if found.n and not _passes(found.k, found.n, floor)
    )


def pass_rate(checks: int, floor: float, right: float) -> float:
    """The probability to pass `floor` with so many checks, each answered right with probability
    `right`, independently: the exact upper tail of the binomial distribution. 1 without a check."""
    return fsum(
        comb(checks, k) * right**k * (1 - right) ** (checks - k)
        for k in range(checks + 1)
        if not checks or _passes(k, checks, floor)
    )


def nonreader_pass(checks: int, floor: float) -> float:
    """The probability that an annotator who does not read the posts passes `floor` in so many
    mirrored checks. It holds for whoever answers by a coin, or by the responses alone. Whoever
    always takes the same side passes less often: each side is right in half of the checks."""
    return pass_rate(checks, floor, 0.5)


def enough_checks(wanted: int, floor: float, most: int) -> int:
    """The fewest mirrored checks, `wanted` or more and `most` or fewer, at which an annotator who
    does not read passes in at most `NONREADER_PASS`. Where no number will do, the one at which that
    is least probable."""
    rates = {n: nonreader_pass(n, floor) for n in range(min(wanted, most), most + 1)}
    noticed = (n for n, rate in rates.items() if rate <= NONREADER_PASS)
    return next(noticed, min(rates, key=lambda n: rates[n]))


def _passes(right: int, checks: int, floor: float) -> bool:
    return right / checks >= floor
