"""The files that say what a planner is trained on, and which planners are compared: TOML, every
key known.

train planner
    model, ...           what is trained                        -> Training
    [source]             items to train on                      -> settings.rules.SourceRules
    [validation]         items that checkpoints are chosen on   -> settings.rules.SourceRules
    [history]            which posts are shown                  -> TrainingHistory
    [lora], [steps]      hyper-parameters                       -> Lora, Steps
    [selection]          how a checkpoint is chosen             -> Selection

train score
    [source]             items with gold aspects                -> settings.rules.SourceRules
    [endpoints.NAME]     what answers                           -> settings.endpoints.Endpoint
    [planners.NAME]      what is compared                       -> PromptedPlanner or FilePlanner
    [judge]              who says that aspects match            -> MatchJudge

The defaults of [lora] and [steps] are those that LaMP-QA published for its planner.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from pairwright.assets import DOCS
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.config import Planner
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.rules import HistoryRules, SourceRules

KEYS = DOCS / "train_keys.md"


class TrainingHistory(HistoryRules):
    """Which posts are shown: by number. `max_tokens` decides by length."""

    history_tokens: int = Field(
        1_000_000,
        ge=100,
        description="most tokens of history (four characters each; Chinese: one)",
    )


class Lora(Record):
    """The adapter (Hu et al. 2021, arXiv 2106.09685)."""

    r: int = Field(16, ge=1, description="rank")
    alpha: int = Field(16, ge=1, description="scale: updates count alpha / r")
    dropout: float = Field(0.05, ge=0, lt=1, description="dropout of the adapter's input")
    modules: str | tuple[str, ...] = Field(
        "all-linear", description="which modules get one, as PEFT names them"
    )


class Steps(Record):
    """The optimisation."""

    learning_rate: float = Field(5e-5, gt=0, description="of AdamW; falls linearly to 0")
    warmup: int = Field(250, ge=0, description="steps in which the learning rate rises to it")
    most: int = Field(2000, ge=1, description="steps")
    save_every: int = Field(250, ge=1, description="steps between two checkpoints")
    batch: int = Field(1, ge=1, description="items of one forward pass, on each device")
    accumulation: int = Field(64, ge=1, description="forward passes of one step")
    weight_decay: float = Field(0.0, ge=0, description="of AdamW")


class Selection(Record):
    """How a checkpoint is chosen: by how its plans match the gold aspects of validation items."""

    items: int = Field(64, ge=1, description="most validation items, drawn with the seed")
    new_tokens: int = Field(1024, ge=16, description="most tokens of a plan")
    batch: int = Field(8, ge=1, description="plans that are written at a time")


class Training(Record):
    """A whole file."""

    model: str = Field(description="a folder or a Hugging Face id of a chat model")
    revision: str | None = Field(None, description="revision of the model")
    max_tokens: int = Field(8192, ge=64, description="most tokens of prompt and target")
    seed: int = Field(0, ge=0, description="of the adapter's start, the order and the sample")
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    rubrics: str | None = Field(None, description="folder of domains; none: those that ship")
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="of the model; 'auto': bfloat16 on a GPU, float32 on a CPU"
    )
    source: SourceRules
    validation: SourceRules
    history: TrainingHistory = TrainingHistory()
    lora: Lora = Lora()
    steps: Steps = Steps()
    selection: Selection = Selection()


def load_training(path: Path) -> Training:
    """Raises ConfigError naming the key."""
    return validated(Training, read_toml(path, f"{DOCS / 'train.md'} shows one."), path, docs=KEYS)


_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class PromptedPlanner(Planner):
    """A planner that an endpoint serves."""

    kind: Literal["endpoint"]


class FilePlanner(Record):
    """Plans that were made elsewhere: JSON lines with `id` and `aspects`."""

    kind: Literal["plans"]
    path: str = Field(description="the file")


class MatchJudge(Record):
    """The judge that says which aspects ask for the same."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()


class PlanScoring(Record):
    """What a scoring of planners is made with, as its file says."""

    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(default={})
    planners: dict[str, Annotated[PromptedPlanner | FilePlanner, Field(discriminator="kind")]] = (
        Field(min_length=1)
    )
    judge: MatchJudge | None = None
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
        planners = {f"planners.{name}": planner for name, planner in self.planners.items()}
        check_endpoints({**planners, "judge": self.judge}, self.endpoints)
        return self


def load_scoring(path: Path) -> PlanScoring:
    """Raises ConfigError naming the key."""
    return validated(
        PlanScoring, read_toml(path, f"{DOCS / 'train.md'} shows one."), path, docs=KEYS
    )
