"""Judging outputs of any models by the rubrics of a release."""

from pathlib import Path
from typing import Annotated

from pairwright.dataset import write_one
from pairwright.evaluation.outputs import (
    AspectJudge,
    JudgedOutput,
    Output,
    OutputScores,
    PersonQuestion,
    ReleaseQuestions,
    by_model,
    model_score,
    read_outputs,
)
from pairwright.evaluation.release import Release, ReleaseRef
from pairwright.evaluation.settings import Scorers
from pairwright.notebook import run_async
from pairwright.options import Doc, OutPath, ReleasePath
from pairwright.workflows.output import write_below
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scoring import ScorerSession, open_session, scorer_settings


def judge_outputs(
    release: ReleasePath,
    outputs: Annotated[str | Path, Doc("One output a line: id, model, output.", "OUTPUTS.jsonl")],
    scorers: Annotated[
        str | Path | Scorers,
        Doc("Its [judge] and [endpoints].", "FILE.toml", name="--scorers"),
    ],
    out: OutPath,
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> OutputScores:
    """Judge outputs of any models by the rubrics of a release: a score for each aspect.

    `outputs` is a file of lines {"id", "model", "output"}, where an id is that of an item or a
    pair; `scorers` has the tables [judge] and [endpoints]. The judge reads question, output and
    aspects, and never a profile. `out` gets judged.jsonl, judged.json and `run.sqlite`: what is
    stored there is not asked again.

    Raises InputError, ConfigError, EndpointRefused, Interrupted and StoreError.

        >>> done = judge_outputs("releases/1.0.0", "outputs.jsonl", "scorers.toml", "judged")
        >>> {one.model: one.adherence.value for one in done.models}
        {'qwen-grpo@40': 0.61}
    """
    (settings, prompts), folder = scorer_settings(scorers), Path(out)
    pairs = Release(Path(release))
    questions = ReleaseQuestions(pairs.rows())
    to_judge = read_outputs(Path(outputs), questions)
    with open_session(settings, prompts, folder, progress, stop) as session:
        scores, judged = run_async(_judge(session, pairs.ref, to_judge, len(questions.own)))
    write_below(folder / "judged.json", {"judged.jsonl": judged})
    write_one(folder / "judged.json", scores)
    return scores


async def _judge(
    session: ScorerSession,
    release: ReleaseRef,
    outputs: list[tuple[Output, PersonQuestion]],
    questions: int,
) -> tuple[OutputScores, list[JudgedOutput]]:
    async with session.judge() as judge:
        asked = AspectJudge(judge.model, session.prompts)
        judged = await session.calls.each(
            "outputs", outputs, asked.judged, workers=judge.workers, stop=judge.stop
        )
    scores = OutputScores(
        release=release,
        judge=judge.ref,
        models=tuple(
            model_score(model, lines, questions) for model, lines in by_model(judged).items()
        ),
    )
    return scores, judged
