"""The page of a report, section by section."""

from collections.abc import Iterator, Sequence

from pairwright.estimate import Estimate, p_value
from pairwright.modes import units_in_words
from pairwright.report import Block, Page, Plot, Section, Table
from pairwright.text import number_of
from pairwright_human_eval.agreement import Parity
from pairwright_human_eval.decisions import reason_in_words
from pairwright_human_eval.records import Kind
from pairwright_human_eval.report.aspects import DELIVERS
from pairwright_human_eval.report.calibration import ENOUGH_DYADS
from pairwright_human_eval.report.claims import CONTROLS
from pairwright_human_eval.report.people import _rule_rows
from pairwright_human_eval.report.plots import calibration_curve, draw_plots
from pairwright_human_eval.report.records import (
    ParityOf,
    PoweredShare,
    PreferenceShares,
    Seconds,
    StudyReport,
    VoteCalibrationBin,
)
from pairwright_human_eval.report.words import (
    foil_sentence,
    group_name,
    label_error_sentence,
    outcome_text,
    rule_text,
    seconds_text,
    stranger_sentence,
)


def report_warnings(report: StudyReport) -> Iterator[str]:
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
            "SIMULATED PAIRS: a simulated model wrote them. This shows how the tool works and is"
            " no evidence about any model, judge or benchmark."
        )
    if head.changes:
        changes = (
            f"human.{change.name} was fixed at {change.fixed} and is now {change.in_force}"
            for change in head.changes
        )
        yield f"THE RULE WAS CHANGED AFTER EXPORT: {'; '.join(changes)}."
    if report.foils and not report.foils.aspects_ahead:
        yield foil_sentence(report.foils)
    if head.excluded:
        yield (
            f"EXCLUDED by attention checks: {', '.join(head.excluded)}. Their answers count neither"
            " in decisions nor in estimates, but where it is said."
        )


def study_section(report: StudyReport) -> Iterator[Block]:
    head = report.head
    yield Table(
        ("what", "n"),
        (
            (f"{units_in_words()} in the study, each verified as one", f"{head.subjects:,}"),
            (f"{units_in_words()} in the run", f"{head.of:,}"),
            ("twins in the study", f"{head.twins:,}"),
            ("pairs in the study (each half of a twin is one)", f"{head.pairs:,}"),
            ("annotators", f"{head.annotators:,}"),
            ("people asked about the quality and the aspects of each", f"{head.overlap:,}"),
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
                    count.kind, count.purpose, str(count.round),
                    f"{count.tasks:,}", f"{count.answered:,}",
                    f"{count.tasks - count.answered:,}",
                )
                for count in head.by_sort
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


def rule_section(report: StudyReport) -> Iterator[Block]:
    yield Table(
        ("[human]", "fixed at export", "in force"),
        tuple(_rule_rows(report.fixed, report.policy)),
    )
    yield (
        f"Bootstrap: {report.replicates:,} replicates, seed {report.seed}. Study exported by"
        f" pairwright {report.head.version}."
    )


def decisions_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
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
                group_name(row.group), f"{row.subjects:,}",
                *(_count(row.states[state]) for state in states), row.of_verifiable.counted(),
            )
            for row in report.decisions
        ),
    )  # fmt: skip
    if "states" in drawn:
        yield drawn["states"]
    if report.reasons:
        yield Table(
            ("not verified", "reason", "in words", "twins and pairs"),
            tuple(
                (
                    reason.state,
                    reason.reason,
                    reason_in_words(reason.reason),
                    reason.subjects.counted(),
                )
                for reason in report.reasons
            ),
            left=3,
            note="One may have several reasons in its state.",
        )
    yield label_error_sentence(report)
    yield (
        "What annotators who toss a coin for their preference would have verified under this rule,"
        " if quality and aspects refused nothing. The verified share of those that could be is to"
        " be read against it:"
    )
    yield Table(
        ("mode", "rule", "votes on each pair", "pairs decided as one", "verified by chance"),
        tuple(
            (
                row.mode,
                row.rule,
                str(row.votes),
                str(row.halves),
                f"{100 * row.share:.1f} %",
            )
            for row in report.by_chance
        ),
        left=2,
    )


