"""The second round: tasks on what the first left disputed, and their files.

Further people vote on a preference, without the first answers; where the rule of an older study has
one adjudicator, and about quality, the first answers are shown.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType
from typing import NamedTuple

from pairwright.errors import InputError, on_disk
from pairwright.records import content_id
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright.text import visible
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.label_studio.files import config_hashes
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import (
    CANNOT_TELL,
    EQUAL,
    Kind,
    PreferenceAnswer,
    QualityAnswers,
    Study,
    Verdict,
)
from pairwright_human_eval.spreadsheets import drop_rows
from pairwright_human_eval.study_files import (
    keep_tasks,
    key_lines,
    read_key,
    withdrawn_people,
    write_changed,
    write_forms,
    write_tasks,
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


class OpenPart(NamedTuple):
    """What is asked in the second round about one subject: its quality, or one preference."""

    subject: str
    pair: str | None
    kind: Kind


def adjudication_tasks(
    subjects: Iterable[Subject],
    decisions: dict[str, Decision],
    verdicts: dict[str, list[Verdict]],
    study: Study,
    planner: PlanRules,
    rules: HumanRules,
    adjudicators: tuple[str, ...],
    excluded: frozenset[str],
    voted: Mapping[str, Set[str]] = MappingProxyType({}),
    there: Mapping[OpenPart, Set[str]] = MappingProxyType({}),
) -> tuple[dict[str, list[Task]], list[str]]:
    """Every adjudicator's new tasks, and the subjects that have too few adjudicators.

    A preference goes to as many people as `rules` asks for, quality to one, and nobody who has
    `voted` on a subject (by adjudicator: subjects) gets it. Both halves of a twin go to the same
    people only where there are no others. `there` are the tasks that exist, with who has them.
    `verdicts` are the first round's by subject; of the `excluded` nothing is shown.
    """
    given: dict[str, list[Task]] = {who: [] for who in adjudicators}
    loads = Counter({who: sum(who in has for has in there.values()) for who in adjudicators})
    short = []
    disputed = [s for s in subjects if decisions[s.id].state == "disputed"]
    for subject in sorted(disputed, key=lambda s: content_id("order", s.id)):
        page = page_of(
            subject, study.seed, swapped(study.seed, study.salts[subject.domain], subject.id)
        )
        pairs = {pair.id: pair for pair in subject.pairs}
        counted = [v for v in verdicts[subject.id] if v.annotator not in excluded]
        first = [v for v in counted if v.purpose == "vote" and v.round == 1]
        met = Counter(
            who for part, has in there.items() if part.subject == subject.id for who in has
        )
        for part in _parts(subject, decisions[subject.id]):
            has = there.get(part, frozenset())
            able = [
                who for who in adjudicators
                if who not in has and subject.id not in voted.get(who, ())
            ]  # fmt: skip
            needed = 1 if part.kind == "quality" else rules.closing_votes
            able.sort(key=lambda who: (met[who] if part.pair else 0, loads[who]))
            if len(able) < needed - len(has):
                short.append(subject.id)
            shown = [v for v in first if v.kind == part.kind and v.pair == part.pair]
            # The further votes of a rule are independent of the first.
            earlier = () if part.pair and rules.further else _earlier(shown, page)
            for who in able[: max(0, needed - len(has))]:
                loads[who] += 1
                met[who] += part.pair is not None
                if part.pair is None:
                    task = quality_task(page, who)
                else:
                    task = preference_task(page, pairs[part.pair], who, planner)
                given[who].append(adjudication(task, who, earlier, study.seed))
    return given, list(dict.fromkeys(short))


def _parts(subject: Subject, decision: Decision) -> Iterator[OpenPart]:
    if any(reason.startswith("quality:") for reason in decision.reasons):
        yield OpenPart(subject.id, None, "quality")
    for pair in subject.pairs:
        if pair.id in decision.disputed:
            yield OpenPart(subject.id, pair.id, "preference")


def _earlier(verdicts: list[Verdict], page: BlindSubject) -> tuple[str, ...]:
    """What each person answered, with other numbers in every task, so that nobody is recognised."""
    order = sorted(
        verdicts, key=lambda v: content_id("earlier", page.subject, v.pair or "", v.annotator)
    )
    return tuple(f"Person {n}: {_answer_text(verdict)}" for n, verdict in enumerate(order, start=1))


def _answer_text(verdict: Verdict) -> str:
    answers = verdict.answers
    if isinstance(answers, PreferenceAnswer):
        words = {verdict.a: "A", verdict.b: "B", EQUAL: "no difference", CANNOT_TELL: "cannot tell"}
        text = words[answers.choice]
    else:
        assert isinstance(answers, QualityAnswers), "a dispute is never about aspects"
        sides = []
        for place, response in (("A", verdict.a), ("B", verdict.b)):
            scores = (
                f"{name} {'cannot judge' if score is None else score}"
                for name, score in answers.scores[response].items()
            )
            sides.append(f"{place}: {', '.join(scores)}")
        text = "; ".join(sides)
    return f"{text}. {visible(verdict.comment)}" if verdict.comment else text


def add_adjudication(folder: HumanFolder, study: Study, tasks: dict[str, list[Task]]) -> int:
    """Add new tasks to round 2, and say how many they are.

    Tasks that are there already stay as they are: an adjudicator may be working on them. Raises
    InputError where this version's forms are not those of the study: no answer to them could be
    taken in.
    """
    there = list(read_key(folder.adjudication_key))
    names = {keyed.task for keyed in there}
    fresh = {
        who: [task for task in given if task.keyed.task not in names]
        for who, given in tasks.items()
    }
    added = [task for given in fresh.values() for task in given]
    if not added:
        return 0
    now = config_hashes(study.scales, load_language(study.language))
    if any(now[name] != fixed for name, fixed in study.config_hashes.items()):
        raise InputError(
            f"its forms were fixed by Pairwright {study.version}, and those of this version differ",
            where=folder.study,
            fix="Adjudicate with the version, and the templates, that the study was exported with.",
        )
    with on_disk(folder.path):
        write_forms(folder, study, round=2)
        # A round that was cut short left tasks that are in no key.
        keep_tasks(folder.path / "adjudication", names.__contains__)
        for who, given in fresh.items():
            write_tasks(folder, who, given, add=True)
        write_changed(folder.adjudication_key, key_lines([*there, *(task.keyed for task in added)]))
    return len(added)


def given_parts(folder: HumanFolder) -> dict[OpenPart, set[str]]:
    """What is asked in the second round, and of whom, without adjudicators who have withdrawn."""
    away = withdrawn_people(folder)
    found: dict[OpenPart, set[str]] = {}
    for task in read_key(folder.adjudication_key):
        if task.annotator not in away:
            part = OpenPart(task.subject, task.pair, task.kind)
            found.setdefault(part, set()).add(task.annotator)
    return found


def drop_adjudications(folder: HumanFolder, subjects: Set[str]) -> int:
    """Take the second round's tasks on these subjects out, and say how many they are."""
    there = list(read_key(folder.adjudication_key))
    left = [keyed for keyed in there if keyed.subject not in subjects]
    gone = [keyed for keyed in there if keyed.subject in subjects]
    if gone:
        write_changed(folder.adjudication_key, key_lines(left))
        names = {keyed.task for keyed in left}
        keep_tasks(folder.path / "adjudication", names.__contains__)
    # Sheets show what others answered, too.
    for who in sorted({keyed.annotator for keyed in gone}):
        if (sheet := folder.sheet(who, 2)).exists():
            drop_rows(sheet, {keyed.task for keyed in gone})
    return len(there) - len(left)
