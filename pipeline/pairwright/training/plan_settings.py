"""The files of a training and of a comparison of planners. The defaults of [lora] and [steps] are
those that LaMP-QA published for its planner."""

from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, model_validator

from pairwright import assets
from pairwright.assets import DOCS
from pairwright.evaluation.session import settings_folder
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.domains import Domains
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.prompt import BUILDING, Prompts
from pairwright.settings.rules import HistoryRules, PlanRules, SourceRules

R = TypeVar("R", bound=Record)


class Lora(Record):
    """The adapter (Hu et al. 2021, arXiv 2106.09685): arguments of PEFT's `LoraConfig`."""

    r: int = Field(16, ge=1, description="rank")
    lora_alpha: int = Field(16, ge=1, description="scale: updates count lora_alpha / r")
    lora_dropout: float = Field(0.05, ge=0, lt=1, description="dropout of the adapter's input")
    target_modules: str | tuple[str, ...] = Field("all-linear", description="which modules get one")


class Steps(Record):
    """The optimisation: arguments of TRL's `SFTConfig`."""

    learning_rate: float = Field(5e-5, gt=0, description="of AdamW; falls linearly to 0")
    warmup_steps: int = Field(250, ge=0, description="steps in which the learning rate rises")
    max_steps: int = Field(2000, ge=1, description="steps in all")
    save_steps: int = Field(250, ge=1, description="steps from one checkpoint to the next")
    per_device_train_batch_size: int = Field(1, ge=1, description="items of one forward pass")
    gradient_accumulation_steps: int = Field(64, ge=1, description="forward passes of one step")


class Training(Record):
    """How a planner is trained."""

    model: str = Field(description="a folder or a Hugging Face id of a chat model")
    revision: str | None = Field(None, description="revision of the model")
    max_tokens: int = Field(8192, ge=64, description="longer items (prompt and target) are refused")
    seed: int = Field(0, ge=0, description="of the adapter's start and the order of items")
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    rubrics: str | None = Field(None, description="folder of domains; none: those that ship")
    source: SourceRules
    validation: SourceRules
    history: HistoryRules = HistoryRules()
    lora: Lora = Lora()
    steps: Steps = Steps()


class PromptedPlanner(PlanRules):
    """A planner that an endpoint serves."""

    kind: Literal["endpoint"]
    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")


class FilePlanner(Record):
    """Plans that were made elsewhere: JSON lines with `id` and `aspects`."""

    kind: Literal["plans"]
    path: str = Field(description="the file")


class MatchJudge(Record):
    """The judge that says which aspects ask for the same."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()


JUDGE = "[judge]"
PlannerName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
"""Names a file of the results: lower case, digits and dashes."""


class PlanScoring(Record):
    """Which planners are compared, and on what."""

    source: SourceRules
    endpoints: dict[str, Endpoint] = Field(default={})
    planners: dict[
        PlannerName, Annotated[PromptedPlanner | FilePlanner, Field(discriminator="kind")]
    ] = Field(min_length=1)
    judge: MatchJudge
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    rubrics: str | None = Field(None, description="folder of domains; none: those that ship")
    seed: int = Field(0, description="other users' gold aspects are drawn with it")

    @property
    def asked(self) -> dict[str, PromptedPlanner | MatchJudge]:
        """The planners that endpoints serve, and the judge."""
        planners = {n: of for n, of in self.planners.items() if isinstance(of, PromptedPlanner)}
        return {**planners, JUDGE: self.judge}

    @model_validator(mode="after")
    def _known(self) -> "PlanScoring":
        tables = {f"planners.{name}": planner for name, planner in self.planners.items()}
        check_endpoints({**tables, "judge": self.judge}, self.endpoints)
        return self


def load_settings(kind: type[R], path: Path) -> R:
    """Read a file of settings. Raises ConfigError naming the key."""
    data = read_toml(path, f"{DOCS / 'train.md'} shows one.")
    return validated(kind, data, path, docs=DOCS / "config.md")


def prompts_and_domains(settings: Training | PlanScoring, base: Path) -> tuple[Prompts, Domains]:
    """Read the prompts and domains that the settings name, relative to `base`, or those that ship.

    Raises ConfigError."""
    prompts = settings_folder("prompts", settings.prompts, base, assets.PROMPTS)
    rubrics = settings_folder("rubrics", settings.rubrics, base, assets.RUBRICS)
    return Prompts.load(prompts, BUILDING), Domains.load(rubrics)
