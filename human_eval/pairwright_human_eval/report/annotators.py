"""The annotators one by one, by pseudonym, whether their answers count or not."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

from pairwright.estimate import share
from pairwright.report import Block, Plot, Table
from pairwright_human_eval.attention import checks_passed, nonreader_pass
from pairwright_human_eval.records import (
    CANNOT_TELL,
    KINDS,
    KeyedTask,
    Kind,
    PreferenceAnswer,
    Verdict,
)
from pairwright_human_eval.report.answers import Vote
from pairwright_human_eval.report.number_text import seconds_text, share_text
from pairwright_human_eval.report.records import AnnotatorRow, Seconds, StudyReport
from pairwright_human_eval.report.study import proportion

Tally = defaultdict[str, list[bool]]


def annotator_rows(
    verdicts: Sequence[Verdict],
    votes: Iterable[Vote],
    key: Mapping[str, KeyedTask],
    excluded: frozenset[str],
    floor: float | None,
) -> tuple[AnnotatorRow, ...]:
    """Everyone who was given a task of the first round, and what they did in it. `floor` is that of
    attention checks that only the posts decide; None for others."""
    verdicts = [verdict for verdict in verdicts if verdict.round == 1]
    assigned = Counter(keyed.annotator for keyed in key.values() if keyed.round == 1)
    own: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        own[verdict.annotator].append(verdict)
    majority, first = with_majority(votes), first_position(verdicts)
    attention, retest = checks_passed(verdicts, key), retested(verdicts)
    rows = []
    for who in sorted(assigned):
        given = own[who]
        kinds = Counter(verdict.kind for verdict in given)
        rows.append(
            AnnotatorRow(
                annotator=who,
                excluded=who in excluded,
                simulated=any(verdict.simulated for verdict in given),
                assigned=assigned[who],
                answered=len(given),
                by_kind={kind: kinds[kind] for kind in KINDS},
                seconds=seconds_by_kind(given),
                with_majority=proportion(share(sum(majority[who]), len(majority[who]))),
                first=proportion(share(sum(first[who]), len(first[who]))),
                attention=proportion(met := attention.get(who, share(0, 0))),
                nonreader=None if floor is None or not met.n else nonreader_pass(met.n, floor),
                retest=proportion(share(sum(retest[who]), len(retest[who]))),
            )
        )
    return tuple(rows)


def seconds_by_kind(verdicts: Sequence[Verdict]) -> dict[Kind, Seconds]:
    """Of the first round, with checks and repeats: they take time too."""
    return {
        kind: median_seconds(
            [verdict for verdict in verdicts if verdict.round == 1 and verdict.kind == kind]
        )
        for kind in KINDS
    }


def median_seconds(verdicts: Iterable[Verdict]) -> Seconds:
    times = [verdict.seconds for verdict in verdicts if verdict.seconds is not None]
    return Seconds(median=round(median(times), 6) if times else None, n=len(times))


def with_majority(votes: Iterable[Vote]) -> Tally:
    """Whether each vote is what more than half of the others said, "cannot tell" left out."""
    by_pair: defaultdict[str, list[Vote]] = defaultdict(list)
    for vote in votes:
        if vote.purpose == "vote" and vote.choice != "cannot_tell":
            by_pair[vote.about.pair.id].append(vote)
    found: Tally = defaultdict(list)
    for own in by_pair.values():
        counts = Counter(vote.label for vote in own)
        for vote in own:
            others = counts - Counter([vote.label])
            label, most = max(others.items(), key=lambda answer: answer[1], default=("", 0))
            if 2 * most > len(own) - 1:
                found[vote.annotator].append(label == vote.label)
    return found


def first_position(verdicts: Iterable[Verdict]) -> Tally:
    """By annotator: whether each answer for a side was for the one shown as A."""
    found: Tally = defaultdict(list)
    for verdict in verdicts:
        if verdict.purpose != "attention" and isinstance(verdict.answers, PreferenceAnswer):
            choice = verdict.answers.choice
            if choice in (verdict.a, verdict.b):
                found[verdict.annotator].append(choice == verdict.a)
    return found


def retested(verdicts: Sequence[Verdict]) -> Tally:
    """By annotator: whether each repeat was answered as before. One "cannot tell" leaves it out."""
    before, again = (
        {
            (verdict.annotator, verdict.pair): verdict.answers.choice
            for verdict in verdicts
            if verdict.purpose == purpose
            and isinstance(verdict.answers, PreferenceAnswer)
            and verdict.answers.choice != CANNOT_TELL
        }
        for purpose in ("vote", "repeat")
    )
    found: Tally = defaultdict(list)
    for vote, choice in again.items():
        if vote in before:
            found[vote[0]].append(choice == before[vote])
    return found


def annotators_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "The first round by pseudonym, with 95 % Wilson intervals. Agreement is with what most of"
        " the others on the pair voted, where most voted one way. Retest: swapped repeats answered"
        " as before; it excludes nobody."
    )
    yield Table(
        (
            "annotator", "answers count", "answered, of assigned", "quality", "preference",
            "rubric",
        ),
        tuple(
            (
                row.annotator, "no: EXCLUDED" if row.excluded else "yes",
                f"{row.answered:,} of {row.assigned:,}",
                *(f"{n:,}" for n in row.by_kind.values()),
            )
            for row in report.annotators
        ),
        left=2,
    )  # fmt: skip
    yield (
        "Median seconds a task was open, by kind, where the time was recorded. Attention checks,"
        " repeats and excluded annotators are in it: their time is spent too."
    )
    people = [(row.annotator, row.seconds) for row in report.annotators]
    yield Table(
        ("annotator", *report.seconds),
        tuple(_seconds_row(*row) for row in (*people, ("all people", report.seconds))),
    )
    yield Table(
        (
            "annotator", "A, of A and B", "with the majority", "attention checks",
            "passed without reading, %", "retest",
        ),
        tuple(
            (
                row.annotator, share_text(row.first), share_text(row.with_majority),
                share_text(row.attention),
                "n/a" if row.nonreader is None else f"{100 * row.nonreader:.1f}",
                share_text(row.retest),
            )
            for row in report.annotators
        ),
    )  # fmt: skip
    yield _attention(report)
    if "annotators" in drawn:
        yield drawn["annotators"]


def _attention(report: StudyReport) -> str:
    """How often an annotator who does not read would not have been noticed."""
    floor = f"{100 * report.policy.attention_floor:.0f} %"
    met = [(row.attention.n, row.nonreader) for row in report.annotators if row.nonreader]
    if not met:
        return (
            "How often an annotator who does not read the posts passes the attention checks cannot"
            " be said: nobody met one, or an older version made them, whose right answers can in"
            " part be seen without the posts."
        )
    n, worst = max(met, key=lambda one: (one[1] or 0, -one[0]))
    return (
        f"Only the posts decide an attention check. An annotator who does not read them passes the"
        f" floor of {floor} with the probability in the table, the binomial tail at one half: at"
        f" most {100 * (worst or 0):.1f} %, with {n:,} checks."
    )


def comments_section(report: StudyReport) -> Iterator[Block]:
    if not report.comments:
        yield "No comments were written."
        return
    yield f"{len(report.comments):,} of {report.comments_in_all:,}, as written, without who."
    yield Table(
        ("kind", "about", "comment"),
        tuple((comment.kind, comment.about, comment.text) for comment in report.comments),
        left=3,
    )


def _seconds_row(who: str, by_kind: dict[Kind, Seconds]) -> tuple[str, ...]:
    return (who, *(seconds_text(times) for times in by_kind.values()))
