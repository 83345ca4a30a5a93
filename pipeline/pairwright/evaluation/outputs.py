"""How far outputs serve the aspects of their questions, whatever wrote them: the questions of a
release, the file of outputs, the judgement of each, and the mean of a model.

The judge is the adherence judge of a build, with its prompt: one call an output, a reason before
every score, and as many scores as aspects, or the reply is asked for again. What cannot be read in
the end is a reason, and never 0.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import Field, ValidationError

from pairwright.errors import CallFailed, InputError, first_invalid
from pairwright.evaluation.release import ReleaseRef, posts_of
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.judges import MeteredModel
from pairwright.evaluation.scorers.scorer import Unscored, failed_call, reasons
from pairwright.models import Model
from pairwright.modes import label_of
from pairwright.pairs import Row
from pairwright.records import Adherence, Aspect, AspectScore, Dropped, Post, Record
from pairwright.settings.prompt import Prompts
from pairwright.sources.problems import excerpt
from pairwright.sources.tables import jsonl, sound_rows
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
    domain: str
    cluster: str
    """The person whose question it is; one person's are not independent."""


class ReleaseQuestions:
    """All questions that the rows of a release are about, in their order."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Raises InputError for a pair whose label is the user's own choice."""
        self._by_pair: dict[str, PersonQuestion] = {}
        self._by_item: dict[str, dict[PersonQuestion, None]] = {}
        by_person: dict[tuple[str, str, tuple[str, ...]], PersonQuestion] = {}
        for row in rows:
            if label_of(row.mode) == "equal":
                continue  # Its users have no rubric on the question.
            if label_of(row.mode) == "given":
                raise InputError(
                    f"{row.id} is a person's own choice, without a rubric to judge outputs by",
                    where=row.config,
                    fix="Name a release of mode twin or violate.",
                )
            question = PersonQuestion(
                pair=row.id,
                item=row.item_id,
                question=row.question,
                posts=posts_of(row),
                aspects=tuple(aspect.aspect for aspect in row.answer_key),
                domain=row.domain,
                cluster=row.user or row.cluster,
            )
            # Pairs of both modes are about one question of one person, with one rubric.
            first = by_person.setdefault(
                (question.item, question.cluster, question.aspects), question
            )
            self._by_pair[row.id] = first
            if row.asked:
                self._by_item.setdefault(row.item_id, {})[first] = None

    @property
    def own(self) -> list[PersonQuestion]:
        """The questions that the person asked; not the other halves of twins."""
        return [question for questions in self._by_item.values() for question in questions]

    def find(self, id: str) -> PersonQuestion | str:
        """The question of a pair, or of an item for who asked it; or a sentence why there is
        none."""
        if questions := self._by_pair.get(id):
            return questions
        items = list(self._by_item.get(id, ()))
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
    """What the judge says of one output. Without the texts."""

    id: str
    """The id as the file has it."""
    pair: str
    item_id: str
    model: str
    domain: str
    cluster: str
    """The user whose question it is."""
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
    """Questions of the release."""
    adherence: Estimate | None
    """Mean over scored outputs, its interval by user; None where none is scored."""


class OutputScores(Record):
    """The scores of all models' outputs."""

    release: ReleaseRef
    judge: ScorerRef
    models: tuple[ModelScore, ...]


_FORM = 'One JSON object a line: {"id": ITEM_OR_PAIR, "model": NAME, "output": TEXT}.'


def read_outputs(path: Path, questions: ReleaseQuestions) -> list[tuple[Output, PersonQuestion]]:
    """The outputs of a file, in its order, each with its question.

    Raises InputError, naming the line, for what is not an output, an id that the release does not
    have, and a second output of one model for one question; and for a file without any."""
    outputs, lines = [], dict[tuple[str, str], tuple[str, str]]()
    for where, output in _lines(path):
        question = questions.find(output.id)
        if isinstance(question, str):
            raise InputError(
                question, where=where, fix="Give outputs for this release's questions."
            )
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


def _lines(path: Path) -> Iterator[tuple[str, Output]]:
    """Each output with its place."""
    for where, fields in sound_rows(path, jsonl, _FORM)[1]:
        try:
            yield where, Output.model_validate(fields)
        except ValidationError as error:
            key, fault = first_invalid(error)
            what = _missing(fields) or fault
            raise InputError(what, where=f"{where} [{key}]", fix=_FORM) from None


def _missing(fields: Mapping[str, object]) -> str:
    """Which keys an object lacks and which it has; empty where that is not what is wrong."""
    absent = [name for name in Output.model_fields if name not in fields]
    further = [name for name in fields if name not in Output.model_fields]
    if not absent and not further:
        return ""
    problems = [f"no key {', '.join(absent)}"] if absent else []
    problems += [f"unknown key {', '.join(map(excerpt, further))}"] if further else []
    return f"{'; '.join(problems)}; the line has {', '.join(map(excerpt, fields)) or 'no keys'}"


def by_model(judged: Iterable[JudgedOutput]) -> dict[str, list[JudgedOutput]]:
    """The outputs by model, in the order in which the models come."""
    by_name: dict[str, list[JudgedOutput]] = {}
    for one in judged:
        by_name.setdefault(one.model, []).append(one)
    return by_name


def mean_adherence(values: Floats, clusters: Sequence[str]) -> Estimate:
    """The mean of values from 0 to 1 with its interval by cluster, all rounded.

    Student's; where no value differs Wilson's at the effective number of values: a spread that
    nothing shows is not known to be none.
    """
    places = cluster_numbers(clusters)
    estimate = mean(values, places, least=0, most=1)
    if estimate.low is None or estimate.low != estimate.high:
        return estimate
    return mean_points(values, places)


def model_score(model: str, judged: Sequence[JudgedOutput], questions: int) -> ModelScore:
    """The score of one model's outputs, each of which counts the same."""
    scored = [(one.adherence, one.cluster) for one in judged if one.adherence is not None]
    values = np.array([value for value, _ in scored], np.float64)
    return ModelScore(
        model=model,
        outputs=len(judged),
        scored=len(scored),
        unscored=reasons(judged),
        questions=questions,
        adherence=mean_adherence(values, [cluster for _, cluster in scored]) if scored else None,
    )


class AspectJudge(NamedTuple):
    """The adherence judge, bound to what answers for it."""

    model: Model
    prompts: Prompts

    async def judge(
        self, question: PersonQuestion, response: str
    ) -> tuple[Adherence | Unscored, int]:
        """The judge's scores of a response, with the tokens that they took. A call that failed is a
        reason, and is asked again by the next run."""
        if not question.aspects:
            return Unscored("no_rubric"), 0
        if not response.strip():
            return Unscored("empty_output"), 0
        metered = MeteredModel.around(self.model)
        aspects = tuple(
            Aspect(aspect=aspect, reason="", evidence="") for aspect in question.aspects
        )
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
        """The judgement of an output to a question."""
        output, question = answered
        adherence, tokens = await self.judge(question, output.output)
        line = JudgedOutput(
            id=output.id,
            pair=question.pair,
            item_id=question.item,
            model=output.model,
            domain=question.domain,
            cluster=question.cluster,
            tokens=tokens,
        )
        if isinstance(adherence, Unscored):
            return line.model_copy(update=adherence.fields)
        return line.model_copy(
            update={"adherence": round(adherence.share, 6), "scores": adherence.scores}
        )
