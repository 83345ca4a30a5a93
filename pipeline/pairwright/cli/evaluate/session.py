"""Every scorer in every condition, one after the other, each with its files."""

import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright.cli.evaluate.planner import planner_under_test, self_agrees
from pairwright.cli.evaluate.shown import tell
from pairwright.cli.scorers import OpenScorer, open_scorers
from pairwright.cli.signals import stop_on_signals
from pairwright.client import Meter
from pairwright.evaluate.conditions import Conditions, applies
from pairwright.evaluate.decision import Decision
from pairwright.evaluate.evaluation import Evaluation, evaluate, reasons
from pairwright.evaluate.release import Release
from pairwright.evaluate.results import Evaluated, Timing, previous_timing, write_result
from pairwright.evaluate.scorers.spec import Scorers
from pairwright.evaluate.shown import Condition
from pairwright.evaluate.wrong_profile import Strangers
from pairwright.store import Store


class Wanted(NamedTuple):
    """What is to be scored, by which scorers, in which conditions."""

    release: Release
    scorers: tuple[str, ...]
    conditions: tuple[Condition, ...]
    limit: int | None


async def run(
    wanted: Wanted, settings: Scorers, base: Path, out: Path, store: Store, console: Console
) -> list[Evaluated]:
    """Evaluate and write; `base` is the folder that paths in the settings are relative to.

    Raises ConfigError, EndpointRefused, Interrupted and StoreError: files are written for what was
    whole before.
    """
    meter, made = Meter(), []
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(
            open_scorers(settings, wanted.scorers, store, meter)
        )
        planner = None
        if "planner" in wanted.conditions:
            planner = await stack.enter_async_context(
                planner_under_test(settings, base, store, meter)
            )
        strangers = Strangers(
            wanted.release.rows() if "wrong-profile" in wanted.conditions else (), settings.seed
        )
        conditions = Conditions(settings.history, strangers, planner and planner.planner)

        def stop() -> None:
            for of in (*opened.values(), *([planner] if planner else [])):
                of.stop()

        stop_on_signals(stop, meter, console)
        with Progress(console=console, transient=True) as progress:
            for name in wanted.scorers:
                for condition in wanted.conditions:
                    evaluation = Evaluation(opened[name].scorer, condition, conditions)
                    agrees = condition == "planner" and self_agrees(
                        settings, base, wanted.release.construction
                    )
                    about, decisions = await _one(
                        wanted, opened[name], evaluation, agrees, meter, progress, stop
                    )
                    about = about.model_copy(
                        update={"timing": about.timing or previous_timing(out, about)}
                    )
                    write_result(out, about, decisions)
                    tell(progress.console, about, decisions)
                    made.append(about)
    return made


async def _one(
    wanted: Wanted,
    opened: OpenScorer,
    evaluation: Evaluation,
    agrees: bool,
    meter: Meter,
    progress: Progress,
    stop: "Callable[[], None]",
) -> tuple[Evaluated, list[Decision]]:
    release, condition = wanted.release, evaluation.condition
    rows = [row.id for row in release.rows(wanted.limit) if applies(row, condition)]
    task = progress.add_task(f"{opened.ref.name}, {condition}", total=len(rows))
    calls, seconds, began = meter.calls, meter.seconds, time.monotonic()
    decisions = await evaluate(
        release.rows(wanted.limit), evaluation, workers=opened.workers, stop=stop,
        seen=lambda _: progress.advance(task),
    )  # fmt: skip
    progress.remove_task(task)
    sent, took = meter.calls - calls, time.monotonic() - began
    timing = None
    if sent:
        timing = Timing(
            calls=sent,
            latency_s=round((meter.seconds - seconds) / sent, 6),
            calls_per_s=round(sent / took, 3),
        )
    choices = [of.choice for of in decisions]
    return Evaluated(
        release=release.ref,
        scorer=opened.ref,
        condition=condition,
        limit=wanted.limit,
        self_agreement=agrees,
        simulated=opened.simulated(),
        pairs=len(decisions),
        scored=sum(choice is not None for choice in choices),
        ties=choices.count("tie"),
        unstable=sum(of.orders is not None and of.orders[0] != of.orders[1] for of in decisions),
        unscored=reasons(decisions),
        shortened=sum(of.left_out > 0 for of in decisions),
        tokens=sum(of.tokens for of in decisions),
        timing=timing,
    ), decisions
