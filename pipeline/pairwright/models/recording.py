"""Recordings: the replies to all calls of a run in one file, which answers them again.

JSON Lines. The first line says what the recording is, every other one is a call with its reply, by
the key of its request. No request, address, header or key of an API is in it.
"""

import gzip
import json
import zlib
from contextlib import closing
from pathlib import Path
from typing import Annotated

from pydantic import ValidationError
from typer import Option

from pairwright.errors import CallFailed, InputError
from pairwright.files import CALLS, write_whole
from pairwright.lines import unreadable
from pairwright.models.call import RECORDED, Completion, Request, body_of, completion_of
from pairwright.models.client import Client, Meter
from pairwright.models.store import Store
from pairwright.options import RunPath
from pairwright.records import Record, model_name
from pairwright.text import visible

NOT_RECORDED = "not_recorded"
"""The reason of a call that fails because the recording does not have it."""
_FIX = "Take this file again from where it came from, or record the run again."


class RecordedCall(Record, extra="ignore"):
    """The reply to one call, by the key of its request."""

    key: str
    prompt: str
    """The prompt's name."""
    model: str
    finish: str
    text: str
    reasoning: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    thinking_tokens: int = 0


def read_recording(path: Path) -> tuple[str, dict[str, RecordedCall]]:
    """Read who or what wrote the replies, with the name of the file; and the calls by their keys.

    Raises InputError naming the line, if the file is damaged or is no recording.
    """
    calls, where = dict[str, RecordedCall](), str(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            head = next(file, b"")
            if not head.startswith(b'{"recording":'):
                fix = "`pairwright batch record RUN --out FILE` writes one."
                raise InputError("is not a recording", where=path, fix=fix)
            for number, line in enumerate(file, start=2):
                where = f"{path}:{number}"
                call = RecordedCall.model_validate_json(line)
                calls[call.key] = call
            note = visible(str(json.loads(head).get("note", "")))
            return f"Replies come from {path.name}. {note}", calls
    except ValidationError as error:
        raise unreadable(where, error, _FIX) from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=_FIX) from None


class Recorded(Client):
    """A client of a recording. Raises InputError for a file that cannot be read."""

    def __init__(self, path: Path, meter: Meter, store: Store | None) -> None:
        super().__init__(meter, store)
        self._name, (_, self._calls) = path.name, read_recording(path)

    async def fetch(self, request: Request) -> Completion:
        """Raises CallFailed for a call that is not recorded."""
        self.go_on()
        with self.meter.sending():
            if (call := self._calls.get(request.key)) is None:
                what = f"{self._name} has no reply to this call of the prompt {request.purpose}"
                raise CallFailed(NOT_RECORDED, what)
            said = call.model_dump(exclude={"key", "prompt"})
            return completion_of(request.key, body_of(**said, kind=RECORDED))


def record_run(
    run: RunPath,
    out: Annotated[Path | str, Option(help="A new file; .gz compresses it.", metavar="FILE")],
    *,
    note: Annotated[str, Option(help="Origin of the replies, in words.", metavar="TEXT")] = "",
) -> int:
    """Write the replies to all calls of a run into one file, which can answer them again.

    The recording holds every call that the run stored, with those of dropped drafts, and no
    request, address or key. An endpoint with base_url = "recording:FILE" answers from it, so
    anyone can build the same pairs without a model.

    Raises InputError where `out` exists, and StoreError. Returns how many calls there are.

    Examples::

        pairwright batch record runs/first --out replies.jsonl.gz --note "Qwen3-32B, 2026"
    """
    out = Path(out)
    if out.exists():
        raise InputError("exists", where=out, fix="Give the name of a new file, or remove it.")
    query = "SELECT key, purpose, model, reply FROM calls ORDER BY purpose, key"
    lines = [json.dumps({"recording": 1, "note": note}, ensure_ascii=False, separators=(",", ":"))]
    with closing(Store(Path(run) / CALLS, writing=False)) as store:
        for key, purpose, model, reply in store.rows(query):
            said = completion_of(key, reply)._asdict()
            call = RecordedCall(**said, prompt=purpose, model=model_name(model))
            lines.append(call.model_dump_json())
    text = "".join(f"{line}\n" for line in lines).encode()
    write_whole(out, gzip.compress(text, mtime=0) if out.suffix == ".gz" else text)
    return len(lines) - 1
