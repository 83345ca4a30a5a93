"""An annotation with the task that it answers: is it about a task of the study, as written?"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from pairwright_human_eval.annotation import (
    Account,
    AnnotatedTask,
    Annotation,
    AnnotationFile,
    Objection,
)
from pairwright_human_eval.form import Controls, FormAnswers, controls, read_answers
from pairwright_human_eval.records import KeyedTask, Kind, Study


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAnnotation:
    """One annotation of one file."""

    annotation: Annotation
    file: str
    task: str | None
    keyed: KeyedTask | None
    """The task's line of the key; None where its data names no task of the study."""
    place: tuple[str, int | None]
    """Source and the server's id of the task: one imported twice is there under two."""
    simulated: bool
    account: Account | None
    problem: Objection | None
    """Why it cannot be a verdict, regardless of who gave it."""
    answers: FormAnswers | Objection | None
    """None where there is a problem, and for what is skipped."""


class TaskAnnotationReader:
    """Reads the annotations of one study."""

    def __init__(
        self, key: Mapping[str, KeyedTask], study: Study, closed: Container[str] = ()
    ) -> None:
        """`closed` are tasks that were handed over to somebody else."""
        self._key = key
        self._closed = closed
        self._study = study
        self._controls = cache(self._controls_of)

    def annotations(self, file: AnnotationFile) -> Iterator[TaskAnnotation]:
        """Every annotation of a file, those that are gone included."""
        for task in file.tasks:
            problem = self._problem(file, task)
            for annotation in task.annotations:
                yield self._annotation(file, task, annotation, problem)
        deleted = Objection("deleted", "an earlier pull had it, and the server has it no more")
        for task in file.gone:
            for annotation in task.annotations:
                yield self._annotation(file, task, annotation, deleted)

    def _annotation(
        self,
        file: AnnotationFile,
        task: AnnotatedTask,
        annotation: Annotation,
        problem: Objection | None,
    ) -> TaskAnnotation:
        keyed = self._key.get(task.task or "")
        problem = problem or annotation.problem
        number = annotation.account
        return TaskAnnotation(
            annotation=annotation,
            file=file.file,
            task=task.task,
            keyed=keyed,
            place=(file.source, task.id),
            simulated=file.simulated,
            account=None if number is None else Account(file.source, number),
            problem=problem,
            answers=None if problem or annotation.skipped else self._answers(annotation, keyed),
        )

    def _answers(
        self, annotation: Annotation, keyed: KeyedTask | None
    ) -> FormAnswers | Objection | None:
        if keyed is None:
            return None
        allowed = self._controls(keyed.kind, len(keyed.aspects))
        return read_answers(annotation.entries, keyed, allowed, self._study.scales)

    def _problem(self, file: AnnotationFile, task: AnnotatedTask) -> Objection | None:
        keyed = self._key.get(task.task or "")
        if keyed is None and task.task in self._closed:
            return Objection("handed_over", "somebody else was given the task before")
        if keyed is None:
            return Objection("unknown_task", "its data names no task of this study")
        if task.data_hash != keyed.data_hash:
            return Objection("data_changed", "the task's data is not as exported")
        form = keyed.kind if keyed.round == 1 else f"{keyed.kind}_adjudication"
        if file.config_hash and file.config_hash != self._study.config_hashes[form]:
            return Objection("config_changed", "the project's labelling configuration was changed")
        return None

    def _controls_of(self, kind: Kind, aspects: int) -> Controls:
        return controls(kind, self._study.scales, aspects)
