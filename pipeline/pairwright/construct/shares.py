"""How the work and the limits of a run are shared among workers."""

from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Unit
from pairwright.settings.config import Config


def most_workers(config: Config) -> int:
    """As many as are asked for, if each can have a call in flight at every endpoint."""
    return min([config.processes, *(config.endpoints[n].concurrency for n in config.roles.all)])


def part_of(config: Config, workers: int) -> Config:
    """The config of one of so many workers; nobody gets what is left over."""
    endpoints = {
        name: {**endpoint.model_dump(), "concurrency": endpoint.concurrency // workers}
        for name, endpoint in config.endpoints.items()
    }
    return Config.model_validate({**config.model_dump(), "endpoints": endpoints})


def shares_of(units: list[Unit], corpus: Corpus, workers: int) -> list[list[Unit]]:
    """A share of the units for each worker, in their order. Units that ask the same question are in
    one share: they ask for the same calls, and no two replies can then differ."""
    shares: list[list[Unit]] = [[] for _ in range(workers)]
    owners: dict[str, int] = {}
    for n, unit in enumerate(units):
        question = corpus.item(unit.item).question
        shares[owners.setdefault(question, n * workers // len(units))].append(unit)
    return [share for share in shares if share]