def _count(proportion: Estimate) -> str:
    return f"{proportion.k:,}: {proportion.percent()}" if proportion.n else "0"


def adjudication_section(report: StudyReport) -> Iterator[Block]:
    found = report.adjudication
    if not found:
        yield "No task of a second round was made."
        return
    yield (
        "What is answered in the second round closes what was disputed, and counts in no estimate"
        f" and in no annotator's row. Of {report.policy.closing_votes:,} preferences for a pair,"
        f" {report.policy.closing_votes - report.policy.closing_misses:,} must be for the chosen"
        f" response. Adjudicators: {found.adjudicators:,}."
    )
    if found.voted_before:
        yield (
            "Answers set aside because their author had answered on the same twin or pair in the"
            f" first round: {found.voted_before:,}. Somebody else has to give them."
        )
    quality = any(counts.for_chosen is None for counts in found.by_kind)
    yield Table(
        (
            "kind", "tasks", "answered", "for the chosen", "not for it",
            "median seconds",
        ),
        tuple(
            (
                counts.kind, f"{counts.tasks:,}", f"{counts.answered:,}",
                _closed(counts.for_chosen), _closed(counts.refused), seconds_text(counts.seconds),
            )
            for counts in found.by_kind
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


def agreement_section(report: StudyReport) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs, whatever was decided. Preference and delivery are compared"
        " on neutral labels (responses in the order of the hash of their text), so that nothing"
        " knows of the chosen side. “Cannot tell” and “cannot judge” are missing values; in the"
        " rows “(with cannot tell)” it is an answer, so that people who cannot tell the same"
        " things agree. Alpha is Krippendorff's, ordinal where answers have an order; kappa is the"
        " mean of Cohen's over all two annotators who share items, weighed by how many; Fleiss'"
        " kappa needs the same number of ratings on every item."
    )
    yield agreement_table(report)
    yield (
        "Intervals are 95 % jackknife intervals by Student's t: they leave out one dyad of users"
        " after the other, and one annotator after the other."
    )


def agreement_table(report: StudyReport) -> Table:
    """One row a question. Why there is no Fleiss' kappa is said below: it is long."""
    rows, reasons = [], list[str]()
    for question in report.agreement:
        found = question.agreement
        alpha = found.alpha_nominal if question.measurement == "nominal" else found.alpha_ordinal
        rows.append(
            (
                question.question,
                f"{found.items:,}",
                f"{found.percent.n:,}",
                f"{found.raters:,}",
                found.percent.percent(),
                alpha.text(2),
                found.cohen_kappa.text(2),
                found.gwet_ac1.text(2),
                _noted(found.fleiss_kappa, reasons),
            )
        )
    numbered = ". ".join(f"({n}) {reason}" for n, reason in enumerate(reasons, start=1))
    return Table(
        (
            "question", "items", "answers", "people", "agreement", "Krippendorff's alpha",
            "Cohen's kappa", "Gwet's AC1", "Fleiss' kappa",
        ),
        tuple(rows),
        note=f"No Fleiss' kappa: {numbered}." if reasons else "",
    )  # fmt: skip


def _noted(estimate: Estimate, reasons: list[str]) -> str:
    """The estimate, or the number of its reason, which is added where it is new."""
    if estimate.value is not None:
        return estimate.text(2)
    if estimate.note not in reasons:
        reasons.append(estimate.note)
    return f"n/a ({reasons.index(estimate.note) + 1})"


def claims_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Preference votes with the pair's own posts, on all sampled twins and pairs before any"
        " decision. The first share leaves out “about equal” and “cannot tell”, so that a coin"
        " gives 50 %; in the second they count against the chosen response. In the counterfactual"
        " half of a twin the question is put for a user who did not ask it."
    )
    groups = [*report.preferred, *([report.with_excluded] if report.with_excluded else [])]
    yield _preferred(groups)
    if "preference" in drawn:
        yield drawn["preference"]
    if report.consensus:
        fit = report.consensus
        unfit = "" if fit.converged else " (THE FIT DID NOT CONVERGE)"
        yield (
            "Consensus by Dawid and Skene's model, fitted to neutral labels: of"
            f" {number_of(fit.pairs, 'pair')} the most probable label is the chosen response in"
            f" {fit.chosen:,}, the other one in {fit.other:,} and “about equal” in {fit.equal:,}."
            f" Share for the chosen response: {fit.share.percent()}, n = {fit.share.n:,}{unfit}."
            " The interval draws dyads and keeps the fit."
        )
    for control in report.contrasted:
        name = CONTROLS[control.control]
        yield (
            f"Controls: {number_of(control.pairs, 'pair')} shown with their own posts to some"
            f" annotators and with {name} to others. Own posts less {name}, in percentage points"
            f" of the votes for the chosen response: {control.difference.percent(sign=True)} of the"
            f" votes for either response (n = {control.difference.n:,});"
            f" {control.difference_of_all.percent(sign=True)} of all votes"
            f" (n = {control.difference_of_all.n:,})."
            f" {stranger_sentence(control)}"
        )
        renamed = control.control_votes.model_copy(update={"group": name})
        yield _preferred([control.own, renamed])
    if "contrasted" in drawn:
        yield drawn["contrasted"]


