"""How far outputs serve the aspects of their questions, whatever wrote them (`downstream
judge-outputs`); and a policy's outputs to one question, sampled and scored.

The judge is the adherence judge of a build, with its prompt: one call an output, a reason before
every score, and as many scores as aspects, or the reply is asked for again. What cannot be read in
the end is a reason, and never 0.

The texts that a policy samples for a question are its draws 0 to N - 1, so a run with a larger N
goes on with the draws of a smaller one. A scorer is shown the same posts for all of them.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from pydantic import Field, ValidationError
from typer import Argument

from pairwright.errors import CallFailed, InputError, first_invalid
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef, posts_of
from pairwright.evaluation.conditions import ask_fitting
from pairwright.evaluation.scorers.judges import MeteredModel
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
    failed_call,
    reasons,
)
from pairwright.evaluation.session import ScorersFile, open_session, scorer_settings
from pairwright.models import Model, together
from pairwright.modes import label_of
from pairwright.notebook import run_async
from pairwright.options import OutPath, ReleasePath
from pairwright.pages.output import output_folder, write_files
from pairwright.pairs import Row
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Adherence, Aspect, AspectScore, Dropped, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules
from pairwright.sources.problems import excerpt
from pairwright.sources.tables import jsonl, sound_rows
from pairwright.stages.history import PromptPosts, with_history
from pairwright.stages.judges import adherence
from pairwright.stats import Estimate, Floats, cluster_numbers, mean, mean_points


class PersonQuestion(NamedTuple):
    """One person's question."""

    pair: str
    """Id of the first pair about it, which identifies it."""
    item: str
    question: str
    posts: tuple[Post, ...]
    """Oldest first."""
    aspects: tuple[str, ...]
    cluster: str
    """The person whose question it is; one person's are not independent."""


class PersonQuestions:
    """All questions that pairs are about, in their order."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Raises InputError for a pair whose label is the user's own choice."""
        self._by_pair: dict[str, PersonQuestion] = {}
        self._by_item: dict[str, list[PersonQuestion]] = {}
        firsts: dict[tuple[str, str, tuple[str, ...]], PersonQuestion] = {}
        for row in rows:
            if label_of(row.mode) == "equal":
                continue  # Its users have no rubric on the question.
            if label_of(row.mode) == "given":
                raise InputError(
                    f"{row.id} is a person's own choice, without a rubric to judge outputs by",
                    where=row.config,
                    fix="Name a release of mode twin or violate.",
                )
            aspects = tuple(aspect.aspect for aspect in row.answer_key)
            person = row.user or row.cluster
            question = PersonQuestion(
                row.id, row.item_id, row.question, posts_of(row), aspects, person
            )
            # Pairs of both modes are about one question of one person, with one rubric.
            first = firsts.setdefault((row.item_id, person, aspects), question)
            self._by_pair[row.id] = first
            if row.asked and first not in self._by_item.setdefault(row.item_id, []):
                self._by_item[row.item_id].append(first)

    @property
    def own(self) -> list[PersonQuestion]:
        """The questions that the person asked; not the other halves of twins."""
        return [question for questions in self._by_item.values() for question in questions]

    def find(self, id: str) -> PersonQuestion | str:
        """Find the question of a pair, or of an item for who asked it; else say why there is
        none."""
        items = [self._by_pair[id]] if id in self._by_pair else self._by_item.get(id, [])
        if len(items) == 1:
            return items[0]
        if items:
            return f"the item {id!r} has {len(items)} rubrics: name a pair instead"
        return f"the release has no item and no pair {id!r}"


class Output(Record, extra="ignore"):
    """A line of a file of outputs. Its other keys are not read."""

    id: str = Field(description="id of an item or of a pair of the release")
    model: str = Field(min_length=1, description="what wrote it")
    output: str


class JudgedOutput(Record):
    """A line of judged.jsonl: the judge's scores of one output. Without the texts."""

    id: str
    """The id as the file has it."""
    pair: str
    model: str
    adherence: float | None = None
    """Sum of the scores over the most possible, 0 to 1 (LaMP-QA's match score)."""
    scores: tuple[AspectScore, ...] = ()
    """The scores in the order of the rubric."""
    tokens: int = 0
    unscored: str = ""
    """Why there is no score; empty where there is one."""
    detail: str = ""


class ModelScore(Record):
    """The scores of one model's outputs."""

    model: str
    outputs: int
    scored: int
    unscored: dict[str, int]
    """Outputs without a score, by reason."""
    questions: int
    """Questions of the benchmark."""
    adherence: Estimate | None
    """Mean over scored outputs, its interval by user; None where none is scored."""


