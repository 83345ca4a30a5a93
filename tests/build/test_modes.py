"""Modes: one definition each, and everything that lists modes takes them from there."""

from typing import get_args

from pairwright.modes import MODES, Mode, mode_pairs, mode_title, units_in_words, verified_modes
from released import twinned, violated


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


def test_a_pair_has_the_scores_of_its_own_sides_in_every_mode() -> None:
    asked, other = twinned(0)
    scores = {
        name: {side: [one.score for one in given.scores] for side, given in pair.adherence.items()}
        for name, pair in {"asked": asked, "other": other, "single": violated(0)}.items()
    }
    assert scores == {
        "asked": {"chosen": [2, 1], "rejected": [0, 1]},
        "other": {"chosen": [2, 2], "rejected": [1, 0]},
        "single": {"chosen": [2, 2], "rejected": [0, 1]},
    }
