"""The manifest: what went in, what came out and why, which models and prompts, what it cost.

A function of the run folder: no times, and nothing that two runs over the same calls differ in.
"""

from pydantic import JsonValue

from pairwright.build_statement import SourceSummary
from pairwright.construct.outcomes import funnel_rows
from pairwright.construct.tally import Tally
from pairwright.estimate import Estimate
from pairwright.models import Totals
from pairwright.models.store import Store
from pairwright.settings.config import Config, essential
from pairwright.settings.prompt import Prompts
from pairwright.version import __version__


def for_each_pair(pairs: int, calls: Totals, cost: float | None) -> dict[str, float]:
    """Calls, tokens and cost of a run over its kept pairs: what was refused is paid for, too. Empty
    where none is kept; without the cost where no price is set."""
    sums = {
        "calls": calls.calls,
        "prompt_tokens": calls.prompt_tokens,
        "completion_tokens": calls.completion_tokens,
        **({"cost": cost} if cost else {}),
    }
    return {name: round(value / pairs, 4) for name, value in sums.items()} if pairs else {}


def make_manifest(
    store: Store,
    config: Config,
    prompts: Prompts,
    source: SourceSummary,
    counted: Tally,
) -> JsonValue:
    """The manifest as JSON."""
    totals = store.totals()
    served: JsonValue = {
        model: dict(names) for model, names in sorted(store.served_names().items())
    }
    models: dict[str, JsonValue] = {
        name: {"model": endpoint.model, "revision": endpoint.revision}
        for name, endpoint in config.endpoints.items()
        if name in config.roles.all
    }
    return {
        "pairwright": __version__,
        "recorded": [*sorted(counted.recorded)],
        "state": "short" if counted.is_short else "whole",
        "source": source.model_dump(),
        "counts": {
            "items": source.items,
            "units": counted.units,
            "kept": dict(sorted(counted.kept.items())),
            "pairs": dict(sorted(counted.pairs.items())),
            "rejected": [
                {"mode": mode, "stage": stage, "reason": reason, "n": n}
                for (mode, stage, reason), n in sorted(counted.rejected.items())
            ],
            "failed": [
                {"mode": mode, "reason": reason, "n": n}
                for (mode, reason), n in sorted(counted.failed.items())
            ],
            "dropped_aspects": dict(sorted(counted.dropped.items())),
            "refused_drafts": dict(sorted(counted.drafts.items())),
        },
        "funnel": {
            mode: {stage: share.k for stage, share in funnel_rows(counted.reached, mode)}
            for mode in config.modes
        },
        "for_each_pair": {**for_each_pair(counted.pairs.total(), totals, cost(store, config))},
        "no_personal_signal": [
            {"earlier_posts": name, **_share(share)}
            for name, share in counted.no_signal_by_length()
        ],
        "checks": {
            check.name: {"meaning": check.meaning, **_share(check.found)}
            for check in counted.checks
        },
        "roles": config.roles.model_dump(mode="json"),
        "endpoints": models,
        **({"served_models": served} if served else {}),
        "calls": {
            "n": totals.calls,
            "prompt_tokens": totals.prompt_tokens,
            "completion_tokens": totals.completion_tokens,
            "cached_tokens": totals.cached_tokens,
            "cost": cost(store, config),
        },
        "prompts": dict(sorted(prompts.hashes.items())),
        "config": essential(config.model_dump(mode="json")),
    }


def cost(store: Store, config: Config) -> float | None:
    """Cost of all stored calls by the prices of the config's endpoints, rounded to six places; None
    where no price is set.

    Two endpoints that serve one model are priced as the first of them.
    """
    endpoints = {endpoint.model: endpoint for endpoint in reversed(config.endpoints.values())}
    prices = {name: one for name, one in endpoints.items() if one.price_in or one.price_out}
    if not prices:
        return None
    priced = sum(
        prices[model].cost(calls.prompt_tokens, calls.completion_tokens, calls.cached_tokens)
        for model, calls in store.calls_by_model().items()
        if model in prices
    )
    return round(priced, 6)


def _share(share: Estimate) -> dict[str, JsonValue]:
    return {"k": share.k, "n": share.n, "low": share.low, "high": share.high}
