"""What a policy's answers gain when a scorer picks the best of them: `downstream best-of-n`.

All N answers to a question are judged by the aspects, because each is the best of some subset, and
what a scorer picks is worth what the judge says of it. The first k of N are the draws 0 to k - 1.
If a scorer gives several samples its best score, each of them is picked equally often.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import comb
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing
from typer import Option

from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.downstream import (
    Downstream,
    Figure,
    difference,
    figures_of,
    mean_share,
    part_of,
)
from pairwright.evaluation.outputs import AspectJudge, PersonQuestion, PersonQuestions
from pairwright.evaluation.sampling import SampledPolicy, Samples, SampleScores, scores_by
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored
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
from pairwright.pages.output import output_folder
from pairwright.pages.plots import WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import FULL_ADHERENCE, Record
from pairwright.settings.prompt import in_language
from pairwright.stats import Floats
from pairwright.text import language_of, visible

CEILING = "the judge itself"


class SampledQuestion(Record):
    """A line of samples.jsonl: a question with its samples, in the order of the draws."""

    pair: str
    responses: tuple[str, ...] = ()
    adherence: tuple[float | None, ...] = ()
    """The judge's scores, 0 to 1; None where it has no verdict."""
    unscored: str = ""
    """Why it does not count: a sample or a judgement is missing. Empty where it counts."""
    detail: str = ""


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
    responses, _ = drawn
    judged = await together(*(judge.judge(question, response) for response in responses))
    why = [one for one, _ in judged if isinstance(one, Unscored)]
    found = [None if isinstance(one, Unscored) else round(one.share, 6) for one, _ in judged]
    return SampledQuestion(
        pair=question.pair,
        responses=responses,
        adherence=tuple(found),
        **(why[0].fields if why else {}),
    )


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


def picks(
    samples: Iterable[SampledQuestion],
    scored: Iterable[SampleScores],
    clusters: Mapping[str, str],
    n: int,
) -> pd.DataFrame:
    """A line for each question, scorer and k = 1, 2, 4, ... n: the `adherence` of the scorer's
    pick, and its `gain` over the question's mean; of questions that have all samples and scores.
    Last come those of the judge itself, the most that these samples allow."""
    worth = {one.pair: np.array(one.adherence, float) for one in samples if not one.unscored}
    given = [(one.scorer, one.question, one.scores) for one in scored if not one.unscored]
    given += [(CEILING, pair, tuple(own)) for pair, own in worth.items()]
    ks = dict.fromkeys([*(2**power for power in range(n.bit_length())), n])
    lines = []
    for scorer, pair, scores in given:
        own = worth[pair]
        for k in ks:
            best = of_subsets(np.array(scores, float), own, k)
            lines.append((scorer, k, best, best - own.mean(), clusters[pair]))
    return pd.DataFrame(lines, columns=["scorer", "k", "adherence", "gain", "cluster"])


def result_of(
    frame: pd.DataFrame,
    samples: Sequence[SampledQuestion],
    scored: Sequence[SampleScores],
    models: Sequence[ScorerRef],
    benchmark: BenchmarkRef,
) -> Downstream:
    """The figures of the picks; `models` are policy, judge and the scorers."""
    policy, judge, *scorers = models
    columns = {"adherence": mean_share, "gain": difference}
    figures = figures_of(frame, ["scorer", "k"], columns)
    most = str(frame.k.max())
    last = [one for one in figures if one.row[1] == most and one.column == "adherence"]
    best = max(last[:-1], key=lambda one: one.value or 0.0, default=None)
    verdict = "There is nothing to compare: no question has all samples and scores."
    if best:
        verdict = (
            f"{best.row[0]} gains most: of {most} samples it picks one that serves"
            f" {best.percent()} of what the user expects (n = {best.n:,} questions of"
            f" {best.clusters:,} users)."
        )
    missing = [one.unscored for one in samples]
    by_scorer = {
        of.name: [*missing, *(one.unscored for one in scored if one.scorer == of.name)]
        for of in scorers
    }
    itself = [of.name for of in scorers if of.model and of.model == judge.model]
    how = (
        "Adherence, 0 to 1, of the sample that the scorer picks among any k, with 95 % intervals"
        " by user; the gain is over a pick at random. The last rows are the judge's own pick, the"
        f" most that these samples allow. Policy: {policy.model}. Judge: {judge.model}, which gives"
        f" each aspect 0 to {FULL_ADHERENCE}."
    )
    return Downstream(
        name="best_of_n",
        title=f"Best of {most}, {benchmark.title}",
        verdict=verdict,
        heads=("scorer", "k"),
        figures=figures,
        models=tuple(models),
        parts=tuple(part_of(name, len(samples), why) for name, why in by_scorer.items()),
        warnings=(
            *filter(None, [benchmark.warning]),
            *(f"{name} is the judge's own model: this is not evidence." for name in itself),
        ),
        notes=(how,),
    )


def scaling(result: Downstream) -> dict[str, Plot]:
    """The plot of the pick's adherence over k."""
    found: dict[str, list[Figure]] = {}
    for one in result.figures:
        if one.column == "adherence":
            found.setdefault(one.row[0], []).append(one)
    if not found:
        return {}
    with drawing():
        figure = Drawing(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        curves = [
            Curve(visible(name), [int(one.row[1]) for one in own], own, dotted=name == CEILING)
            for name, own in found.items()
        ]
        draw_curves(axes, curves)
        axes.set_xscale("log", base=2)
        axes.set_xticks(curves[-1].xs, [str(k) for k in curves[-1].xs])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
        caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
        return {"scaling": plot(figure, caption, name="scaling")}


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
) -> Downstream:
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
    questions = PersonQuestions(benchmark.rows()).own[:limit]
    with open_session(settings, prompts, folder, progress, stop) as session:
        asked = tuple(dict.fromkeys(names))
        models, samples, scored = run_async(_run(session, benchmark, questions, asked, n))
    clusters = {question.pair: question.cluster for question in questions}
    frame = picks(samples, scored, clusters, n)
    found = result_of(frame, samples, scored, models, benchmark.ref)
    lines: dict[str, Sequence[Record]] = {"samples.jsonl": samples, "scores.jsonl": scored}
    found.write(folder, lines, scaling(found))
    return found


async def _run(
    session: ScorerSession,
    benchmark: Benchmark,
    questions: Sequence[PersonQuestion],
    names: tuple[str, ...],
    n: int,
) -> tuple[list[ScorerRef], list[SampledQuestion], list[SampleScores]]:
    """Sample, judge and score: the policy, the judge and the scorers, and what they said."""
    spec = policy_of(session.settings, n)
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
    drawn = [
        Samples(question.pair, question.question, question.posts, one.responses)
        for question, one in zip(questions, samples, strict=True)
        if not one.unscored
    ]
    history = session.settings.history.rules(benchmark.study_posts)
    refs, scored = await scores_by(session, names, drawn, history)
    return [policy.ref, judge.ref, *refs], samples, scored
