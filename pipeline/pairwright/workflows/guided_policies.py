"""Policy accuracy: whether what reward-guided decoding adds up prefers the chosen response."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pairwright.evaluation.guided import (
    GuidedResult,
    PolicyAccuracy,
    guided_names,
    guided_results,
    guided_spec,
    parts,
    policy_page,
    taus,
)
from pairwright.evaluation.release import Release
from pairwright.evaluation.settings import Scorers
from pairwright.options import Doc, ReleasePath, SubjectLimit, SubjectSplit
from pairwright.workflows.evaluation import (
    EvaluationResult,
    EvaluationTask,
    OnResult,
    conditions_of,
    run_evaluation,
)
from pairwright.workflows.output import write_page
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scoring import scorer_settings


def policy_accuracy(
    release: ReleasePath,
    scorers: Annotated[
        str | Path | Scorers,
        Doc("Guided policies, their policies and rewards.", "FILE.toml", name="--scorers"),
    ],
    out: Annotated[
        str | Path,
        Doc("Folder of the results; one of `evaluate` will do.", "DIR", name="--out"),
    ],
    *,
    names: Annotated[
        Iterable[str],
        Doc("A guided policy; again for more [all of the file].", "NAME", name="--scorer"),
    ] = (),
    conditions: Annotated[
        Iterable[str],
        Doc("none, profile, ... as in evaluate; again for more.", "COND", name="--condition"),
    ] = ("none", "profile"),
    split: SubjectSplit = None,
    limit: SubjectLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
    on_result: OnResult = lambda _about, _decisions: None,
) -> tuple[PolicyAccuracy, EvaluationResult]:
    """Score guided policies, their policies and their rewards on a release's pairs: their
    accuracies, and the results behind them, which `leaderboard` reads.

    `names` are guided policies of the file of scorers, all of them where none is named; the rest is
    as in `evaluate`. `out` gets policy.json, .md and .html beside the results. Raises as `evaluate`
    does.

        >>> policy_accuracy("releases/1.0.0", "scorers.toml", "results")[0].lines[0].policy
        'qwen'
    """
    (settings, prompts), folder = scorer_settings(scorers), Path(out)
    guided = guided_names(settings, tuple(names))
    # The parts first: then what a guided policy adds up is stored, and no two models are loaded.
    task = EvaluationTask(
        Release(Path(release), split),
        (*parts(settings, guided), *guided),
        conditions_of(conditions),
        limit,
    )
    done = run_evaluation(task, settings, prompts, folder, progress, stop, on_result)
    lines: list[GuidedResult] = []
    for condition in task.conditions:
        decided = {
            one.about.scorer.name: list(one.decisions())
            for one in done.results
            if one.about.condition == condition
        }
        for name in guided:
            lines += guided_results(name, guided_spec(settings, name), condition, decided)
    accuracy = PolicyAccuracy(
        release=task.release.ref,
        limit=limit,
        split=split,
        lines=tuple(lines),
        taus=taus(lines),
    )
    write_page(folder, "policy", policy_page(accuracy), accuracy)
    return accuracy, done
