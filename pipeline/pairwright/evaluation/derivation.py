"""Whether a result is what the replies that are stored beside it give.

A result's own checksum shows a slip, but who changes a verdict may write that again, too. So
the decisions are derived again from the release and the stored replies, and held to the file.
"""

import math
from collections.abc import Iterator, Sequence

from pairwright.errors import CALL_FAILED, InputError
from pairwright.evaluation.decision import PairDecision
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import Result, ResultSummary
from pairwright.records import Record

NOT_STORED = "not_stored"
"""Why a call failed: its reply is not beside the result."""
_BESIDE = {"tokens", "detail"}
"""Fields of a decision that decide nothing."""
_LATER = {"first_post", "last_post"}
"""Fields that results of older versions do not have."""
_SETTINGS = ("history", "seed", "planner")
_COUNTS = ("pairs", "scored", "ties", "unstable", "simulated", "self_agreement")


def check_settings(result: Result, derived: ResultSummary) -> None:
    """Check the settings. Raises InputError where the two are not of one scorer that was shown
    posts by the same rules: then their decisions cannot be compared."""
    _check(result, "scorer", result.about.scorer.deciding, derived.scorer.deciding)
    for key in _SETTINGS:
        _check(result, key, getattr(result.about, key), getattr(derived, key))


def check_release(result: Result, release: ReleaseRef) -> None:
    """Check the release. Raises InputError where a result is of another one, or says something of
    it that it does not say itself."""
    _check(result, "release", result.about.release.completed_by(release), release)


def _check(result: Result, key: str, own: object, other: object) -> None:
    if own != other:
        here, there = _in_words(own, other)
        raise InputError(
            f"is of another {key}: {here} here, and {there} with what was named",
            where=f"{result.path} [{key}]",
            fix="Name the release, and the file of scorers, that it was evaluated with.",
        )


def differences(
    result: Result, about: ResultSummary, decisions: Sequence[PairDecision]
) -> Iterator[str]:
    """A sentence for each way in which a result is not what was derived, naming file and pair."""
    lines = result.path.with_suffix(".jsonl")
    derived = {one.id: one for one in decisions}
    for own in result.decisions():
        other = derived.pop(own.id, None)
        if other is None:
            yield f"{lines}, pair {own.id}: is not one of the release's in this condition"
        elif difference := _difference(own, other):
            yield f"{lines}, pair {own.id}: {difference}"
    for name in derived:
        yield f"{lines}, pair {name}: is not there, and the release has it"
    for key in _COUNTS:
        own_count, other_count = getattr(result.about, key), getattr(about, key)
        if own_count != other_count:
            yield f"{result.path} [{key}]: {own_count}, and the replies give {other_count}"


def _difference(own: PairDecision, other: PairDecision) -> str:
    """What differs between a line and what the replies give; empty where nothing does."""
    if own.unscored.startswith(CALL_FAILED) and other.unscored.startswith(CALL_FAILED):
        return ""
    if other.unscored == f"{CALL_FAILED}:{NOT_STORED}":
        return f"{_choice(own)}, and no reply is stored that would say so"
    if _choice(own) != _choice(other):
        return f"{_choice(own)}, and the stored replies give: {_choice(other)}"
    for key in PairDecision.model_fields.keys() - _BESIDE:
        mine, theirs = getattr(own, key), getattr(other, key)
        if key in _LATER and mine is None:
            continue
        if mine != theirs and not _close(mine, theirs):
            return f"{key} is {mine!r}, and the stored replies give {theirs!r}"
    return ""


def _choice(decision: PairDecision) -> str:
    if decision.choice is None:
        return f"no score ({decision.unscored})"
    return (
        f"{decision.choice} ({' and '.join(decision.orders)})"
        if decision.orders
        else decision.choice
    )


def _close(mine: object, theirs: object) -> bool:
    """Scores that are computed again may differ in their last digits on another machine."""
    if not isinstance(mine, float) or not isinstance(theirs, float):
        return False
    return math.isclose(mine, theirs, rel_tol=1e-5, abs_tol=1e-9)


def _in_words(own: object, other: object) -> tuple[str, str]:
    """Both in words: of two records only the fields that differ."""
    if isinstance(own, Record) and isinstance(other, Record):
        keys = [key for key in type(own).model_fields if getattr(own, key) != getattr(other, key)]
        first, second = (
            ", ".join(f"{key} {getattr(one, key)}" for key in keys) for one in (own, other)
        )
        return first, second
    return str(own or "none")[:200], str(other or "none")[:200]
