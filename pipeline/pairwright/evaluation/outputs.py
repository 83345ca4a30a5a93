"""The adherence of outputs of any model to the aspects of their questions: `downstream
judge-outputs`.

The judge is the adherence judge of a build, with its prompt: one call per output. It gives a reason
before every score, and as many scores as aspects, or it is asked again. An output whose replies
stay unreadable has a reason instead of a score, and never 0.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import Field, ValidationError
from typer import Argument

from pairwright.errors import CallFailed, InputError
from pairwright.evaluation.benchmark import Benchmark, BenchmarkRef
from pairwright.evaluation.downstream import Downstream, best_of, figures_of, part_of
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored, failed_call
from pairwright.evaluation.session import ScorerSession, open_calls
from pairwright.evaluation.settings import ScorersFile, scorer_settings
from pairwright.lines import unreadable
from pairwright.models import Model
from pairwright.modes import label_of
from pairwright.options import OutPath, ReleasePath
from pairwright.pages.output import output_folder
from pairwright.pairs import Row
from pairwright.progress import Progress, Stop, log_notes, run_async
from pairwright.records import Aspect, AspectScore, Dropped, Record
from pairwright.settings.prompt import Prompts
from pairwright.sources.tables import jsonl, sound_rows
from pairwright.stages.judges import adherence
from pairwright.stages.question import Question


def questions_by_id(rows: Iterable[Row]) -> dict[str, Row]:
    """The questions of people, each as the first pair about it, by the ids of all its pairs.

    Raises InputError for a pair whose label is the user's own choice.
    """
    firsts, by_pair = dict[tuple[str, ...], Row](), dict[str, Row]()
    for row in rows:
        if label_of(row.mode) == "equal":
            continue  # Its users have no rubric on the question.
        if label_of(row.mode) == "given":
            raise InputError(
                f"{row.id} is a person's own choice, without a rubric to judge outputs by",
                where=row.config,
                fix="Name a release of mode twin or violate.",
            )
        # Pairs of both modes are about one question of one person, with one rubric.
        aspects = (one.aspect for one in row.answer_key)
        key = (row.item_id, person_of(row), *aspects)
        by_pair[row.id] = firsts.setdefault(key, row)
    return by_pair


def asked_questions(questions: Mapping[str, Row]) -> dict[str, Row]:
    """The questions that the person asked, by their first pairs; not the other sides of twins."""
    return {one.id: one for one in questions.values() if one.asked}


def person_of(row: Row) -> str:
    """The person who asks; questions of one person are not independent."""
    return row.user or row.cluster


class Output(Record, extra="ignore"):
    """A line of a file of outputs. Its other keys are not read."""

    id: str = Field(description="id of a pair of the release")
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
    unscored: str = ""
    """The reason that there is no score; empty if there is one."""
    detail: str = ""


Answered = tuple[Output, Row]
_FORM = 'One JSON object a line: {"id": PAIR, "model": NAME, "output": TEXT}.'
_HOW = (
    "Adherence, 0 to 1: mean over a model's outputs of the sum of an output's scores over the most"
    " possible, with 95 % intervals by user."
)


def read_outputs(path: Path, questions: Mapping[str, Row]) -> list[Answered]:
    """Read the outputs of a file, in its order, each with its question.

    Raises InputError, naming the line, for an invalid output, an id that is not in the release, and
    a second output of one model for one question. Also raises it for an empty file.
    """
    outputs = dict[tuple[str, str], Answered]()
    for where, fields in sound_rows(path, jsonl, _FORM)[1]:
        try:
            output = Output.model_validate(fields)
        except ValidationError as error:
            raise unreadable(where, error, _FORM) from None
        if (question := questions.get(output.id)) is None:
            fix = "Give outputs for this release's questions, each by the id of a pair."
            raise InputError(f"the release has no pair {output.id!r}", where=where, fix=fix)
        if (place := (question.id, output.model)) in outputs:
            what = f"{output.model!r} has an output for this question already"
            fix = "Keep one of the two, or give each its own model name."
            raise InputError(what, where=where, fix=fix)
        outputs[place] = (output, question)
    if not outputs:
        raise InputError("holds no outputs", where=path, fix=_FORM)
    return list(outputs.values())


async def adherence_of(
    question: Row, response: str, model: Model, prompts: Prompts
) -> dict[str, Any]:
    """Ask the judge for the scores of a response: `adherence, scores` of a line, or the reason that
    it has none. A call that failed is asked again by the next run."""
    key = question.answer_key
    if not key or not response.strip():
        return Unscored("empty_output" if key else "no_rubric").fields
    aspects = tuple(Aspect(aspect=one.aspect, reason="", evidence="") for one in key)
    try:
        found = await adherence(Question(question.question, prompts), response, aspects, model)
    except CallFailed as error:
        return failed_call(error).fields
    if isinstance(found, Dropped):
        return Unscored(found.reason, found.detail).fields
    return {"adherence": round(found.share, 6), "scores": found.scores}


def output_scores(
    judged: Iterable[JudgedOutput],
    questions: Mapping[str, Row],
    judge: ScorerRef,
    benchmark: BenchmarkRef,
) -> Downstream:
    """The mean score of each model's outputs; each output counts the same."""
    lines = [
        (one.model, one.adherence, one.unscored, person_of(questions[one.pair])) for one in judged
    ]
    frame = pd.DataFrame(lines, columns=["model", "adherence", "unscored", "cluster"])
    figures, asked = figures_of(frame, ["model"], ["adherence"]), len(asked_questions(questions))
    by_model = frame.groupby("model", sort=False).unscored
    parts = tuple(part_of(str(name), len(of), of) for name, of in by_model)
    fewer = (f"{of.name}: outputs for {of.asked} of {asked} questions." for of in parts)
    best = best_of(figures, "adherence")
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
        notes=(f"{_HOW} Judge: {judge.model or 'none'}.", *fewer),
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

    An output's id names a pair. The judge reads question, output and aspects, and never a profile.
    Scores are stored as they come: running the same command again goes on. Writes judged.jsonl, a
    line an output, and judged.json, .md and .html. Exit code 1: more than 5 % of a model's outputs
    without a score.

    Examples::

        pairwright downstream judge-outputs 1.0.0 outputs.jsonl --scorers scorers.toml --out judged
    """
    folder, (settings, prompts) = output_folder(out), scorer_settings(scorers)
    benchmark = Benchmark.built(release)
    questions = questions_by_id(benchmark.rows())
    to_judge = read_outputs(Path(outputs), questions)

    async def judge(session: ScorerSession) -> tuple[ScorerRef, list[JudgedOutput]]:
        async with session.role("judge") as judge:

            async def judged(answered: Answered) -> JudgedOutput:
                output, question = answered
                found = await adherence_of(question, output.output, judge.target, prompts)
                return JudgedOutput(id=output.id, pair=question.id, model=output.model, **found)

            return judge.ref, await session.calls.each("outputs", to_judge, judged, judge.workers)

    with open_calls(folder, progress, stop) as calls:
        ref, lines = run_async(judge(ScorerSession(settings, prompts, calls)))
    found = output_scores(lines, questions, ref, benchmark.ref)
    found.write(folder, {"judged.jsonl": lines})
    return found
