"""Who passed the attention checks: whose answers count."""

from collections.abc import Iterable, Mapping

from pairwright.stats import Share, share
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict


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
    return frozenset(who for who, found in passed.items() if found.n and found.k / found.n < floor)
