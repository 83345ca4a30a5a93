"""What a policy's answers gain when a scorer picks the best of them: `downstream best-of-n`.

All N answers to a question are judged by the aspects, and what a scorer picks is worth what the
judge says of it.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from matplotlib.figure import Figure as Drawing
from typer import Option

from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.downstream import (
    Downstream,
    difference,
    figures_of,
    mean_share,
    part_of,
)
from pairwright.evaluation.outputs import AspectJudge, PersonQuestion, PersonQuestions
from pairwright.evaluation.sampling import (
    Sampled,
    SampleScores,
    SampleTask,
    means_of,
    picks_of,
    sample,
    scores_by,
)
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored
from pairwright.evaluation.session import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.pages.output import output_folder
from pairwright.pages.plots import WIDTH, Curve, Plot, draw_curves, drawing, plot
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import FULL_ADHERENCE
from pairwright.retrieve import selected
from pairwright.settings.prompt import in_language
from pairwright.text import language_of, visible

CEILING = "the judge itself"


def result_of(
    samples: Sequence[Sampled],
    scored: Sequence[SampleScores],
    models: Sequence[ScorerRef],
    n: int,
    benchmark: BenchmarkRef,
) -> Downstream:
    """The adherence of each scorer's pick of any k samples, and its gain over a pick at random;
    last those of the judge itself, the most that these samples allow. `models` are policy, judge
    and the scorers."""
    policy, judge, *scorers = models
    ks = list(dict.fromkeys([*(2**power for power in range(n.bit_length())), n]))
    counted = [one for one in samples if not one.unscored]
    itself = [
        SampleScores.model_validate(
            {"question": one.id, "scorer": CEILING, "scores": one.worth["adherence"]}
        )
        for one in counted
    ]
    frame, most = picks_of(counted, [*scored, *itself], ks), str(n)
    if len(frame):
        random = means_of(counted).set_index("id").adherence
        frame["gain"] = frame.adherence - frame.id.map(random)
        frame = frame[frame.reason == ""]
    figures = figures_of(frame, ["scorer", "k"], {"adherence": mean_share, "gain": difference})
    last = [one for one in figures if one.row[1] == most and one.column == "adherence"]
    best = max(last[:-1], key=lambda one: one.value or 0.0, default=None)
    verdict = "There is nothing to compare: no question has all samples and scores."
    if best:
        verdict = (
            f"{best.row[0]} gains most: of {most} samples it picks one that serves"
            f" {best.percent()} of what the user expects (n = {best.n:,} questions of"
            f" {best.clusters:,} users)."
        )
    why = {of.name: [one.unscored for one in samples] for of in scorers}
    for line in scored:
        why[line.scorer].append(line.unscored)
    own = [of.name for of in scorers if of.model and of.model == judge.model]
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
        parts=tuple(part_of(name, len(samples), missing) for name, missing in why.items()),
        warnings=(
            *filter(None, [benchmark.warning]),
            *(f"{name} is the judge's own model: this is not evidence." for name in own),
        ),
        notes=(how,),
    )


def scaling(result: Downstream) -> dict[str, Plot]:
    """The plot of the pick's adherence over k."""
    shares = [one for one in result.figures if one.column == "adherence"]
    curves = []
    for name in dict.fromkeys(one.row[0] for one in shares):
        own = [one for one in shares if one.row[0] == name]
        ks = [int(one.row[1]) for one in own]
        curves.append(Curve(visible(name), ks, own, dotted=name == CEILING))
    if not curves:
        return {}
    with drawing():
        figure = Drawing(figsize=(WIDTH, 4.8), layout="constrained")
        axes = figure.add_subplot()
        draw_curves(axes, curves)
        axes.set_xscale("log", base=2)
        axes.set_xticks(curves[0].xs, [str(k) for k in curves[0].xs])
        axes.minorticks_off()
        axes.set_xlabel("k, samples that the scorer picks from")
        axes.set_ylabel("adherence of its pick")
        figure.legend(fontsize=8, loc="outside lower left", ncols=2)
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
    found = result_of(samples, scored, models, n, benchmark.ref)
    found.write(folder, {"samples.jsonl": samples, "scores.jsonl": scored}, scaling(found))
    return found


async def _run(
    session: ScorerSession,
    benchmark: Benchmark,
    questions: Sequence[PersonQuestion],
    names: tuple[str, ...],
    n: int,
) -> tuple[list[ScorerRef], list[Sampled], list[SampleScores]]:
    """Sample, judge and score: the policy, the judge and the scorers, and what they said."""
    spec, by_pair = policy_of(session.settings, n), {one.pair: one for one in questions}
    session.check_pointwise(names)
    tasks = []
    for one in questions:
        language = language_of(one.question, *(post.text for post in one.posts))
        shown = {"profile": selected(one.question, one.posts, spec.history)}
        values = in_language(language, (spec.words,))
        tasks.append(SampleTask(one.pair, one.cluster, one.question, one.posts, shown, values))
    async with session.role("judge") as judge, session.role("policy") as policy:
        asked = AspectJudge(judge.model, session.prompts)

        async def worth(task: SampleTask, text: str) -> dict[str, float] | Unscored:
            found, _ = await asked.judge(by_pair[task.id], text)
            return found if isinstance(found, Unscored) else {"adherence": round(found.share, 6)}

        def end() -> None:
            policy.stop()
            judge.stop()

        samples = await sample(session, policy, tasks, "sample", n, worth, end)
    history = session.settings.history.rules(benchmark.study_posts)
    refs, scored = await scores_by(session, names, tasks, samples, history)
    return [policy.ref, judge.ref, *refs], samples, scored
