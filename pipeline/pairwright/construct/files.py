"""The files of a run that are derived from its outcomes, and its pairs read again.

They are written whole at the end of a build, in source order, without times, each by a rename. So a
file that is there is a whole one. The manifest says what went in, what came out and why, by which
models and prompts, and what it cost; nothing in it differs between two runs over the same calls.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from pairwright.build_statement import SourceSummary
from pairwright.construct.folder import FILES
from pairwright.construct.status import RunStatus
from pairwright.errors import InputError, on_disk
from pairwright.lines import read_lines
from pairwright.models.store import Store
from pairwright.pairs import Layout, Row, parts_of, read_rows
from pairwright.records import Pair
from pairwright.settings.config import essential
from pairwright.stats import Estimate
from pairwright.version import __version__

_PAIRS = """
    SELECT pair.value FROM outcomes, json_each(record, '$.pairs') pair
    WHERE kind = 'kept' ORDER BY position, pair.key"""
# Of a dropped unit the refusal, of a kept one the drafts that were refused before.
_DROPPED = """
    SELECT json_object(
        'unit', unit, 'mode', mode, 'item_id', item, 'user', user, 'partner', partner,
        'kept', json(iif(kind = 'kept', 'true', 'false')),
        'dropped', json(iif(kind = 'dropped', record, json_object(
            'stage', 'gates', 'reason', json_extract(refusals, '$[#-1]'),
            'drafts', json_extract(record, '$.refused')))))
    FROM outcomes
    WHERE kind = 'dropped' OR kind = 'kept' AND json_array_length(record, '$.refused')
    ORDER BY position"""


def write_files(store: Store, folder: Path, manifest: JsonValue) -> None:
    """Write all files; the manifest last, so that it speaks of files that are there."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    with on_disk(folder):
        contents = store.rows(_PAIRS), store.rows(_DROPPED), [(text,)]
        for name, lines in zip(FILES, contents, strict=True):
            with (folder / name).with_suffix(".partial").open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for (line,) in lines)
        for name in FILES:
            (folder / name).with_suffix(".partial").replace(folder / name)


def make_manifest(
    found: RunStatus, store: Store, prompts: dict[str, str], source: SourceSummary
) -> JsonValue:
    """The manifest as JSON; `prompts` are the hashes of the prompts by name."""
    config, totals = found.config, found.stored
    served: JsonValue = {
        model: dict(names) for model, names in sorted(store.served_names().items())
    }
    models: dict[str, JsonValue] = {
        name: {"model": endpoint.model, "revision": endpoint.revision}
        for name, endpoint in config.endpoints.items()
        if name in config.roles.all
    }
    return {
        "pairwright": __version__,
        "recorded": [*found.recorded],
        "state": "short" if found.is_short else "whole",
        "source": source.model_dump(),
        "counts": _counts(found, source.items),
        "funnel": {
            mode: {stage: reached.k for stage, reached in stages}
            for mode, stages in found.funnel.items()
        },
        "for_each_pair": {**found.for_each_pair},
        "no_personal_signal": [
            {"earlier_posts": name, **_share(nothing)} for name, nothing in found.no_signal
        ],
        "checks": {
            check.name: {"meaning": check.meaning, **_share(check.found)} for check in found.checks
        },
        "roles": config.roles.model_dump(mode="json"),
        "endpoints": models,
        **({"served_models": served} if served else {}),
        "calls": {
            "n": totals.calls,
            "prompt_tokens": totals.prompt_tokens,
            "completion_tokens": totals.completion_tokens,
            "cached_tokens": totals.cached_tokens,
            "cost": found.cost,
        },
        "prompts": {**dict(sorted(prompts.items()))},
        "config": essential(config.model_dump(mode="json")),
    }


def _counts(found: RunStatus, items: int) -> dict[str, JsonValue]:
    """The units and drafts by what came of them."""

    def ended(kind: str, *keys: str) -> list[JsonValue]:
        rows = (one._asdict() for one in sorted(found.units) if one.kind == kind)
        return [{key: row[key] for key in keys} for row in rows]

    modes = [mode for mode in sorted(found.config.modes) if found.count("kept", mode)]
    return {
        "items": items,
        "units": found.count(),
        "kept": {mode: found.count("kept", mode) for mode in modes},
        "pairs": {mode: found.pairs_of(mode) for mode in modes},
        "dropped": ended("dropped", "mode", "stage", "reason", "n"),
        "failed": ended("failed", "mode", "reason", "n"),
        "dropped_aspects": dict(sorted(found.aspects.items())),
        "refused_drafts": dict(sorted(found.drafts.items())),
    }


def _share(found: Estimate) -> dict[str, JsonValue]:
    return {"k": found.k, "n": found.n, "low": found.low, "high": found.high}


def load_release(path: str | Path) -> list[Pair] | list[Row]:
    """Read the rows of a release, or the pairs of a run folder or of a `pairs.jsonl`, which hold
    more.

    Raises InputError where there are no pairs, or a line is not a pair.

        >>> [row.chosen for row in load_release("releases/1.0.0") if row.mode == "twin"]
        ['Simmer the beans for an hour ...', ...]
    """
    root = Path(path)
    if parts := parts_of(root):
        layout = Layout(root)
        return [row for part in parts for row in read_rows(layout.part(part))]
    return list(iterate_pairs(root))


def iterate_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a run folder or a `pairs.jsonl`, one at a time; raises InputError."""
    file = path / "pairs.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            "no such file",
            where=file,
            fix="Name a release, or a run folder whose build has finished.",
        )
    fix = "Build again: pairs.jsonl is derived from the run folder's store."
    yield from read_lines(file, Pair, fix=fix)
