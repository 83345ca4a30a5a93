"""Scorers by name: which there are, what each is bound to, and what decides their scores."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.scorer import (
    EmbeddingBaseline,
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.evaluation.settings import Scorers
from pairwright.extras import install
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.records import Post
from pairwright.retrieve import dense
from pairwright.workflows.scorers import OpenScorer, open_scorers
from pairwright.workflows.scoring import prompts_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "run.sqlite")) as store:
        yield store


def opened(store: Store, *names: str, **tables: Any) -> dict[str, OpenScorer]:
    async def scenario() -> dict[str, OpenScorer]:
        scorers = Scorers.model_validate(tables)
        prompts = prompts_of(scorers, Path.cwd())
        async with open_scorers(scorers, names, prompts, store, Meter()) as found:
            return found

    return asyncio.run(scenario())


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
        store, "here", "there", "trained",
        endpoints={"near": {"base_url": URL, "model": "org/rm"}},
        scorers={
            "here": {"kind": "classifier", "model": "nowhere"},
            "there": SERVED,
            "trained": {"kind": "dpo", "model": "nowhere", "reference": "nowhere"},
        },
    )  # fmt: skip
    assert [(name, of.ref.kind, of.ref.model) for name, of in found.items()] == [
        ("here", "classifier", "nowhere"),
        ("there", "served", "org/rm"),
        ("trained", "dpo", "nowhere"),
    ]
    assert found["there"].workers == 64


def test_what_decides_a_score_is_in_its_settings_and_what_does_not_is_not(store: Store) -> None:
    plain = refs(store)
    for same in ({"batch_tokens": 100}, {"device": "cpu"}, {"revision": "r2"}):
        assert refs(store, **same).settings == plain.settings
    for other in ({"dtype": "float16"}, {"max_length": 100}):
        assert refs(store, **other).settings != plain.settings
    dpo = {"kind": "dpo", "reference": "org/base"}
    found = [
        plain,
        refs(store, **dpo),
        refs(store, **dpo, beta=0.5),
        refs(store, **dpo, reference_revision="r2"),
        refs(store, **dpo | {"reference": "org/other"}),
    ]
    assert len({ref.settings for ref in found}) == len(found)
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


# --- the embedding baseline ---


class Encoder:
    """Stands in for a sentence-transformers model: a text is a direction in degrees."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: list[str]) -> Any:
        self.encoded += texts
        angles = np.radians([float(text) for text in texts])
        return 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    made = Encoder()
    monkeypatch.setattr(dense, "_model", lambda name, where: made)
    return made


def nearest(model: str, response: str, *posts: str, aspects: tuple[str, ...] = ()) -> Any:
    known = tuple(Post(id=of, text=of, category="c") for of in posts)

    async def scenario() -> ResponseScore | Unscored:
        baseline = EmbeddingBaseline(model, "here", asyncio.Lock())
        return await baseline.score(PromptContent("Why?", known, aspects), response)

    return asyncio.run(scenario())


def test_a_response_is_as_good_as_the_nearest_of_what_is_shown(encoder: Encoder) -> None:
    assert nearest("a", "0", "60", "90") == ResponseScore(0.5)
    assert nearest("a", "0", "60", aspects=("180", "0")) == ResponseScore(1.0)
    assert nearest("a", "0", "180") == ResponseScore(-1.0)
    assert nearest("a", "0") == ResponseScore(0.0)
    assert nearest("a", "nan", "30").reason == "not_a_number"
    # What both responses are held against is encoded once.
    encoder.encoded.clear()
    for response in ("10", "20"):
        nearest("once", response, "30", "40")
    assert encoder.encoded == ["30", "40", "10", "20"]


def test_without_its_extra_it_says_what_to_install(store: Store, monkeypatch: Any) -> None:
    monkeypatch.setattr(dense, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="sentence-transformers is not installed") as caught:
        opened(store, "near", scorers={"near": {"kind": "embedding", "model": "org/embedder"}})
    assert caught.value.where == "[scorers.near] model"
    assert install("dense") in caught.value.fix
