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
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pairwright.estimate import Estimate, share
from pairwright.modes import label_of
from pairwright_human_eval.records import CANNOT_TELL, EQUAL, PreferenceAnswer, Verdict
from pairwright_human_eval.subjects import mode_of_twin

FEWEST_CHECKS = 4
"""With fewer votes that are checks, one slip would exclude somebody attentive."""


def vote_checks(verdicts: Iterable[Verdict]) -> dict[str, Estimate]:
    """By annotator: votes on twins that are right, of those that are checks. A placebo holds none:
    nothing in its posts decides. "Cannot tell" is not a vote for others, and its own first, third
    and so on is right."""
    twins: dict[str, list[tuple[str, str | None, str]]] = {}
    for verdict in _first_preferences(verdicts):
        placebo = label_of(mode_of_twin(verdict.subject)) == "equal"
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


def excluded_by(passed: Mapping[str, Estimate], floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor` of their checks: none of their answers
    counts. Who met fewer than `FEWEST_CHECKS` is not among them."""
    return frozenset(
        who
        for who, found in passed.items()
        if found.n >= FEWEST_CHECKS and found.k / found.n < floor
    )
