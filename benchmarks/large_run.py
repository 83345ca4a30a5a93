"""A run folder of 50,000 items, as a build leaves it.

A run of 400 items is really built, with a double of a model. Its calls and outcomes are then put
into the store of the large run 125 times, each time with other numbers in the names of items, users
and posts and in the questions. So keys are derived, and calls, outcomes and their index are
written, by the functions that a build calls; only the texts of the copies are alike.

    .venv/bin/python benchmarks/large_run.py FOLDER [ITEMS]
"""

import asyncio
import json
import re
import sqlite3
import sys
from contextlib import closing
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import building
from counting import Endpoint

from pairwright.construct.build_rules import BuildRules
from pairwright.construct.folder import RunFolder, content_hashes, identity
from pairwright.construct.outcomes import Outcome
from pairwright.construct.tally import entry_of
from pairwright.models import Answer, Request, completion_of
from pairwright.models.store import Store
from pairwright.workflows.build_estimate import read_config
from pairwright.workflows.run_models import run_store

BASE = 400
"""Items of the run that is built; a multiple of the number of categories."""
_NAMES = re.compile(
    r"(?<=\bs)(\d+)\b|(?<=\buser-)(\d+)\b|(?<=\bday )(\d+)\b"
    r"|\b(b2:[0-9a-f]{40})\b|\b((?:pair|twin)-[0-9a-f]{16})\b"
)
"""Numbers of items, users and questions; keys of calls; ids of pairs and twins."""


class Template:
    """A text of the small run, with the places where each copy has other names."""

    def __init__(self, text: str) -> None:
        self._parts: list[str] = []
        self._names: list[str] = []
        end = 0
        for found in _NAMES.finditer(text):
            self._parts.append(text[end : found.start()])
            self._names.append(found[0])
            end = found.end()
        self._parts.append(text[end:])

    def of(self, copy: int, keys: dict[str, str]) -> str:
        """The text of one copy, whose calls have these `keys`."""
        parts = [self._parts[0]]
        for name, part in zip(self._names, self._parts[1:], strict=True):
            parts += (keys.get(name) or _name(name, copy), part)
        return "".join(parts)


@lru_cache(maxsize=1 << 14)
def _name(name: str, copy: int) -> str:
    if name.isdigit():
        return str(int(name) + copy * BASE)
    digest = blake2b(f"{name} {copy}".encode(), digest_size=8).hexdigest()
    return f"{name.partition('-')[0]}-{digest}"


class StoredCall(NamedTuple):
    key: str
    purpose: str
    request: Template
    reply: bytes


class StoredOutcome(NamedTuple):
    position: int
    unit: Template
    kind: str
    record: Template


def make(folder: Path, endpoint: Endpoint, items: int) -> tuple[Path, Path, str]:
    """Make the config and the run folder of `items` items, a multiple of 400. Returns both, and
    the id of the run's last pair."""
    small, large = folder / "small", folder / "large"
    small.mkdir(parents=True)
    large.mkdir()
    built = building.prepare(small, endpoint.url, BASE)
    if code := building.build(built, small / "run").code:
        sys.exit(f"the build of {BASE} items ended with {code}")
    config = building.prepare(large, endpoint.url, 0)
    source = Template((small / "histories.jsonl").read_text())
    with (large / "histories.jsonl").open("w") as file:
        for copy in range(items // BASE):
            file.write(source.of(copy, {}))
    return config, large / "run", _fill(small / "run", config, large / "run", items // BASE)


def _fill(base: Path, config_path: Path, run: Path, copies: int) -> str:
    config, folder = read_config(config_path, None)
    rules, run_folder = BuildRules.load(config, folder), RunFolder(run)
    run_folder.make()
    with closing(sqlite3.connect(base / "calls.sqlite")) as database:
        calls = [
            StoredCall(key, purpose, Template(request), reply)
            for key, purpose, request, reply in database.execute(
                "SELECT key, purpose, request, reply FROM calls"
            )
        ]
        outcomes = [
            StoredOutcome(position, Template(unit), kind, Template(record))
            for position, unit, kind, record in database.execute(
                "SELECT position, unit, kind, record FROM outcomes ORDER BY position"
            )
        ]
    with run_store(run_folder, config) as store:
        run_folder.prepare(config, content_hashes(config, rules, folder), accept_changes=True)
        store.begin(identity(run_folder.saved(), None))
        modes = len(config.modes)
        for copy in range(copies):
            keys = asyncio.run(_put(store, calls, copy))
            for one in outcomes:
                record, entry = one.record.of(copy, keys), None
                place = one.position - copy * BASE
                if one.position >= 0:
                    place = one.position + copy * BASE * modes
                    entry = entry_of(Outcome.model_validate_json(record), store)
                store.add_outcome(place, one.unit.of(copy, {}), one.kind, record, entry)
    with closing(sqlite3.connect(run / "calls.sqlite")) as database:
        query = "SELECT record FROM outcomes WHERE kind = 'kept' ORDER BY position DESC LIMIT 1"
        result: dict[str, Any] = json.loads(database.execute(query).fetchone()[0])["result"]
    return str((result.get("halves") or [result["pair"]])[-1]["id"])


async def _put(store: Store, calls: list[StoredCall], copy: int) -> dict[str, str]:
    """Put one copy of all calls; the new keys by the old ones."""
    keys, waiting = {}, []
    for call in calls:
        request = Request.of(call.request.of(copy, {}), call.purpose)
        keys[call.key] = request.key
        waiting.append(
            store.put(request, Answer(call.reply, completion_of(request.key, call.reply)))
        )
    await asyncio.gather(*waiting)
    return keys


if __name__ == "__main__":
    with Endpoint() as served:
        print(*make(Path(sys.argv[1]), served, int(sys.argv[2]) if len(sys.argv) > 2 else 50_000))
