"""From a study's answers to every number of its report."""

from collections.abc import Callable, Iterable, Sequence

from pairwright.records import content_id
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decide import decide_all
from pairwright_human_eval.outline import outlines_of
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.adjudication import adjudication
from pairwright_human_eval.report.annotators import annotator_rows, seconds_by_kind
from pairwright_human_eval.report.data import abouts, answers_of
from pairwright_human_eval.report.findings import findings
from pairwright_human_eval.report.head import head
from pairwright_human_eval.report.records import Comment, Report
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.write import Fixed

COMMENTS, COMMENT_CHARS = 50, 600


def compute(
    subjects: Sequence[Subject],
    fixed: Fixed,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    policy: HumanRules,
    *,
    replicates: int = 1000,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """`subjects` are those sampled; `policy` is in force. The margin of parity is the one fixed at
    export. The same input gives the same report: the bootstrap is drawn by a fixed seed, and not by
    the study's, which is secret."""
    step = progress or (lambda _: None)
    study, key = fixed
    aside = tuple(set_aside)
    verdicts = sorted(verdicts, key=lambda of: (of.task, of.annotator))
    out = excluded_by(checks_passed(verdicts, key), policy.attention_floor)
    outlines = outlines_of(subjects, key)
    step("decisions")
    decisions = decide_all(outlines, verdicts, policy, out)
    found = findings(
        outlines, verdicts, study.scales, policy, decisions=decisions,
        margin=study.policy.parity_margin, overlap=study.overlap, excluded=out,
        replicates=replicates, step=step,
    )  # fmt: skip
    step("annotators")
    pairs = abouts(outlines)
    comments = _comments(verdicts)
    return Report(
        **dict(found),
        head=head(outlines, fixed, verdicts, aside, out, policy),
        fixed=study.policy,
        adjudication=adjudication(key, verdicts, list(decisions.values()), pairs, aside),
        annotators=annotator_rows(verdicts, answers_of(pairs, verdicts, out).votes, key, out),
        seconds=seconds_by_kind(verdicts),
        comments=tuple(comments[:COMMENTS]),
        comments_in_all=len(comments),
    )


def _comments(verdicts: Iterable[Verdict]) -> list[Comment]:
    """In an order that tells nobody's from another's."""
    given = [of for of in verdicts if of.comment.strip()]
    return [
        Comment(kind=of.kind, about=of.pair or of.subject, text=of.comment[:COMMENT_CHARS])
        for of in sorted(given, key=lambda of: content_id("comment", of.task, of.annotator))
    ]
