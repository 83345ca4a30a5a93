"""The gain of a policy's answers if a scorer picks the best of them: `downstream best-of-n`.

All N answers to a question are judged by the aspects; the scorer's pick counts with its judged
score. The texts are the policy's draws 0 to N - 1: a run with a larger N continues a smaller one.
If a scorer gives several texts its best score, each of them is picked equally often.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import comb
from typer import Option

from pairwright.errors import CallFailed
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.conditions import Posts, ask_fitting, item_of
from pairwright.evaluation.downstream import Downstream, best_of, figures_of, part_of
from pairwright.evaluation.outputs import adherence_of, asked_questions, person_of, questions_by_id
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
    failed_call,
)
from pairwright.evaluation.session import ScorerSession, open_calls, pointwise
from pairwright.evaluation.settings import ScorersFile, policy_of, scorer_settings
from pairwright.models import together
from pairwright.options import OutPath, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.pages.output import output_folder
from pairwright.pages.plots import Curve, Plot, draw_curves
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import FULL_ADHERENCE, Dropped, Item, Record
from pairwright.retrieve import selected
from pairwright.settings.prompt import in_language
from pairwright.settings.rules import HistoryRules, PlanRules
from pairwright.stages.question import Question, with_history
from pairwright.stats import Floats
from pairwright.text import language_of, visible

CEILING = "the judge itself"
SampleTask = tuple[Item, Mapping[str, Posts]]
"""A question that texts are sampled for, and the posts that the policy is shown, by condition.
Scorers pick among the texts of the last one."""
Worth = Callable[[Item, str], Awaitable[dict[str, Any]]]
"""Finds the `worth` of a text for an item, or the reason that it has none."""


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


async def sampled(
    session: ScorerSession,
    tasks: Sequence[SampleTask],
    prompt: str,
    n: int,
    worth: Worth,
    scorers: Sequence[str],
) -> Sampled:
    """Draw n texts for each task in its last condition, and one in each other, and find their
    worth. Then every scorer scores those of the last, one scorer after the other.

    Raises ConfigError, and as the session's `each` does.
    """
    for name in scorers:  # Before anything is connected or loaded.
        pointwise(name, session.bound(name).target)
    spec, prompts, history = (
        policy_of(session.settings, n),
        session.prompts,
        session.settings.history,
    )
    pieces = [
        (item, condition, posts, draw)
        for item, shown in tasks
        for condition, posts in shown.items()
        for draw in range(n if condition == list(shown)[-1] else 1)
    ]
    async with session.role("policy") as policy:

        async def drawn(piece: tuple[Item, str, Posts, int]) -> Sample:
            item, condition, posts, draw = piece
            # The posts are chosen already.
            rules = PlanRules(
                posts=max(1, len(posts)),
                history_tokens=spec.history_tokens,
                retrieval=spec.retrieval,
            )
            language = language_of(item.question, *(post.text for post in item.profile))
            values = in_language(language, (spec.words,))
            try:
                reply, _ = await with_history(
                    Question(item.question, prompts, rules=rules), prompt, posts,
                    lambda ask: policy.target.write(ask, draw), words=spec.words, **values,
                )  # fmt: skip
                if isinstance(reply, Dropped):
                    fields: dict[str, Any] = Unscored(reply.reason, reply.detail).fields
                else:
                    fields = {"text": reply} | await worth(item, reply)
            except CallFailed as error:
                fields = failed_call(error).fields
            return Sample(id=item.id, user=item.user, condition=condition, draw=draw, **fields)

        samples = await session.calls.each("texts sampled", pieces, drawn, policy.workers)
    texts, scores, models = texts_of(samples, []), list[SampleScores](), [policy.ref]
    whole = dict(list(texts[texts.reason == ""].groupby(["id", "condition"]).text))
    places = [(item, (item.id, list(shown)[-1])) for item, shown in tasks]
    written = [(item, list(whole[place])) for item, place in places if place in whole]
    for name in scorers:
        async with session.scorer(name) as opened:
            work = partial(_scored, scorer=pointwise(name, opened.target), name=name, rules=history)
            workers = max(1, opened.workers // n)
            scores += await session.calls.each(f"scored by {name}", written, work, workers)
            models.append(opened.ref)
    return Sampled(models, samples, scores)


async def _scored(
    written: tuple[Item, list[str]], *, scorer: Pointwise, name: str, rules: HistoryRules
) -> SampleScores:
    """Score all texts of a question beside the same posts."""
    item, texts = written

    async def ask(shown: PromptContent) -> list[float] | Unscored:
        found = await together(*(scorer.score(shown, text) for text in texts))
        missing = (one for one in found if isinstance(one, Unscored))
        return next(missing, [one.value for one in found if isinstance(one, ResponseScore)])

    shown = PromptContent(item.question, selected(item.question, item.profile, rules))
    try:
        scores = await ask_fitting(shown, rules, ask)
    except CallFailed as error:
        scores = failed_call(error)
    more: dict[str, Any] = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
    return SampleScores(question=item.id, scorer=name, **more)


def texts_of(samples: Iterable[Sample], figures: Sequence[str]) -> pd.DataFrame:
    """A line for each text: `id, condition, cluster, text, reason`, and its worth by figure. The
    reason is set if its question does not count in the condition: one of the texts is missing."""
    lines = [dict(one) | one.worth for one in samples]
    columns = ["id", "condition", "user", "text", "unscored", *figures]
    named = {"user": "cluster", "unscored": "reason"}
    frame = pd.DataFrame(lines, columns=columns).rename(columns=named)
    frame["reason"] = frame.groupby(["id", "condition"]).reason.transform("max")
    return frame


def picks_of(
    texts: pd.DataFrame, scored: Iterable[SampleScores], figures: Sequence[str], ks: Sequence[int]
) -> pd.DataFrame:
    """A line for each scorer, question and k: the worth of the scorer's pick of any k of the
    question's `texts`, by figure; the reason is set if that is not known."""
    by_question, lines = dict(list(texts.groupby("id"))), []
    for line in scored:
        own, scores = by_question[line.question], np.array(line.scores)
        about = {"scorer": line.scorer, "id": line.question, "cluster": own.cluster.iloc[0]}
        for k in ks:
            found = {
                name: of_subsets(scores, own[name].to_numpy(float), k)
                for name in figures
                if not line.unscored
            }
            lines.append({**about, "k": k, "reason": line.unscored, **found})
    return pd.DataFrame(lines, columns=["scorer", "k", "id", "cluster", "reason", *figures])


