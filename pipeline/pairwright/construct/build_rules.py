"""What a build function decides by: the config with the content it names, and the other users of
the run, whose histories show what is specific."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from pairwright import assets
from pairwright.construct.other_users import NoOtherUsers, OtherUsers
from pairwright.errors import ConfigError
from pairwright.models import SharedWork
from pairwright.modes import need_partners
from pairwright.records import Item
from pairwright.retrieve import dense
from pairwright.settings.config import Config
from pairwright.settings.domains import Domains, Guidance, Scale, load_scales
from pairwright.settings.prompt import Prompts

SHARED = 1024
"""Plans and rubrics kept for the units that follow."""


@dataclass(frozen=True)
class BuildRules:
    """Everything a build function needs beside an item and models."""

    config: Config
    prompts: Prompts
    domains: Domains
    scales: tuple[Scale, ...]
    other_users: OtherUsers
    once: SharedWork = field(default_factory=SharedWork)
    """What the units of one run share: histories and rubrics they have in common."""

    @classmethod
    def load(cls, config: Config, folder: Path) -> "BuildRules":
        """The rules of a config whose paths are relative to `folder`."""
        if config.planner.retrieval == "dense":
            dense.require()
        if need_partners(config.modes) and not config.planner.others:
            raise ConfigError(
                "twins need other users: partners are found among those that a question is"
                " tried on",
                where="[planner] others = 0",
                fix="Give 1 or more, or leave twin out of modes.",
            )
        rubrics = _folder(config.rubrics, "rubrics", folder, assets.RUBRICS)
        prompts = _folder(config.prompts, "prompts", folder, assets.PROMPTS)
        return cls(
            config=config,
            prompts=Prompts.load(prompts),
            domains=Domains.load(rubrics),
            scales=load_scales(rubrics),
            other_users=NoOtherUsers(),
        )

    def with_other_users(self, other_users: OtherUsers) -> "BuildRules":
        """The rules of one run over these users; its units share their work."""
        return replace(self, other_users=other_users, once=SharedWork(SHARED))

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
