"""The state of a run, and its manifest: every figure is a query on its table of outcomes."""

import re
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.assets import __version__
from pairwright.build_statement import SourceSummary
from pairwright.construct.folder import RunFolder
from pairwright.construct.outcomes import LACK_OF_ASPECTS, OutcomeKind, Outcomes
from pairwright.lines import read_lines
from pairwright.models import Unread, completion_of, parse
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store, Usage, is_held, unusable
from pairwright.modes import MODES, Stage
from pairwright.options import RunPath
from pairwright.settings.config import Config, essential
from pairwright.sources import Problems, SourceProblem
from pairwright.stages.judges import SupportReply
from pairwright.stats import Estimate, share
from pairwright.text import visible

UNUSABLE_SHARE = 0.1
"""The share of units without a usable reply above which a run is short."""
_CHECKS = ("support", "support_control")
"""The calls in which the support judge reads the own post, and a stranger's."""
_UNUSED = re.compile(rf"(\w+)_({'|'.join(sorted(UNUSABLE))})")
"""A prompt without a usable reply, and why; as the gate is named if the prompt judged a draft."""


class UnitCount(NamedTuple):
    """The number of a mode's units with the same outcome."""

    mode: str
    kind: OutcomeKind
    stage: str
    reason: str
    n: int


@dataclass(frozen=True)
class RunStatus:
    """The results of a run so far."""

    run: Path
    """The run folder."""
    config: Config
    """The config that the run was last built with."""
    units: tuple[UnitCount, ...]
    """The units by outcome, the most frequent first."""
    funnel: dict[str, list[tuple[Stage, Estimate]]]
    """The share of the items that reached each stage, with its 95 % interval, by mode."""
    aspects: Counter[str]
    """The reasons for dropped aspects, over the units that were dropped for want of aspects."""
    drafts: Counter[str]
    """Refused drafts by gate, those before a kept one included."""
    checks: dict[str, Estimate]
    """The quality of the support judge: the share of aspects that it finds carried by the own posts
    (`support`), and by those of strangers (`support_control`)."""
    stored: Usage
    """Calls and tokens of the run's store, those of earlier builds included."""
    cost: float | None
    """The cost of all stored calls, by the config's prices; None where none is set."""
    served: dict[str, dict[str, int]]
    """By model that was asked for, the other models that replies name, with the number of calls."""
    recorded: tuple[str, ...]
    """The models whose replies came from a recording of an earlier run."""
    finished: bool
    """Whether the last build ended, and its files are there."""
    running: bool
    """Whether a build was writing to the folder when this was read."""
    source_problems: tuple[str, ...]
    """The reasons that rows and posts of the source were refused or repaired, a line each."""

    def count(self, kind: OutcomeKind | None = None, mode: str | None = None) -> int:
        """The number of units, of one kind and mode or of all."""
        return sum(
            one.n for one in self.units if kind in (None, one.kind) and mode in (None, one.mode)
        )

    def reasons(self, kind: OutcomeKind, mode: str | None = None) -> Counter[str]:
        """The units of one kind by reason, of one mode or of all."""
        found = Counter[str]()
        for one in self.units:
            found[one.reason] += one.n * (one.kind == kind and mode in (None, one.mode))
        return +found

    def pairs_of(self, mode: str) -> int:
        """The kept pairs of a mode; a twin has two."""
        return self.count("kept", mode) * MODES[mode].halves

    @property
    def pairs(self) -> int:
        """The number of kept pairs."""
        return sum(map(self.pairs_of, self.config.modes))

    @property
    def unusable(self) -> Counter[tuple[str, str]]:
        """The units that were dropped because no reply could be used, by prompt and reason."""
        found = Counter[tuple[str, str]]()
        for one in self.units:
            name = one.reason if one.stage == "gates" else f"{one.stage}_{one.reason}"
            if one.kind == "dropped" and (unused := _UNUSED.fullmatch(name)):
                found[unused[1], unused[2]] += one.n
        return found

    @property
    def short_of_replies(self) -> bool:
        """Whether so many were that the run does not speak for its items."""
        ended = self.count("kept") + self.count("dropped")
        return self.unusable.total() > UNUSABLE_SHARE * ended

    @property
    def nothing_kept(self) -> bool:
        """Whether all units have ended, and none of them was kept."""
        return bool(self.units) and not (self.pairs or self.count("waiting"))

    @property
    def is_short(self) -> bool:
        """Whether units failed, too many had no usable reply, or nothing is kept."""
        return bool(self.count("failed")) or self.short_of_replies or self.nothing_kept

    @property
    def for_each_pair(self) -> dict[str, float]:
        """Calls, tokens and cost of the run over its kept pairs: what was dropped is paid for, too.
        Empty if none is kept; without the cost if no price is set."""
        sums = {**self.stored._asdict(), "cost": self.cost or 0}
        names = ("calls", "prompt_tokens", "completion_tokens", *["cost"] * bool(self.cost))
        return {name: round(sums[name] / self.pairs, 4) for name in names if self.pairs}


def status(run: RunPath) -> RunStatus:
    """Show what a run has made so far; works while it is running.

    The tables count what was kept, dropped and failed, and how far items came. Exits with 1 if
    units failed, a tenth had no usable reply or nothing was kept. Exits with 3 if units wait for
    the replies of a batch.

    Raises ConfigError where `run` is not a run folder, and StoreError where its store cannot be
    read.

        print(status("study/run").pairs)

    Examples::

        pairwright status runs/first
    """
    folder = RunFolder(Path(run))
    with closing(Store(folder.calls, writing=False)) as store:
        # First: a build that ends meanwhile has then its last outcome counted.
        running = is_held(folder.calls)
        return status_of(folder, store, folder.settings(), running=running)


