"""`pairwright forget`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pairwright.cli.human.options import RunPath
from pairwright.construct.folder import RunFolder
from pairwright.dataset import read_lines
from pairwright.dataset.address import address_of
from pairwright.dataset.tombstones import Forgotten, url_name
from pairwright.errors import InputError
from pairwright.records import Item, pseudonym
from pairwright.release.kept import subjects_in
from pairwright.release.tombstones import FILE, add_tombstones
from pairwright.workflows import collector
from pairwright_human_eval.subjects import Subject

_PSEUDONYM = re.compile(r"user-[0-9a-f]{16}")


@dataclass
class Concerned:
    """What of a run one user or address concerns."""

    given: str
    name: str
    known: Forgotten
    """This one alone."""
    items: int = 0
    posts: set[str] = field(default_factory=set)
    """Ids."""
    pairs: int = 0
    twins: int = 0

    @property
    def found(self) -> bool:
        return bool(self.items or self.pairs)

    def item(self, item: Item) -> None:
        if not self.known.concerns(item):
            return
        self.items += 1
        own = bool(self.known.users)
        self.posts.update(p.id for p in item.profile if own or self.known.holds(None, [p]))

    def subject(self, subject: Subject) -> None:
        """A twin leaves whole, whichever half it is in."""
        if any(map(self.known.concerns, subject.pairs)):
            self.pairs += len(subject.pairs)
            self.twins += len(subject.pairs) == 2


def forget_command(
    run: RunPath,
    user: Annotated[
        list[str] | None,
        typer.Option(
            metavar="USER", help="A user's id in the source, or pseudonym in a release; repeatable."
        ),
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="The address of a post or question; repeatable."),
    ] = None,
) -> None:
    """Record who or what is to be forgotten: the next release goes without it.

    Every pair made of that user's or that address's posts leaves, twins whole, with the verdicts on
    it; the changelog counts them. RUN/forgotten.jsonl holds hashes only; to record somebody again
    is harmless. The run folder itself still holds the posts. Exits with 1 if somebody or something
    named is nowhere in the run.

    Examples:

      pairwright forget runs/first --user 4711

      pairwright forget runs/first --url https://cooking.stackexchange.com/q/123
    """
    RunFolder(run).settings()
    asked = [*(one for given in user or () for one in _user(given)), *map(_address, url or ())]
    if not asked:
        raise InputError(
            "nobody and nothing is named", where=run, fix="Give --user or --url, or several."
        )
    collector.ease()
    with Console(stderr=True).status("looking through the run"):
        _look(run, asked)
    there = {one.given for one in asked if one.found}
    asked = [one for one in asked if one.found or one.given not in there]
    fresh = add_tombstones(run, (one.name for one in asked))
    _tell(Console(), run, asked, set(fresh))
    if missing := dict.fromkeys(one.given for one in asked if not one.found):
        told = ", ".join(map(repr, missing))
        typer.echo(
            f"Nowhere in this run, perhaps misspelt: {told}. Recorded all the same.", err=True
        )
        raise typer.Exit(1)


def _user(given: str) -> Iterator[Concerned]:
    """What looks like a pseudonym may be the source's own id: only the run can tell."""
    if not given.strip():
        raise InputError("names nobody", where="--user", fix="Give a user's id in the source.")
    for name in (pseudonym(given), *([given] if _PSEUDONYM.fullmatch(given) else [])):
        yield Concerned(given, name, Forgotten(users=frozenset({name})))


def _address(given: str) -> Concerned:
    address = address_of(given)
    if address is None or "." not in address.host or re.search(r"\s", given.strip()):
        raise InputError(
            f"{given!r} is no address",
            where="--url",
            fix="Give it as a browser shows it, such as https://cooking.stackexchange.com/q/123.",
        )
    name = url_name(given)
    return Concerned(given, name, Forgotten(urls=frozenset({name})))


def _look(run: Path, asked: Iterable[Concerned]) -> None:
    for item in read_lines(RunFolder(run).items, Item):
        for one in asked:
            one.item(item)
    for subject in _subjects(run):
        for one in asked:
            one.subject(subject)


def _subjects(run: Path) -> Iterator[Subject]:
    """None, in a run whose first build has not finished."""
    pairs = run / "pairs.jsonl"
    if pairs.exists():
        yield from (subject for _, subject in subjects_in(pairs))


def _tell(console: Console, run: Path, asked: Iterable[Concerned], fresh: set[str]) -> None:
    table = Table(box=box.SIMPLE, title=escape(str(run / FILE)), title_justify="left")
    for n, head in enumerate(
        ("to be forgotten", "", "items", "posts", "pairs", "of them in twins")
    ):
        table.add_column(head, justify="right" if n > 1 else "left", overflow="fold")
    for one in asked:
        table.add_row(
            escape(one.given),
            "recorded" if one.name in fresh else "was recorded before",
            f"{one.items:,}", f"{len(one.posts):,}", f"{one.pairs:,}", f"{2 * one.twins:,}",
        )  # fmt: skip
    console.print(table)
    console.print("The next release of this run goes without them.")
