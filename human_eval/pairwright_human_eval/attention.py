"""Who passed the attention checks: whose answers count."""

from collections.abc import Iterable, Mapping

from pairwright.stats import Share, share
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict


def checks_passed(verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]) -> dict[str, Share]:
    """By annotator: attention checks answered right, of those answered."""
    right: dict[str, list[bool]] = {}
    for verdict in verdicts:
        if verdict.purpose == "attention" and isinstance(verdict.answers, PreferenceAnswer):
            expected = verdict.a if key[verdict.task].expected == "A" else verdict.b
            right.setdefault(verdict.annotator, []).append(verdict.answers.choice == expected)
    return {who: share(sum(passed), len(passed)) for who, passed in sorted(right.items())}


def excluded_by(passed: Mapping[str, Share], floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor`: none of their answers counts."""
    return frozenset(who for who, found in passed.items() if found.k / found.n < floor)
