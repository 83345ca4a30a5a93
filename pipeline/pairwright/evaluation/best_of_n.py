"""The gain of a policy's answers if a scorer picks the best of them: `downstream best-of-n`.

All N answers to a question are judged by the aspects; the scorer's pick counts with its judged
score. The texts are the policy's draws 0 to N - 1: a run with a larger N continues a smaller one.
If a scorer gives several texts its best score, each of them is picked equally often.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from math import comb
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field
from typer import Option

from pairwright.errors import CallFailed
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.conditions import Posts, ask_fitting
from pairwright.evaluation.downstream import Downstream, best_of, figures_of, part_of
from pairwright.evaluation.outputs import adherence_of, asked_questions, questions_by_id
from pairwright.evaluation.scorers.scorer import (
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
    failed_call,
)
from pairwright.evaluation.session import (
    ScorerSession,
    open_session,
    pointwise,
)
from pairwright.evaluation.settings import ScorersFile, policy_of, scorer_settings
from pairwright.models import together
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.pages.output import output_folder
from pairwright.pages.plots import Curve, Plot, draw_curves
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import FULL_ADHERENCE, Dropped, Record
from pairwright.retrieve import selected
from pairwright.settings.prompt import in_language
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history
from pairwright.stats import Floats
from pairwright.text import language_of, visible

CEILING = "the judge itself"


class SampleTask(NamedTuple):
    """A question that texts are sampled for."""

    id: str
    user: str
    question: str
    posts: Posts
    """The user's posts, oldest first: scorers are shown the best of them."""
    shown: Mapping[str, Posts]
    """The posts that the policy is shown, by condition. Scorers pick among the last one's texts."""
    values: Mapping[str, Hashable] = {}
    """Further values of the policy's prompt."""


class Sample(Record):
    """A line of a file: one text for a question in a condition."""

    id: str
    user: str
    condition: str
    draw: int
    text: str = ""
    worth: dict[str, float] = Field(default={})
    """The quality of the text, 0 to 1, by figure."""
    unscored: str = ""
    """The reason that the text or its worth is missing; empty if neither is."""
    detail: str = ""


class SampleScores(Record):
    """A line of a file: one scorer's scores of one question's texts."""

    question: str
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    unscored: str = ""
    detail: str = ""


class Sampled(NamedTuple):
    """The texts of a policy, and the scores that scorers gave them."""

    models: list[ScorerRef]
    """The policy and the scorers."""
    samples: list[Sample]
    scores: list[SampleScores]


Worth = Callable[[SampleTask, str], Awaitable[dict[str, float] | Unscored]]


async def sampled(
    session: ScorerSession,
    tasks: Sequence[SampleTask],
    prompt: str,
    n: int,
    worth: Worth,
    scorers: Sequence[str],
    history: HistoryRules,
    stop: Callable[[], None] = lambda: None,
) -> Sampled:
    """Draw n texts for each task in its last condition, and one in each other, and find their
    worth. Then every scorer scores those of the last, one scorer after the other.

    `history` has the rules for the posts of scorers; `stop` stops the calls of `worth`. Raises
    ConfigError, and as the session's `each` does.
    """
    session.check_pointwise(scorers)
    spec, pieces = policy_of(session.settings, n), list[tuple[SampleTask, str, int]]()
    for task in tasks:
        *controls, last = task.shown
        pieces += [(task, condition, 0) for condition in controls]
        pieces += [(task, last, draw) for draw in range(n)]
    async with session.role("policy") as policy:

        async def drawn(piece: tuple[SampleTask, str, int]) -> Sample:
            task, condition, draw = piece
            posts, text = task.shown[condition], ""
            # The posts are chosen already.
            rules = HistoryRules(**spec.history.model_dump() | {"posts": max(1, len(posts))})
            found: dict[str, float] | Unscored
            try:
                reply, _ = await with_history(
                    session.prompts, prompt, task.question, posts, rules,
                    lambda ask: policy.model.write(ask, draw), words=spec.words, **task.values,
                )  # fmt: skip
                if isinstance(reply, Dropped):
                    found = Unscored(reply.reason, f"draw {draw}: {reply.detail}")
                else:
                    text, found = reply, await worth(task, reply)
            except CallFailed as error:
                found = failed_call(error)
            more = found.fields if isinstance(found, Unscored) else {"worth": found}
            return Sample.model_validate(
                {"id": task.id, "user": task.user, "condition": condition, "draw": draw,
                 "text": text, **more}
            )  # fmt: skip

        def end() -> None:
            policy.stop()
            stop()

        samples = await session.calls.each(
            "texts sampled", pieces, drawn, workers=policy.workers, stop=end
        )
    found = Sampled([policy.ref], samples, [])
    for name in scorers:
        ref, scores = await _scores_by(session, name, tasks, samples, history)
        found.models.append(ref)
        found.scores.extend(scores)
    return found


