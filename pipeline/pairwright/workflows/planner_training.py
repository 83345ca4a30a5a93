"""Training a planner, posts and a question in, the gold aspects out."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from pairwright.errors import ConfigError
from pairwright.extras import install
from pairwright.options import Doc
from pairwright.training.plan_settings import load_training
from pairwright.training.planner_checkpoints import TrainingReport
from pairwright.workflows.output import output_folder
from pairwright.workflows.progress import Progress, Stop, log_notes

LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets")
"""What the extra [train] installs."""


@dataclass(frozen=True, slots=True)
class TrainedPlanner:
    """A planner that was trained."""

    folder: Path
    """It holds the checkpoints, report.html and report.json."""
    report: TrainingReport
    """Each checkpoint's F1 on validation items, from 0 to 1, the one chosen, and the losses."""
    adapter: Path
    """The LoRA adapter of the chosen checkpoint."""


def train_planner(
    settings: Annotated[str | Path, Doc("What is trained, on what, and how.", "SETTINGS.toml")],
    out: Annotated[str | Path, Doc("Folder of checkpoints and adapter.", "DIR", name="--out")],
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> TrainedPlanner:
    """Train a planner by supervised fine-tuning with LoRA. Needs the extra [train].

    `settings` is a TOML file that says what is trained, on what, and how. The checkpoint whose
    plans match the gold aspects of validation items best is kept in `out`/adapter. Running again
    goes on from the last checkpoint; `stop` ends after the step under way.

    Raises ConfigError, SourceError, StoreError and Interrupted.

        >>> train_planner("planner.toml", "planner").report.chosen
        400
    """
    path, folder = Path(settings), Path(out)
    training = load_training(path)
    if absent := [name for name in LIBRARIES if not find_spec(name)]:
        raise ConfigError(
            f"{', '.join(absent)}: not installed",
            where="pairwright train planner",
            fix=f"Run {install('train')}.",
        )
    output_folder(folder)
    # What trains takes seconds to import, and what is wrong above is said before that.
    from pairwright.workflows.training_run import TrainingRun

    return TrainingRun(training, path.resolve().parent, folder, progress, stop or Stop()).run()
