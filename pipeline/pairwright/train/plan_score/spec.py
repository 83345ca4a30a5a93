"""The file that names planners: one TOML, every key known.

[source]            items with gold aspects        -> settings.source_rules.SourceRules
[endpoints.NAME]    what answers                   -> config.Endpoint
[planners.NAME]     what is compared               -> PromptedPlanner or FilePlanner
[judge]             who says that aspects match    -> MatchJudge
[embedding]         what else says so              -> MatchEmbedding
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from pairwright.assets import DOCS
from pairwright.records import Record
from pairwright.settings.config import Planner
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.source_rules import SourceRules
from pairwright.settings.toml_files import read_toml, validated
from pairwright.train.planner.training_target import Form

KEYS = DOCS / "train_keys.md"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class PromptedPlanner(Planner):
    """A planner that an endpoint serves."""

    kind: Literal["endpoint"]
    form: Form = Field("plan", description="what it was trained to write")


class FilePlanner(Record):
    """Plans that were made elsewhere: JSON lines with `id` and `aspects`, or `plan` as a text."""

    kind: Literal["plans"]
    path: str = Field(description="the file")


class MatchJudge(Record):
    """The judge that says which aspects ask for the same."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()


class MatchEmbedding(Record):
    """Aspects compared by the cosine of their embeddings (extra `[dense]`)."""

    model: str = Field(description="a folder or a Hugging Face id of a sentence-transformers model")


class PlanScoring(Record):
    """What a scoring of planners is made with, as its file says."""

    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(default={})
    planners: dict[str, Annotated[PromptedPlanner | FilePlanner, Field(discriminator="kind")]] = (
        Field(min_length=1)
    )
    judge: MatchJudge | None = None
    embedding: MatchEmbedding | None = None
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    rubrics: str | None = Field(None, description="folder of domains; none: those that ship")
    seed: int = Field(0, description="other people's gold aspects are drawn with it")

    @field_validator("planners")
    @classmethod
    def _named(
        cls, planners: dict[str, PromptedPlanner | FilePlanner]
    ) -> dict[str, PromptedPlanner | FilePlanner]:
        for name in planners:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r}: a planner's name is lower case, digits and dashes")
        return planners

    @model_validator(mode="after")
    def _known(self) -> "PlanScoring":
        named = {f"planners.{name}": planner for name, planner in self.planners.items()}
        places = {**named, **({"judge": self.judge} if self.judge else {})}
        for place, planner in places.items():
            if not isinstance(planner, FilePlanner) and planner.endpoint not in self.endpoints:
                known = ", ".join(sorted(self.endpoints)) or "none"
                raise ValueError(
                    f"[{place}] names the endpoint {planner.endpoint!r}; there are: {known}"
                )
        return self


def load_scoring(path: Path) -> PlanScoring:
    """Raises ConfigError naming the key."""
    return validated(
        PlanScoring, read_toml(path, f"{DOCS / 'train.md'} shows one."), path, docs=KEYS
    )
