"""Modes: one definition each, and everything that lists modes takes them from there."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from pairwright.modes import MODES, Mode, mode_pairs, mode_title, units_in_words, verified_modes
from released import twinned, violated


def test_every_mode_has_one_definition_and_words_of_its_own() -> None:
    assert tuple(MODES) == get_args(Mode)
    assert all(mode.name == name for name, mode in MODES.items())
    # Pairs of others have no mode and are called pairs.
    assert [mode_title(mode) for mode in (*MODES, None)] == [
        "Twins", "Decoys", "Placebos", "Pairs of mode violate", "Natural twins",
        "Accepted answers", "Pairs",
    ]  # fmt: skip
    assert [mode_pairs(mode) for mode in (*MODES, None)] == [
        "twins", "decoys", "placebos", "pairs of mode violate", "natural twins",
        "accepted answers", "pairs",
    ]  # fmt: skip
    assert units_in_words() == "twins, decoys, placebos and violate pairs"
    assert units_in_words(verified_modes(1)) == "decoys and violate pairs"
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


@pytest.mark.real
def test_a_mode_that_is_only_defined_is_on_every_page(tmp_path: Path) -> None:
    """Its pairs go through study, release, audit, evaluation and leaderboard; nothing drops them,
    and nothing calls them pairs of another mode."""
    script = Path(__file__).parents[1].joinpath("third_mode.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = (tmp_path / "printed.txt").read_text(encoding="utf-8")
    assert "single pairs   8" in printed
    assert "$ verify: 0" in printed
    assert "edited right 50.0 %" in printed
    assert "Edited pairs. Shown the user's posts" in printed
    card = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    assert "Mode edited: both responses are by people." in card
    assert "- Mode edited: people differ in skill." in card
    assert (
        "came about: twin or decoy or placebo or violate or natural or accepted or edited." in card
    )
    report = (tmp_path / "run" / "human" / "report.md").read_text(encoding="utf-8")
    assert "twins, decoys, placebos, violate pairs and edits of" in report
    assert "Mode edited: the first edit less the second edit." in report
    board = (tmp_path / "board" / "leaderboard.md").read_text(encoding="utf-8")
    titles = [line for line in board.splitlines() if line.startswith("## ")]
    modes = ["## Twins", "## Pairs of mode violate", "## Edited pairs"]
    assert [title for title in titles if title in modes] == modes
