"""What a run has sent, and may send."""

from dataclasses import dataclass

from pairwright.errors import BudgetSpent


@dataclass
class Meter:
    """Counts over all endpoints of a run; cost in the currency the prices are given in."""

    max_calls: int | None = None
    max_cost: float | None = None
    calls: int = 0
    """Calls answered, those of earlier runs of the folder included."""
    cost: float = 0.0
    in_flight: int = 0
    written: int = 0
    """Calls written for a batch, whose replies are still to come."""
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from an endpoint's cache."""
    seconds: float = 0.0
    """Of all answered calls, from sending one to its reply."""

    def admit(self) -> None:
        """Raise BudgetSpent where another call could pass a budget.

        Calls in flight or written for a batch count as answered. Their cost is not known yet,
        so `max_cost` can be passed by these calls when it is reached, and by no more.
        """
        taken = self.calls + self.in_flight + self.written
        if self.max_calls is not None and taken >= self.max_calls:
            raise BudgetSpent("budget_spent", f"max_calls = {self.max_calls} is reached")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpent("budget_spent", f"max_cost = {self.max_cost} is reached")

    def answered(
        self, prompt_tokens: int, completion_tokens: int, cost: float, cached_tokens: int = 0
    ) -> None:
        """Count one answered call; `cached_tokens` are part of `prompt_tokens`."""
        self.calls += 1
        self.cached_tokens += cached_tokens
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.cost += cost
