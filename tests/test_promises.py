"""Nothing that the project promises changes without its file in tests/freeze/."""

import difflib

import pytest

from promises import FREEZE, promises

NAMES = sorted(path.relative_to(FREEZE).as_posix() for path in FREEZE.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def made(all_drawn: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return promises(tmp_path_factory.mktemp("promises"))


def test_every_promise_is_kept_in_a_file(made: dict[str, str]) -> None:
    assert sorted(made) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_promise_is_as_it_was(made: dict[str, str], name: str) -> None:
    before = (FREEZE / name).read_text(encoding="utf-8").splitlines()
    changes = list(difflib.unified_diff(before, made[name].splitlines(), "before", "now", n=1))
    assert not changes, "\n".join(
        [f"tests/freeze/{name} (.venv/bin/python tests/promises.py)", *changes[:60]]
    )
