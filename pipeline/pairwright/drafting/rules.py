"""The rules of a build: its configuration with the prompts, domains and scales that it names."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pairwright import assets
from pairwright.errors import ConfigError
from pairwright.records import Item, Post, Rubric
from pairwright.retrieve import dense
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains, Guidance, Scale, load_scales
from pairwright.settings.prompt import Prompts

Histories = tuple[tuple[Post, ...], ...]


def no_others(item: Item, user: str) -> Histories:  # noqa: ARG001 - as a corpus is called
    """Nobody: aspects are then only compared with the plan that is made without posts."""
    return ()


@dataclass(frozen=True)
class BuildRules:
    """Everything that decides how a pair is built, apart from its item and the models."""

    config: Config
    prompts: Prompts
    domains: Domains
    scales: tuple[Scale, ...]
    others: Callable[[Item, str], Histories] = no_others
    """Histories of other users, with whose plans the aspects of a user for an item's question are
    compared: the asker's, or a partner's."""
    rubric: Rubric | None = None
    """The asker's rubric, if it is planned already."""

    @classmethod
    def load(cls, config: Config, folder: Path) -> "BuildRules":
        """The rules of a config whose paths are relative to `folder`."""
        if config.planner.retrieval == "dense":
            dense.require()
        rubrics = _folder(config.rubrics, "rubrics", folder, assets.RUBRICS)
        prompts = _folder(config.prompts, "prompts", folder, assets.PROMPTS)
        return cls(
            config=config,
            prompts=Prompts.load(prompts),
            domains=Domains.load(rubrics),
            scales=load_scales(rubrics),
        )

    def guidance(self, item: Item) -> Guidance:
        """What the planner reads of the item's domain."""
        return self.domains.by_key[item.domain].guidance

    def language(self, item: Item, *texts: str) -> str | None:
        """The language of an item, by its domain's file or its texts; `texts` are more of them."""
        return self.domains.item_language(item, *texts)


def _folder(name: str | None, key: str, base: Path, shipped: Path) -> Path:
    if name is None:
        return shipped
    folder = base / name
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {folder}", where=f"[{key}]", fix="Name a folder, or leave the key out."
        )
    return folder
