"""The first sections: what the study is, what was decided, and by which rule."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.report.records import Proportion, Report
from pairwright_human_eval.report.shown import percent, share


def warnings(report: Report) -> Iterator[str]:
    """What must be known before anything is read."""
    head = report.head
    if head.simulated_verdicts:
        yield (
            f"SIMULATED ANNOTATORS: {head.simulated_verdicts:,} of {head.verdicts:,} verdicts were"
            " given by a program. No person has verified these pairs."
        )
    if head.simulated_pairs:
        yield (
            "SIMULATED PAIRS: the embedded model wrote them. This shows how the tool works and is"
            " no evidence about any model, judge or benchmark."
        )
    for change in head.changes:
        yield (
            f"THE RULE WAS CHANGED AFTER EXPORT: human.{change.name} was fixed at {change.fixed}"
            f" and is now {change.in_force}."
        )
    if head.excluded:
        yield (
            f"EXCLUDED by attention checks: {', '.join(head.excluded)}. Their answers count neither"
            " in decisions nor in estimates, but where it is said."
        )


def study(report: Report) -> Iterator[Block]:
    head = report.head
    yield Table(
        ("what", "n"),
        (
            ("twins and violate pairs in the study, each verified as one", f"{head.subjects:,}"),
            ("twins and violate pairs in the run", f"{head.of:,}"),
            ("twins in the study", f"{head.twins:,}"),
            ("pairs in the study (each half of a twin is one)", f"{head.pairs:,}"),
            ("annotators", f"{head.annotators:,}"),
            ("people asked each question", f"{head.overlap:,}"),
            ("tasks", f"{head.tasks:,}"),
            ("tasks answered", f"{head.answered:,}"),
            ("tasks not answered", f"{head.unanswered:,}"),
        ),
    )
    yield Table(
        ("kind", "purpose", "round", "tasks", "answered", "not answered"),
        (
            *(
                (
                    of.kind, of.purpose, str(of.round), f"{of.tasks:,}", f"{of.answered:,}",
                    f"{of.tasks - of.answered:,}",
                )
                for of in head.by_sort
            ),
            ("all", "", "", f"{head.tasks:,}", f"{head.answered:,}", f"{head.unanswered:,}"),
        ),
        left=2,
    )  # fmt: skip
    yield Table(
        ("annotations read", "n"),
        (
            ("accepted as verdicts", f"{head.verdicts:,}"),
            *((f"set aside: {reason}", f"{n:,}") for reason, n in head.set_aside.items()),
            ("all", f"{head.annotations:,}"),
        ),
    )


def decisions(report: Report, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "A twin is decided as one: both halves must be verified. Controls were shown to annotators"
        " with a stranger's posts or the narrative in place of questions about aspects, and are not"
        " verified. Shares are of the sampled twins and pairs, with 95 % Wilson intervals."
    )
    states = list(report.decisions[0].states)
    yield Table(
        ("group", "n", *states),
        tuple(
            (of.group, f"{of.subjects:,}", *(_count(of.states[state]) for state in states))
            for of in report.decisions
        ),
    )
    if "states" in drawn:
        yield drawn["states"]
    if report.reasons:
        yield Table(
            ("not verified", "reason", "twins and pairs"),
            tuple((of.state, of.reason, share(of.subjects)) for of in report.reasons),
            left=2,
            note="One may have several reasons in its state.",
        )
    yield (
        "What annotators who toss a coin for their preference would have verified under this rule,"
        " if quality and aspects refused nothing:"
    )
    yield Table(
        ("mode", "rule", "votes on each pair", "pairs decided as one", "verified by chance"),
        tuple(
            (of.mode, of.rule, str(of.votes), str(of.halves), f"{100 * of.share:.1f} %")
            for of in report.by_chance
        ),
        left=2,
    )


def _count(of: Proportion) -> str:
    return f"{of.k:,}: {percent(of)}" if of.n else "0"


def rule(report: Report) -> Iterator[Block]:
    fixed, now = report.fixed.model_dump(), report.policy.model_dump()
    yield Table(
        ("[human]", "fixed at export", "in force"),
        tuple((name, str(fixed[name]), str(now[name])) for name in fixed),
    )
    yield (
        f"Bootstrap: {report.replicates:,} replicates, seed {report.seed}. Study exported by"
        f" pairwright {report.head.version}."
    )
