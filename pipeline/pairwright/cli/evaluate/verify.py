"""Deriving results again from the replies that are stored beside them. Nothing is sent."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing, closing
from itertools import groupby
from pathlib import Path

from rich.console import Console

from pairwright.cli.evaluate.session import Session, Wanted
from pairwright.cli.scorers import prompts_of
from pairwright.errors import CallFailed, InputError
from pairwright.evaluate.derivation import NOT_STORED, check_release, check_settings, differences
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import Result
from pairwright.evaluate.scorers.spec import Scorers, load_scorers
from pairwright.models.client import Meter
from pairwright.models.store import Store


class StoredReplies(Store):
    """A store that is read and never written: what it does not have is not asked for."""

    def __init__(self, path: Path) -> None:
        """Raises StoreError."""
        super().__init__(path, writing=False)

    def get(self, key: str) -> bytes:
        """Raises CallFailed where the reply is not stored."""
        found = super().get(key)
        if found is None:
            raise CallFailed(NOT_STORED, "its reply is not beside the result")
        return found


def derived_differences(
    results: Sequence[Result],
    release: Path,
    scorers: Path | None,
    console: Console,
    done: Callable[[], None] = lambda: None,
) -> list[str]:
    """A sentence for each way in which results are not what their stored replies give.

    Raises InputError where a result is not of this release, was made with other settings, or has no
    `calls.sqlite` beside it; and ConfigError and StoreError.
    """
    settings = load_scorers(scorers) if scorers else Scorers()
    base = scorers.resolve().parent if scorers else Path.cwd()
    # Nothing is sent, so no key is needed.
    keyless = {
        name: of.model_copy(update={"api_key_env": None}) for name, of in settings.endpoints.items()
    }
    settings = settings.model_copy(update={"endpoints": keyless})
    found: list[str] = []
    for (folder, _), some in groupby(results, key=_together):
        of_scorer = list(some)
        store = folder / "calls.sqlite"
        if not store.is_file():
            raise InputError(
                "is not there, so nothing can be derived of the results beside it",
                where=store,
                fix="Name the folder that `pairwright evaluate` wrote, with its stored replies.",
            )
        with closing(StoredReplies(store)) as replies:
            session = _session(of_scorer, release, settings, base, replies, console)
            found += asyncio.run(_of_scorer(session, of_scorer, done))
    return found


def _together(of: Result) -> tuple[Path, str]:
    return of.path.parent, of.about.scorer.name


def _session(
    results: Sequence[Result],
    release: Path,
    settings: Scorers,
    base: Path,
    replies: Store,
    console: Console,
) -> Session:
    first = results[0].about
    given = Release(release, first.split)
    check_release(results[0], given.ref)
    wanted = Wanted(
        given,
        (first.scorer.name,),
        tuple(of.about.condition for of in results),
        first.limit,
    )
    folder = results[0].path.parent
    prompts = prompts_of(settings, base)
    return Session(wanted, settings, prompts, folder, replies, Meter(), console)


async def _of_scorer(
    session: Session, results: Sequence[Result], done: Callable[[], None]
) -> list[str]:
    found: list[str] = []
    async with aclosing(session.results()) as derived:
        given = iter(results)
        async for about, decisions in derived:
            result = next(given)
            check_settings(result, about)
            found += differences(result, about, decisions)
            done()
    return found
