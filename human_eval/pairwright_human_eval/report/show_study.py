"""The first sections: what the study is, what was decided, and by which rule."""

from collections.abc import Iterator

from pairwright.report import Block, Plot, Table
from pairwright_human_eval.report.records import Proportion, Report
from pairwright_human_eval.report.shown import group_name, percent, seconds, share


def warnings(report: Report) -> Iterator[str]:
    """What must be known before anything is read."""
    head = report.head
    if not head.verdicts:
        yield f"Nothing is answered yet: none of the {head.tasks:,} tasks has a verdict."
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
    if head.changes:
        changes = (
            f"human.{of.name} was fixed at {of.fixed} and is now {of.in_force}"
            for of in head.changes
        )
        yield f"THE RULE WAS CHANGED AFTER EXPORT: {'; '.join(changes)}."
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
        " verified. Shares are of the sampled twins and pairs, with 95 % Wilson intervals. The last"
        " column leaves controls out, refused ones too; what waits or is disputed is in it as not"
        " verified."
    )
    states = list(report.decisions[0].states)
    yield Table(
        ("group", "n", *states, "verified, of those that could be"),
        tuple(
            (
                group_name(of.group), f"{of.subjects:,}",
                *(_count(of.states[state]) for state in states), share(of.of_verifiable),
            )
            for of in report.decisions
        ),
    )  # fmt: skip
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
        " if quality and aspects refused nothing. The verified share of those that could be is to"
        " be read against it:"
    )
    yield Table(
        ("mode", "rule", "votes on each pair", "pairs decided as one", "verified by chance"),
        tuple(
            (of.mode, of.rule, str(of.votes), str(of.halves), f"{100 * of.share:.1f} %")
            for of in report.by_chance
        ),
        left=2,
    )


def adjudication(report: Report) -> Iterator[Block]:
    found = report.adjudication
    if not found:
        yield "No task of a second round was made."
        return
    yield (
        "In the second round adjudicators see the first answers. What they say closes what was"
        " disputed, and counts in no estimate and in no annotator's row. Any preference but for the"
        f" chosen response refuses. Adjudicators: {found.adjudicators:,}."
    )
    if found.voted_before:
        yield (
            "Answers set aside because their author had answered on the same twin or pair in the"
            f" first round: {found.voted_before:,}. Somebody else has to give them."
        )
    quality = any(of.for_chosen is None for of in found.by_kind)
    yield Table(
        (
            "kind", "tasks", "answered", "closed for the chosen", "closed as refused",
            "median seconds",
        ),
        tuple(
            (
                of.kind, f"{of.tasks:,}", f"{of.answered:,}", _closed(of.for_chosen),
                _closed(of.refused), seconds(of.seconds),
            )
            for of in found.by_kind
        ),
        note="Scores of quality close for no response: they are held to the floor."
        if quality
        else "",
    )  # fmt: skip
    yield Table(
        ("adjudicated twins and pairs, as decided now", "n"),
        (
            *((state, f"{n:,}") for state, n in found.states.items()),
            ("all", f"{found.subjects:,}"),
        ),
    )


def _closed(n: int | None) -> str:
    return "–" if n is None else f"{n:,}"


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