def _preferred(groups: list[PreferenceShares]) -> Table:
    return Table(
        (
            "group", "votes", "chosen", "other", "equal", "cannot tell", "chosen, of choices",
            "chosen, of all votes",
        ),
        tuple(
            (
                group_name(group.group), f"{group.of_all.n:,}", f"{group.chosen:,}",
                f"{group.other:,}", f"{group.equal:,}", f"{group.cannot_tell:,}",
                group.of_choices.percent(), group.of_all.percent(),
            )
            for group in groups
        ),
    )  # fmt: skip


def aspects_section(report: StudyReport) -> Iterator[Block]:
    yield (
        "On all sampled twins and pairs that were asked about aspects, before any decision. Do the"
        " user's posts carry an aspect? Shares of the answers, with 95 % intervals that draw dyads"
        " and annotators; and the share of aspects that more than half of their answers call"
        " clearly or plausibly there, with an interval that draws dyads."
    )
    if report.foils:
        yield foil_sentence(report.foils)
    answers = list(report.supported[0].answers)
    yield Table(
        ("group", "answers", *answers, "aspects", "clearly or plausibly there, by most"),
        tuple(
            (
                row.group, f"{row.answers['clearly'].n:,}",
                *(row.answers[answer].percent() for answer in answers), f"{row.there.n:,}",
                row.there.percent(),
            )
            for row in report.supported
        ),
    )  # fmt: skip
    yield (
        "Which response delivers the aspect? An aspect goes by what more than half of its answers"
        " say, “cannot tell” left out. Shares are of the aspects that have such a majority, with"
        " 95 % intervals that draw dyads."
    )
    yield Table(
        (
            "group", "n", "no majority", "only the chosen", "only the other", "both",
            "neither",
        ),
        tuple(
            (
                row.group, f"{row.chosen.n:,}", f"{row.undecided:,}", row.chosen.percent(),
                row.other.percent(), row.both.percent(), row.neither.percent(),
            )
            for row in report.delivered_by
        ),
        note="n counts the aspects with a majority.",
    )  # fmt: skip


def quality_section(report: StudyReport, drawn: dict[str, Plot]) -> Iterator[Block]:
    yield (
        "Both responses were scored by the same people, without any posts. Two one-sided t tests at"
        f" 0.05 ask whether the mean difference lies within {report.fixed.parity_margin:g} points,"
        " the margin fixed at export: then the 90 % interval lies within it. Standard errors are"
        " robust to clusters of dyads and of annotators."
    )
    for side in report.sides:
        yield f"Mode {side.mode}: the {side.first} less the {side.second}."
        yield Table(
            (
                "scale", "n", "dyads", "people", "mean difference (90 %)", "p", "equal quality?",
                "a point or more apart",
            ),
            tuple(_parity_row(row) for row in report.parity if row.mode == side.mode),
        )  # fmt: skip
    if "quality" in drawn:
        yield drawn["quality"]


