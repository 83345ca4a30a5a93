"""What a training or a scoring of planners starts from: the folders, prompts and items it names."""

from pathlib import Path
from typing import NamedTuple

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import BUILDING, LISTING
from pairwright.training.gold import GoldItems, read_gold
from pairwright.training.plan_settings import Training
from pairwright.training.planner_checkpoints import apart
from pairwright.training.planner_data import PromptMaker


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


def settings_folder(key: str, name: str | None, base: Path, shipped: Path) -> Path:
    """The folder that a key of the settings names, relative to `base`, or the one that ships.

    Raises ConfigError where it is not there.
    """
    folder = base / name if name else shipped
    if not folder.is_dir():
        raise ConfigError(
            f"there is no folder {folder}",
            where=f"[{key}]",
            fix="Name a folder, or leave the key out.",
        )
    return folder
