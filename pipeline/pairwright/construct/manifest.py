"""The manifest: what went in, what came out and why, which models and prompts, what it cost.

A function of the run folder: no times, and nothing that two runs over the same calls differ in.
"""

from pydantic import JsonValue

from pairwright.build_statement import SourceSummary
from pairwright.construct.status import RunStatus
from pairwright.models.store import Store
from pairwright.settings.config import essential
from pairwright.settings.prompt import Prompts
from pairwright.stats import Estimate
from pairwright.version import __version__


def make_manifest(
    found: RunStatus, store: Store, prompts: Prompts, source: SourceSummary
) -> JsonValue:
    """The manifest as JSON."""
    config, totals = found.config, found.stored
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
        "recorded": [*found.recorded],
        "state": "short" if found.is_short else "whole",
        "source": source.model_dump(),
        "counts": _counts(found, source.items),
        "funnel": {
            mode: {stage: reached.k for stage, reached in stages}
            for mode, stages in found.funnel.items()
        },
        "for_each_pair": {**found.for_each_pair},
        "no_personal_signal": [
            {"earlier_posts": name, **_share(nothing)} for name, nothing in found.no_signal
        ],
        "checks": {
            check.name: {"meaning": check.meaning, **_share(check.found)} for check in found.checks
        },
        "roles": config.roles.model_dump(mode="json"),
        "endpoints": models,
        **({"served_models": served} if served else {}),
        "calls": {
            "n": totals.calls,
            "prompt_tokens": totals.prompt_tokens,
            "completion_tokens": totals.completion_tokens,
            "cached_tokens": totals.cached_tokens,
            "cost": found.cost,
        },
        "prompts": dict(sorted(prompts.hashes.items())),
        "config": essential(config.model_dump(mode="json")),
    }


def _counts(found: RunStatus, items: int) -> dict[str, JsonValue]:
    """The units and drafts by what came of them."""
    ends = sorted(found.units)
    modes = [mode for mode in sorted(found.config.modes) if found.count("kept", mode)]
    return {
        "items": items,
        "units": found.count(),
        "kept": {mode: found.count("kept", mode) for mode in modes},
        "pairs": {mode: found.pairs_of(mode) for mode in modes},
        "dropped": [
            {"mode": one.mode, "stage": one.stage, "reason": one.reason, "n": one.n}
            for one in ends
            if one.kind == "dropped"
        ],
        "failed": [
            {"mode": one.mode, "reason": one.reason, "n": one.n}
            for one in ends
            if one.kind == "failed"
        ],
        "dropped_aspects": dict(sorted(found.aspects.items())),
        "refused_drafts": dict(sorted(found.drafts.items())),
    }


def _share(found: Estimate) -> dict[str, JsonValue]:
    return {"k": found.k, "n": found.n, "low": found.low, "high": found.high}
