"""config.md: every key of a run's configuration."""

import inspect
import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from pairwright.settings.config import PRESETS, Budget, Config, Roles, SamplingByRole, essential
from pairwright.settings.endpoints import DECIDING, OPERATIONAL, Endpoint, Sampling
from pairwright.settings.rules import (
    GateRules,
    HumanRules,
    NaturalRules,
    PlanRules,
    ReleaseInfo,
    SourceRules,
    TwinRules,
)
from reference.keys import key_table, kind_of, meaning, toml
from reference.markdown import page_of, table

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


def config_page() -> str:
    return page_of(
        "# The configuration",
        "A run is configured by one TOML file. This page lists every key; a key that is not here"
        " is an error that names it. Paths are relative to the file's folder. A default of none"
        " means that the key is absent; TOML has no way to write it. API keys are never in the"
        " file: `api_key_env` names the environment variable that holds one, and what looks like a"
        " key there, or among the flags and further fields of a model, is refused and not"
        " repeated.",
        "`pairwright init DIR` writes a file to start from. Complete files for both presets are in"
        " [regenerate.md](regenerate.md).",
        "## Keys outside tables",
        key_table(Config, [k for k in Config.model_fields if k not in TABLES]),
        "Required tables: `[source]`, `[roles]` and one `[endpoints.NAME]` for each name that the"
        ' roles use. With `modes = ["natural"]` only `[source]`: no model is'
        " asked.",
        *_table_sections(),
        "## Presets",
        "A preset is a set of defaults under the rest of the file: what the file says wins, key by"
        ' key. `"pairwright"` changes nothing. `"paper"` is the same as writing:',
        f"```toml\n{_preset(PRESETS['paper'])}\n```",
        "## What may differ when a run goes on",
        "A run folder keeps the resolved configuration, with hashes of prompts, rubrics and"
        " source. A second run in the folder must agree with it, or be given `--accept-changes`."
        " Where no reply of a model is stored, as of people's own choices, it is built again, says"
        " what changed."
        " Free to change at any time, because they do not decide what comes out:",
        f"- in `[endpoints.NAME]`: {', '.join(f'`{key}`' for key in sorted(OPERATIONAL))}\n"
        "- in `[endpoints.NAME.vllm]`: all flags but"
        f" {', '.join(f'`{flag}`' for flag in sorted(DECIDING))}\n"
        "- endpoints that no role names\n" + "\n".join(f"- {name}" for name in _free()),
    )


def _table_sections() -> Iterator[str]:
    for key, (heading, model) in TABLES.items():
        yield f"## [{heading}]"
        yield inspect.getdoc(model) or ""
        yield _sampling() if key == "sampling" else key_table(model, list(model.model_fields))


def _sampling() -> str:
    """The defaults differ by role, so they have a column each."""
    roles = SamplingByRole()
    names = list(SamplingByRole.model_fields)
    rows = []
    for name, field in Sampling.model_fields.items():
        defaults = [toml(getattr(getattr(roles, role), name)) for role in names]
        rows.append((f"`{name}`", kind_of(name, field), *defaults, meaning(name, field)))
    heads = ("key", "type", *names, "meaning")
    return f"ROLE is {', '.join(names[:-1])} or {names[-1]}.\n\n{table(heads, rows)}"


def _preset(changes: dict[str, Any], table: str = "") -> str:
    lines = [f"\n[{table}]"] if table else []
    for key, value in changes.items():
        inner = isinstance(value, dict)
        lines.append(_preset(value, key) if inner else f"{key} = {json.dumps(value)}")
    return "\n".join(lines)


def _free() -> list[str]:
    """Keys outside tables, and whole tables, that decide nothing."""
    endpoint = {"base_url": "http://127.0.0.1:8000/v1", "model": "m"}
    roles = {"planner": "e", "generator": "e", "judge": "e"}
    stub = {"source": {"path": "x"}, "endpoints": {"e": endpoint}, "roles": roles}
    resolved = Config.model_validate(stub).model_dump(mode="json")
    free = [name for name in resolved if name not in essential(resolved)]
    names = [f"the table `[{name}]`" if name in TABLES else f"`{name}`" for name in free]
    return [
        f"{name}, without people's own choices" if "natural" in name else name for name in names
    ]
