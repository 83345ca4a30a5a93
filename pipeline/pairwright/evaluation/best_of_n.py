"""What a policy's answers gain when a scorer picks the best of them: `downstream best-of-n`.

All N answers to a question are judged by the aspects, because each is the best of some subset, and
what a scorer picks is worth what the judge says of it. The first k of N are the draws 0 to k - 1.
If a scorer gives several samples its best score, each of them is picked equally often.
"""

from collections.abc import Iterable, Sequence
from math import comb
from typing import Annotated

import numpy as np
from matplotlib.figure import Figure
from typer import Option

from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.outputs import (
    AspectJudge,
    PersonQuestion,
    PersonQuestions,
    SampledPolicy,
    SampleScores,
    mean_adherence,
    score_samples,
)
from pairwright.evaluation.scorers.scorer import Pointwise, ScorerRef, Unscored, reasons
from pairwright.evaluation.session import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)
from pairwright.models import together
from pairwright.notebook import run_async
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.pages import Page, render_page
from pairwright.pages.output import output_folder, write_page
from pairwright.pages.plots import FAINT, WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import FULL_ADHERENCE, Record
from pairwright.settings.prompt import in_language
from pairwright.stats import Estimate, Floats, cluster_numbers, mean
from pairwright.text import language_of, visible

CEILING = "the judge itself"


class SampledQuestion(Record):
    """A line of samples.jsonl: a question with its samples, in the order of the draws."""

    pair: str
    posts: int = 0
    """Posts that the policy was shown."""
    responses: tuple[str, ...] = ()
    adherence: tuple[float | None, ...] = ()
    """The judge's scores, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""

    @property
    def worth(self) -> Floats:
        """The judge's scores of a question that counts."""
        return np.array(self.adherence, np.float64)


async def sample_question(
    question: PersonQuestion, n: int, policy: SampledPolicy, judge: AspectJudge
) -> SampledQuestion:
    """Draw a question's samples, and have them judged."""
    if not question.aspects:
        return SampledQuestion(pair=question.pair, unscored="no_rubric")
    language = language_of(question.question, *(post.text for post in question.posts))
    values = in_language(language, (policy.words,))
    drawn = await policy.draw(n, "sample", question.question, question.posts, **values)
    if isinstance(drawn, Unscored):
        missing = Unscored(f"sample_{drawn.reason}", drawn.detail)
        return SampledQuestion(pair=question.pair, **missing.fields)
    responses, posts = drawn
    judged = await together(*(judge.judge(question, response) for response in responses))
    why = [one for one, _ in judged if isinstance(one, Unscored)]
    found = [None if isinstance(one, Unscored) else round(one.share, 6) for one, _ in judged]
    return SampledQuestion(
        pair=question.pair,
        posts=posts,
        responses=responses,
        adherence=tuple(found),
        unscored=why[0].reason if why else "",
        detail=why[0].detail[:500] if why else "",
    )


class Point(Record):
    """The mean adherence of what was picked from k samples, over questions."""

    k: int
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
    at_random: float
    """The mean adherence without a pick."""
    points: tuple[Point, ...]


