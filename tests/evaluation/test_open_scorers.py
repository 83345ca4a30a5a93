"""Scorers by name: which there are, what each is bound to, and what decides their scores."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.opening import Opening, OpenScorer
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
)
from pairwright.evaluation.session import scorer_settings
from pairwright.evaluation.settings import Scorers
from pairwright.models.client import Meter
from pairwright.models.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "run.sqlite")) as store:
        yield store


def opened(store: Store, *names: str, **tables: Any) -> dict[str, OpenScorer]:
    scorers, prompts = scorer_settings(Scorers.model_validate(tables))
    given = Opening(scorers.scorers, scorers.endpoints, prompts, store, Meter())
    return {name: given.bound(name) for name in names}


def refs(store: Store, **changes: Any) -> Any:
    spec = {"kind": "classifier", "model": "org/rm", **changes}
    return opened(store, "mine", scorers={"mine": spec})["mine"].ref


URL = "http://127.0.0.1:9/v1"
SERVED = {"kind": "served", "endpoint": "near"}


def test_baselines_are_there_without_a_file_and_an_unknown_name_lists_them(store: Store) -> None:
    found = opened(store, "longer", "constant")
    assert [of.ref.kind for of in found.values()] == ["baseline", "baseline"]
    longer = found["longer"].scorer
    assert isinstance(longer, Pointwise)
    assert asyncio.run(longer.score(PromptContent("Why?"), "two words")) == ResponseScore(2.0)
    with pytest.raises(ConfigError, match="no scorer 'yours'") as caught:
        opened(store, "yours", scorers={"mine": {"kind": "classifier", "model": "org/rm"}})
    assert "mine, constant, longer, overlap, own-length, own-markup, similarity" in caught.value.fix


def test_nothing_is_loaded_or_connected_before_it_is_asked(store: Store) -> None:
    found = opened(
        store, "here", "there", "likely",
        endpoints={"near": {"base_url": URL, "model": "org/rm"}},
        scorers={
            "here": {"kind": "classifier", "model": "nowhere"},
            "there": SERVED,
            "likely": SERVED | {"kind": "served-likelihood"},
        },
    )  # fmt: skip
    assert [(name, of.ref.kind, of.ref.model) for name, of in found.items()] == [
        ("here", "classifier", "nowhere"),
        ("there", "served", "org/rm"),
        ("likely", "served-likelihood", "org/rm"),
    ]
    assert found["there"].workers == 64


def test_what_decides_a_score_is_in_its_settings_and_what_does_not_is_not(store: Store) -> None:
    plain = refs(store)
    for same in ({"batch_tokens": 100}, {"device": "cpu"}, {"revision": "r2"}):
        assert refs(store, **same).settings == plain.settings
    for other in ({"dtype": "float16"}, {"max_length": 100}):
        assert refs(store, **other).settings != plain.settings
    assert refs(store, revision="r2").revision == "r2"


def test_what_decides_a_verdict_is_in_its_judges_settings(store: Store, tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "prompts"
    for path in shipped.glob("*.md"):
        more = "\n" if path.name == "history.md" else ""
        (tmp_path / path.name).write_text(path.read_text() + more)

    def of(sampling: dict[str, Any], prompts: Path = shipped, **endpoint: Any) -> str:
        near = {"base_url": URL, "model": "m"}
        judge = {"kind": "pairwise", "endpoint": "near", "sampling": sampling}
        return opened(
            store, "judge", endpoints={"near": near | endpoint}, scorers={"judge": judge},
            prompts=str(prompts),
        )["judge"].ref.settings  # fmt: skip

    plain = of({})
    assert of({}, concurrency=2) == plain
    others = [of({"seed": 1}), of({}, structured=False), of({}, tmp_path)]
    assert len({plain, *others}) == 4


@pytest.mark.parametrize("where", [{"engine": "vllm"}, {"base_url": "recording:r.jsonl.gz"}])
def test_an_endpoint_that_cannot_classify_is_refused(where: dict[str, str], store: Store) -> None:
    endpoints = {"near": where | {"model": "org/rm"}}
    with pytest.raises(ConfigError, match="no /classify") as caught:
        opened(store, "there", endpoints=endpoints, scorers={"there": SERVED})
    assert "[endpoints.near], which [scorers.there] names" in caught.value.where
    assert "--runner pooling" in caught.value.fix
