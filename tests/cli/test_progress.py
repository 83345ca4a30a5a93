"""What a workflow reports, how it is asked to end, and how commands and tables are printed."""

import asyncio
import shlex
import signal
from io import StringIO

import pytest
from rich.console import Console

from pairwright.cli.printing import command, print_table
from pairwright.cli.progress import display, interruptible
from pairwright.models.client import Meter
from pairwright.pages import Table
from pairwright.progress import Event, Note, Step, Stop, UnitEnded


def test_a_wish_to_stop_is_heard_by_what_runs_and_by_what_begins_later() -> None:
    stop, heard = Stop(), list[str]()
    with stop.heard_by(lambda: heard.append("first"), Meter(in_flight=3)):
        assert stop.in_flight == 3
        assert stop.request()
        assert not stop.cancel(), "no task to cancel"
    assert stop.in_flight == 0
    with stop.heard_by(lambda: heard.append("second")):
        pass
    assert heard == ["first", "second"]


def test_a_coroutine_is_stopped_and_cancelled_from_another_thread() -> None:
    stop, heard = Stop(), list[str]()

    async def work() -> None:
        ended = asyncio.Event()
        with stop.heard_by(ended.set):
            await asyncio.to_thread(stop.request)
            await ended.wait()
            heard.append("ended")
            await asyncio.to_thread(stop.cancel)
            await asyncio.sleep(60)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())
    assert heard == ["ended"]


def test_the_first_signal_asks_and_the_second_interrupts(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    heard = list[str]()
    with interruptible() as stop, stop.heard_by(lambda: heard.append("end"), Meter(in_flight=2)):
        signal.raise_signal(signal.SIGINT)
        assert heard == ["end"]
        assert "waiting for 2 calls in flight" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
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


def test_a_printed_command_gives_back_its_arguments() -> None:
    line = command("status", "my runs/it's", "--json")
    assert shlex.split(line)[-3:] == ["status", "my runs/it's", "--json"]


def test_a_wide_table_breaks_its_heads_and_keeps_names_and_intervals_whole() -> None:
    heads = ("scorer", "net right flips, points", "right flips", "flips on placebos", "accuracy")
    values = ("-3.2 (-19.9 to +34.1)", *["11.1 % (11.7 to 47.3)"] * 3)
    written = StringIO()
    print_table(Console(file=written, width=80), Table(heads, (("similarity", *values),)))
    print_table(
        Console(file=written, width=80), Table(heads, (("similarity (baseline)", *values),))
    )
    for text in (
        "similarity ",
        "(baseline) (-19.9 to +34.1)",
        "(11.7 to 47.3)",
        "net right flips, ",
    ):
        assert text in written.getvalue()
