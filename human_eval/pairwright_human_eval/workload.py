"""What a study of some size asks of people, before it is exported: tasks, hours, and its yield.

The tasks are made as an export makes them, so that checks, repeats and controls are counted as they
will be. A study of more subjects than the run has takes those of the run again, as other people's:
their texts are as long. A pilot, a small study of the same kind, says how long tasks take and how
many subjects are verified.

Adults read English non-fiction silently at 238 words a minute, as estimated from 190 studies:
Brysbaert (2019), How many words do we read per minute? A review and meta-analysis of reading rate,
Journal of Memory and Language 109, 104047. The rates of other languages are those of texts that
have the same content in 17 languages, read aloud by about 25 native speakers each:
Trauzettel-Klosinski and Dietz (2012), Standardized assessment of reading performance: the new
International Reading Speed Texts IReST, Investigative Ophthalmology & Visual Science 53, 5452,
table 2. English was read at 228 words a minute there, 4 % more slowly than silently.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from html import unescape
from statistics import fmean, median
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from pairwright.estimate import Estimate, no_estimate
from pairwright.intervals import accuracy_by_cluster, cluster_numbers, mean
from pairwright.modes import Mode
from pairwright.records import Record
from pairwright.text import word_count
from pairwright.text.languages import LANGUAGES, language_of
from pairwright_human_eval.assign import control_power, control_subjects
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.records import KINDS, Data, Kind, Verdict, pseudonyms
from pairwright_human_eval.study_tasks import StudyPlan, make_tasks
from pairwright_human_eval.subjects import Outline, Subject, controls_of
from pairwright_human_eval.tasks import Task

WORDS_A_MINUTE = {
    "ar": 138, "de": 179, "en": 238, "es": 218, "fi": 161, "fr": 195, "he": 187, "it": 188,
    "ja": 193, "nl": 202, "pl": 166, "pt": 181, "ru": 184, "sl": 180, "sv": 199, "tr": 166,
    "zh": 158,
}  # fmt: skip
"""By the code of a language."""
MEAN_RATE = 184
"""The mean of the 17 languages, words a minute."""
LOOKED_AT = 50
"""Subjects of a study by which the language of its texts is determined."""
_TAG = re.compile(r"<[^>]+>")
_HTML = ("response_a", "response_b")
_OWN = "task"
"""The id, which no page shows."""


class ReadingRate(NamedTuple):
    """How fast the texts of a study are read."""

    words: int
    """A minute."""
    of: str
    """What the rate is of, such as `German`."""

    def __str__(self) -> str:
        return f"{self.words} words a minute ({self.of})"


class KindLoad(Record):
    """The tasks of one kind in a study."""

    kind: Kind
    tasks: int
    words: float
    """Those that the median task shows."""
    seconds: float
    """The pilot's mean time of a task as it is paid, or that of reading the median one once."""
    hours: float
    """For all tasks."""


def reading_rate(subjects: Sequence[Subject], otherwise: str = "en") -> ReadingRate:
    """The rate of the language that most of the questions and responses are in. `otherwise` is
    taken where no language is certain. A language that was not measured has the mean rate."""
    code = language_of_texts(subjects) or otherwise
    if code in WORDS_A_MINUTE:
        return ReadingRate(WORDS_A_MINUTE[code], LANGUAGES[code].name)
    return ReadingRate(MEAN_RATE, "the mean of 17 languages")


