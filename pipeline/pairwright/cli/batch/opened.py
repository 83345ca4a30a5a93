"""A run that was built with --batch-out, opened for a command that takes in replies."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console

from pairwright.construct.folder import RunFolder
from pairwright.errors import InputError, on_disk
from pairwright.models.batch import Ingest, Ingested, PendingCalls, Round, read_round
from pairwright.models.batch.api import BatchApi
from pairwright.models.batch.ingest import MEANINGS, LineProblem
from pairwright.models.batch.rounds import folder_of
from pairwright.models.store import Store
from pairwright.settings.config import Config
from pairwright.text import number_of
from pairwright.workflows.run_models import api_key

SHOWN = 20
"""Problems that are printed; all are in the file."""
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")]
OutPath = Annotated[
    Path, typer.Argument(metavar="OUT", help="The folder that --batch-out of the build named.")
]


class Opened(NamedTuple):
    """What the commands of `pairwright batch` start from."""

    run: RunFolder
    config: Config
    asked: PendingCalls
    store: Store

    @property
    def problems(self) -> Path:
        return self.run.path / "batch_problems.jsonl"

    def round_in(self, out: Path) -> Round:
        """The round that the last build wrote; raises InputError where `out` does not hold it."""
        folder = folder_of(out, self.asked.round)
        made = read_round(folder)
        if made.digest != self.asked.round_digest:
            raise InputError(
                "not the round that this run needs",
                where=folder,
                fix="Build with --batch-out again, or name the folder that it wrote to last.",
            )
        return made

    @contextmanager
    def apis(self) -> Iterator[Callable[[str], BatchApi]]:
        """The Batch API of each endpoint, by its name in the config."""
        opened = list[BatchApi]()

        @cache
        def api_of(name: str) -> BatchApi:
            endpoint = self.config.endpoints[name]
            opened.append(BatchApi(name, endpoint, api_key(name, endpoint)))
            return opened[-1]

        try:
            yield api_of
        finally:
            for api in opened:
                api.close()

    @contextmanager
    def ingesting(self, console: Console, seen: Callable[[int], None]) -> Iterator[Ingest]:
        """Takes in replies; the problems are printed and listed in `batch_problems.jsonl`."""
        told = 0
        partial = self.problems.with_suffix(".partial")
        with (
            on_disk(self.problems),
            ExitStack() as end,
            partial.open("w", encoding="utf-8") as file,
        ):
            # Also where a file could not be read: what was found before it counts.
            end.callback(partial.replace, self.problems)

            def tell(problem: LineProblem) -> None:
                nonlocal told
                told += 1
                file.write(problem.model_dump_json() + "\n")
                if told <= SHOWN:
                    _print(console, problem)

            yield Ingest(self.asked, self.store, self._secrets(), tell, seen)
        if told > SHOWN:
            console.print(f"... and {told - SHOWN:,} more in {self.problems}", markup=False)

    def _secrets(self) -> tuple[str, ...]:
        names = (endpoint.api_key_env for endpoint in self.config.endpoints.values())
        return tuple(os.environ.get(name, "") for name in names if name)


@contextmanager
def opened(run: Path) -> Iterator[Opened]:
    """Open a run; raises ConfigError and InputError where none was built with --batch-out."""
    folder = RunFolder(run)
    config = folder.settings()
    with (
        closing(Store(folder.calls)) as store,
        closing(PendingCalls(run / "batch.sqlite")) as asked,
    ):
        yield Opened(folder, config, asked, store)


def show_ingested(console: Console, ingested: Ingested) -> None:
    """What became of the lines."""
    lines: list[tuple[str, int]] = [("stored", ingested.stored), ("stored before", ingested.known)]
    lines += [(MEANINGS[kind], n) for kind, n in ingested.problems.most_common()]
    told = "; ".join(f"{n:,} {what}" for what, n in lines)
    console.print(f"{number_of(ingested.lines, 'line')}: {told}.", highlight=False, markup=False)


def _print(console: Console, problem: LineProblem) -> None:
    named = f" {problem.custom_id!r}" if problem.custom_id else ""
    text = f"{problem.where}:{named} {MEANINGS[problem.kind]}: {problem.detail}"
    console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)
