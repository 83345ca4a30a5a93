"""From a study's outlines and verdicts to every number of its report: what report.json holds.

`Findings` is what the answers of a study say, which a release, too, can derive; `StudyReport` adds
what only the study's key says. Values are rounded to six places. What cannot be estimated is None,
with its reason.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from pairwright.estimate import Estimate
from pairwright.records import Record, content_id
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules, StoredRules
from pairwright.threads import one_thread
from pairwright_human_eval.attention import checks_passed, excluded_by
from pairwright_human_eval.decisions import Decision, decide_all
from pairwright_human_eval.records import Kind, SetAside, Verdict
from pairwright_human_eval.report import aspects, claims, people, quality
from pairwright_human_eval.report.answers import abouts, answers_of, errors_by_pair
from pairwright_human_eval.report.calibration import (
    PoweredShare,
    VoteCalibrationBin,
    calibration_bins,
    powered_shares,
)
from pairwright_human_eval.report.resample import Draws, ratio
from pairwright_human_eval.study_files import FixedStudy
from pairwright_human_eval.subjects import Outline, Subject, outlines_of

COMMENTS, COMMENT_CHARS = 50, 600


class Findings(Record):
    """What the answers say: a function of outlines, verdicts and rules, and so of a release."""

    policy: StoredRules
    """In force."""
    decisions: tuple[claims.States, ...]
    reasons: tuple[claims.StateReason, ...]
    label_error: Estimate
    """How probable it is that the label of a verified pair is wrong, by all votes together: the
    mean over these pairs."""
    by_chance: tuple[claims.ByChance, ...]
    agreement: tuple[quality.QuestionAgreement, ...]
    preferred: tuple[claims.PreferenceShares, ...]
    """Without placebos, whose chosen response is drawn."""
    no_difference: tuple[claims.NoDifference, ...]
    """Empty without placebos."""
    with_excluded: claims.PreferenceShares | None
    """The share of all votes with those of excluded annotators; None where nobody is."""
    consensus: claims.Consensus | None
    """None where there is no vote."""
    supported: tuple[aspects.SupportShares, ...]
    delivered_by: tuple[aspects.DeliveryShares, ...]
    sides: tuple[quality.SideNames, ...]
    parity: tuple[quality.ParityOf, ...]
    scores: tuple[quality.ScoreCounts, ...]
    delivered: tuple[aspects.DeliveryAgreement, ...]
    judged_quality: tuple[aspects.JudgeQuality, ...]
    judged_preference: tuple[aspects.JudgePreference, ...]
    unjudged: int
    """Pairs without a judge's scores: not compared."""
    replicates: int
    seed: int
    """Of the bootstrap: a fixed number, which says nothing of the study's secret seed."""


class Comment(Record):
    """What an annotator wrote, without who."""

    kind: Kind
    about: str
    text: str


class StudyReport(Findings):
    """Everything that is reported: what the answers say, and what only the study's key says."""

    head: people.StudyCounts
    fixed: StoredRules
    """The rule at export."""
    adjudication: people.Adjudication | None
    """None where no second round was made."""
    annotators: tuple[people.AnnotatorRow, ...]
    recognition: people.Recognition
    seconds: dict[Kind, people.Seconds]
    """Of all annotators together, in the first round."""
    calibration: tuple[VoteCalibrationBin, ...] = ()
    """The judge's margin against people's votes."""
    powered: tuple[PoweredShare, ...] = ()
    """Empty where every twin and pair of the run was sampled."""
    comments: tuple[Comment, ...]
    comments_in_all: int


