"""config.md: every key of the files that a person writes."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from pydantic import BaseModel

from pairwright.evaluation.conditions import ScorerHistory
from pairwright.evaluation.settings import OutputJudge, Policy, Scorers, Spec
from pairwright.settings.config import (
    OPERATIONAL,
    Budget,
    Config,
    Roles,
    SamplingByRole,
    essential,
)
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import OPTIONAL
from pairwright.settings.rules import (
    GateRules,
    HumanRules,
    NaturalRules,
    PlanRules,
    ReleaseInfo,
    SourceRules,
    TwinRules,
)
from pairwright.training.planner_data import Lora, Steps, Training
from pairwright.training.score_planners import MatchJudge as PlanJudge
from pairwright.training.score_planners import PlanScoring, PromptedPlanner
from reference.keys import key_table, toml, value_and_meaning
from reference.markdown import page_of, table
from reference.sources import source_sections

# The tables of a config in the order of the page, and how their headings are written.
TABLES: dict[str, tuple[str, type[BaseModel]]] = {
    "source": ("source", SourceRules),
    "endpoints": ("endpoints.NAME", Endpoint),
    "roles": ("roles", Roles),
    "sampling": ("sampling.ROLE", Sampling),
    "planner": ("planner", PlanRules),
    "twin": ("twin", TwinRules),
    "natural": ("natural", NaturalRules),
    "gates": ("gates", GateRules),
    "human": ("human", HumanRules),
    "release": ("release", ReleaseInfo),
    "budget": ("budget", Budget),
}
BESIDE = {"kind", "sampling"}
TRAINED = {"lora": Lora, "steps": Steps}


def config_page() -> str:
    return page_of(
        "# The configuration",
        "Every key of every TOML file. A key that is not here is an error that names it. Paths are"
        " relative to the file's folder. A key without a default shows its type. API keys are never"
        " in a file: `api_key_env` names the environment variable that holds one.",
        "`pairwright init DIR` writes a file to start from.",
        "## Keys outside tables",
        key_table(Config, [k for k in Config.model_fields if k not in TABLES]),
        "Required tables: `[source]`, `[roles]` and one `[endpoints.NAME]` for each name that the"
        ' roles use. With `modes = ["natural"]` only `[source]` is required.',
        *_table_sections(),
        "## What may differ when a run goes on",
        "A run folder keeps the resolved configuration, with hashes of prompts, rubrics and source."
        " Another run in the folder must agree with it, or needs `--accept-changes`. These may"
        " change at any time:",
        f"- in `[endpoints.NAME]`: {_listed(sorted(OPERATIONAL))}\n"
        "- endpoints that no role names\n" + "\n".join(f"- {name}" for name in _free()),
        *source_sections(),
        "## Prompts",
        "A prompt must use each variable of the file that ships, and no others. It may leave out"
        f" {_listed(sorted(OPTIONAL))}.",
        "## The file of scorers",
        "`--scorers FILE.toml` of `evaluate`, `train reward-server` and `downstream`"
        " ([examples](evaluate.md#a-file-of-scorers)). `[endpoints.NAME]` is as above. Judges and"
        " the policy have a table `sampling` like [`sampling.judge`](#samplingrole). A folder of a"
        " model is relative to where the command runs.",
        key_table(Scorers, ["prompts", "seed"]),
        *_scorer_sections(),
        "## Train planner",
        "The file of `pairwright train planner` ([example](train.md#train-a-planner))."
        " `[source]` and `[validation]` are as above.",
        key_table(
            Training,
            [
                key
                for key in Training.model_fields
                if key not in TABLES | TRAINED and key not in ("validation", "history")
            ],
        ),
        "`[history]` takes `posts`, `history_tokens` and `retrieval` of [`[planner]`](#planner).",
        *_sections(TRAINED),
        "## Train score",
        "The file of `pairwright train score` ([example](train.md#compare-planners)). `[source]`"
        " and `[endpoints.NAME]` are as above.",
        key_table(PlanScoring, ["prompts", "rubrics", "seed"]),
        "`[planners.NAME]` takes those of [`[planner]`](#planner) and:",
        key_table(PromptedPlanner, _new(PromptedPlanner, PlanRules)),
        "`[judge]`:",
        key_table(PlanJudge, _new(PlanJudge)),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _new(model: type[BaseModel], known: type[BaseModel] | None = None) -> list[str]:
    """The keys of a model that another does not have."""
    old = BESIDE | (known.model_fields.keys() if known else set())
    return [key for key in model.model_fields if key not in old]


def _sections(tables: Mapping[str, type[BaseModel]]) -> Iterator[str]:
    for name, model in tables.items():
        yield f"### [{name}]"
        yield inspect.getdoc(model) or ""
        yield key_table(model, _new(model))


def _table_sections() -> Iterator[str]:
    for key, (heading, model) in TABLES.items():
        yield f"## [{heading}]"
        yield inspect.getdoc(model) or ""
        yield _sampling() if key == "sampling" else key_table(model, list(model.model_fields))


def _sampling() -> str:
    """The defaults differ by role, so they have a column each."""
    roles = SamplingByRole()
    rows = []
    for name, field in Sampling.model_fields.items():
        found = (getattr(one, name) for one in (roles.planner, roles.generator))
        defaults = ("none" if value is None else toml(value) for value in found)
        rows.append((f"`{name}`", *defaults, value_and_meaning(name, field)[1]))
    heads = ("key", "planner, judge", "generator", "meaning")
    return f"ROLE is planner, generator or judge.\n\n{table(heads, rows)}"


def _free() -> list[str]:
    """Keys outside tables, and whole tables, that decide nothing."""
    endpoint = {"base_url": "http://127.0.0.1:8000/v1", "model": "m"}
    roles = {"planner": "e", "generator": "e", "judge": "e"}
    stub = {"source": {"path": "x"}, "endpoints": {"e": endpoint}, "roles": roles}
    resolved = Config.model_validate(stub).model_dump(mode="json")
    free = [name for name in resolved if name not in essential(resolved)]
    names = [f"the table `[{name}]`" if name in TABLES else f"`{name}`" for name in free]
    return [f"{name}, if no mode is `natural`" if "natural" in name else name for name in names]


def _scorer_sections() -> Iterator[str]:
    for kind in get_args(get_args(Spec)[0]):
        names = " or ".join(f'"{one}"' for one in get_args(kind.model_fields["kind"].annotation))
        yield f"### [scorers.NAME] with kind = {names}"
        yield inspect.getdoc(kind) or ""
        yield key_table(kind, _new(kind))
    yield "### [judge]"
    yield inspect.getdoc(OutputJudge) or ""
    yield key_table(OutputJudge, _new(OutputJudge))
    yield "### [policy]"
    yield (
        f"{inspect.getdoc(Policy)} It also takes `posts`, `history_tokens` and `retrieval`"
        " of [`[planner]`](#planner)."
    )
    yield key_table(Policy, _new(Policy, PlanRules))
    yield "### [history] of scorers"
    yield inspect.getdoc(ScorerHistory) or ""
    yield key_table(ScorerHistory, [*ScorerHistory.model_fields])