def _parity_row(row: ParityOf) -> tuple[str, ...]:
    test = row.parity
    counts = (
        row.scale,
        f"{test.pairs:,}",
        f"{test.clusters:,}",
        f"{test.annotators:,}",
    )
    apart = str(test.apart) if test.apart.n else "n/a (0 of 0)"
    if test.mean is None:
        return (*counts, *[f"n/a ({test.reason})"] * 3, apart)
    if test.low is None or test.high is None or test.p_above is None or test.p_below is None:
        why = f"n/a ({test.reason})"
        return (*counts, f"{test.mean:+.2f}", why, why, apart)
    return (
        *counts,
        f"{test.mean:+.2f} ({test.low:+.2f} to {test.high:+.2f})",
        p_value(max(test.p_above, test.p_below)),
        _equal(test, test.low, test.high),
        apart,
    )


def _equal(test: Parity, low: float, high: float) -> str:
    if test.equivalent:
        return "yes"
    return "NO" if low > test.margin or high < -test.margin else "not shown"


def judge_section(report: StudyReport) -> Iterator[Block]:
    yield (
        "How far the automatic judge says what people say. People are taken by their majority or"
        " their mean; 95 % intervals draw dyads. The pairs are those that passed the judge's gates,"
        " so its range here is narrow: correlations are lower than on all drafts."
    )
    if report.unjudged:
        unjudged = number_of(report.unjudged, "pair has", "pairs have")
        yield f"{unjudged} no scores of a judge: left out."
    yield (
        "Does a response deliver an aspect? The judge says so from an adherence score of"
        f" {DELIVERS} on."
    )
    yield Table(
        (
            "responses", "n", "no majority", "both yes", "only judge", "only people", "both no",
            "agreement", "Cohen's kappa",
        ),
        tuple(
            (
                row.responses, f"{row.n:,}", f"{row.undecided:,}", f"{row.both_yes:,}",
                f"{row.only_judge:,}", f"{row.only_people:,}", f"{row.both_no:,}",
                row.agree.percent(), row.kappa.text(2),
            )
            for row in report.delivered
        ),
        note="n counts aspect and response.",
    )  # fmt: skip
    yield "Scores of quality, against the mean of people's scores of the same response:"
    yield Table(
        (
            "scale", "n", "judge's mean", "people's mean", "judge less people",
            "at most half a point apart", "at most one point apart", "Spearman's correlation",
        ),
        tuple(
            (
                row.scale, f"{row.difference.n:,}", row.judge.text(2), row.people.text(2),
                row.difference.text(2, sign=True), row.near.percent(), row.within_one.percent(),
                row.spearman.text(2),
            )
            for row in report.judged_quality
        ),
    )  # fmt: skip
    yield (
        "Which response is this user's? The judge's say is the chosen one; people's is the response"
        " that has more than half of a pair's votes, “cannot tell” left out."
    )
    yield Table(
        (
            "group", "pairs", "for the chosen", "for the other", "for neither",
            "people choose as the judge",
        ),
        tuple(
            (
                group_name(row.group), f"{row.pairs:,}", f"{row.for_chosen:,}",
                f"{row.for_other:,}", f"{row.no_choice:,}",
                f"{row.agree.percent()}, n = {row.agree.n:,}",
            )
            for row in report.judged_preference
        ),
    )  # fmt: skip


