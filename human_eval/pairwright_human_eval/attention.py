"""Attention checks: preference tasks that only the posts decide, and whose answers count by them.

A check is mirrored: the same two responses come with one of two people, and the posts of each ask
for another response. A fair coin draws the person. So whatever is seen without the posts (the
question, the responses, their order) says nothing about the right answer, and a reader who skips
the posts is right in each check with probability 1/2, independently of all others.
"""

import tomllib
from collections.abc import Iterable, Mapping
from math import comb, fsum
from pathlib import Path

from pydantic import Field, ValidationError

from pairwright import assets
from pairwright.errors import InputError
from pairwright.records import Record, content_id
from pairwright.stats import Share, share
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict

NONREADER_PASS = 0.10
"""How often an annotator who does not read may pass the floor of a study."""


class AttentionCheck(Record):
    """A question, a fictional person's posts, and the response that these posts ask for."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    """The same question, shorter and longer."""
    posts: tuple[str, ...] = Field(min_length=1)
    neutral: tuple[str, ...] = ()
    """Posts that say nothing about who wrote them, to be shown after the person's own."""
    good: str
    good_more: tuple[str, ...] = ()
    """Sentences that may follow, each or none, in this order: advice that goes with either."""
    good_terse: str = ""
    """The same in shorter sentences of longer words."""
    bad: str
    bad_more: tuple[str, ...] = ()
    bad_terse: str = ""

    @property
    def id(self) -> str:
        return content_id("check", self.question, self.good, self.bad)


class MirroredCheck(Record):
    """Two responses that sound equally good to a stranger, and two people: the posts of one ask
    for the first response, and those of the other ask for the second."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    first: str
    first_more: tuple[str, ...] = ()
    """Sentences that may follow, each or none, in this order: advice that goes with either."""
    first_terse: str = ""
    second: str
    second_more: tuple[str, ...] = ()
    second_terse: str = ""
    posts_for_first: tuple[str, ...] = Field(min_length=1)
    posts_for_second: tuple[str, ...] = Field(min_length=1)
    neutral: tuple[str, ...] = ()
    """Posts that either person may have written."""

    @property
    def halves(self) -> tuple[AttentionCheck, AttentionCheck]:
        """The check of either person. One annotator gets one of them, drawn by a fair coin."""
        return (
            AttentionCheck(
                domain=self.domain, question=self.question, questions=self.questions,
                posts=self.posts_for_first, neutral=self.neutral,
                good=self.first, good_more=self.first_more, good_terse=self.first_terse,
                bad=self.second, bad_more=self.second_more, bad_terse=self.second_terse,
            ),
            AttentionCheck(
                domain=self.domain, question=self.question, questions=self.questions,
                posts=self.posts_for_second, neutral=self.neutral,
                good=self.second, good_more=self.second_more, good_terse=self.second_terse,
                bad=self.first, bad_more=self.first_more, bad_terse=self.first_terse,
            ),
        )  # fmt: skip


class _CheckFile(Record):
    check: tuple[MirroredCheck, ...] = Field(min_length=1)


def checks_in(language: str) -> tuple[MirroredCheck, ...]:
    """The checks that ship in a language, by its code; raises InputError where there are none."""
    code = load_language(language).code
    path = assets.HUMAN_EVAL / ("checks.toml" if code == "en" else f"checks.{code}.toml")
    if not path.exists():
        raise InputError(
            "there are no attention checks in this language",
            where=path,
            fix="Write some there, like those of checks.de.toml, or export with --checks 0.",
        )
    return load_checks(path)


def load_checks(path: Path) -> tuple[MirroredCheck, ...]:
    """The checks of a TOML file; raises InputError."""
    try:
        return _CheckFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).check
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"no checks can be read: {error}", where=path, fix="Restore the file that ships."
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(
            first["msg"], where=f"{path} [{key}]", fix="Compare with the checks that ship."
        ) from None


def checks_passed(verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]) -> dict[str, Share]:
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


def excluded_by(passed: Mapping[str, Share], floor: float) -> frozenset[str]:
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
