"""From a study's outlines and verdicts to every number of its report, and its files."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from pairwright.files import write_whole
from pairwright.records import content_id
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decisions import Decision, decide_all
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.looks import Looks
from pairwright_human_eval.records import SetAside, Verdict
from pairwright_human_eval.report.answers import abouts, answers_of, errors_by_pair
from pairwright_human_eval.report.aspects import (
    delivery_agreement,
    delivery_shares,
    foil_comparison,
    judge_preference,
    judge_quality,
    support_shares,
)
from pairwright_human_eval.report.calibration import calibration_bins, powered_shares
from pairwright_human_eval.report.claims import (
    by_chance,
    consensus,
    control_comparisons,
    groups,
    preference_shares,
    reasons,
    states,
)
from pairwright_human_eval.report.page import (
    page_of,
)
from pairwright_human_eval.report.people import (
    adjudication_counts,
    annotator_rows,
    seconds_by_kind,
    study_counts,
)
from pairwright_human_eval.report.quality import (
    agreement_by_question,
    parities,
    score_counts,
    side_names,
)
from pairwright_human_eval.report.records import Comment, Findings, StudyReport
from pairwright_human_eval.report.resample import Draws, ratio
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline, Subject, outlines_of


def derive_findings(
    subjects: Sequence[Outline],
    verdicts: Sequence[Verdict],
    scales: tuple[Scale, ...],
    rules: HumanRules,
    *,
    decisions: Mapping[str, Decision],
    margin: float,
    overlap: int,
    excluded: frozenset[str],
    replicates: int = 1000,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Estimates on all `subjects`, those sampled, before any decision.

    `decisions` are those on the subjects; `margin` is that of parity, in points, as it was fixed
    at export; `overlap` the votes on each pair; `excluded` the
    annotators whose answers do not count. `step` is called with each step. The
    same input gives the same findings.
    """
    verdicts = sorted(verdicts, key=lambda verdict: (verdict.task, verdict.annotator))
    decided = [decisions[subject.id] for subject in subjects]
    verified = {pair for one in decided if one.state == "verified" for pair in one.pairs}
    pairs = abouts(subjects)
    answers = answers_of(pairs, verdicts, excluded)
    modes = [side_name.mode for side_name in side_names(subjects)]
    rows = agreement_by_question(answers, scales, step)
    step("claims")
    people = {verdict.annotator for verdict in verdicts if verdict.round == 1}
    draws = Draws({subject.dyad for subject in subjects}, people, replicates, seed)
    votes = answers.counted()
    grouped = list(groups(votes))
    every = [vote for vote in answers.votes if vote.purpose == "vote"]
    errors = errors_by_pair(votes, pairs)
    labels = [name for name in errors if name in verified]
    step("quality")
    parity = parities(answers, modes, scales, margin)
    given = score_counts(answers, modes, scales, draws)
    step("judge")
    return Findings(
        policy=rules,
        decisions=states(subjects, decided, rules),
        reasons=reasons(decided),
        label_error=ratio(
            draws,
            [pairs[name].dyad for name in labels],
            [errors[name] for name in labels],
            [1.0] * len(labels),
        ),
        by_chance=by_chance(subjects, rules, overlap),
        agreement=rows,
        preferred=tuple(preference_shares(name, own, draws) for name, own in grouped),
        with_excluded=preference_shares("all, with excluded annotators", every, draws)
        if excluded
        else None,
        consensus=consensus(votes, pairs, draws),
        contrasted=control_comparisons(answers, draws),
        supported=support_shares(answers, draws),
        foils=foil_comparison(answers, draws),
        delivered_by=delivery_shares(answers, draws),
        sides=side_names(subjects),
        parity=parity,
        scores=given,
        delivered=delivery_agreement(answers, draws),
        judged_quality=judge_quality(answers, scales, draws),
        judged_preference=judge_preference(grouped, draws),
        unjudged=sum(not pair.pair.adherence for pair in pairs.values()),
        replicates=replicates,
        seed=seed,
    )


COMMENTS, COMMENT_CHARS = 50, 600


def compute_report(
    subjects: Sequence[Subject],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    rules: HumanRules,
    *,
    replicates: int = 1000,
    progress: Callable[[str], None] | None = None,
) -> StudyReport:
    """`subjects` are those sampled; `rules` is in force. The margin of parity is the one fixed at
    export. The same input gives the same report: the bootstrap is drawn by a fixed seed, and not by
    the study's, which is secret."""
    step = progress or (lambda _: None)
    study, key = fixed
    aside = tuple(set_aside)
    verdicts = sorted(verdicts, key=lambda verdict: (verdict.task, verdict.annotator))
    out = excluded_by(checks_passed(verdicts, key), rules.attention_floor)
    outlines = outlines_of(subjects, key)
    step("decisions")
    decisions = decide_all(outlines, verdicts, rules, out)
    found = derive_findings(
        outlines, verdicts, study.scales, rules, decisions=decisions,
        margin=study.policy.parity_margin, overlap=study.overlap, excluded=out,
        replicates=replicates, step=step,
    )  # fmt: skip
    step("annotators")
    pairs = abouts(outlines)
    comments = _comments(verdicts)
    return StudyReport(
        **dict(found),
        head=study_counts(outlines, fixed, verdicts, aside, out, rules),
        fixed=study.policy,
        adjudication=adjudication_counts(key, verdicts, list(decisions.values()), pairs, aside),
        annotators=annotator_rows(
            verdicts, answers_of(pairs, verdicts, out).votes, key, out,
            rules.attention_floor if study.mirrored_checks else None,
        ),
        seconds=seconds_by_kind(verdicts),
        comments=tuple(comments[:COMMENTS]),
        comments_in_all=len(comments),
    )  # fmt: skip


def _comments(verdicts: Iterable[Verdict]) -> list[Comment]:
    """The comments, in an order that does not show which are by one person."""
    given = [verdict for verdict in verdicts if verdict.comment.strip()]
    return [
        Comment(
            kind=verdict.kind,
            about=verdict.pair or verdict.subject,
            text=verdict.comment[:COMMENT_CHARS],
        )
        for verdict in sorted(
            given, key=lambda verdict: content_id("comment", verdict.task, verdict.annotator)
        )
    ]


def write_report(
    folder: HumanFolder,
    subjects: Sequence[Subject],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    rules: HumanRules,
    *,
    looks: Looks | None = None,
    decisions: Mapping[str, Decision] | None = None,
    rest: Sequence[Outline] = (),
    progress: Callable[[str], None] | None = None,
) -> StudyReport:
    """Write report.json, report.md and report.html. `subjects` are those of the study, `rules` is
    in force; `looks` are those up to this report; `progress` is called with each step. With
    `decisions` the judge's margins are held against people; `rest` are the run's subjects that were
    not sampled.

    The same input gives the same bytes. Raises StoreError where they cannot be written.
    """
    report = compute_report(subjects, fixed, verdicts, set_aside, rules, progress=progress)
    outlines, decided = outlines_of(subjects, fixed.key), decisions or {}
    report = report.model_copy(
        update={
            "looks": looks,
            "calibration": calibration_bins(outlines, decided) if decided else (),
            "powered": powered_shares(outlines, rest, decided) if decided else (),
        }
    )
    if progress:
        progress("pages and plots")
    page = page_of(report)
    write_whole(folder.path / "report.json", report.model_dump_json(indent=2) + "\n")
    write_whole(folder.path / "report.md", page.markdown)
    write_whole(folder.path / "report.html", page.html)
    return report
