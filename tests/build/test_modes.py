"""Modes: one definition each, and everything that lists modes takes them from there."""

from typing import get_args

from pairwright.modes import MODES, Mode, mode_pairs, mode_title, units_in_words, verified_modes


def test_every_mode_has_one_definition_and_words_of_its_own() -> None:
    assert tuple(MODES) == get_args(Mode)
    assert all(mode.name == name for name, mode in MODES.items())
    # Pairs of others have no mode and are called pairs.
    assert [mode_title(mode) for mode in (*MODES, None)] == [
        "Twins", "Placebos", "Pairs of mode violate", "Natural twins",
        "Pairs",
    ]  # fmt: skip
    assert [mode_pairs(mode) for mode in (*MODES, None)] == [
        "twins", "placebos", "pairs of mode violate", "natural twins",
        "pairs",
    ]  # fmt: skip
    assert units_in_words() == "twins, placebos and violate pairs"
    assert units_in_words(verified_modes(1)) == "violate pairs"
    assert units_in_words(verified_modes(2)) == "twins and placebos"
