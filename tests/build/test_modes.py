"""Modes: one definition each, and everything that lists modes takes them from there."""

from typing import get_args

from pairwright.modes import MODES, VERIFIED, Mode, mode_title


def test_every_mode_has_one_definition_and_words_of_its_own() -> None:
    assert tuple(MODES) == get_args(Mode)
    # Pairs of others have no mode and are called pairs.
    assert [mode_title(mode) for mode in (*MODES, None)] == [
        "Twins", "Placebos", "Pairs of mode violate", "Natural twins", "Pairs",
    ]  # fmt: skip
    assert set(VERIFIED) == {*MODES} - {"natural"}
