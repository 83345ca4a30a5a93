"""A set that leans to one side is not released, but as a trial."""

from pathlib import Path

import pytest

from pairwright.errors import InputError
from pairwright.workflows.new_release import release
from released import run_of, violated


def leaning(folder: Path, preference: int) -> Path:
    pairs = []
    for n in range(16):
        pair = violated(n)
        draft = pair.draft.model_copy(update={"blind_preference": preference})
        pairs.append(pair.model_copy(update={"draft": draft}))
    return run_of(folder, pairs)


@pytest.mark.parametrize(("preference", "right"), [(0, "0 %"), (2, "100 %")])
def test_a_leaning_set_leaves_nothing(tmp_path: Path, preference: int, right: str) -> None:
    run, out = leaning(tmp_path / "run", preference), tmp_path / "out"
    with pytest.raises(InputError, match="this set leans, so it is not released") as refused:
        release(run, out, "1.0.0")
    assert f"prefers the chosen response in {right}" in refused.value.what
    assert "--trial" in refused.value.fix
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    if preference:
        trial = release(run, out, "1.0.0", trial=True)
        assert [one for one in trial.failed_checks if "(mode violate)" in one]
