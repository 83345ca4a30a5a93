"""Judging outputs of any models by the rubrics of a release."""

from pathlib import Path
from typing import Annotated

from typer import Argument

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
from pairwright.lines import write_one
from pairwright.notebook import run_async
from pairwright.options import OutPath, ReleasePath
from pairwright.progress import Progress, Stop, log_notes
from pairwright.workflows.output import output_folder, write_below
from pairwright.workflows.scoring import ScorerSession, ScorersFile, open_session, scorer_settings


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
