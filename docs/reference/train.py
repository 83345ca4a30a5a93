"""train_keys.md: every key of the files of `train planner` and `train score`."""

import inspect
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.training.plan_settings import (
    FilePlanner,
    Lora,
    PlanScoring,
    PromptedPlanner,
    Steps,
    Training,
)
from pairwright.training.plan_settings import MatchJudge as PlanJudge
from reference.keys import SAMPLED, key_table
from reference.markdown import page_of


def train_page() -> str:
    return page_of(
        "# Training and comparing planners, key by key",
        "The files of `pairwright train planner` and `pairwright train score`; `docs/train.md`"
        " shows both. Paths are relative to the file's folder, a model's folder to where the"
        " command is run.",
        "## train planner: keys outside tables",
        key_table(Training, [key for key in Training.model_fields if f"[{key}]" not in TRAINING]),
        *_tables_of(TRAINING),
        "## train score: keys outside tables",
        key_table(PlanScoring, ["prompts", "rubrics", "seed"]),
        "`[source]` is as a build's [`[source]`](config.md#source), `[endpoints.NAME]` as a build's"
        " [endpoints](config.md#endpointsname).",
        *_tables_of(COMPARING),
        SAMPLED,
    )


def _tables_of(tables: Mapping[str, type[BaseModel]]) -> Iterator[str]:
    for heading, table in tables.items():
        yield f"## {heading}"
        if table is SourceRules:
            yield "As a build's [`[source]`](config.md#source)."
            continue
        yield inspect.getdoc(table) or ""
        beside = ("kind", "sampling")
        yield key_table(table, [key for key in table.model_fields if key not in beside])


TRAINING: dict[str, type[BaseModel]] = {
    "[source]": SourceRules,
    "[validation]": SourceRules,
    "[history]": HistoryRules,
    "[lora]": Lora,
    "[steps]": Steps,
}
COMPARING: dict[str, type[BaseModel]] = {
    '[planners.NAME] with kind = "endpoint"': PromptedPlanner,
    '[planners.NAME] with kind = "plans"': FilePlanner,
    "[judge]": PlanJudge,
}
