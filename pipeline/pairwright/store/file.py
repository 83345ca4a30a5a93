"""The file `calls.sqlite`: making it, locking its folder, and what is wrong with it."""

import fcntl
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TextIO

from pairwright.errors import InUse, StoreError

APPLICATION_ID = 0x50575257  # "PWRW"
FORMAT = 1
SCHEMA = """
CREATE TABLE calls (
    key TEXT PRIMARY KEY,      -- b2: and the hash of `request`
    purpose TEXT NOT NULL,     -- the prompt's name
    model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    simulated INTEGER NOT NULL,-- 1 where the reply carries the embedded model's mark
    reply BLOB NOT NULL,       -- the body as it came; before the request, which is long: a
                               -- reply is then read without walking the request's pages
    request TEXT NOT NULL      -- canonical JSON, exactly as hashed
);
CREATE INDEX totals ON calls (model, simulated, prompt_tokens, completion_tokens);
CREATE TABLE outcomes (        -- derived: of what, the table `follows` says
    position INTEGER PRIMARY KEY,
    unit TEXT NOT NULL,
    kind TEXT NOT NULL,        -- kept, rejected, failed or waiting
    record TEXT NOT NULL
);
CREATE TABLE run (finished INTEGER NOT NULL);
INSERT INTO run VALUES (0);
"""


def create(path: Path) -> None:
    """Make the file beside its place and put it there whole: a kill leaves none or all of it."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        partial.with_name(partial.name + "-journal").unlink(missing_ok=True)
        with closing(sqlite3.connect(partial)) as database:
            database.executescript(SCHEMA)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
            database.commit()
        partial.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise damaged(path, error) from None


def lock(path: Path) -> TextIO:
    try:
        file = (path.parent / "lock").open("w")
    except OSError as error:
        raise damaged(path.parent, error) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InUse(
            f"{path.parent}: another process is writing to this folder\n"
            "  Wait for it, stop it, or name another folder."
        ) from None
    return file


def damaged(path: Path, error: Exception, key: str = "") -> StoreError:
    where = f"{path} [{key}]" if key else str(path)
    return StoreError(
        f"{where}: {error}\n"
        "  The file was left as it is. Restore it from a copy, or build into another run folder."
    )
