"""Removal of people and posts from the next release of a run.

RUN/forgotten.jsonl has who and what is to be forgotten, as hashes. It is never released.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

from typer import Option

from pairwright.construct.folder import RunFolder
from pairwright.errors import InputError, on_disk
from pairwright.lines import read_lines
from pairwright.options import RunPath
from pairwright.pairs.address import (
    TOMBSTONES_FILE,
    ForgetList,
    Tombstone,
    address_of,
    read_tombstones,
    url_name,
)
from pairwright.progress import Progress, Step, log_notes
from pairwright.records import Item, pseudonym
from pairwright.releases.rows import subjects_in

_PSEUDONYM = re.compile(r"user-[0-9a-f]{16}")


class Removal(NamedTuple):
    """One user or address that is to be forgotten, and how much of the run it concerns."""

    given: str
    """The user's id or the address, as it was named."""
    new: bool
    """Whether it had not been recorded before."""
    items: int
    pairs: int


def forget(
    run: RunPath,
    *,
    users: Annotated[
        Iterable[str], Option("--user", help="An id or a pseudonym; repeatable.", metavar="USER")
    ] = (),
    urls: Annotated[
        Iterable[str],
        Option("--url", help="Address of a post or question; repeatable.", metavar="URL"),
    ] = (),
    progress: Progress = log_notes,
) -> tuple[tuple[Removal, ...], tuple[str, ...]]:
    """Record who or what is to be forgotten: the next release goes without it.

    Leaves out every pair made of that user's or that address's posts, or with a response by that
    user. A twin goes as a whole, with the answers on it. RUN/forgotten.jsonl holds hashes only;
    recording somebody again is harmless. The run folder itself still holds the posts. Exits with 1
    if somebody or something named is nowhere in the run.

    Raises InputError if nothing is named, or an address is not one. Returns what was recorded,
    and what is nowhere in the run.

    Examples::

        pairwright forget runs/first --user 4711
        pairwright forget runs/first --url https://cooking.stackexchange.com/q/123
    """
    run = Path(run)
    RunFolder(run).settings()
    given = dict([*map(_user, users), *map(_address, urls)])
    if not given:
        fix = "Give --user or --url; both can be repeated."
        raise InputError("nothing to forget is named", where=run, fix=fix)
    progress(Step("looking through the run"))
    lists = {name: ForgetList(frozenset({name}), frozenset({name})) for name in given}
    found = Counter[tuple[str, str]]()
    for item in read_lines(RunFolder(run).items, Item):
        found.update((name, "items") for name, one in lists.items() if _concerned(item, one))
    # Without the file the run's first build has not finished.
    pairs = run / "pairs.jsonl"
    for _, subject in subjects_in(pairs) if pairs.exists() else ():
        for name, one in lists.items():
            if any(map(one.concerns, subject.pairs)):
                found[name, "pairs"] += len(subject.pairs)
    new, seen = add_tombstones(run, given), {name for name, _ in found}
    removals = (
        Removal(text, name in new, found[name, "items"], found[name, "pairs"])
        for name, text in given.items()
    )
    return tuple(removals), tuple(text for name, text in given.items() if name not in seen)


def _user(user: str) -> tuple[str, str]:
    """The pseudonym of a user, who may be given by it, and what was given."""
    if not user.strip():
        raise InputError("is empty", where="--user", fix="Give a user's id in the source.")
    return user if _PSEUDONYM.fullmatch(user) else pseudonym(user), user


def _address(text: str) -> tuple[str, str]:
    address = address_of(text)
    if address is None or "." not in address.netloc or re.search(r"\s", text.strip()):
        fix = "Give it as a browser shows it, such as https://cooking.stackexchange.com/q/123."
        raise InputError(f"{text!r} is not an address", where="--url", fix=fix)
    return url_name(text), text


def _concerned(item: Item, one: ForgetList) -> bool:
    """Whether an item, or the choice of its partner, is of a user or an address named."""
    other = item.opposite
    users = {pseudonym(item.user), *([pseudonym(other.other)] if other else ())}
    posts = [*item.profile, *([other, *other.profile] if other else ())]
    return bool(users & one.users) or one.holds(item.source_url, posts)


def add_tombstones(run: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Add those that are not there yet, and return them. What is there stays as it is.

    Raises InputError for a line that is not a tombstone, and StoreError if the disk refuses.
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
