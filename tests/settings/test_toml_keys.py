"""TOML that people write: a key or kind that is nearly right is an error with what is meant."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pairwright.errors import ConfigError, InputError
from pairwright.evaluation.settings import load_scorers
from pairwright.settings.domains import Domains, load_scales
from pairwright.training.planner_data import Training, load_settings
from pairwright.training.score_planners import PlanScoring

ENDPOINT = '[endpoints.toy]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
SOURCE = '[source]\npath = "x.jsonl"\n'
VALIDATION = '[validation]\npath = "y.jsonl"\n'
Load = Callable[[Path], object]
load_scoring, load_training = (partial(load_settings, kind) for kind in (PlanScoring, Training))


def complaint(load: Load, path: Path, toml: str, error: type[InputError]) -> str:
    path.write_text(toml, encoding="utf-8")
    with pytest.raises(error) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("load", "toml", "key", "meant"),
    [
        (load_scorers, '[scorer.a]\nkind = "pairwise"', "scorer", "scorers"),
        (load_scorers, '[scorers.a]\nkind = "pairwise"\nendpiont = "toy"', "scorers.a.endpiont",
         "endpoint"),
        (load_scorers, '[scorers.a]\nkind = "pairwize"\nendpoint = "toy"', "scorers.a", "pairwise"),
        (load_scorers, '[scorers.a]\nkind = "classifier"\nmodel = "m"\ndtype = "flaot32"',
         "scorers.a.dtype", "float32"),
        (load_scoring, f'{SOURCE}[planners.a]\nendpoint = "toy"\nwors = 9',
         "planners.a.wors", "words"),
        (load_training, f'modle = "m"\n{SOURCE}{VALIDATION}', "modle", "model"),
        (load_training, f'model = "m"\n{SOURCE}{VALIDATION}[steps]\nmax_stps = 3',
         "steps.max_stps", "max_steps"),
    ],
)  # fmt: skip
def test_settings_name_what_is_meant(
    load: Load, toml: str, key: str, meant: str, tmp_path: Path
) -> None:
    endpoint = "" if load is load_training else ENDPOINT
    toml = f"{toml}\n{endpoint}"
    text = complaint(load, tmp_path / "settings.toml", toml, ConfigError)
    assert f"settings.toml [{key}]" in text
    assert f"Did you mean {meant!r}?" in text


@pytest.mark.parametrize(
    ("name", "load", "toml", "key", "meant"),
    [
        ("garden", Domains.load, 'name = "Garden"\nsubcategories = ["roses"]\nkind = ["soil"]',
         "kind", "kinds"),
        ("quality", load_scales, '[[scale]]\nnam = "clarity"', "scale.0.nam", "name"),
        ("quality", load_scales, '[[scales]]\nname = "clarity"', "scales", "scale"),
    ],
)  # fmt: skip
def test_files_of_rubrics_name_the_key_that_is_meant(
    name: str, load: Load, toml: str, key: str, meant: str, tmp_path: Path
) -> None:
    def in_folder(path: Path) -> object:
        return load(path.parent)

    text = complaint(in_folder, tmp_path / f"{name}.toml", toml, InputError)
    assert f"{name}.toml [{key}]" in text
    assert f"Did you mean {meant!r}?" in text
