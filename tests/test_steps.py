"""What a command that takes minutes says about its steps."""

import time

import pytest

from pairwright.cli.steps import steps


def test_without_a_terminal_every_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with steps() as step:
        step("preparing [a] server")
        assert "preparing [a] server\n" in capsys.readouterr().err  # At once.
        for n in range(1, 100):
            step(f"loading tasks: {n} of 99")
        step("starting")
        step("starting")
    told = capsys.readouterr()
    assert told.err.splitlines() == ["loading tasks: 1 of 99", "starting"]
    assert told.out == ""


def test_a_long_step_is_told_of_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with steps() as step:
        for n in range(1, 26):
            now += 1.0
            step(f"fetching: {n} of 25 packages")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"fetching: {n} of 25 packages" for n in (1, 11, 21)]
