"""Shards: what one worker of a build stores, until it is merged into the run's store.

RUN/shards/003/run.sqlite   calls and outcomes of worker 3
"""

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from pairwright.errors import InUse, StoreError
from pairwright.files import CALLS
from pairwright.models.store import Store, merge

PATIENCE_S = 30.0
"""How long a shard may stay in the hands of a worker that is about to end."""
EVERY_S = 0.1


def merge_all(store: Store, shards: Path) -> None:
    """Merge every shard that is there, in the order of their names, and remove their folder.

    Nobody saw how their workers ended, so each is checked first. Raises StoreError.
    """
    for path in sorted(shards.glob(f"*/{CALLS}")):
        try:
            with closing(_held(path)), closing(sqlite3.connect(path)) as database:
                (answer,) = database.execute("PRAGMA quick_check(1)").fetchone()
                if answer != "ok":
                    raise StoreError(f"{path}: {answer}")
                merge(store, [path])
        except (StoreError, sqlite3.DatabaseError) as error:
            raise StoreError(
                f"{str(error).splitlines()[0]}\n  This is what a worker of a build left, in"
                f" {path.parent}. Move that folder away to go on without it: its calls are then"
                " sent again."
            ) from None
        shutil.rmtree(path.parent)
    shutil.rmtree(shards, ignore_errors=True)


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
