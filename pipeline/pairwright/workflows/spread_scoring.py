"""Scoring a release in several wordings and layouts: how much accuracy depends on them."""

from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from pairwright.assets import DOCS
from pairwright.dataset.message import FRAMES
from pairwright.errors import InputError, PromptError
from pairwright.evaluate.conditions import ConditionName
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import Result, write_result
from pairwright.evaluate.scorers.spec import PairwiseJudge, PointwiseJudge, ScoresOfFile, Spec
from pairwright.evaluate.settings import Scorers
from pairwright.evaluate.spread import (
    PresentationResult,
    SpreadScores,
    apply_wording,
    presentations_of,
    spread_scores,
)
from pairwright.evaluate.spread.presentations import Presentation
from pairwright.evaluate.spread.report_page import spread_page
from pairwright.notebook import run_async
from pairwright.settings.prompt import Prompts
from pairwright.workflows.condition_scores import EvaluationTask
from pairwright.workflows.evaluation import EvaluationResult, derive_results
from pairwright.workflows.output import write_report
from pairwright.workflows.progress import Note, Progress, Stop, log_notes
from pairwright.workflows.scoring import ScorerSession, open_session, scorer_settings

CONDITION: ConditionName = "profile"


@dataclass(frozen=True, slots=True)
class SpreadResult:
    """The spread of a release, as it was written."""

    scores: SpreadScores
    evaluation: EvaluationResult
    """Its folder holds spread.html, .md and .json, and a folder of results for each presentation;
    its results are those of all presentations."""


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
) -> SpreadResult:
    """Score a release in every wording of the prompt and every layout of the history.

    `names` are scorers of the file (all that are asked anything); `wordings` is a folder with a
    folder for each further wording, with prefer.md and rate.md (those that ship). A judge with a
    prompt file of its own is refused, since that would be its only wording. `out` gets the page,
    the results by presentation, and `calls.sqlite`; a stored call is not sent again.

    Raises InputError, ConfigError, PromptError, EndpointRefused, Interrupted and StoreError.

        >>> done = score_spread("releases/1.0.0", "scorers.toml", "spread", names=["judge"])
        >>> done.scores.figures[0].deviation.value
        0.021
    """
    settings, folder = scorer_settings(scorers), Path(out)
    defined = settings.scorers.scorers
    chosen = tuple(names) or tuple(
        name for name, spec in defined.items() if not isinstance(spec, ScoresOfFile)
    )
    _check_scorers(chosen, defined)
    pairs = Release(Path(release), split)
    wording_folder = None if wordings is None else Path(wordings)
    presentations = tuple(presentations_of(wording_folder))
    # All are read before anything is asked.
    prompts = {
        name: apply_wording(settings.prompts, name, wording_folder)
        for name in dict.fromkeys(one.wording for one in presentations)
    }
    _check_wordings(prompts, [defined[name] for name in chosen if name in defined])
    judges = (PairwiseJudge, PointwiseJudge)
    if len(prompts) > len(FRAMES) and not all(
        isinstance(defined.get(one), judges) for one in chosen
    ):
        progress(Note(
            f"Judges have {len(prompts)} wordings and other scorers have {len(FRAMES)}, so other"
            " scorers see the same wording more than once."
        ))  # fmt: skip
    results: list[PresentationResult] = []
    with open_session(settings, folder, progress, stop) as session:
        for presentation in presentations:
            task = EvaluationTask(pairs, chosen, (CONDITION,), limit, presentation)
            presentation_folder = folder / f"{presentation.wording}-{presentation.layout}"
            presentation_folder.mkdir(parents=True, exist_ok=True)
            one = session._replace(prompts=prompts[presentation.wording])
            results += run_async(_score(task, one, presentation, presentation_folder))
    scores = spread_scores(results)
    write_report(folder, "spread", spread_page(scores), scores)
    return SpreadResult(scores, EvaluationResult(folder, tuple(one.result for one in results)))


def _check_scorers(names: Sequence[str], defined: dict[str, Spec]) -> None:
    """Raise InputError for a scorer that cannot be asked in several ways, and for no scorer."""
    for name in names:
        spec = defined.get(name)
        if isinstance(spec, ScoresOfFile):
            raise InputError(
                f"{name} has scores of a file, which were computed in one way",
                where="--scorer",
                fix="Name scorers that are asked.",
            )
        if isinstance(spec, PairwiseJudge | PointwiseJudge) and spec.prompt is not None:
            raise InputError(
                f"{name} has a prompt file of its own, so other wordings do not apply to it",
                where=f"[scorers.{name}] prompt",
                fix="Leave the key out, and give the file to --wordings as one of its wordings.",
            )
    if not names:
        raise InputError(
            "no scorer is named, and the file has none that is asked", where="--scorers",
            fix=f"Give the file a table [scorers.NAME]; {DOCS / 'scorers.md'} shows them.",
        )  # fmt: skip


def _check_wordings(prompts: dict[str, Prompts], specs: Sequence[Spec]) -> None:
    """Raise PromptError where a judge would be asked with one text under two names."""
    asked = {
        "prefer": any(isinstance(spec, PairwiseJudge) for spec in specs),
        "rate": any(isinstance(spec, PointwiseJudge) for spec in specs),
    }
    for prompt in (name for name, used in asked.items() if used):
        there: dict[str, str] = {}
        for wording, own in prompts.items():
            other = there.setdefault(own.hashes[prompt], wording)
            if other != wording:
                raise PromptError(
                    f"the wordings {other} and {wording} have the same text of {prompt}.md",
                    where="--wordings",
                    fix="Change one of the two, or take it out: one text twice hides the spread.",
                )


async def _score(
    task: EvaluationTask, session: ScorerSession, presentation: Presentation, folder: Path
) -> list[PresentationResult]:
    found = []
    async with aclosing(derive_results(task, session, folder)) as derived:
        async for about, decisions in derived:
            result = Result(write_result(folder, about, decisions))
            found.append(PresentationResult(presentation.name, result, decisions))
    return found