@one_thread()
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
    at export; `overlap` the votes on each pair; `excluded` the annotators whose answers do not
    count. `step` is called with each step. The same input gives the same findings.
    """
    verdicts = sorted(verdicts, key=lambda verdict: (verdict.task, verdict.annotator))
    decided = [decisions[subject.id] for subject in subjects]
    verified = {pair for one in decided if one.state == "verified" for pair in one.pairs}
    pairs = abouts(subjects)
    answers = answers_of(pairs, verdicts, excluded)
    sides = quality.side_names(subjects)
    modes = [side.mode for side in sides]
    agreement = quality.agreement_by_question(answers, scales, step)
    step("claims")
    annotators = {verdict.annotator for verdict in verdicts if verdict.round == 1}
    draws = Draws({subject.dyad for subject in subjects}, annotators, replicates, seed)
    votes = answers.counted()
    labelled = [vote for vote in votes if not vote.about.subject.no_preference]
    grouped = list(claims.groups(labelled))
    every = [vote for vote in answers.votes if not vote.about.subject.no_preference]
    errors = errors_by_pair(votes, pairs)
    labels = [name for name in errors if name in verified]
    return Findings(
        policy=rules,
        decisions=claims.states(subjects, decided, rules),
        reasons=claims.reasons(subjects, decided),
        label_error=ratio(
            draws, [pairs[name].dyad for name in labels], [errors[name] for name in labels]
        ),
        by_chance=claims.by_chance(subjects, rules, overlap),
        agreement=agreement,
        preferred=tuple(claims.preference_shares(name, own, draws) for name, own in grouped),
        with_excluded=claims.preference_shares("all, with excluded annotators", every, draws)
        if excluded
        else None,
        no_difference=claims.no_difference(votes, draws),
        consensus=claims.consensus(labelled, pairs, draws),
        supported=aspects.support_shares(answers, draws),
        delivered_by=aspects.delivery_shares(answers, draws),
        sides=sides,
        parity=quality.parities(answers, modes, scales, margin),
        scores=quality.score_counts(answers, modes, scales, draws),
        delivered=aspects.delivery_agreement(answers, draws),
        judged_quality=aspects.judge_quality(answers, scales, draws),
        judged_preference=aspects.judge_preference(grouped, draws),
        unjudged=sum(not pair.pair.adherence for pair in pairs.values()),
        replicates=replicates,
        seed=seed,
    )


def compute_report(
    subjects: Sequence[Subject],
    fixed: FixedStudy,
    verdicts: Sequence[Verdict],
    set_aside: Iterable[SetAside],
    rules: HumanRules,
    *,
    rest: Sequence[Outline] = (),
    replicates: int = 1000,
    step: Callable[[str], None] = lambda _: None,
) -> StudyReport:
    """`subjects` are those sampled, `rest` are the others of the run; `rules` is in force, and the
    margin of parity is the one fixed at export; `step` is called with each step. The same input
    gives the same report."""
    study, key = fixed
    aside = tuple(set_aside)
    verdicts = sorted(verdicts, key=lambda verdict: (verdict.task, verdict.annotator))
    excluded = excluded_by(
        checks_passed(verdicts, fixed), rules.attention_floor, study.fewest_checks
    )
    outlines = outlines_of(subjects, key)
    step("decisions")
    decisions = decide_all(outlines, verdicts, rules, excluded)
    found = derive_findings(
        outlines, verdicts, study.scales, rules, decisions=decisions,
        margin=study.policy.parity_margin, overlap=study.overlap, excluded=excluded,
        replicates=replicates, step=step,
    )  # fmt: skip
    step("annotators")
    pairs = abouts(outlines)
    # In an order that does not show which comments are by one person.
    commented = sorted(
        (verdict for verdict in verdicts if verdict.comment.strip()),
        key=lambda verdict: content_id("comment", verdict.task, verdict.annotator),
    )
    return StudyReport(
        **dict(found),
        head=people.study_counts(outlines, fixed, verdicts, aside, excluded, rules),
        fixed=study.policy,
        adjudication=people.adjudication_counts(key, verdicts, decisions.values(), pairs, aside),
        annotators=people.annotator_rows(
            verdicts, answers_of(pairs, verdicts, excluded).votes, fixed, excluded,
            rules.attention_floor,
        ),
        recognition=people.recognition(verdicts),
        seconds=people.seconds_by_kind(verdicts),
        calibration=calibration_bins(outlines, decisions),
        powered=powered_shares(outlines, rest, decisions),
        comments=tuple(
            Comment(kind=one.kind, about=one.pair or one.subject, text=one.comment[:COMMENT_CHARS])
            for one in commented[:COMMENTS]
        ),
        comments_in_all=len(commented),
    )  # fmt: skip
