"""Shards: what comes of one chunk of a build, until it is merged into the run's store.

    RUN/shards/000017/run.sqlite   calls and outcomes of chunk 17
    RUN/shards/000017/lock           held by the one process that writes there

A shard has the format of the store, and its name is the chunk's. So a chunk whose worker died is
continued by the next holder, and no finished call of it is sent twice.
"""

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from pairwright.errors import InUse, StoreError, on_disk
from pairwright.files import CALLS
from pairwright.models import store as stores
from pairwright.models.store import Store

PATIENCE_S = 30.0
"""How long a shard may stay in the hands of a worker that is about to end."""
EVERY_S = 0.1


def place(shards: Path, chunk: int) -> Path:
    """The folder of a chunk's shard."""
    return shards / f"{chunk:06}"


async def open_shard(folder: Path, main: Store) -> Store:
    """The shard, begun or gone on with, above what the run's store has already.

    Raises InUse where another worker does not let go of it, and StoreError.
    """
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return _begun(folder, main)
        except InUse:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(EVERY_S)


def _begun(folder: Path, main: Store) -> Store:
    with on_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
    shard = Store(folder / CALLS, beneath=main)
    # Units are built again, from the calls that are there.
    shard.clear_outcomes()
    return shard


def merge_all(store: Store, shards: Path) -> set[int]:
    """Merge every shard that is there, in the order of their names, and remove their folder.

    Nobody saw how their workers ended, so each is checked first. Returns and raises as `merge`.
    """
    again: set[int] = set()
    for folder in left(shards):
        path = folder / CALLS
        if path.exists():
            with closing(_held(path)), closing(sqlite3.connect(path)) as database:
                try:
                    (answer,) = database.execute("PRAGMA quick_check(1)").fetchone()
                except sqlite3.DatabaseError as error:
                    raise _unusable(path, error) from None
            if answer != "ok":
                raise _unusable(path, StoreError(f"{path}: {answer}"))
        again |= merge(store, folder)
    shutil.rmtree(shards, ignore_errors=True)
    return again


def left(shards: Path) -> list[Path]:
    """The shards that are there, by name."""
    return sorted(path for path in shards.glob("*") if path.is_dir())


def merge(store: Store, folder: Path) -> set[int]:
    """Merge one shard, as `store.merge` does, then remove it. Raises StoreError; the shard is then
    left as it is."""
    path = folder / CALLS
    again: set[int] = set()
    if path.exists():
        with closing(_held(path)):
            try:
                again = stores.merge(store, [path])
            except StoreError as error:
                raise _unusable(path, error) from None
    with on_disk(folder):
        shutil.rmtree(folder)
    return again


def _held(path: Path) -> Store:
    """The shard, once its worker has let go of it. Opening it checks it, too."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            return Store(path)
        except InUse:
            if time.monotonic() > until:
                raise
            time.sleep(EVERY_S)
        except StoreError as error:
            raise _unusable(path, error) from None


def _unusable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{str(error).splitlines()[0]}\n  This is what a worker of a build left, in {path.parent}."
        " Move that folder away to go on without it: its calls are then sent again."
    )