def language_of_texts(subjects: Sequence[Subject]) -> str:
    """The code of the language that most of the questions and responses are in; empty where none
    is certain."""
    looked_at = subjects[:: max(1, len(subjects) // LOOKED_AT)]
    codes = (language_of(one.asked.question, one.asked.chosen) for one in looked_at)
    found = Counter(code for code in codes if code)
    return found.most_common(1)[0][0] if found else ""


def readings(tasks: Iterable[Task], rate: ReadingRate) -> tuple[KindLoad, ...]:
    """What the tasks show, read once: by kind, in the order of the work; kinds without a task are
    left out."""
    words: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
    for task in tasks:
        words[task.keyed.kind].append(words_shown(task.data))
    return tuple(
        KindLoad(
            kind=kind,
            tasks=len(found),
            words=median(found),
            seconds=median(found) * 60 / rate.words,
            hours=sum(found) / rate.words / 60,
        )
        for kind, found in words.items()
        if found
    )


def words_shown(data: Data) -> int:
    """Words of the question, posts, responses, aspects and all else that a task shows;
    not those of the form."""
    return sum(
        word_count(unescape(_TAG.sub("", str(value)))) if name in _HTML else _words(value)
        for name, value in data.items()
        if name != _OWN
    )


def _words(value: JsonValue) -> int:
    if isinstance(value, str):
        return word_count(value)
    if isinstance(value, dict):
        return sum(map(_words, value.values()))
    return sum(map(_words, value)) if isinstance(value, list) else 0


ADJUDICATION = 0.16
"""The time of a second round as a share of the first, where no pilot had one: people who are right
in 95 % of their votes leave 17 % of the pairs undecided by the default rule, and each takes six
more votes."""
BRIEFING = 1.0
"""Hours of each person for the guidelines and questions."""
GUIDELINES = 0.2
"""The same where a few people lead the study themselves, and only read the guidelines."""


class StudyLoad(Record):
    """What a study of some size asks of people."""

    units: int
    """Twins, or pairs of another mode, that people are asked about."""
    controls: int
    """Those of them that measure the study and cannot be verified."""
    strangers: int
    """Those of the controls that are shown with a stranger's posts."""
    stranger_power: float
    """The probability that this control shows that strangers' posts tell nothing, if that is so."""
    kinds: tuple[KindLoad, ...]
    people: int
    briefing: float
    """Hours of each for the guidelines and questions."""
    hours_each: float
    """Of the person who is given most, with the briefing."""
    second_round: float
    """Its time as a share of the first."""
    hours: float
    """All hours to be paid: tasks, a second round, and everybody's briefing."""

    def hours_at(self, seconds: Mapping[Kind, float]) -> float:
        """All hours if tasks of these kinds take so long."""
        tasks = sum(
            kind.tasks * seconds[kind.kind] / 3600 if kind.kind in seconds else kind.hours
            for kind in self.kinds
        )
        return tasks * (1 + self.second_round) + self.people * self.briefing


def study_load(
    subjects: Sequence[Subject],
    n: int,
    plan: StudyPlan,
    seconds: Mapping[Kind, float],
    hours_each: float,
    second_round: float = ADJUDICATION,
    briefing: float = BRIEFING,
) -> StudyLoad:
    """The load of a study of `n` subjects like these, with as many people as work `hours_each` at
    most; those of `plan` are the fewest. `seconds` are means of tasks; a kind without one takes
    as long as reading it once.

    Raises InputError where the assignment cannot be made.
    """
    sized, rate = repeated_subjects(subjects, n), reading_rate(subjects)
    for _ in range(3):
        load = _load(sized, plan, seconds, rate, second_round, briefing)
        needed = len(plan.annotators)
        if load.hours_each > hours_each > briefing:
            work = needed * (load.hours_each - briefing)
            needed = max(needed + 1, math.ceil(work / (hours_each - briefing)))
        if needed == len(plan.annotators):
            break
        plan = replace(plan, annotators=pseudonyms(needed))
    return load


def _load(
    subjects: list[Subject],
    plan: StudyPlan,
    seconds: Mapping[Kind, float],
    rate: ReadingRate,
    second_round: float,
    briefing: float,
) -> StudyLoad:
    given, _ = make_tasks(subjects, plan)
    tasks = [task for own in given.values() for task in own]
    kinds = tuple(
        one.model_copy(update={"seconds": paid, "hours": one.tasks * paid / 3600})
        if (paid := seconds.get(one.kind)) is not None
        else one
        for one in readings(tasks, rate)
    )
    strangers, choices = control_subjects(task.keyed for task in tasks)
    each = {kind.kind: kind.hours / kind.tasks for kind in kinds}
    most = max(sum(each[task.keyed.kind] for task in own) for own in given.values())
    return StudyLoad(
        units=len(subjects),
        controls=len(controls_of(task.keyed for task in tasks)),
        strangers=strangers,
        stranger_power=round(control_power(choices), 6),
        kinds=kinds,
        people=len(plan.annotators),
        briefing=briefing,
        hours_each=most + briefing,
        second_round=second_round,
        hours=(
            sum(kind.hours for kind in kinds) * (1 + second_round) + len(plan.annotators) * briefing
        ),
    )


def repeated_subjects(subjects: Sequence[Subject], n: int) -> list[Subject]:
    """`n` subjects: those given, again and again, each time under other names."""
    found = []
    for k in range(n):
        turn, subject = k // len(subjects), subjects[k % len(subjects)]
        if turn:
            pairs = []
            for pair in subject.pairs:
                names = {
                    name: f"{getattr(pair, name)}-{turn}" for name in ("id", "item_id", "user")
                }
                twin = pair.twin_id and f"{pair.twin_id}-{turn}"
                pairs.append(pair.model_copy(update={**names, "twin_id": twin}))
            subject = Subject(f"{subject.id}-{turn}", tuple(pairs))
        found.append(subject)
    return found


class TimedTask(NamedTuple):
    """How long one person is paid for one task."""

    annotator: str
    kind: Kind
    round: int
    seconds: float


class StudyPilot(Record):
    """What is known from people's answers before a larger study."""

    verified: Estimate
    """The share of subjects of the mode that were verified, of those that were decided and could
    be, with its 95 % interval by dyad. No value where none was decided."""
    times: dict[Kind, Estimate]
    """The mean seconds of a task as it is paid, by kind, with their 95 % intervals by person. One
    person alone has no interval, and a kind that was not timed is left out."""
    second_round: float | None
    """The time of the second round by that of the first, by all their tasks; 0 where nothing was
    disputed, and None where it is not known yet."""
    people: int
    simulated: bool

    @property
    def seconds(self) -> dict[Kind, float]:
        """The means by kind."""
        return {kind: time.value for kind, time in self.times.items() if time.value is not None}


def study_pilot(
    subjects: Iterable[Outline],
    decisions: Mapping[str, Decision],
    verdicts: Sequence[Verdict],
    mode: Mode,
    unfinished: Set[str] = frozenset(),
    timed: Sequence[TimedTask] = (),
    tasks: Mapping[tuple[Kind, int], int] = MappingProxyType({}),
) -> StudyPilot:
    """Read a pilot. What waits for answers and what is a control is not decided.

    `unfinished` are subjects with open tasks. A few answers can refuse one and only all of them
    verify it, so counting what is decided of these would make the yield too small. `tasks` are
    all that were given out, by kind and round.
    """
    states = [
        (subject.dyad, decisions[subject.id].state)
        for subject in subjects
        if subject.mode == mode and subject.aspects_asked and subject.id not in unfinished
    ]
    verified = accuracy_by_cluster(
        [(dyad, float(state == "verified")) for dyad, state in states if state != "waiting"]
    )
    first = [verdict for verdict in verdicts if verdict.round == 1]
    times = {}
    for kind in KINDS:
        own = [one for one in timed if (one.kind, one.round) == (kind, 1)]
        people = cluster_numbers([one.annotator for one in own])
        if own:
            times[kind] = mean(np.array([one.seconds for one in own]), people, least=0.0)
    # Tasks that nobody was timed on are taken to be as long as the others of their kind.
    whole = {1: 0.0, 2: 0.0}
    for (kind, round), n in tasks.items():
        if round not in whole:
            continue
        if seconds := [one.seconds for one in timed if (one.kind, one.round) == (kind, round)]:
            whole[round] += n * fmean(seconds)
    to_come = bool(unfinished) or any(one.state == "disputed" for one in decisions.values())
    known = whole[1] and (whole[2] or not to_come)
    return StudyPilot(
        verified=verified or no_estimate(),
        times=times,
        second_round=whole[2] / whole[1] if known else None,
        people=len({verdict.annotator for verdict in first}),
        simulated=any(verdict.simulated for verdict in first),
    )