def calibration_blocks(
    bins: Sequence[VoteCalibrationBin], shares: Sequence[PoweredShare]
) -> Iterator[Block]:
    """The curve, and the shares that people would verify of the whole run."""
    if bins:
        yield (
            "Does the judge's margin say how people vote? The margin is the adherence of the chosen"
            " response less that of the rejected one, each as a share of the most possible."
        )
        yield Table(
            ("judge's margin", "pairs", "votes", "for the chosen, of all votes"),
            tuple(
                (
                    f"{one.least:.2f} to {one.most:.2f}", f"{one.pairs:,}", f"{one.chosen.n:,}",
                    _percent(one.chosen.value, one.chosen.low, one.chosen.high),
                )
                for one in bins
            ),
        )  # fmt: skip
        yield calibration_curve(bins)
    if shares:
        yield (
            "What share of the whole run would people verify? Of those that people decided on, and"
            " with the judge's margins of those that were not sampled (prediction-powered, with"
            " power tuning). The second holds however wrong the judge is, because people were asked"
            " about a random sample; a weight of 0 says that its margins tell nothing. There is no"
            f" interval for fewer than {ENOUGH_DYADS} dyads that people decided on."
        )
        if waiting := sum(share.waiting for share in shares):
            yield (
                f"NOT ALL ARE DECIDED: {waiting:,} of the sampled still wait for answers and are"
                " left out. Those decided so far are no random sample, because a refusal needs"
                " fewer answers than a verification: both shares may be too low."
            )
        yield Table(
            (
                "mode", "decided", "waiting", "verified by people", "not sampled",
                "prediction-powered",
                "weight",
            ),
            tuple(
                (
                    share.mode, f"{share.people.n:,}", f"{share.waiting:,}",
                    _percent(share.people.value, share.people.low, share.people.high),
                    f"{share.judged:,}", _percent(share.value, share.low, share.high),
                    f"{share.tuning:.2f}",
                )
                for share in shares
            ),
        )  # fmt: skip


def _percent(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "n/a"
    if low is None or high is None:
        return f"{100 * value:.0f} % (no interval)"
    return f"{100 * value:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


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
                row.annotator, row.first.counted(), row.with_majority.counted(),
                row.attention.counted(),
                "n/a" if row.nonreader is None else f"{100 * row.nonreader:.1f}",
                row.retest.counted(),
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


def looks_section(report: StudyReport) -> Iterator[Block]:
    """The looks, with the rule; nothing more where nobody has looked."""
    found = report.looks
    if found is None or not found.looks:
        yield "No vote is in: nobody has looked at the answers."
        return
    yield rule_text(found)
    yield Table(
        (
            "look", "votes in", "of all", "for the chosen, of all", "n", "dyads",
            "standard errors", "to the floor",
        ),
        tuple(
            (
                str(n), f"{look.votes:,}", f"{100 * look.information:.0f} %",
                f"{100 * look.share:.0f} %",
                f"{look.n:,}", f"{look.dyads:,}", f"{look.bound:.2f}", outcome_text(look),
            )
            for n, look in enumerate(found.looks, start=1)
        ),
        left=1,
        note=(
            "A share is above or below the floor if it is so many standard errors away: then all"
            " looks together are right in 95 % of studies (spending function of Lan and DeMets, of"
            " the kind of O'Brien and Fleming). Votes of excluded annotators are in, and do not"
            " count. The interval of the share is with the claims, as that of a single look."
        ),
    )  # fmt: skip


def page_of(report: StudyReport) -> Page:
    """All sections, with their plots."""
    drawn = draw_plots(report)
    return Page(
        title="Human verification",
        warnings=tuple(report_warnings(report)),
        sections=(
            Section("The study", tuple(study_section(report))),
            Section("Decisions", tuple(decisions_section(report, drawn))),
            Section("Adjudication", tuple(adjudication_section(report))),
            Section("Agreement", tuple(agreement_section(report))),
            Section("Claims", tuple(claims_section(report, drawn))),
            Section("Claims on aspects", tuple(aspects_section(report))),
            Section("Parity of quality", tuple(quality_section(report, drawn))),
            Section(
                "The judge against people",
                (*judge_section(report), *calibration_blocks(report.calibration, report.powered)),
            ),
            Section("Annotators", tuple(annotators_section(report, drawn))),
            Section("Comments", tuple(comments_section(report))),
            Section("Looks", tuple(looks_section(report))),
            Section("The rule", tuple(rule_section(report))),
        ),
    )