def status_of(
    folder: RunFolder, store: Store, config: Config, *, running: bool = False
) -> RunStatus:
    """The status of a run whose store is open."""
    units = store.rows(
        "SELECT mode, kind, stage, reason, count(*) FROM outcomes WHERE mode != 'plan'"
        " GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 3, 4"
    )
    recorded = store.rows("SELECT DISTINCT value FROM outcomes, json_each(recorded) ORDER BY 1")
    return RunStatus(
        run=folder.path,
        config=config,
        units=tuple(UnitCount(*row) for row in units),
        funnel={mode: _funnel(store, mode) for mode in config.modes},
        aspects=_refusals(store, "IN"),
        drafts=_refusals(store, "NOT IN"),
        checks={name: _accepted(store, name) for name in _CHECKS},
        stored=store.totals(),
        cost=cost(store, config),
        served=store.served_names(),
        recorded=tuple(model for (model,) in recorded),
        finished=Outcomes(store).finished and (folder.path / "manifest.json").exists(),
        running=running,
        source_problems=source_problems(folder),
    )


def _funnel(store: Store, mode: str) -> list[tuple[Stage, Estimate]]:
    """Each stage with the share of all items that reached it; none of people's own choices, of
    which every item is kept: the source refuses the others."""
    if MODES[mode].label == "given":
        return []
    query = "SELECT reached, count(*) FROM outcomes WHERE mode = ? GROUP BY 1"
    last, stages = dict(store.rows(query, mode)), MODES[mode].stages
    counts = [sum(last.get(later, 0) for later in stages[n:]) for n in range(len(stages))]
    return [(stage, share(n, counts[0])) for stage, n in zip(stages, counts, strict=True)]


def _refusals(store: Store, which: str) -> Counter[str]:
    """Counts of units without enough aspects, by reason for dropped aspects; or, for units
    NOT IN want of aspects, by gate that refused a draft."""
    rows = store.rows(
        "SELECT one.value, count(*) FROM outcomes, json_each(refusals) AS one"
        f" WHERE reason {which} (?, ?) GROUP BY 1 ORDER BY 1",
        *LACK_OF_ASPECTS,
    )
    return Counter(dict(rows))


def _accepted(store: Store, check: str) -> Estimate:
    """The share of cases that a judge accepts in all replies to one kind of call. A reply that
    units share counts once, one that cannot be read for nothing. Raises StoreError if one is
    damaged."""
    query = "SELECT DISTINCT key FROM outcomes, json_each(calls) WHERE value = ? ORDER BY 1"
    accepted = list[bool]()
    for (key,) in store.rows(query, check):
        if (body := store.get(key)) is None:
            continue
        try:
            reply = parse(completion_of(key, body).text, SupportReply)
        except ValueError as error:
            raise unusable(store.path, error, key) from None
        if not isinstance(reply, Unread):
            accepted += (case.verdict == "carried" for case in reply.cases)
    return share(sum(accepted), len(accepted))


def cost(store: Store, config: Config) -> float | None:
    """Cost of all stored calls by the prices of the config's endpoints, rounded to six places; None
    where no price is set.

    Two endpoints that serve one model are priced as the first of them.
    """
    endpoints = {endpoint.model: endpoint for endpoint in reversed(config.endpoints.values())}
    prices = {name: one for name, one in endpoints.items() if one.price_in or one.price_out}
    costs = (
        prices[model].cost(used.prompt_tokens, used.completion_tokens)
        for model, used in store.calls_by_model().items()
        if model in prices
    )
    return round(sum(costs), 6) if prices else None


def source_problems(run: RunFolder) -> tuple[str, ...]:
    """The reasons of `source_problems.jsonl`, each with its count and what to do.

    Invisible characters of the source are removed, so that the lines can be printed.
    """
    if not run.problems.is_file():
        return ()
    problems = Problems()
    for problem in read_lines(run.problems, SourceProblem):
        problems.add(problem)
    return tuple(map(visible, problems.lines()))


def make_manifest(
    found: RunStatus, store: Store, prompts: dict[str, str], source: SourceSummary
) -> JsonValue:
    """The manifest as JSON; `prompts` are the hashes of the prompts by name."""
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
        "checks": {
            name: {"k": of.k, "n": of.n, "low": of.low, "high": of.high}
            for name, of in found.checks.items()
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
        "prompts": {**dict(sorted(prompts.items()))},
        "config": essential(config.model_dump(mode="json")),
    }


def _counts(found: RunStatus, items: int) -> dict[str, JsonValue]:
    """The units and drafts by outcome."""

    def ended(kind: str, *keys: str) -> list[JsonValue]:
        rows = (one._asdict() for one in sorted(found.units) if one.kind == kind)
        return [{key: row[key] for key in keys} for row in rows]

    modes = [mode for mode in sorted(found.config.modes) if found.count("kept", mode)]
    return {
        "items": items,
        "units": found.count(),
        "kept": {mode: found.count("kept", mode) for mode in modes},
        "pairs": {mode: found.pairs_of(mode) for mode in modes},
        "dropped": ended("dropped", "mode", "stage", "reason", "n"),
        "failed": ended("failed", "mode", "reason", "n"),
        "dropped_aspects": dict(sorted(found.aspects.items())),
        "refused_drafts": dict(sorted(found.drafts.items())),
    }
