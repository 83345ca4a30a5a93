"""Attention checks: answers that tell whether an annotator reads the posts.

In a study every vote on a half of a twin can be one. Two groups of people see the same question and
the same two responses, each with the posts of one of two users. Where most of the others with these
posts choose one response, and most of those with the other user's posts choose the other one, the
posts decide, and the right answer is that of those who see the same posts. Which half an annotator
gets is drawn, and the two halves differ in nothing but the posts. So somebody who does not read
them is right with probability 1/2, whatever the answers of the others and the quality of the
responses are. Of two "cannot tell" one counts as right, as of two tossed coins: to say so now and
then is no mistake, and who always does has not read. No task is made for it, hence none can be told
from the others, and no label is used.

In a qualification, before there are others, the checks are tasks that ship with their answers:
qualification.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import comb, fsum

from pairwright.estimate import Estimate, share
from pairwright.modes import has_no_preference
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, KeyedTask, PreferenceAnswer, Verdict
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import mode_of_twin
from pairwright_human_eval.tasks import Task

FEWEST_CHECKS = 4
"""With fewer votes that are checks, one slip would exclude somebody attentive."""


def checks_passed(verdicts: Iterable[Verdict], fixed: FixedStudy) -> dict[str, Estimate]:
    """By annotator: attention checks answered right, of those met; who met none is left out."""
    if fixed.study.fewest_checks is None:
        return written_checks(verdicts, fixed.key)
    return vote_checks(verdicts)


def vote_checks(verdicts: Iterable[Verdict]) -> dict[str, Estimate]:
    """By annotator: votes on twins that are right, of those that are checks. A placebo holds none:
    nothing in its posts decides. "Cannot tell" is not a vote for others, and its own first, third
    and so on is right."""
    twins: dict[str, list[tuple[str, str | None, str]]] = {}
    for verdict in _first_preferences(verdicts):
        placebo = has_no_preference(mode_of_twin(verdict.subject))
        if (
            verdict.purpose == "vote"
            and not placebo
            and isinstance(verdict.answers, PreferenceAnswer)
        ):
            choice = verdict.answers.choice
            vote = verdict.annotator, verdict.pair, choice
            twins.setdefault(verdict.subject, []).append(vote)
    found: dict[str, list[bool]] = {}
    unknown = Counter[str]()
    for votes in twins.values():
        for who, half, choice in votes:
            others = [vote for vote in votes if vote[0] != who and vote[2] != CANNOT_TELL]
            here = _majority(there for _, other, there in others if other == half)
            across = _majority(there for _, other, there in others if other != half)
            if here and across and here != across:
                unknown[who] += choice == CANNOT_TELL
                right = unknown[who] % 2 == 1 if choice == CANNOT_TELL else choice == here
                found.setdefault(who, []).append(right)
    return _shares(found)


def _first_preferences(verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    return (one for one in verdicts if one.kind == "preference" and one.round == 1)


def _shares(found: Mapping[str, Sequence[bool]]) -> dict[str, Estimate]:
    return {who: share(sum(right), len(right)) for who, right in sorted(found.items()) if right}


def _majority(choices: Iterable[str]) -> str | None:
    """The response that more than half of the choices are for."""
    counts = Counter(choices)
    choice, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    return choice if choice != EQUAL and 2 * most > counts.total() else None


def written_checks(
    verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]
) -> dict[str, Estimate]:
    """By annotator: written checks answered right, of those that are answered, or that something
    behind them is: skipping one is missing it."""
    answers = {verdict.task: verdict for verdict in _first_preferences(verdicts)}
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
    return _shares(passed)


def excluded_by(passed: Mapping[str, Estimate], floor: float, fewest: int | None) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor` of their checks: none of their answers
    counts. Who met fewer than `fewest` is not among them."""
    return frozenset(
        who
        for who, found in passed.items()
        if found.n >= (fewest or 1) and not _passes(found.k, found.n, floor)
    )


def pass_rate(checks: int, floor: float, right: float, fewest: int | None = None) -> float:
    """The probability to pass `floor` with so many checks, each answered right with probability
    `right`, independently: the exact upper tail of the binomial distribution. 1 with fewer than
    `fewest`, and without a check."""
    if checks < (fewest or 1):
        return 1.0
    return fsum(
        comb(checks, k) * right**k * (1 - right) ** (checks - k)
        for k in range(checks + 1)
        if _passes(k, checks, floor)
    )


def nonreader_pass(checks: int, floor: float, fewest: int | None = None) -> float:
    """The probability that an annotator who does not read the posts passes `floor` in so many
    checks, of which `fewest` are needed to fail."""
    return pass_rate(checks, floor, 0.5, fewest)


def _passes(right: int, checks: int, floor: float) -> bool:
    return right / checks >= floor


def possible_checks(tasks: Mapping[str, Sequence[Task]]) -> dict[str, int]:
    """By annotator: how many of these tasks are attention checks where all answer and the posts
    decide. There must be another vote on the half, and one on the other half of the twin."""
    votes = {
        who: [
            task.keyed
            for task in given
            if task.keyed.kind == "preference"
            and task.keyed.purpose == "vote"
            and not has_no_preference(mode_of_twin(task.keyed.subject))
        ]
        for who, given in tasks.items()
    }
    asked = Counter((vote.subject, vote.pair) for own in votes.values() for vote in own)
    of_twin = Counter(subject for subject, pair in asked.elements())
    return {
        who: sum(1 < asked[vote.subject, vote.pair] < of_twin[vote.subject] for vote in own)
        for who, own in votes.items()
    }