class BestOfN(Record):
    """The whole result of best-of-n."""

    benchmark: BenchmarkRef
    n: int
    policy: ScorerRef
    judge: ScorerRef
    questions: int
    """Questions that were asked."""
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


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of those with the highest score, over all subsets of k of the N samples, each
    as likely: an unbiased estimate of best-of-k that uses every sample. Both of shape (N,); raises
    ValueError where k is not from 1 to N.

    Without ties the sample of rank r (1 is the lowest) is the best of C(r - 1, k - 1) of the C(N,
    k) subsets: the others are among the r - 1 below. The best of a subset is among m samples that
    tie above a lower ones where it is one of the C(a + m, k) subsets of these a + m, and not one of
    the C(a, k) of the lower ones; of that each of the m has an equal share, for the subsets are the
    same whichever of them change places. With m = 1 that is the first formula, by Pascal's rule.
    """
    if not 1 <= k <= len(scores):
        raise ValueError(f"k is {k}, and there are {len(scores)} samples")
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    subsets = comb(len(scores), k)
    shares = [
        (comb(int(end), k) - comb(int(end - size), k)) / subsets / int(size)
        for end, size in zip(np.cumsum(sizes), sizes, strict=True)
    ]
    return float(np.array(shares, np.float64)[group] @ worth)


def powers(n: int) -> tuple[int, ...]:
    """1, 2, 4, ... up to n, and n itself."""
    below = [2**power for power in range(n.bit_length())]
    return tuple(dict.fromkeys([*below, n]))


def curve(
    ref: ScorerRef,
    samples: Iterable[tuple[SampledQuestion, str]],
    scored: Sequence[SampleScores],
    ks: Sequence[int],
) -> ScorerCurve:
    """One scorer's curve over the questions that have all samples and all of its scores; each of
    the `samples` has its cluster beside it."""
    by_pair = {one.pair: (one.worth, cluster) for one, cluster in samples if not one.unscored}
    counted = [one for one in scored if not one.unscored]
    scores = [np.array(one.scores, np.float64) for one in counted]
    worth = [by_pair[one.question][0] for one in counted]
    clusters = [by_pair[one.question][1] for one in counted]
    at_random = np.array([own.mean() for own in worth])

    def point(k: int) -> Point:
        picked = [of_subsets(*one, k) for one in zip(scores, worth, strict=True)]
        subsets = np.array(picked, np.float64)
        gain = mean(subsets - at_random, cluster_numbers(clusters), least=-1, most=1)
        return Point(k=k, subsets=mean_adherence(subsets, clusters), gain=gain)

    return ScorerCurve(
        scorer=ref,
        questions=len(counted),
        unscored=reasons(one.unscored for one in scored),
        at_random=float(at_random.mean()) if counted else 0.0,
        points=tuple(map(point, ks)) if counted else (),
    )


def best_of_n_page(result: BestOfN, *, drawn: bool = True) -> Page:
    """The whole report; a terminal does without the drawing."""
    plots = {"scaling": _scaling(result)} if result.best and drawn else {}
    return render_page("best_of_n", plots, result=result, full=FULL_ADHERENCE)


def _scaling(result: BestOfN) -> Plot:
    with drawing():
        figure = Figure(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        curves = [
            Curve(
                visible(line.scorer.name),
                [point.k for point in line.points],
                [point.subsets for point in line.points],
                dotted=line is result.ceiling,
            )
            for line in result.lines
            if line.points
        ]
        draw_curves(axes, curves)
        if result.ceiling:
            axes.axhline(
                result.ceiling.at_random, color=FAINT.light, linewidth=0.8, label="at random"
            )
        ticks = [point.k for point in max((line.points for line in result.lines), key=len)]
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
        return plot(figure, caption, name="scaling")


def best_of_n(
    release: ReleasePath,
    scorers: ScorersFile,
    out: OutPath,
    names: Annotated[
        Iterable[str], Option("--scorer", help="A scorer; repeatable.", metavar="NAME")
    ],
    *,
    n: Annotated[int, Option("-n", help="Samples a question.", metavar="N", min=1, max=1000)] = 16,
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> BestOfN:
    """Sample N answers a question from a policy and let scorers pick the best of k.

    The policy and the scorers are shown the user's posts; the judge reads the aspects that its user
    expects, and never a profile. Every sample is judged. Calls are stored as they come: running the
    same command again goes on, and a larger -n goes on with the samples there are. Writes
    best_of_n.json, .md and .html, samples.jsonl and scores.jsonl. Exit code 1: fewer questions
    count than 95 %.

    Examples::

        pairwright downstream best-of-n 1.0.0 --scorers scorers.toml --scorer skywork --out best
        pairwright downstream best-of-n 1.0.0 --scorers scorers.toml --scorer rm --out best -n 64
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    benchmark = Benchmark.built(release, split)
    with open_session(settings, prompts, folder, progress, stop) as session:
        asked = tuple(dict.fromkeys(names))
        summary, samples, scores = run_async(_run(session, benchmark, asked, n, limit))
    lines: dict[str, Sequence[Record]] = {"samples.jsonl": samples, "scores.jsonl": scores}
    write_page(folder, "best_of_n", best_of_n_page(summary), summary, lines)
    return summary


async def _run(
    session: ScorerSession, benchmark: Benchmark, names: tuple[str, ...], n: int, limit: int | None
) -> tuple[BestOfN, list[SampledQuestion], list[SampleScores]]:
    """Sample, judge and score: the result, and the lines behind it."""
    spec = policy_of(session.settings, n)
    questions = PersonQuestions(benchmark.rows()).own[:limit]
    by_pair = {question.pair: question for question in questions}
    await session.check_pointwise(names)
    async with session.role("judge") as judge, session.role("policy") as policy:

        def end() -> None:
            policy.stop()
            judge.stop()

        sampled = SampledPolicy(policy.model, session.prompts, spec.history, spec.words)
        asked = AspectJudge(judge.model, session.prompts)
        samples = await session.calls.each(
            "questions sampled and judged",
            questions,
            lambda question: sample_question(question, n, sampled, asked),
            workers=max(1, policy.workers // n),
            stop=end,
        )
    history = session.settings.history.rules(benchmark.study_posts)

    async def score(one: SampledQuestion, name: str, scorer: Pointwise) -> SampleScores:
        of = by_pair[one.pair]
        return await score_samples(
            one.pair, one.responses, of.question, of.posts, name, scorer, history
        )

    whole = [one for one in samples if not one.unscored]
    clustered = [(one, by_pair[one.pair].cluster) for one in samples]
    scores: list[SampleScores] = []
    curves: list[ScorerCurve] = []
    for name in names:
        ref, lines = await session.score(name, whole, score, responses=n)
        scores += lines
        curves.append(curve(ref, clustered, lines, powers(n)))
    itself = ScorerRef(name=CEILING, kind="ceiling")
    own = [SampleScores(question=of.pair, scorer=CEILING, scores=tuple(of.worth)) for of in whole]
    summary = BestOfN(
        benchmark=benchmark.ref,
        n=n,
        policy=policy.ref,
        judge=judge.ref,
        questions=len(questions),
        unscored=reasons(one.unscored for one in samples),
        ceiling=curve(itself, clustered, own, powers(n)) if own else None,
        curves=tuple(curves),
    )
    return summary, samples, scores
