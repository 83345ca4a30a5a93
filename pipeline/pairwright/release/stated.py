"""stated.json: what only the run can tell of itself, without anything of the machine it ran on."""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from pairwright.errors import InputError
from pairwright.policy import ReleaseInfo
from pairwright.release.records import Stated
from pairwright.release.versions import TRIAL
from pairwright.version import __version__

_UNITS = "counts"
_FOLDERS = ("prompts", "rubrics")


def stated(
    version: str,
    info: ReleaseInfo,
    manifest: JsonValue,
    content: JsonValue,
    *,
    trial_because: Sequence[str],
    validation_share: float,
    where: Path,
) -> Stated:
    """Of an ordinary release where `trial_because` is empty. `content` are the hashes of prompts,
    rubrics and source that the run was built with. Raises InputError where the manifest, the file
    `where`, is not a run's."""
    return Stated(
        pairwright=__version__,
        version=version + (TRIAL if trial_because else ""),
        kind="trial" if trial_because else "release",
        trial_because=tuple(trial_because),
        info=info,
        build=_build(manifest, content, where),
        validation_share=validation_share,
    )


def _build(manifest: JsonValue, content: JsonValue, where: Path) -> dict[str, JsonValue]:
    """The manifest without what build/units.jsonl counts, and without folders of this machine."""
    told = dict(manifest) if isinstance(manifest, dict) else {}
    told.pop(_UNITS, None)
    source, config = told.get("source"), told.get("config")
    if not isinstance(source, dict) or not isinstance(config, dict):
        raise InputError(
            "is not the manifest of a run: it tells no source or no config",
            where=where,
            fix="Build again: it is written at the end of each build.",
        )
    told["source"] = {**source, "path": _named(source.get("path"))}
    named: dict[str, JsonValue] = {key: _named(config.get(key)) for key in _FOLDERS}
    if isinstance(read := config.get("source"), dict):
        named["source"] = {**read, "path": _named(read.get("path"))}
    told["config"] = {**config, **named, "content": content}
    return told


def _named(path: JsonValue) -> JsonValue:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] if isinstance(path, str) else path
