"""Training a planner, posts and a question in, the gold aspects out: its prompts and items."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.extras import install
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import BUILDING, LISTING
from pairwright.train.gold import GoldItems, read_gold
from pairwright.train.planner.choose import apart
from pairwright.train.planner.examples import PromptMaker
from pairwright.train.planner.report_page import TrainingReport
from pairwright.train.planner.settings import Training, load_training
from pairwright.workflows.output import output_folder
from pairwright.workflows.progress import Progress, Stop, log_notes


class Sources(NamedTuple):
    """Items with gold aspects: to train on, and to choose a checkpoint on."""

    training: GoldItems
    validation: GoldItems


def asking_of(settings: Training, base: Path) -> PromptMaker:
    """How the planner will be asked; paths start from `base`. Raises ConfigError."""
    prompts = settings_folder("prompts", settings.prompts, base, assets.PROMPTS)
    rubrics = settings_folder("rubrics", settings.rubrics, base, assets.RUBRICS)
    names = LISTING | {"system_planning", "history"} if settings.target == "lamp-qa" else BUILDING
    return PromptMaker(
        settings.target,
        Prompts.load(prompts, names),
        Domains.load(rubrics),
        settings.history,
        settings.words,
    )


def sources_of(settings: Training, base: Path, domains: Domains) -> Sources:
    """The items to train on and to validate on.

    Raises SourceError, and ConfigError where a user is in both.
    """
    training = read_gold(settings.source, domains, base, "[source]")
    validation = read_gold(settings.validation, domains, base, "[validation]")
    apart(training.items, validation.items, f"[validation] {settings.validation.path}")
    return Sources(training, validation)


def settings_folder(key: str, given: str | None, base: Path, shipped: Path) -> Path:
    """The folder that a key of the settings names, relative to `base`, or the one that ships.

    Raises ConfigError where it is not there.
    """
    found = base / given if given else shipped
    if not found.is_dir():
        raise ConfigError(
            f"there is no folder {found}",
            where=f"[{key}]",
            fix="Name a folder, or leave the key out.",
        )
    return found


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
    merged: Path | None
    """The model with the adapter in its weights, where it was asked for."""


def train_planner(
    settings: str | Path,
    out: str | Path,
    *,
    merge: bool = False,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> TrainedPlanner:
    """Train a planner by supervised fine-tuning with LoRA. Needs the extra [train].

    `settings` is a TOML file that says what is trained, on what, and how. The checkpoint whose
    plans match the gold aspects of validation items best is kept in `out`/adapter; `merge` also
    writes `out`/merged. Running again goes on from the last checkpoint; `stop` ends after the step
    under way.

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

    run = TrainingRun(training, path.resolve().parent, folder, progress, stop or Stop())
    done = run.run(merge)
    return TrainedPlanner(folder, done.report, done.adapter, done.merged)
