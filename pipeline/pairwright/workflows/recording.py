"""Recordings of runs: write one, and read those that a config names."""

from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic_core import from_json
from typer import Option

from pairwright.construct.folder import RunFolder
from pairwright.dataset import model_name
from pairwright.errors import InputError
from pairwright.models import completion_of
from pairwright.models.recorded import RecordedCall, Recording, write_recording
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Endpoint
from pairwright.text import visible


def record_run(
    run: RunPath,
    out: Annotated[Path | str, Option(help="A new file; .gz compresses it.", metavar="FILE")],
    *,
    note: Annotated[str, Option(help="Who or what wrote the replies.", metavar="TEXT")] = "",
) -> int:
    """Write the replies to all calls of a run into one file, which can answer them again.

    The recording holds what the last build of the run used, with the calls of dropped drafts, and
    no request, address or key. An endpoint with base_url = "recording:FILE" answers from it, so
    anyone can build the same pairs without a model. A run whose build has not ended is refused; one
    with failed units is recorded as far as it went.

    Raises InputError where `run` is not a run folder or its build has not ended, or `out` exists;
    StoreError where its store cannot be read. Returns how many calls there are.

    Examples::

        pairwright batch record runs/first --out replies.jsonl.gz --note "Qwen3-32B, 2026"
    """
    folder, out = RunFolder(Path(run)), Path(out)
    if out.exists():
        raise InputError("exists", where=out, fix="Give the name of a new file, or remove it.")
    with closing(Store(folder.calls, writing=False)) as store:
        if not store.finished:
            raise InputError(
                "its build has not ended, so its calls are not all there",
                where=folder.path,
                fix="Run `pairwright build` again with the same config, until nothing waits.",
            )
        # A survey names keys alone, any other unit the prompt with each.
        named = [
            call if isinstance(call, str) else call[1]
            for row in store.outcomes("kind != 'failed'")
            for call in from_json(row.record)["calls"]
        ]
        calls = [_recorded(store, key) for key in set(named)]
    write_recording(out, note, sorted(calls, key=lambda call: (call.prompt, call.key)))
    return len(calls)


def recording_of(endpoint: Endpoint) -> Recording:
    """The recording that answers in place of an endpoint. Raises InputError for a file that is not
    one."""
    path = Path(endpoint.recording or "")
    return _read(path, path.stat().st_mtime_ns if path.exists() else 0)


def descriptions(config: Config) -> list[str]:
    """A sentence on each recording that the roles of a config name. Raises as `recording_of`."""
    named = [config.endpoints[name] for name in config.roles.all]
    found = {one.recording: recording_of(one) for one in named if one.recording is not None}
    return [f"Replies come from {one.path.name}: {visible(one.note)}" for one in found.values()]


@lru_cache(maxsize=2)
def _read(path: Path, written: int) -> Recording:  # noqa: ARG001 - part of the cache's key
    return Recording(path)


def _recorded(store: Store, key: str) -> RecordedCall:
    stored = store.call(key)
    if stored is None:
        raise InputError(
            f"the call {key} of an outcome is not in the store",
            where=store.path,
            fix="Restore the run folder from a copy, or build again into a new one.",
        )
    completion = completion_of(key, stored.reply)
    return RecordedCall(
        key=key,
        prompt=stored.purpose,
        model=model_name(from_json(stored.request)["model"]),
        finish=completion.finish,
        text=completion.text,
        reasoning=completion.reasoning,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cached_tokens=completion.cached_tokens,
        thinking_tokens=completion.thinking_tokens,
    )
