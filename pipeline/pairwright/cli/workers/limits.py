"""The limits of the endpoints hold for a whole run: each worker keeps its part of them."""

from pairwright.errors import ConfigError
from pairwright.settings.config import Config, Endpoint


def most_workers(config: Config) -> int:
    """As many as are asked for, if each can have a call in flight at every endpoint."""
    limits = [config.endpoints[name].concurrency for name in config.roles.all]
    return min([config.processes, *(limit for limit in limits if limit != "auto")])


def check_engines(config: Config) -> None:
    """Raise ConfigError where each worker would load a model for itself."""
    for name in config.roles.all:
        if config.endpoints[name].engine == "vllm":
            raise ConfigError(
                f"each process or actor would start the engine of {name!r} for itself",
                where="[processes]",
                fix="Leave processes and --engine ray out: an engine serves one process best. To"
                " share it among several, start `vllm serve` and give its base_url.",
            )


def part_of(config: Config, workers: int, rank: int | None) -> Config:
    """The config of one of so many workers; the first ranks get what is left over.

    Without a rank nobody gets it. `concurrency = "auto"` is found out by each worker for itself.
    """
    endpoints = {
        name: endpoint.model_copy(
            update={
                "concurrency": _part(endpoint, workers, rank),
                "rpm": endpoint.rpm and endpoint.rpm / workers,
                "tpm": endpoint.tpm and endpoint.tpm / workers,
            }
        )
        for name, endpoint in config.endpoints.items()
    }
    return config.model_copy(update={"endpoints": endpoints})


def _part(endpoint: Endpoint, workers: int, rank: int | None) -> int | str:
    if endpoint.concurrency == "auto":
        return "auto"
    part, over = divmod(endpoint.concurrency, workers)
    return part + (rank is not None and rank < over)
