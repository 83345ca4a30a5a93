"""The second round: only what the first left disputed, with the first answers shown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from pairwright.records import content_id
from pairwright.settings.rules import PlanRules
from pairwright.text import visible
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import (
    CANNOT_TELL,
    EQUAL,
    PreferenceAnswer,
    QualityAnswers,
    Study,
    Verdict,
)
from pairwright_human_eval.subjects import Subject, swapped
from pairwright_human_eval.tasks import (
    BlindSubject,
    Task,
    adjudication,
    page_of,
    preference_task,
    quality_task,
)


def adjudication_tasks(
    subjects: Iterable[Subject],
    decisions: dict[str, Decision],
    verdicts: dict[str, list[Verdict]],
    study: Study,
    planner: PlanRules,
    adjudicators: tuple[str, ...],
    excluded: frozenset[str],
    voted: Mapping[str, Set[str]] = MappingProxyType({}),
) -> dict[str, list[Task]]:
    """Every adjudicator's tasks; a subject's all go to one of them, who has not `voted` on it (by
    adjudicator: subjects). Nobody gets a subject that all adjudicators have voted on.

    `verdicts` are the first round's by subject; of the `excluded` nothing is shown.
    """
    given: dict[str, list[Task]] = {who: [] for who in adjudicators}
    loads = Counter(dict.fromkeys(adjudicators, 0))
    disputed = [s for s in subjects if decisions[s.id].state == "disputed"]
    for subject in sorted(disputed, key=lambda s: content_id("order", s.id)):
        able = [who for who in adjudicators if subject.id not in voted.get(who, ())]
        if not able:
            continue
        who = min(able, key=lambda who: loads[who])
        loads[who] += 1
        counted = [v for v in verdicts[subject.id] if v.annotator not in excluded]
        given[who] += _tasks(subject, decisions[subject.id], counted, who, study, planner)
    return given


def _tasks(
    subject: Subject,
    decision: Decision,
    verdicts: list[Verdict],
    who: str,
    study: Study,
    planner: PlanRules,
) -> Iterator[Task]:
    page = page_of(
        subject, study.seed, swapped(study.seed, study.salts[subject.domain], subject.id)
    )
    counted = [v for v in verdicts if v.purpose == "vote" and v.round == 1]
    if any(reason.startswith("quality:") for reason in decision.reasons):
        answers = [v for v in counted if v.kind == "quality"]
        yield adjudication(quality_task(page, who), who, _earlier(answers, page), study.seed)
    for pair in subject.pairs:
        if pair.id in decision.disputed:
            own = [v for v in counted if v.kind == "preference" and v.pair == pair.id]
            task = preference_task(page, pair, who, planner)
            yield adjudication(task, who, _earlier(own, page), study.seed)


def _earlier(verdicts: list[Verdict], page: BlindSubject) -> tuple[str, ...]:
    """What each person answered, with other numbers in every task, so that nobody is recognised."""
    order = sorted(
        verdicts, key=lambda v: content_id("earlier", page.subject, v.pair or "", v.annotator)
    )
    return tuple(f"Person {n}: {_answer_text(verdict)}" for n, verdict in enumerate(order, start=1))


def _answer_text(verdict: Verdict) -> str:
    answers = verdict.answers
    if isinstance(answers, PreferenceAnswer):
        words = {verdict.a: "A", verdict.b: "B", EQUAL: "about equal", CANNOT_TELL: "cannot tell"}
        text = words[answers.choice]
    elif isinstance(answers, QualityAnswers):
        text = "; ".join(
            f"{place}: "
            + ", ".join(
                f"{name} {'cannot judge' if score is None else score}"
                for name, score in scores.items()
            )
            for place, scores in (
                ("A", answers.scores[verdict.a]),
                ("B", answers.scores[verdict.b]),
            )
        )
    else:
        raise TypeError(f"a dispute is never about {verdict.kind}")
    return f"{text}. {visible(verdict.comment)}" if verdict.comment else text
