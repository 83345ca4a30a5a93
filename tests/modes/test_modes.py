"""Modes: what every mode has, and which a build may have."""

from collections import Counter
from pathlib import Path

import pytest
from further_mode import PLAIN

from pairwright.errors import ConfigError
from pairwright.modes import MODES, check_modes, title_of
from scripted import settings
from study import VERIFIED, Study, pairwright

CHOICES = {"path": "x", "format": "choices"}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"modes": ["twin", "violated"]}, "unknown mode 'violated'.*placebo.*mean 'violate'"),
        ({"modes": ["natural", "twin"], "source": CHOICES}, "natural goes alone"),
        ({"modes": ["twin"], "source": CHOICES}, "with format = 'choices'"),
        ({"modes": ["natural"]}, "with format = 'choices'"),
        ({"aspects": "gold"}, "twins need planned aspects.*gold"),
        ({"planner": {"others": 0}}, "twins need other users"),
    ],
)
def test_modes_that_a_build_cannot_have_are_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=f"(?s){told}"):
        check_modes(settings(**changes))


def test_a_further_mode_is_one_file_and_its_registration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mode, name, release = PLAIN, PLAIN.name, tmp_path / "release"
    monkeypatch.setitem(MODES, name, mode)
    study = Study.make(tmp_path / "study", limit=8, modes=[name], **VERIFIED)
    assert study.build().code == 0
    pairs = study.rows("pairs.jsonl")
    assert set(Counter(pair["item_id"] for pair in pairs).values()) == {mode.halves}
    assert {pair["mode"] for pair in pairs} == {name}
    assert list(study.manifest["funnel"][name]) == list(mode.stages)
    for line, said in (
        (f"status {study.run}", f"{name}, {len(pairs)} pairs"),
        (f"release {study.run} --out {release} --version 1.0.0 --trial", title_of(name)),
        (f"check {release}", ""),
        (f"evaluate {release} --out {tmp_path}/results --scorer longer --condition profile", ""),
        (f"leaderboard {tmp_path}/results --out {tmp_path}/board", title_of(name)),
        (f"human export {study.run} --tool spreadsheet --annotators 9", ""),
        (f"human simulate {study.run}", ""),
        (f"human report {study.run}", name),
    ):
        done = pairwright(*line.split())
        assert (done.code, said in done.said) == (0, True), done.said
    audited = pairwright("audit", release, "--out", tmp_path / "audit", "--json")
    assert f"mode {name}" in audited.out
    card = (release / "README.md").read_text(encoding="utf-8")
    assert all(one in card for one in (mode.meaning, *mode.limits))