def of_subsets(scores: Floats, worth: Floats, k: int) -> float:
    """The mean worth of the sample with the highest score, over all subsets of k of the N samples:
    an unbiased estimate of best-of-k that uses every sample. Both arrays have shape (N,).

    Let m samples tie above a lower ones. The best of a subset is one of the m in C(a + m, k) -
    C(a, k) of C(N, k) subsets: those of all a + m samples, less those of the a lower ones. Each of
    the m has an equal share of them.
    """
    lower = (scores < scores[:, None]).sum(axis=1)
    tied = (scores == scores[:, None]).sum(axis=1)
    shares = (comb(lower + tied, k) - comb(lower, k)) / comb(len(scores), k) / tied
    return float(shares @ worth)


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
    gains = figures_of(frame[frame.k > 1], ["scorer", "k"], ["gain"], signed=True)
    last = [one for one in figures if one.row[1] == str(n) and one.row[0] != CEILING]
    verdict = "There is nothing to compare: no question has all samples and scores."
    if best := best_of(last, "adherence"):
        verdict = (
            f"{best.row[0]} gains most: of {n} samples it picks one that serves"
            f" {best.percent()} of what the user expects (n = {best.n:,} questions of"
            f" {best.clusters:,} users)."
        )
    asked, warnings = texts.groupby("id").reason.first(), [benchmark.warning]
    for one in scorers:
        if one.model and one.model == judge.model:
            warnings.append(f"{one.name} is the judge's own model: this is not evidence.")
    scores = pd.DataFrame(map(dict, found.scores), columns=["scorer", "unscored"])
    why = {one.name: [*asked, *scores.unscored[scores.scorer == one.name]] for one in scorers}
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
        figures=(*figures, *gains),
        models=(policy, judge, *scorers),
        parts=tuple(part_of(name, len(asked), reasons) for name, reasons in why.items()),
        warnings=tuple(filter(None, warnings)),
        notes=(how,),
    )


def curves_of(result: Downstream) -> dict[str, Plot]:
    """The plot of the pick's adherence over k."""
    of = [one for one in result.figures if one.column == "adherence"]
    curves = [
        Curve(
            visible(name),
            [int(one.row[1]) for one in of if one.row[0] == name],
            [one for one in of if one.row[0] == name],
            dotted=name == CEILING,
        )
        for name in dict.fromkeys(one.row[0] for one in of)
    ]
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
    n: Annotated[int, Option("-n", help="Samples per item.", metavar="N", min=1, max=1000)] = 16,
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
    asked, tasks = asked_questions(questions_by_id(benchmark.rows())), list[SampleTask]()
    for id, row in islice(asked.items(), limit):
        item = Item(**dict(item_of(row)) | {"id": id, "user": person_of(row)})
        tasks.append((item, {"profile": selected(item.question, item.profile, spec)}))

    async def run(session: ScorerSession) -> tuple[Sampled, ScorerRef]:
        async with session.role("judge") as judge:

            async def worth(item: Item, text: str) -> dict[str, Any]:
                found = await adherence_of(asked[item.id], text, judge.target, prompts)
                own = found.get("adherence")
                return found if own is None else {"worth": {"adherence": own}}

            each = list(dict.fromkeys(names))
            return await sampled(session, tasks, "sample", n, worth, each), judge.ref

    with open_calls(folder, progress, stop) as calls:
        found, judge = run_async(run(ScorerSession(settings, prompts, calls)))
    result = result_of(found, judge, n, benchmark.ref)
    curves = curves_of(result)
    result.write(folder, {"samples.jsonl": found.samples, "scores.jsonl": found.scores}, **curves)
    return result