class OutputScores(Record):
    """The scores of all models' outputs."""

    benchmark: BenchmarkRef
    judge: ScorerRef
    models: tuple[ModelScore, ...]


_FORM = 'One JSON object a line: {"id": ITEM_OR_PAIR, "model": NAME, "output": TEXT}.'


def read_outputs(path: Path, questions: PersonQuestions) -> list[tuple[Output, PersonQuestion]]:
    """Read the outputs of a file, in its order, each with its question.

    Raises InputError, naming the line, for what is not an output, an id that the release does not
    have, and a second output of one model for one question; and for a file without any."""
    outputs, lines = [], dict[tuple[str, str], tuple[str, str]]()
    for where, fields in sound_rows(path, jsonl, _FORM)[1]:
        try:
            output = Output.model_validate(fields)
        except ValidationError as error:
            key, fault = first_invalid(error)
            has = f"; the line has {', '.join(map(excerpt, fields)) or 'no keys'}"
            raise InputError(f"{fault}{has}", where=f"{where} [{key}]", fix=_FORM) from None
        question = questions.find(output.id)
        if isinstance(question, str):
            fix = "Give outputs for this release's questions."
            raise InputError(question, where=where, fix=fix)
        before, id = lines.setdefault((question.pair, output.model), (where, output.id))
        if before != where:
            shared = f"{question.question[:60]!r}, asked by {question.cluster!r}"
            other = "" if id == output.id else f": {id} and {output.id} are both for {shared}"
            raise InputError(
                f"{output.model!r} has an output for this question in line"
                f" {before.rpartition(':')[2]} already{other}",
                where=where,
                fix="Keep one of the two, or give each its own model name.",
            )
        outputs.append((output, question))
    if not outputs:
        raise InputError("holds no outputs", where=path, fix=_FORM)
    return outputs


def mean_adherence(values: Floats, clusters: Sequence[str]) -> Estimate:
    """The mean of values from 0 to 1 with its interval by cluster.

    Student's; if no value differs Wilson's at the effective number of values: a spread that
    nothing shows is not known to be none.
    """
    places = cluster_numbers(clusters)
    estimate = mean(values, places, least=0, most=1)
    if estimate.low is None or estimate.low != estimate.high:
        return estimate
    return mean_points(values, places)


def model_scores(
    judged: Iterable[tuple[JudgedOutput, PersonQuestion]], questions: int
) -> tuple[ModelScore, ...]:
    """The score of each model's outputs, each of which counts the same."""
    rows = [(one.model, one.adherence, one.unscored, of.cluster) for one, of in judged]
    table = pd.DataFrame(rows, columns=["model", "adherence", "unscored", "cluster"])
    made = []
    for model, lines in table.groupby("model", sort=False):
        scored = lines[lines.adherence.notna()]
        found = mean_adherence(scored.adherence.to_numpy(float), list(scored.cluster))
        made.append(
            ModelScore(
                model=str(model),
                outputs=len(lines),
                scored=len(scored),
                unscored=reasons(lines.unscored),
                questions=questions,
                adherence=found if len(scored) else None,
            )
        )
    return tuple(made)


class AspectJudge(NamedTuple):
    """The adherence judge, bound to what answers for it."""

    model: Model
    prompts: Prompts

    async def judge(
        self, question: PersonQuestion, response: str
    ) -> tuple[Adherence | Unscored, int]:
        """Ask for the scores of a response; also give the tokens that they took. A call that failed
        is a reason, and is asked again by the next run."""
        if not question.aspects or not response.strip():
            return Unscored("empty_output" if question.aspects else "no_rubric"), 0
        metered = MeteredModel.around(self.model)
        aspects = tuple(Aspect(aspect=one, reason="", evidence="") for one in question.aspects)
        try:
            result = await adherence(
                question.question, response, aspects, metered.model, self.prompts
            )
        except CallFailed as error:
            return failed_call(error), metered.tokens
        if isinstance(result, Dropped):
            return Unscored(result.reason, result.detail), metered.tokens
        return result, metered.tokens

    async def judged(self, answered: tuple[Output, PersonQuestion]) -> JudgedOutput:
        """Judge an output to a question."""
        output, question = answered
        found, tokens = await self.judge(question, output.output)
        line = {"id": output.id, "pair": question.pair, "model": output.model, "tokens": tokens}
        if isinstance(found, Unscored):
            return JudgedOutput.model_validate(line | found.fields)
        scores = {"adherence": round(found.share, 6), "scores": found.scores}
        return JudgedOutput.model_validate(line | scores)


