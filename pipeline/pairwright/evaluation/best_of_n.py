"""What a policy's answers gain when a scorer picks the best of them.

N answers to each question are the draws 0 to N - 1 of the policy. All N are judged by the aspects,
because each is the best of some subset, and what a scorer picks is worth what the judge says of it.
The first k of N are the draws 0 to k - 1, so a run with a larger N goes on with the draws of a
smaller one. A scorer is shown the same posts for all samples of a question; where it gives several
its best score, each of them is picked equally often.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from pairwright.errors import CallFailed
from pairwright.estimate import Estimate
from pairwright.evaluation.content import ask_fitting
from pairwright.evaluation.outputs import AspectJudge, PersonQuestion, mean_adherence
from pairwright.evaluation.release import ReleaseRef
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
    failed_call,
    reasons,
)
from pairwright.intervals import Floats, cluster_numbers, mean, with_width
from pairwright.models import Model, together
from pairwright.models.run import work_in_order
from pairwright.pages import Page, render_page
from pairwright.pages.plots import FAINT, WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.records import FULL_ADHERENCE, Record, Rejected
from pairwright.retrieve import selected
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history
from pairwright.text import language_of, visible


class PolicySample(Record):
    """One answer of the policy."""

    response: str
    adherence: float | None = None
    """What the judge says of it, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    detail: str = ""


class SampledQuestion(Record):
    """A question with its samples, in the order of the draws."""

    pair: str
    item_id: str
    domain: str
    cluster: str
    """The user whose question it is."""
    posts: int = 0
    """Posts that the policy was shown."""
    samples: tuple[PolicySample, ...] = ()
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""


class SampleScores(Record):
    """What a scorer says of one question's samples."""

    pair: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    posts: int = 0
    """Posts that the scorer was shown, the same for all samples."""
    left_out: int = 0
    unscored: str = ""
    detail: str = ""


class Point(Record):
    """The mean adherence of what was picked from k samples, over questions."""

    k: int
    first: Estimate
    """The mean over the first k."""
    subsets: Estimate
    """The mean over all subsets of k of the N."""
    gain: Estimate
    """The same less the mean of the question's samples."""


class ScorerCurve(Record):
    """One scorer, at every k."""

    scorer: ScorerRef
    questions: int
    """Questions that count."""
    unscored: dict[str, int]
    """Questions that do not count, by reason."""
    shortened: int
    """Questions whose history did not fit whole."""
    points: tuple[Point, ...]

    @property
    def mean(self) -> float:
        """The mean adherence without a pick."""
        first = self.points[0]
        return (first.subsets.value or 0.0) - (first.gain.value or 0.0)


class BestOfN(Record):
    """The whole result of best-of-n."""

    release: ReleaseRef
    limit: int | None
    n: int
    policy: ScorerRef
    judge: ScorerRef
    history: str = ""
    """Hash of the rules by which posts were shown to scorers; empty for all that fit."""
    simulated: bool
    """Whether a simulated model had a part in it: then it is not a result."""
    questions: int
    """Questions that were asked."""
    sampled: int
    """Questions with all N samples and a judgement of each."""
    unscored: dict[str, int]
    """Questions without, by reason."""
    ceiling: ScorerCurve | None
    """What a scorer would reach that is the judge itself; None where nothing was sampled."""
    curves: tuple[ScorerCurve, ...]

    @property
    def lines(self) -> tuple[ScorerCurve, ...]:
        """The curves, the ceiling last."""
        return (*self.curves, *([self.ceiling] if self.ceiling else []))

    @property
    def best(self) -> ScorerCurve | None:
        """The curve that ends highest; None where no scorer has one."""
        ended = [curve for curve in self.curves if curve.points]
        return max(ended, key=lambda curve: curve.points[-1].subsets.value or 0.0, default=None)


