"""From outlines and verdicts to what they say."""

from collections.abc import Callable, Mapping, Sequence

from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules
from pairwright_human_eval.decide import Decision
from pairwright_human_eval.outline import Outline
from pairwright_human_eval.records import Verdict
from pairwright_human_eval.report.agreed import agreed
from pairwright_human_eval.report.aspects import delivered_by, supported
from pairwright_human_eval.report.claims import consensus, contrasted, groups, preferred
from pairwright_human_eval.report.data import abouts, answers_of
from pairwright_human_eval.report.decisions import by_chance, reasons, states
from pairwright_human_eval.report.judge import delivered, judged_preference, judged_quality
from pairwright_human_eval.report.quality import parities, scores, sides
from pairwright_human_eval.report.records import Findings
from pairwright_human_eval.report.resample import Draws


def findings(
    subjects: Sequence[Outline],
    verdicts: Sequence[Verdict],
    scales: tuple[Scale, ...],
    policy: HumanRules,
    *,
    decisions: Mapping[str, Decision],
    margin: float,
    overlap: int,
    excluded: frozenset[str],
    replicates: int = 1000,
    seed: int = 0,
    step: Callable[[str], None] = lambda _: None,
) -> Findings:
    """Estimates on all `subjects`, those sampled, whatever was decided about them.

    `decisions` are those on the subjects; `margin` is that of parity, in points, as it was fixed
    at export; `overlap` the votes on each pair; `excluded` the
    annotators whose answers do not count. `step` is told each step. The same input gives the same
    findings.
    """
    verdicts = sorted(verdicts, key=lambda of: (of.task, of.annotator))
    decided = [decisions[of.id] for of in subjects]
    pairs = abouts(subjects)
    answers = answers_of(pairs, verdicts, excluded)
    modes = [of.mode for of in sides(subjects)]
    rows = agreed(answers, scales, step)
    step("claims")
    people = {of.annotator for of in verdicts if of.round == 1}
    draws = Draws({of.dyad for of in subjects}, people, replicates, seed)
    votes = answers.counted()
    grouped = list(groups(votes))
    every = [of for of in answers.votes if of.purpose == "vote"]
    step("quality")
    parity = parities(answers, modes, scales, margin)
    given = scores(answers, modes, scales, draws)
    step("judge")
    return Findings(
        policy=policy,
        decisions=states(subjects, decided, policy),
        reasons=reasons(decided),
        by_chance=by_chance(subjects, policy, overlap),
        agreement=rows,
        preferred=tuple(preferred(name, own, draws) for name, own in grouped),
        with_excluded=preferred("all, with excluded annotators", every, draws)
        if excluded
        else None,
        consensus=consensus(votes, pairs, draws),
        contrasted=contrasted(answers, draws),
        supported=supported(answers, draws),
        delivered_by=delivered_by(answers, draws),
        sides=sides(subjects),
        parity=parity,
        scores=given,
        delivered=delivered(answers, draws),
        judged_quality=judged_quality(answers, scales, draws),
        judged_preference=judged_preference(grouped, draws),
        unjudged=sum(not of.pair.adherence for of in pairs.values()),
        replicates=replicates,
        seed=seed,
    )
