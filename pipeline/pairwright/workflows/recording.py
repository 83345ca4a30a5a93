"""Recordings of runs: write one, answer calls from one, and say why a call is not in one."""

from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pairwright.construct.folder import RunFolder, changes
from pairwright.construct.outcomes import iterate_outcomes
from pairwright.construct.partners import iterate_surveys
from pairwright.dataset import model_name
from pairwright.errors import ConfigError, InputError
from pairwright.models import Request, completion_of
from pairwright.models.recorded import (
    RecordedCall,
    RecordedModel,
    Recording,
    RecordingHead,
    Replay,
    read_recording,
    topic,
    write_recording,
)
from pairwright.models.store import Store
from pairwright.options import Doc, RunPath
from pairwright.settings.config import Config, essential
from pairwright.settings.endpoints import Endpoint
from pairwright.text import number_of, visible
from pairwright.version import __version__


@dataclass(frozen=True)
class RecordedRun:
    """A recording that was written."""

    path: Path
    head: RecordingHead
    units: int
    failed: int
    """Units with a call that failed: it is not in the recording."""

    @property
    def calls(self) -> int:
        """The number of calls."""
        return sum(model.calls for model in self.head.models.values())


def record_run(
    run: RunPath,
    out: Annotated[str | Path, Doc("A new file; .gz compresses it.", "FILE", name="--out")],
    *,
    note: Annotated[str, Doc("Who or what wrote the replies.", "TEXT")] = "",
) -> RecordedRun:
    """Write the replies to all calls that the last build of a run used into the file `out`.

    The calls of refused drafts are among them. `note` says who or what wrote the replies, in your
    own words. Raises InputError where `run` is not a run folder or its build has not ended, or
    `out` exists; StoreError where its store cannot be read.

        record_run("study/run", "replies.jsonl.gz", note="Answered by hand, November 2026")
    """
    folder, out = RunFolder(Path(run)), Path(out)
    if out.exists():
        raise InputError("exists", where=out, fix="Give the name of a new file, or remove it.")
    saved = folder.saved()
    with closing(Store(folder.calls, writing=False)) as store:
        if not store.finished:
            raise InputError(
                "its build has not ended, so its calls are not all there",
                where=folder.path,
                fix="Run `pairwright build` again with the same config, until nothing waits.",
            )
        units, failed = 0, 0
        # What was asked before partners were matched is of no unit.
        keys = {key for survey in iterate_surveys(store) for key in survey.calls}
        for outcome in iterate_outcomes(store):
            units, failed = units + 1, failed + (outcome.kind == "failed")
            keys.update(call.key for call in outcome.calls)
        calls = [_recorded(store, key) for key in keys]
    if not calls:
        raise InputError(
            "no call of this run has a reply",
            where=folder.path,
            fix=f"{folder.path / 'failed.jsonl'} says why.",
        )
    models = {
        name: RecordedModel(
            calls=sum(call.model == name for call in calls),
        )
        for name in sorted({call.model for call in calls})
    }
    head = RecordingHead(
        pairwright=__version__, note=note, models=models, made_with=_settings(saved)
    )
    write_recording(out, head, sorted(calls, key=lambda call: (call.prompt, call.topic, call.key)))
    return RecordedRun(out, head, units, failed)


def replay_of(name: str, endpoint: Endpoint) -> Replay:
    """The recording in place of an endpoint.

    Raises InputError for a file that is not a recording, ConfigError for one of other models.
    """
    recording = _read(Path(endpoint.recording or ""))
    if model_name(endpoint.model) not in recording.head.models:
        raise ConfigError(
            f"{recording.path.name} has no reply of the model {endpoint.model!r}",
            where=f"[endpoints.{name}.model]",
            fix=f"It has those of: {', '.join(recording.head.models)}.",
        )
    return Replay(recording)


def descriptions(config: Config) -> list[str]:
    """A sentence on each recording that the roles of a config name. Raises as `replay_of` does."""
    by_path: dict[Path, str] = {}
    for name in config.roles.all:
        endpoint = config.endpoints[name]
        if endpoint.recording is not None:
            replay_of(name, endpoint)
            recording = _read(Path(endpoint.recording))
            models = ", ".join(
                f"{number_of(calls.calls, 'call')} of {visible(name)}"
                for name, calls in recording.head.models.items()
            )
            note = f". {visible(recording.head.note)}" if recording.head.note else ""
            by_path[recording.path] = (
                f"Replies come from a recording, {recording.path.name}: {models}{note}"
            )
    return list(by_path.values())


def reasons_missing(config: Config, saved: dict[str, Any], missing: int) -> str:
    """Why calls of a build are not in its recordings, and what to do.

    `saved` is the run's config, as it was resolved; `missing` units had such a call.
    """
    lines = [f"{number_of(missing, 'unit')} failed: a call is not in the recording."]
    now = _compared(_settings(saved))
    for path in dict.fromkeys(config.endpoints[name].recording for name in config.roles.all):
        if path is None:
            continue
        recording = _read(Path(path))
        changed = changes(_compared(recording.head.made_with), now)
        if recording.head.pairwright != __version__:
            changed.append(f"Pairwright {recording.head.pairwright} before, {__version__} now")
        if changed:
            lines += [f"Since {recording.path.name} was recorded:", *(f"  {c}" for c in changed)]
        else:
            lines.append(
                f"The settings are those of {recording.path.name}: its run had other outcomes, or"
                " not all items."
            )
    lines.append(
        "Undo the changes; or name a real endpoint as base_url and build again: what is stored"
        " stays, and only missing calls are sent."
    )
    return "\n  ".join(lines)


def _recorded(store: Store, key: str) -> RecordedCall:
    stored = store.call(key)
    if stored is None:
        raise InputError(
            f"the call {key} of an outcome is not in the store",
            where=store.path,
            fix="Restore the run folder from a copy, or build again into a new one.",
        )
    request = Request.of(stored.request, stored.purpose)
    completion = completion_of(key, stored.reply)
    return RecordedCall(
        key=key,
        prompt=stored.purpose,
        topic=topic(request),
        model=model_name(request.model),
        finish=completion.finish,
        text=completion.text,
        reasoning=completion.reasoning,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cached_tokens=completion.cached_tokens,
        thinking_tokens=completion.thinking_tokens,
    )


def _settings(saved: dict[str, Any]) -> dict[str, Any]:
    # Releases bring statistics and figures, seconds to import, which a build does without.
    from pairwright.releases.run_notes import public_settings

    return public_settings(essential(saved), saved.get("content", {}))


def _compared(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings without the names of folders, of whose files there are hashes."""
    return {**settings, "prompts": None, "rubrics": None}


def _read(path: Path) -> Recording:
    try:
        written = path.stat().st_mtime_ns
    except OSError:
        written = 0  # Reading it says what is wrong.
    return _read_once(path, written)


@lru_cache(maxsize=2)
def _read_once(path: Path, written: int) -> Recording:  # noqa: ARG001 - part of the cache's key
    return read_recording(path)
