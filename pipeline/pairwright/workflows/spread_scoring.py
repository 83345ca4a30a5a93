"""Scoring a release in several wordings and layouts: how far accuracy depends on how one asks."""

from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from pairwright.assets import DOCS
from pairwright.errors import InputError
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import write_result
from pairwright.evaluate.scorers.spec import ScoresOfFile
from pairwright.evaluate.settings import Scorers
from pairwright.evaluate.spread import (
    PresentedResult,
    SpreadScores,
    presentations_of,
    spread_scores,
    worded,
)
from pairwright.evaluate.spread.presentations import Presentation
from pairwright.evaluate.spread.report_page import spread_page
from pairwright.notebook import run_async
from pairwright.workflows.condition_scores import EvaluationTask
from pairwright.workflows.evaluation import derive_results
from pairwright.workflows.output import write_report
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scoring import ScorerSession, open_session, scorer_settings

CONDITION: ConditionName = "profile"


@dataclass(frozen=True, slots=True)
class ScoredSpread:
    """A spread that was scored and written."""

    folder: Path
    """It holds spread.html, .md and .json, and a folder of results for each presentation."""
    scores: SpreadScores


def score_spread(
    release: str | Path,
    scorers: str | Path | Scorers,
    out: str | Path,
    *,
    names: Iterable[str] = (),
    wordings: str | Path | None = None,
    split: str | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> ScoredSpread:
    """Score a release in every wording of the prompt and every layout of the history.

    `names` are scorers of the file (all that are asked anything); `wordings` is a folder with a
    folder for each further wording, with prefer.md and rate.md (those that ship). `out` gets the
    page, the results by presentation, and `calls.sqlite`: what is stored there is not asked again.

    Raises InputError, ConfigError, PromptError, EndpointRefused, Interrupted and StoreError.

        >>> done = score_spread("releases/1.0.0", "scorers.toml", "spread", names=["judge"])
        >>> done.scores.figures[0].deviation.value
        0.021
    """
    settings, folder = scorer_settings(scorers), Path(out)
    defined = settings.scorers.scorers
    asked = tuple(names) or tuple(
        name for name, spec in defined.items() if not isinstance(spec, ScoresOfFile)
    )
    for name in asked:
        if isinstance(defined.get(name), ScoresOfFile):
            raise InputError(
                f"{name} has scores of a file, which were computed in one way",
                where="--scorer",
                fix="Name scorers that are asked.",
            )
    if not asked:
        raise InputError(
            "no scorer is named, and the file has none that is asked", where="--scorers",
            fix=f"Give the file a table [scorers.NAME]; {DOCS / 'scorers.md'} shows them.",
        )  # fmt: skip
    pairs = Release(Path(release), split)
    others = None if wordings is None else Path(wordings)
    presentations = tuple(presentations_of(others))
    results: list[PresentedResult] = []
    with open_session(settings, folder, progress, stop) as session:
        for presentation in presentations:
            task = EvaluationTask(pairs, asked, (CONDITION,), limit, presentation)
            prompts = worded(session.prompts, presentation.wording, others)
            place = folder / f"{presentation.wording}-{presentation.layout}"
            place.mkdir(parents=True, exist_ok=True)
            one = session._replace(prompts=prompts)
            results += run_async(_score(task, one, presentation, place))
    scores = spread_scores(results)
    write_report(folder, "spread", spread_page(scores), scores)
    return ScoredSpread(folder, scores)


async def _score(
    task: EvaluationTask, session: ScorerSession, presentation: Presentation, folder: Path
) -> list[PresentedResult]:
    found = []
    async with aclosing(derive_results(task, session, folder)) as derived:
        async for about, decisions in derived:
            write_result(folder, about, decisions)
            found.append(PresentedResult(presentation.name, about, decisions))
    return found
