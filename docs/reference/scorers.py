"""scorers_keys.md: every key of a file of scorers."""

import inspect
from collections.abc import Iterator
from typing import get_args

from pairwright.evaluation.settings import OutputJudge, Policy, ScorerHistory, Scorers, Spec
from reference.keys import SAMPLED, key_table
from reference.markdown import page_of


def scorers_page() -> str:
    return page_of(
        "# The file of scorers, key by key",
        "`pairwright evaluate`, `pairwright train reward-server` and the commands of `pairwright"
        " downstream` (but `correlate`) take it as `--scorers FILE.toml`; [scorers.md](scorers.md)"
        " shows examples. `prompts`, `prompt`, `path` and `folder` are relative to the file's"
        " folder, a model's folder to where the command is run.",
        "## Keys outside tables",
        key_table(Scorers, ["prompts", "seed"]),
        "## [endpoints.NAME]",
        "As in a build's [configuration](config.md#endpointsname).",
        *_scorer_sections(),
    )


def _scorer_sections() -> Iterator[str]:
    for kind in get_args(get_args(Spec)[0]):
        name = get_args(kind.model_fields["kind"].annotation)[0]
        yield f'## [scorers.NAME] with kind = "{name}"'
        yield inspect.getdoc(kind) or ""
        yield key_table(kind, [key for key in kind.model_fields if key not in ("kind", "sampling")])
        if "sampling" in kind.model_fields:
            yield SAMPLED
    for heading, table in (("judge", OutputJudge), ("policy", Policy)):
        yield f"## [{heading}]"
        yield inspect.getdoc(table) or ""
        yield key_table(table, [key for key in table.model_fields if key != "sampling"])
        yield SAMPLED
    yield "## [history]"
    yield inspect.getdoc(ScorerHistory) or ""
    yield key_table(ScorerHistory, list(ScorerHistory.model_fields))
