"""From a study's answers to every number of its report."""

from collections.abc import Callable, Iterable, Sequence

from pairwright.policy import HumanPolicy
from pairwright.records import content_id
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decide import decide_all
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.adjudication import adjudication
from pairwright_human_eval.report.agreed import agreed
from pairwright_human_eval.report.annotators import annotator_rows, seconds_by_kind
from pairwright_human_eval.report.aspects import delivered_by, supported
from pairwright_human_eval.report.claims import consensus, contrasted, groups, preferred
from pairwright_human_eval.report.data import abouts, answers_of
from pairwright_human_eval.report.decisions import by_chance, reasons, states, verifiable
from pairwright_human_eval.report.head import head
from pairwright_human_eval.report.judge import (
    delivered,
    judged_adherence,
    judged_preference,
    judged_quality,
)
from pairwright_human_eval.report.quality import parities, scores, sides
from pairwright_human_eval.report.records import Comment, Report
from pairwright_human_eval.report.resample import Draws
from pairwright_human_eval.subjects import Subject
from pairwright_human_eval.write import Fixed

COMMENTS, COMMENT_CHARS = 50, 600


def compute(
    subjects: Sequence[Subject],
    fixed: Fixed,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    policy: HumanPolicy,
    *,
    replicates: int = 1000,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """`subjects` are those sampled; `policy` is in force. The margin of parity is the one fixed at
    export. The same input gives the same report."""
    step = progress or (lambda _: None)
    study, key = fixed
    step("decisions")
    verdicts = sorted(verdicts, key=lambda of: (of.task, of.annotator))
    out = excluded_by(checks_passed(verdicts, key), policy.attention_floor)
    decisions = list(decide_all(subjects, verdicts, key, policy).values())
    pairs = abouts(subjects)
    answers = answers_of(pairs, verdicts, out)
    modes = [of.mode for of in sides(subjects)]
    rows = agreed(answers, study.scales, replicates, study.seed, step)
    step("claims")
    dyads = {of.dyad for of in pairs.values()}
    people = {of.annotator for of in verdicts if of.round == 1}
    draws = Draws(dyads, people, replicates, study.seed)
    votes = answers.counted()
    grouped = list(groups(votes))
    every = [of for of in answers.votes if of.purpose == "vote"]
    step("quality")
    margin = study.policy.parity_margin
    parity = parities(answers, modes, study.scales, margin)
    given = scores(answers, modes, study.scales, draws)
    step("judge and annotators")
    comments = _comments(verdicts)
    return Report(
        head=head(subjects, fixed, verdicts, set_aside, out, policy),
        policy=policy,
        fixed=study.policy,
        decisions=states(subjects, decisions, verifiable(subjects, key, policy)),
        reasons=reasons(decisions),
        by_chance=by_chance(subjects, policy, study.overlap),
        adjudication=adjudication(key, verdicts, decisions, pairs),
        agreement=rows,
        preferred=tuple(preferred(name, own, draws) for name, own in grouped),
        with_excluded=preferred("all, with excluded annotators", every, draws) if out else None,
        consensus=consensus(votes, pairs, draws),
        contrasted=contrasted(answers, draws),
        supported=supported(answers, draws),
        delivered_by=delivered_by(answers, draws),
        sides=sides(subjects),
        parity=parity,
        scores=given,
        delivered=delivered(answers, draws),
        judged_quality=judged_quality(answers, study.scales, draws),
        judged_preference=judged_preference(grouped, draws),
        unjudged=sum(not judged_adherence(of.pair) for of in pairs.values()),
        annotators=annotator_rows(verdicts, answers.votes, key, out),
        seconds=seconds_by_kind(verdicts),
        comments=tuple(comments[:COMMENTS]),
        comments_in_all=len(comments),
        replicates=replicates,
        seed=study.seed,
    )


def _comments(verdicts: Iterable[Verdict]) -> list[Comment]:
    """In an order that tells nobody's from another's."""
    given = [of for of in verdicts if of.comment.strip()]
    return [
        Comment(kind=of.kind, about=of.pair or of.subject, text=of.comment[:COMMENT_CHARS])
        for of in sorted(given, key=lambda of: content_id("comment", of.task, of.annotator))
    ]