async def _scores_by(
    session: ScorerSession,
    name: str,
    tasks: Sequence[SampleTask],
    samples: Iterable[Sample],
    history: HistoryRules,
) -> tuple[ScorerRef, list[SampleScores]]:
    """Score the texts of the tasks' last conditions with one scorer, if all texts are there."""
    frame = texts_of(samples, [])
    whole = dict(list(frame[frame.reason == ""].groupby(["id", "condition"]).text))
    written = [
        (task, tuple(whole[place]))
        for task in tasks
        if (place := (task.id, list(task.shown)[-1])) in whole
    ]
    async with session.scorer(name) as opened:
        scorer = pointwise(name, opened.scorer)

        async def scored(given: tuple[SampleTask, tuple[str, ...]]) -> SampleScores:
            task, texts = given

            async def ask(shown: PromptContent) -> list[float] | Unscored:
                # All texts of a question are scored beside the same posts.
                found = await together(*(scorer.score(shown, text) for text in texts))
                values = [one.value for one in found if isinstance(one, ResponseScore)]
                missing = [one for one in found if isinstance(one, Unscored)]
                return missing[0] if missing else values

            posts = selected(task.question, task.posts, history)
            try:
                scores, _ = await ask_fitting(PromptContent(task.question, posts), history, ask)
            except CallFailed as error:
                scores = failed_call(error)
            found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
            return SampleScores.model_validate({"question": task.id, "scorer": name} | found)

        workers = max(1, opened.workers // max((len(texts) for _, texts in written), default=1))
        return opened.ref, await session.calls.each(
            f"scored by {name}", written, scored, workers=workers, stop=opened.stop
        )


def texts_of(samples: Iterable[Sample], figures: Sequence[str]) -> pd.DataFrame:
    """A line for each text: `id, condition, cluster, text, reason`, and its worth by figure. The
    reason is set if its question does not count in the condition: one of the texts is missing."""
    lines = [
        {"id": one.id, "condition": one.condition, "cluster": one.user, "text": one.text,
         "reason": one.unscored, **one.worth}
        for one in samples
    ]  # fmt: skip
    columns = ["id", "condition", "cluster", "text", "reason", *figures]
    frame = pd.DataFrame(lines, columns=columns)
    frame["reason"] = frame.groupby(["id", "condition"]).reason.transform("max")
    return frame


def picks_of(
    texts: pd.DataFrame, scored: Iterable[SampleScores], figures: Sequence[str], ks: Sequence[int]
) -> pd.DataFrame:
    """A line for each scorer, question and k: the worth of the scorer's pick of any k of the
    question's `texts`, by figure; the reason is set if that is not known."""
    by_question, lines = dict(list(texts.groupby("id"))), []
    for line in scored:
        own = by_question[line.question]
        for k in ks:
            found = {
                name: of_subsets(np.array(line.scores), own[name].to_numpy(float), k)
                for name in figures
                if not line.unscored
            }
            about = {"id": line.question, "cluster": own.cluster.iloc[0], "reason": line.unscored}
            lines.append({"scorer": line.scorer, "k": k, **about, **found})
    return pd.DataFrame(lines, columns=["scorer", "k", "id", "cluster", "reason", *figures])


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of the sample with the highest score, over all subsets of k of the N samples:
    an unbiased estimate of best-of-k that uses every sample. Both arrays have shape (N,). Raises
    ValueError if k is not from 1 to N.

    Without ties the sample of rank r (1 is the lowest) is best in C(r - 1, k - 1) of C(N, k)
    subsets. With ties, let m samples tie above a lower ones. The best of a subset is one of the m
    in C(a + m, k) - C(a, k) subsets: those of all a + m samples, less those of the a lower ones.
    Each of the m has an equal share of them.
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


def result_of(found: Sampled, judge: ScorerRef, n: int, benchmark: BenchmarkRef) -> Downstream:
    """The adherence of each scorer's pick of any k samples, and its gain over a pick at random;
    last those of the judge itself, the most that these samples allow."""
    policy, *scorers = found.models
    texts = texts_of(found.samples, ["adherence"])
    counted = texts[texts.reason == ""].groupby("id", sort=False).adherence
    itself = [
        SampleScores(question=str(id), scorer=CEILING, scores=tuple(own)) for id, own in counted
    ]
    ks = list(dict.fromkeys([*(2**power for power in range(n.bit_length())), n]))
    frame = picks_of(texts, [*found.scores, *itself], ["adherence"], ks)
    frame["gain"] = frame.adherence - frame.id.map(counted.mean())
    figures = figures_of(frame, ["scorer", "k"], ["adherence"])
    last = [one for one in figures if one.row[1] == str(n) and one.row[0] != CEILING]
    verdict = "There is nothing to compare: no question has all samples and scores."
    if best := best_of(last, "adherence"):
        verdict = (
            f"{best.row[0]} gains most: of {n} samples it picks one that serves"
            f" {best.percent()} of what the user expects (n = {best.n:,} questions of"
            f" {best.clusters:,} users)."
        )
    asked = texts.groupby("id").reason.first()
    missing = {of.name: [*asked] for of in scorers}
    for line in found.scores:
        missing[line.scorer].append(line.unscored)
    own = [of.name for of in scorers if of.model and of.model == judge.model]
    how = (
        "Adherence, 0 to 1, of the sample that the scorer picks among any k, with 95 % intervals"
        " by user; the gain is over a pick at random. The last rows are the judge's own pick, the"
        f" most that these samples allow. Policy: {policy.model}. Judge: {judge.model}, which gives"
        f" each aspect 0 to {FULL_ADHERENCE}."
    )
    return Downstream(
        name="best_of_n",
        title=f"Best of {n}, {benchmark.title}",
        verdict=verdict,
        heads=("scorer", "k"),
        figures=(*figures, *figures_of(frame[frame.k > 1], ["scorer", "k"], ["gain"], signed=True)),
        models=(policy, judge, *scorers),
        parts=tuple(part_of(name, len(asked), why) for name, why in missing.items()),
        warnings=(
            *filter(None, [benchmark.warning]),
            *(f"{name} is the judge's own model: this is not evidence." for name in own),
        ),
        notes=(how,),
    )


def curves_of(result: Downstream) -> dict[str, Plot]:
    """The plot of the pick's adherence over k."""
    shares = [one for one in result.figures if one.column == "adherence"]
    curves = []
    for name in dict.fromkeys(one.row[0] for one in shares):
        own = [one for one in shares if one.row[0] == name]
        ks = [int(one.row[1]) for one in own]
        curves.append(Curve(visible(name), ks, own, dotted=name == CEILING))
    axes = "k, samples that the scorer picks from", "adherence of its pick"
    caption = "Best of k over all subsets of k of the samples, with 95 % intervals by user."
    return {"curves": draw_curves(curves, axes, caption=caption, name="curves")} if curves else {}


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
    benchmark, spec = Benchmark.built(release, split), policy_of(settings, n)
    questions = {
        one.pair: one for one in asked_questions(questions_by_id(benchmark.rows()))[:limit]
    }
    tasks = []
    for id, one in questions.items():
        language = language_of(one.question, *(post.text for post in one.posts))
        shown = {"profile": selected(one.question, one.posts, spec.history)}
        values = in_language(language, (spec.words,))
        tasks.append(SampleTask(id, one.cluster, one.question, one.posts, shown, values))

    async def run(session: ScorerSession) -> tuple[Sampled, ScorerRef]:
        async with session.role("judge") as judge:

            async def worth(task: SampleTask, text: str) -> dict[str, float] | Unscored:
                said = await adherence_of(questions[task.id], text, judge.model, prompts)
                return said if isinstance(said, Unscored) else {"adherence": round(said.share, 6)}

            asked = list(dict.fromkeys(names))
            found = await sampled(
                session, tasks, "sample", n, worth, asked, settings.history, judge.stop
            )
            return found, judge.ref

    with open_session(settings, prompts, folder, progress, stop) as session:
        found, judge = run_async(run(session))
    result = result_of(found, judge, n, benchmark.ref)
    result.write(
        folder,
        {"samples.jsonl": found.samples, "scores.jsonl": found.scores},
        curves_of(result),
    )
    return result
