"""How far outputs serve the aspects of their questions, whatever wrote them: `downstream
judge-outputs`.

The judge is the adherence judge of a build, with its prompt: one call an output, a reason before
every score, and as many scores as aspects, or the reply is asked for again. What cannot be read in
the end is a reason, and never 0.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
from pydantic import Field, ValidationError
from typer import Argument

from pairwright.errors import CallFailed, InputError, first_invalid
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef, posts_of
from pairwright.evaluation.downstream import Downstream, figures_of, mean_share, part_of
from pairwright.evaluation.scorers.judges import MeteredModel
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored, failed_call
from pairwright.evaluation.session import ScorersFile, open_session, scorer_settings
from pairwright.models import Model
from pairwright.modes import label_of
from pairwright.options import OutPath, ReleasePath
from pairwright.pages.output import output_folder
from pairwright.pairs import Row
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import Adherence, Aspect, AspectScore, Dropped, Post, Record
from pairwright.settings.prompt import Prompts
from pairwright.sources.problems import excerpt
from pairwright.sources.tables import jsonl, sound_rows
from pairwright.stages.judges import adherence


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
        """The questions that the person asked; not the other sides of twins."""
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


_FORM = 'One JSON object a line: {"id": ITEM_OR_PAIR, "model": NAME, "output": TEXT}.'
_HOW = (
    "Adherence, 0 to 1: mean over a model's outputs of the sum of an output's scores over the most"
    " possible, with 95 % intervals by user."
)


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
        found: Adherence | Dropped | Unscored
        try:
            found = await adherence(
                question.question, response, aspects, metered.model, self.prompts
            )
        except CallFailed as error:
            found = failed_call(error)
        if isinstance(found, Dropped):
            found = Unscored(found.reason, found.detail)
        return found, metered.tokens

    async def judged(self, answered: tuple[Output, PersonQuestion]) -> JudgedOutput:
        """Judge an output to a question."""
        output, question = answered
        found, tokens = await self.judge(question, output.output)
        line = {"id": output.id, "pair": question.pair, "model": output.model, "tokens": tokens}
        if isinstance(found, Unscored):
            return JudgedOutput.model_validate(line | found.fields)
        scores = {"adherence": round(found.share, 6), "scores": found.scores}
        return JudgedOutput.model_validate(line | scores)


def output_scores(
    judged: Iterable[tuple[JudgedOutput, PersonQuestion]],
    questions: int,
    judge: ScorerRef,
    benchmark: BenchmarkRef,
) -> Downstream:
    """The score of each model's outputs, each of which counts the same."""
    rows = [(one.model, one.adherence, one.unscored, of.cluster) for one, of in judged]
    frame = pd.DataFrame(rows, columns=["model", "adherence", "unscored", "cluster"])
    figures = figures_of(frame[frame.adherence.notna()], ["model"], {"adherence": mean_share})
    by_model = frame.groupby("model", sort=False).unscored
    parts = tuple(part_of(str(name), len(of), of) for name, of in by_model)
    best = max(figures, key=lambda one: one.value or 0.0, default=None)
    few = [one for one in parts if one.asked < questions]
    return Downstream(
        name="judged",
        title=f"Judged outputs, {benchmark.title}",
        verdict=f"{best.row[0]} serves most of what users expect: {best.percent()}."
        if best
        else "No output has a score: the adherence is not known.",
        heads=("model",),
        figures=figures,
        models=(judge,),
        parts=parts,
        warnings=tuple(filter(None, [benchmark.warning])),
        notes=(
            f"{_HOW} Judge: {judge.model or 'none'}.",
            *(f"{one.name}: outputs for {one.asked} of {questions} questions." for one in few),
        ),
    )


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
) -> Downstream:
    """Judge outputs of any models by the rubrics of a release: a score for each aspect.

    An output's id names an item, for the user who asked it, or a pair. The judge reads
    question, output and aspects, and never a profile. Scores are stored as they come: running the
    same command again goes on. Writes judged.jsonl, a line an output, and judged.json, .md and
    .html. Exit code 1: more than 5 % of a model's outputs without a score.

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
    found = output_scores(lines, len(questions.own), ref, benchmark.ref)
    found.write(folder, {"judged.jsonl": judged}, {})
    return found
