"""What a workflow reports and how it is asked to end, also in a notebook, whose loop runs already;
and how commands and tables are printed."""

import asyncio
import json
import signal
import threading
from collections import Counter
from concurrent.futures import Future
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import pytest
from rich.console import Console

from pairwright import run_async
from pairwright.cli.printing import phrase, print_table
from pairwright.cli.progress import display, interruptible
from pairwright.models.client import Meter
from pairwright.pages import Table
from pairwright.progress import Event, Note, Step, Stop, UnitEnded
from pairwright.settings.rules import JudgedGate, TextGate


def test_a_wish_to_stop_is_heard_by_what_runs_and_by_what_begins_later() -> None:
    stop, heard = Stop(), list[str]()
    assert not stop.request()
    with stop.heard_by(lambda: heard.append("first")):
        assert stop.request()
    assert heard == ["first", "first"]

    async def work() -> None:
        ended = asyncio.Event()
        with (stop := Stop()).heard_by(ended.set):
            await asyncio.to_thread(stop.request)
            await ended.wait()

    asyncio.run(work())


def test_the_first_signal_asks_and_the_second_interrupts(capfd: pytest.CaptureFixture[str]) -> None:
    before, heard = signal.getsignal(signal.SIGINT), list[str]()

    async def work() -> None:
        with stop.heard_by(lambda: heard.append("end")):
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0)
            signal.raise_signal(signal.SIGINT)

    with interruptible() as stop, pytest.raises(KeyboardInterrupt):
        asyncio.run(work())
    assert heard == ["end"]
    assert "Press Ctrl-C again" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGINT) is before


def shown(*events: Event, terminal: bool) -> str:
    out = StringIO()
    console = Console(file=out, force_terminal=terminal, width=100)
    with display(console) as progress:
        for event in events:
            progress(event)
    return out.getvalue()


STEPS = (Step("reading", 1, 20), Note("[x] waits"), Step("reading", 2, 20), Step("writing"))


def test_a_terminal_has_a_bar_for_each_step_and_notes_above_it() -> None:
    text = shown(*STEPS, terminal=True)
    for said in ("reading", "1 of 20", "[x] waits", "writing"):
        assert said in text
    # Elsewhere there are notes alone.
    assert shown(*STEPS, terminal=False) == "[x] waits\n"


def test_the_bar_of_a_build_tells_what_became_of_its_units() -> None:
    def ended(kind: str) -> UnitEnded:
        return UnitEnded("u", "twin", kind, "")

    meter = Meter(in_flight=3, cost=1.5)
    text = shown(Step("building", 0, 7, meter), ended("kept"), ended("failed"), terminal=True)
    for said in ("2 of 7", "1 kept, 1 failed, 3 in flight, cost 1.50"):
        assert said in text


@pytest.mark.parametrize("cell", ["52.1 % (49.0 to 55.2)", "52.1 % (49.0 to 55.2) (12 units)"])
def test_a_wide_table_loses_no_text(cell: str) -> None:
    written = StringIO()
    content = Table(("scorer", *["net accuracy, points"] * 6), (("similarity", *[cell] * 6),))
    print_table(Console(file=written, width=80), content)
    shown = "".join(written.getvalue().split())
    assert Counter("".join(cell.split()) * 6) - Counter(shown) == Counter()


async def doubled(n: int) -> int:
    await asyncio.sleep(0)
    return 2 * n


def test_the_result_comes_back_from_a_script_and_from_a_running_loop() -> None:
    async def cell() -> int:
        return run_async(doubled(4))

    assert run_async(doubled(4)) == asyncio.run(cell()) == 8


def test_an_interrupted_cell_cancels_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    started = threading.Event()

    async def endless() -> None:
        started.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    whole = Future.result

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        if self.running() and not ended.is_set():
            assert started.wait(10)
            raise KeyboardInterrupt
        return whole(self, timeout)

    async def cell() -> None:
        monkeypatch.setattr(Future, "result", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_async(endless())

    asyncio.run(cell())
    assert ended.is_set()


def test_a_terminal_says_in_words_what_files_name_by_codes() -> None:
    """The reasons and gates that came of the example, and all gates."""
    frozen = json.loads((Path(__file__).parents[1] / "frozen/outcomes.json").read_text("utf-8"))
    codes = {name.split()[1] for name in frozen} | {*get_args(TextGate), *get_args(JudgedGate)}
    assert len(codes) > 20
    assert [code for code in sorted(codes) if phrase(code) == code.replace("_", " ")] == []
