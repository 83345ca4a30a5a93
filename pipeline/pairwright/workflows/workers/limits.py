"""The limits of the endpoints hold for a whole run: each worker keeps its part of them."""

from dataclasses import dataclass, field
from multiprocessing.context import BaseContext

from pairwright.errors import BudgetSpent, ConfigError
from pairwright.models.client import Meter
from pairwright.settings.config import Config
from pairwright.settings.endpoints import Endpoint


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

    Without a rank no worker gets it. Each worker finds out `concurrency = "auto"` for itself.
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


class Allowance:
    """How many calls may still be sent, and what all have cost; in memory that is shared.

    Calls are taken one by one before they are sent. A process that is killed has taken what it
    had in flight, so a budget is never passed, and may end a few calls early.
    """

    def __init__(self, context: BaseContext, meter: Meter) -> None:
        """`meter` says what the run has used up already, and its budget."""
        most = meter.max_calls
        self.max_calls, self.max_cost = most, meter.max_cost
        self._left = context.Value("q", 0 if most is None else max(0, most - meter.calls))
        self._cost = context.Value("d", meter.cost)

    def take(self) -> bool:
        """Whether one more call may be sent."""
        with self._left.get_lock():
            if self._left.value <= 0:
                return False
            self._left.value -= 1
            return True

    def pay(self, cost: float) -> None:
        with self._cost.get_lock():
            self._cost.value += cost

    @property
    def cost(self) -> float:
        return float(self._cost.value)


@dataclass
class SharedMeter(Meter):
    """The meter of one process, which asks the allowance."""

    allowance: Allowance = field(kw_only=True)
    taken: int = 0

    def admit(self) -> None:
        most, dearest = self.allowance.max_calls, self.allowance.max_cost
        if dearest is not None and self.allowance.cost >= dearest:
            raise BudgetSpent("budget_spent", f"max_cost = {dearest} is reached")
        # A call that failed leaves its place to the next one of this process.
        if most is not None and self.calls + self.in_flight >= self.taken:
            if not self.allowance.take():
                raise BudgetSpent("budget_spent", f"max_calls = {most} is reached")
            self.taken += 1

    def answered(
        self, prompt_tokens: int, completion_tokens: int, cost: float, cached_tokens: int = 0
    ) -> None:
        super().answered(prompt_tokens, completion_tokens, cost, cached_tokens)
        if cost:
            self.allowance.pay(cost)
