"""A model that thinks, behind real `vllm serve` with a reasoning parser: thinking and a schema.

The weights are random, so a model ends its thinking, or its reply, at some token by chance.
"""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.fixtures import HERE, engines, environment
from engines.served import NAME, STRICT, Served, serving_vllm
from pairwright.models import Completion, Request
from pairwright.models.client import Meter
from pairwright.models.server import Server
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import Message
from study import Study, pairwright

pytestmark = pytest.mark.real
__all__ = ["engines"]

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["n"],
        "additionalProperties": False,
    }
)


@pytest.fixture(scope="module")
def server(engines: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("vllm")
    model = folder / "thinker"
    command = [engines, str(HERE / "tiny_model.py"), str(model), "thinks"]
    subprocess.run(command, check=True, env=environment())
    flags = ("--max-model-len", "4096", *STRICT, "--reasoning-parser", "deepseek_r1")
    with serving_vllm(engines, model, folder, *flags) as server:
        yield server


def replies(url: str, max_tokens: int, schema: str | None) -> list[Completion]:
    """What twelve seeds give."""

    async def scenario() -> list[Completion]:
        endpoint = Endpoint(base_url=url, model=NAME, timeout_s=300)
        async with Server("near", endpoint, Meter()) as client:
            calls = (
                client.complete(
                    Request(
                        model=NAME, messages=(Message("user", "Hi"),), max_tokens=max_tokens,
                        temperature=1.0, seed=seed,
                        schema_name="n" if schema else None, schema_json=schema,
                    )
                )
                for seed in range(12)
            )  # fmt: skip
            return await asyncio.gather(*calls)

    return asyncio.run(scenario())


def test_a_schema_holds_after_thinking_and_thinking_alone_is_no_reply(server: Served) -> None:
    made = replies(server.url, 3000, SCHEMA)
    both = [reply for reply in made if reply.reasoning and reply.text]
    assert both, "no seed ended its thinking with a reply"
    for reply in both:
        assert 0 <= json.loads(reply.text)["n"] <= 9
    for reply in made:
        assert reply in both or reply.only_thinking, reply


def test_thinking_that_is_cut_short_leaves_no_reply(server: Served) -> None:
    cut = [reply for reply in replies(server.url, 16, None) if reply.finish == "length"]
    assert cut
    assert all(reply.only_thinking and reply.completion_tokens == 16 for reply in cut)


def test_doctor_says_what_to_set_for_a_model_that_thinks(server: Served, tmp_path: Path) -> None:
    study = Study.make(
        tmp_path / "s", server.url, limit=1, served__model=NAME, served__timeout_s=300
    )
    done = pairwright("doctor", study.config)
    assert "thinking_tokens" in done.said
