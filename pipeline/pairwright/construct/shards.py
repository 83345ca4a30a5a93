"""What the workers of a build share, and how what each of them stored becomes one store again.

RUN/shards/003/run.sqlite   calls and outcomes of worker 3
"""

import shutil
from contextlib import closing
from pathlib import Path

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Unit
from pairwright.errors import StoreError
from pairwright.files import CALLS
from pairwright.models.store import Store
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Endpoint


def most_workers(config: Config) -> int:
    """As many as are asked for, if each can have a call in flight at every endpoint."""
    return min([config.processes, *(config.endpoints[n].concurrency for n in config.roles.all)])


def part_of(endpoint: Endpoint, workers: int) -> Endpoint:
    """An endpoint for one of so many workers; nobody gets what is left over."""
    return Endpoint(**{**endpoint.model_dump(), "concurrency": endpoint.concurrency // workers})


def shares_of(units: list[Unit], corpus: Corpus, workers: int) -> list[list[Unit]]:
    """A share of the units for each worker, in their order. Units that ask the same question are in
    one share: they ask for the same calls, and no two replies can then differ."""
    shares: list[list[Unit]] = [[] for _ in range(workers)]
    owners: dict[str, int] = {}
    for n, unit in enumerate(units):
        question = corpus.item(unit.item).question
        shares[owners.setdefault(question, n * workers // len(units))].append(unit)
    return [share for share in shares if share]


def merge_all(store: Store, shards: Path) -> None:
    """Merge every shard that is there, in the order of their names, and remove their folder.

    Raises StoreError for one that cannot be merged; it is left as it is.
    """
    for path in sorted(shards.glob(f"*/{CALLS}")):
        try:
            # Opening a shard checks it, and that its worker has ended.
            with closing(Store(path)):
                store.merge(path)
        except StoreError as error:
            raise StoreError(
                f"{str(error).splitlines()[0]}\n  A worker of a build left this. Move"
                f" {path.parent} away to go on without it: its calls are then sent again."
            ) from None
        shutil.rmtree(path.parent)
    shutil.rmtree(shards, ignore_errors=True)