def of_first(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those among the first k that have the highest score. Both of shape (N,),
    in the order of the draws; raises ValueError where k is not from 1 to N."""
    _check(len(scores), k)
    first = scores[:k]
    return float(worth[:k][first == first.max()].mean())


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean of that over all subsets of k of the N samples, each as likely: an unbiased estimate
    of best-of-k that uses every sample. Raises ValueError as `of_first`.

    Without ties the sample of rank r (1 is the lowest) is the best of C(r - 1, k - 1) of the C(N,
    k) subsets: the others are among the r - 1 below. The best of a subset is among m samples that
    tie above a lower ones where it is one of the C(a + m, k) subsets of these a + m, and not one of
    the C(a, k) of the lower ones; of that each of the m has an equal share, for the subsets are the
    same whichever of them change places. With m = 1 that is the first formula, by Pascal's rule.
    """
    return float(weights(scores, k) @ worth)


def weights(scores: Floats, k: int) -> Floats:
    """How often each of the N samples is picked from a random subset of k: shape (N,), sum 1."""
    _check(len(scores), k)
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    subsets = comb(len(scores), k)
    ends = np.cumsum(sizes)
    shares = [
        (comb(int(end), k) - comb(int(end - size), k)) / subsets / int(size)
        for end, size in zip(ends, sizes, strict=True)
    ]
    by_sample: Floats = np.array(shares, np.float64)[group]
    return by_sample


def powers(n: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to n, and n itself."""
    below = [2**power for power in range(n.bit_length())]
    return tuple(dict.fromkeys([*below, n]))


def _check(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, and there are {n} samples")


CEILING = "the judge itself"


def curve(
    ref: ScorerRef,
    samples: Sequence[SampledQuestion],
    scored: Sequence[SampleScores],
    ks: Sequence[int],
) -> ScorerCurve:
    """One scorer's curve over the questions that have all samples and all of its scores."""
    by_pair = {question.pair: question for question in samples}
    counted = [one for one in scored if not one.unscored]
    questions = [by_pair[one.pair] for one in counted]
    return ScorerCurve(
        scorer=ref,
        questions=len(counted),
        unscored=reasons(scored),
        shortened=sum(one.left_out > 0 for one in scored),
        points=_points([np.array(one.scores, np.float64) for one in counted], questions, ks),
    )


def ceiling(samples: Sequence[SampledQuestion], ks: Sequence[int]) -> ScorerCurve | None:
    """What the judge's own pick is worth: no scorer can do better on these samples."""
    whole = [question for question in samples if not question.unscored]
    if not whole:
        return None
    return ScorerCurve(
        scorer=ScorerRef(name=CEILING, kind="ceiling"),
        questions=len(whole),
        unscored={},
        shortened=0,
        points=_points([_worth(question) for question in whole], whole, ks),
    )


def _points(
    scores: Sequence[Floats], questions: Sequence[SampledQuestion], ks: Sequence[int]
) -> tuple[Point, ...]:
    if not questions:
        return ()
    worth = [_worth(question) for question in questions]
    clusters = [question.cluster for question in questions]

    at_random = np.array([own.mean() for own in worth])

    def point(k: int) -> Point:
        first, subsets = (
            np.array([pick(*one, k) for one in zip(scores, worth, strict=True)], np.float64)
            for pick in (of_first, of_subsets)
        )
        gain = mean(subsets - at_random, cluster_numbers(clusters), least=-1, most=1)
        return Point(
            k=k,
            first=mean_adherence(first, clusters),
            subsets=mean_adherence(subsets, clusters),
            # A gain of 0 in every question is certain: a scorer that never picks gains nothing.
            gain=with_width(gain) if gain.value else gain,
        )

    return tuple(map(point, ks))


def _worth(question: SampledQuestion) -> Floats:
    return np.array([sample.adherence for sample in question.samples], np.float64)


MOST = 1000
"""Draws beyond these are those of replies that were empty."""


class SampledPolicy(NamedTuple):
    """The model whose answers are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(self, question: PersonQuestion, draw: int) -> tuple[str | Rejected, int]:
        """One answer, and how many posts it was shown. Raises CallFailed."""
        posts = (post.text for post in question.posts)
        language = language_of(question.question, *posts)
        answer, shown = await with_history(
            self.prompts,
            "sample",
            question.question,
            question.posts,
            self.history,
            self.model,
            lambda ask: self.model.write(ask, draw),
            words=self.words,
            **in_language(language, (self.words,)),
        )
        return answer, len(shown.posts)


async def sample_questions(
    questions: Sequence[PersonQuestion],
    n: int,
    policy: SampledPolicy,
    judge: AspectJudge,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[SampledQuestion], None],
) -> list[SampledQuestion]:
    """Every question with its samples, in order. `on_each` is called with each as it comes.

    Raises Interrupted, EndpointRefused and StoreError: what was drawn and judged is stored.
    """

    async def sampled(question: PersonQuestion) -> SampledQuestion:
        return await _sampled_question(question, n, policy, judge)

    return await work_in_order(questions, sampled, workers=workers, stop=stop, on_each=on_each)


async def _sampled_question(
    question: PersonQuestion, n: int, policy: SampledPolicy, judge: AspectJudge
) -> SampledQuestion:
    line = SampledQuestion(
        pair=question.pair, item_id=question.item, domain=question.domain, cluster=question.cluster
    )

    def without(why: Unscored) -> SampledQuestion:
        return line.model_copy(update=why.fields)

    if not question.aspects:
        return without(Unscored("no_rubric"))
    try:
        drawn = await together(*(policy.draw(question, draw) for draw in range(n)))
    except CallFailed as error:
        return without(failed_call(error))
    responses = []
    for draw, (answer, _) in enumerate(drawn):
        if isinstance(answer, Rejected):
            return without(Unscored(f"sample_{answer.reason}", f"draw {draw}: {answer.detail}"))
        responses.append(answer)
    judged = await together(*(judge.judge(question, response) for response in responses))
    samples = tuple(
        PolicySample(response=response, **score.fields)
        if isinstance(score, Unscored)
        else PolicySample(response=response, adherence=round(score.share, 6))
        for response, (score, _) in zip(responses, judged, strict=True)
    )
    line = line.model_copy(update={"samples": samples, "posts": min(posts for _, posts in drawn)})
    for draw, sample in enumerate(samples):
        if sample.unscored:
            return without(Unscored(sample.unscored, f"draw {draw}: {sample.detail}"))
    return line


async def score_samples(
    samples: Sequence[SampledQuestion],
    questions: Mapping[str, PersonQuestion],
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
    *,
    workers: int,
    stop: Callable[[], None],
    on_each: Callable[[SampleScores], None],
) -> list[SampleScores]:
    """The scores of the questions that have all samples, in their order; `questions` is by the
    pair's id.

    Raises Interrupted, EndpointRefused and StoreError: what was scored is stored.
    """

    async def scored(sampled: SampledQuestion) -> SampleScores:
        question = questions[sampled.pair]
        line = SampleScores(pair=sampled.pair, scorer=name)
        shown = PromptContent(
            question.question, selected(question.question, question.posts, history)
        )
        responses = [sample.response for sample in sampled.samples]
        try:
            scores, fewer = await scores_of(responses, shown, scorer, history)
        except CallFailed as error:
            return line.model_copy(update=failed_call(error).fields)
        left_out = len(shown.posts) - len(fewer.posts)
        line = line.model_copy(update={"posts": len(fewer.posts), "left_out": left_out})
        found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
        return line.model_copy(update=found)

    whole = [question for question in samples if not question.unscored]
    return await work_in_order(whole, scored, workers=workers, stop=stop, on_each=on_each)


async def scores_of(
    responses: Sequence[str], shown: PromptContent, scorer: Pointwise, history: HistoryRules
) -> tuple[tuple[float, ...] | Unscored, PromptContent]:
    """The scores of all responses, shown the same posts, and what was shown. Raises CallFailed."""

    async def ask(shown: PromptContent) -> tuple[float, ...] | Unscored:
        scores = await together(*(scorer.score(shown, response) for response in responses))
        for draw, score in enumerate(scores):
            if isinstance(score, Unscored):
                return score._replace(detail=f"draw {draw}: {score.detail}")
            if not math.isfinite(score.value):
                return Unscored("not_a_number", f"draw {draw}: {score.value}")
        return tuple(score.value for score in scores if isinstance(score, ResponseScore))

    return await ask_fitting(shown, history, ask)


def best_of_n_page(result: BestOfN, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawing."""
    plots = {"scaling": _scaling(result)} if result.best and drawn else {}
    return render_page("best_of_n", plots, result=result, full=FULL_ADHERENCE)


def _scaling(result: BestOfN) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        draw_curves(
            axes,
            [
                Curve(
                    visible(line.scorer.name),
                    [point.k for point in line.points],
                    [point.subsets for point in line.points],
                    dotted=line is result.ceiling,
                )
                for line in result.lines
                if line.points
            ],
        )
        if result.ceiling:
            axes.axhline(result.ceiling.mean, color=FAINT.light, linewidth=0.8, label="at random")
        ticks = [point.k for point in max((line.points for line in result.lines), key=len)]
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
        return plot(figure, caption, name="scaling")
