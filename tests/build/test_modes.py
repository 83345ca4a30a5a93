"""Modes: what every mode has, and which a build may have."""

import pytest

from pairwright.errors import ConfigError
from pairwright.modes import MODES, check_modes, title_of
from scripted import settings

CHOICES = {"path": "x", "format": "choices"}


def test_every_mode_has_words_of_its_own() -> None:
    # Pairs of others have no mode and are called pairs.
    assert [title_of(mode) for mode in (*MODES, None)] == [
        "Twins", "Placebos", "Violate pairs", "Natural twins", "Pairs",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"modes": ["twin", "violated"]}, "unknown mode 'violated'.*placebo.*mean 'violate'"),
        ({"modes": ["natural", "twin"], "source": CHOICES}, "natural goes alone"),
        ({"modes": ["twin"], "source": CHOICES}, "with format = 'choices'"),
        ({"modes": ["natural"]}, "with format = 'choices'"),
        ({"aspects": "gold"}, "twins need planned aspects.*gold"),
        ({"preset": "paper", "modes": ["twin"]}, "twins need planned aspects"),
        ({"planner": {"others": 0}}, "twins need other users"),
    ],
)
def test_modes_that_a_build_cannot_have_are_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s){told}"):
        check_modes(settings(**changes))


def test_a_mode_without_partners_needs_no_other_users() -> None:
    check_modes(settings(planner={"others": 0}, modes=["violate"]))
    check_modes(settings(modes=["natural"], source=CHOICES))
