"""What a run tells its next release: what the run folder notes beside the build, and stated.json.

RUN/forgotten.jsonl: who and what is to be forgotten, as hashes. It is never released.
stated.json: what only the run can tell of itself, without anything of the machine it ran on.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from pairwright.errors import InputError, on_disk
from pairwright.pairs.address import TOMBSTONES_FILE, Tombstone, read_tombstones
from pairwright.records import model_name
from pairwright.releases.changes import TRIAL
from pairwright.releases.primary import Provenance, ReleaseFiles
from pairwright.settings.rules import ReleaseInfo
from pairwright.version import __version__


def add_tombstones(run: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Add those that are not there yet, and return them. What is there stays as it is.

    Raises InputError for a line that is not a tombstone, and StoreError where the disk refuses.
    """
    path, there = run / TOMBSTONES_FILE, read_tombstones(run)
    fresh = tuple(dict.fromkeys(n for n in names if n not in there.users | there.urls))
    lines = "".join(Tombstone(name=name).model_dump_json() + "\n" for name in fresh)
    if (there.users or there.urls) and not path.read_bytes().endswith(b"\n"):
        # Somebody wrote a line by hand, and did not end it.
        lines = f"\n{lines}"
    if fresh:
        with on_disk(path), path.open("a", encoding="utf-8") as file:
            # In one piece at the end: two commands at once lose nothing of each other.
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
    return fresh


def run_provenance(
    version: str,
    info: ReleaseInfo,
    manifest: JsonValue,
    content: JsonValue,
    *,
    trial_because: Sequence[str],
    previous: ReleaseFiles | None,
    validation_share: float,
    where: Path,
) -> Provenance:
    """Of an ordinary release where `trial_because` is empty. `content` are the hashes of prompts,
    rubrics and source that the run was built with. Raises InputError where the manifest, the file
    `where`, is not a run's."""
    return Provenance(
        pairwright=__version__,
        version=version + (TRIAL if trial_because else ""),
        kind="trial" if trial_because else "release",
        trial_because=tuple(trial_because),
        previous=previous.primary.provenance.version if previous else None,
        previous_digest=previous.digest if previous else None,
        info=info,
        build=_build(manifest, content, where),
        validation_share=validation_share,
    )


def _build(manifest: Any, content: JsonValue, where: Path) -> dict[str, Any]:
    """The manifest without what build/units.jsonl counts, without folders of this machine, and
    without what was sent beside the prompts, where keys and account names may be."""
    try:
        build = {name: value for name, value in manifest.items() if name != "counts"}
        build["source"] = _read_from(build["source"])
        if "recorded" in build:
            build["recorded"] = [model_name(model) for model in build["recorded"]]
        if "served_models" in build:
            build["served_models"] = {
                model_name(asked): {model_name(name): n for name, n in names.items()}
                for asked, names in build["served_models"].items()
            }
        build["endpoints"] = _endpoints(build.get("endpoints", {}))
        build["config"] = _settings(build["config"], content)
    except (AttributeError, KeyError, TypeError):
        raise InputError(
            "is not the manifest of a run",
            where=where,
            fix="Build again: it is written at the end of each build.",
        ) from None
    return build


def _settings(config: dict[str, Any], content: JsonValue) -> dict[str, Any]:
    """The settings of a run, of a resolved config, without folders of this machine and without what
    was sent beside the prompts. `content` are the hashes of prompts, rubrics and source."""
    return {
        **config,
        "prompts": _named(config.get("prompts")),
        "rubrics": _named(config.get("rubrics")),
        "source": _read_from(config["source"]),
        "endpoints": _endpoints(config.get("endpoints", {})),
        "sampling": {
            role: {**given, "extra": {key: type(of).__name__ for key, of in extra.items()}}
            if (extra := given.get("extra"))
            else given
            for role, given in config.get("sampling", {}).items()
        },
        "content": content,
    }


def _read_from(source: dict[str, Any]) -> dict[str, Any]:
    return {**source, "path": _named(source.get("path"))}


def _endpoints(endpoints: dict[str, Any]) -> dict[str, Any]:
    """Names of models, chat templates and tokenizers without their folders."""
    return {
        name: {
            **given,
            "model": model_name(given["model"]),
            **(
                {"vllm": {k: _named(v) for k, v in given["vllm"].items()}}
                if given.get("vllm")
                else {}
            ),
        }
        for name, given in endpoints.items()
    }


def _named(path: JsonValue) -> JsonValue:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] if isinstance(path, str) else path
