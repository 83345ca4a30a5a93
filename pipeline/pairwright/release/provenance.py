"""stated.json: what only the run can tell of itself, without anything of the machine it ran on."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from pairwright.dataset import model_name
from pairwright.errors import InputError
from pairwright.release.history import TRIAL
from pairwright.release.records import FORMAT, Provenance
from pairwright.settings.release_info import ReleaseInfo
from pairwright.version import __version__, code_digest, library_versions

_UNITS = "counts"
_FOLDERS = ("prompts", "rubrics")


def run_provenance(
    version: str,
    info: ReleaseInfo,
    manifest: JsonValue,
    content: JsonValue,
    *,
    trial_because: Sequence[str],
    validation_share: float,
    where: Path,
) -> Provenance:
    """Of an ordinary release where `trial_because` is empty. `content` are the hashes of prompts,
    rubrics and source that the run was built with. Raises InputError where the manifest, the file
    `where`, is not a run's."""
    return Provenance(
        format=FORMAT,
        pairwright=__version__,
        code=code_digest(),
        libraries=library_versions(),
        version=version + (TRIAL if trial_because else ""),
        kind="trial" if trial_because else "release",
        trial_because=tuple(trial_because),
        info=info,
        build=_build(manifest, content, where),
        validation_share=validation_share,
    )


def _build(manifest: JsonValue, content: JsonValue, where: Path) -> dict[str, JsonValue]:
    """The manifest without what build/units.jsonl counts, without folders of this machine, and
    without what was sent beside the prompts, where keys and account names may be."""
    build = dict(manifest) if isinstance(manifest, dict) else {}
    build.pop(_UNITS, None)
    source, config = build.get("source"), build.get("config")
    if not isinstance(source, dict) or not isinstance(config, dict):
        raise InputError(
            "is not the manifest of a run: it tells no source or no config",
            where=where,
            fix="Build again: it is written at the end of each build.",
        )
    build["source"] = {**source, "path": _named(source.get("path"))}
    if isinstance(recorded := build.get("recorded"), list):
        build["recorded"] = [model_name(str(model)) for model in recorded]
    if isinstance(served := build.get("served_models"), dict):
        build["served_models"] = {
            model_name(asked): {model_name(name): n for name, n in names.items()}
            for asked, names in served.items()
            if isinstance(names, dict)
        }
    build["endpoints"] = _endpoints(build.get("endpoints"))
    build["config"] = public_settings(config, content)
    return build


def public_settings(config: Mapping[str, JsonValue], content: JsonValue) -> dict[str, JsonValue]:
    """The settings of a run, of a resolved config, without folders of this machine and without what
    was sent beside the prompts. `content` are the hashes of prompts, rubrics and source."""
    named: dict[str, JsonValue] = {key: _named(config.get(key)) for key in _FOLDERS}
    if isinstance(read := config.get("source"), dict):
        named["source"] = {**read, "path": _named(read.get("path"))}
    named["endpoints"] = _endpoints(config.get("endpoints"))
    named["sampling"] = _sampling(config.get("sampling"))
    return {**config, **named, "content": content}


def _endpoints(endpoints: JsonValue) -> JsonValue:
    if not isinstance(endpoints, dict):
        return endpoints
    return {name: _endpoint(endpoint) for name, endpoint in endpoints.items()}


def _endpoint(settings: JsonValue) -> JsonValue:
    """Names of models, chat templates and tokenizers without their folders."""
    if not isinstance(settings, dict) or not isinstance(model := settings.get("model"), str):
        return settings
    build: dict[str, JsonValue] = {**settings, "model": model_name(model)}
    if isinstance(flags := settings.get("vllm"), dict):
        build["vllm"] = {flag: _named(value) for flag, value in flags.items()}
    return build


def _sampling(roles: JsonValue) -> JsonValue:
    """Of `extra`, only the type of each value."""
    if not isinstance(roles, dict):
        return roles
    return {
        role: {**settings, "extra": {key: type(value).__name__ for key, value in extra.items()}}
        if isinstance(settings, dict) and isinstance(extra := settings.get("extra"), dict)
        else settings
        for role, settings in roles.items()
    }


def _named(path: JsonValue) -> JsonValue:
    """The last part of a path of any system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] if isinstance(path, str) else path