class SampledPolicy(NamedTuple):
    """The model whose texts are picked from."""

    model: Model
    prompts: Prompts
    history: HistoryRules
    words: int

    async def draw(
        self, n: int, prompt: str, question: str, posts: tuple[Post, ...], **values: Hashable
    ) -> tuple[tuple[str, ...], int] | Unscored:
        """Draw n texts by a prompt, and count the fewest posts that one of them was shown; or say
        why one is missing."""

        async def one(draw: int) -> tuple[str | Dropped, PromptPosts]:
            return await with_history(
                self.prompts, prompt, question, posts, self.history, self.model,
                lambda ask: self.model.write(ask, draw), words=self.words, **values,
            )  # fmt: skip

        try:
            texts, shown = zip(*await together(*map(one, range(n))), strict=True)
        except CallFailed as error:
            return failed_call(error)
        for draw, text in enumerate(texts):
            if isinstance(text, Dropped):
                return Unscored(text.reason, f"draw {draw}: {text.detail}")
        return texts, min(len(one.posts) for one in shown)


class SampleScores(Record):
    """One scorer's scores of one question's samples."""

    question: str
    """Id of its item or pair."""
    scorer: str
    scores: tuple[float, ...] = ()
    """The scores in the order of the draws."""
    left_out: int = 0
    """Posts that did not fit, for all samples."""
    unscored: str = ""
    detail: str = ""


async def score_samples(
    id: str,
    responses: Sequence[str],
    question: str,
    posts: tuple[Post, ...],
    name: str,
    scorer: Pointwise,
    history: HistoryRules,
) -> SampleScores:
    """Score all responses to a question with the scorer of this name, shown the same posts."""

    async def ask(shown: PromptContent) -> tuple[float, ...] | Unscored:
        scores = await together(*(scorer.score(shown, response) for response in responses))
        for draw, score in enumerate(scores):
            if isinstance(score, Unscored):
                return Unscored(score.reason, f"draw {draw}: {score.detail}")
            if not math.isfinite(score.value):
                return Unscored("not_a_number", f"draw {draw}: {score.value}")
        return tuple(score.value for score in scores if isinstance(score, ResponseScore))

    shown = fewer = PromptContent(question, selected(question, posts, history))
    try:
        scores, fewer = await ask_fitting(shown, history, ask)
    except CallFailed as error:
        scores = failed_call(error)
    left_out = len(shown.posts) - len(fewer.posts)
    if isinstance(scores, Unscored):
        return SampleScores(question=id, scorer=name, left_out=left_out, **scores.fields)
    return SampleScores(question=id, scorer=name, left_out=left_out, scores=scores)


def judge_outputs(
    release: ReleasePath,
    outputs: Annotated[
        Path | str, Argument(help="Lines of id, model, output.", metavar="OUTPUTS.jsonl")
    ],
    scorers: ScorersFile,
    out: OutPath,
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> OutputScores:
    """Judge outputs of any models by the rubrics of a release: a score for each aspect.

    An output's id is that of an item, for the user who asked it, or that of a pair. The judge reads
    question, output and aspects, and never a profile. Scores are stored as they come: running the
    same command again goes on. Writes judged.jsonl, a line an output, and judged.json. Exit code 1:
    more than 5 % of the outputs without a score.

    Examples::

        pairwright downstream judge-outputs 1.0.0 outputs.jsonl --scorers scorers.toml --out judged
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    benchmark = Benchmark.built(release)
    questions = PersonQuestions(benchmark.rows())
    to_judge = read_outputs(Path(outputs), questions)
    with open_session(settings, prompts, folder, progress, stop) as session:

        async def judge() -> tuple[ScorerRef, list[JudgedOutput]]:
            async with session.role("judge") as judge:
                asked = AspectJudge(judge.model, session.prompts)
                return judge.ref, await session.calls.each(
                    "outputs", to_judge, asked.judged, workers=judge.workers, stop=judge.stop
                )

        ref, judged = run_async(judge())
    lines = zip(judged, (question for _, question in to_judge), strict=True)
    scores = OutputScores(
        benchmark=benchmark.ref, judge=ref, models=model_scores(lines, len(questions.own))
    )
    write_files(folder / "judged.json", scores, {"judged.jsonl": judged})
    return scores
