"""An engine in this process: its flags, when it starts, and what its errors mean.

vLLM itself cannot run here: `StandIn` takes its place. test_real_vllm.py asks the real one.
"""

import asyncio
import json
from argparse import ArgumentParser, BooleanOptionalAction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from endpoint import ask, completion
from pairwright.assets import install
from pairwright.errors import ConfigError, InputError
from pairwright.models import Completion, connect, engine
from pairwright.models.call import Response
from pairwright.models.client import Meter
from pairwright.settings.endpoints import Endpoint
from study import Study, pairwright

LOCAL = {"engine": "vllm", "model": "org/tiny", "attempts": 2}


def flags(**given: Any) -> dict[str, Any]:
    """What a parser like vLLM's makes of an endpoint's table."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument("-i", dest="input_file", required=True)
    for name in ("model", "revision", "dtype", "chat-template"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--served-model-name", nargs="+")
    parser.add_argument("--max-model-len", type=int)
    parser.add_argument("--quantization", choices=["fp8", "awq"])
    for name in ("enforce-eager", "enable-prefix-caching"):
        parser.add_argument(f"--{name}", action=BooleanOptionalAction)
    parser.add_argument("--structured-outputs-config", type=json.loads, default={})
    endpoint = Endpoint.model_validate(LOCAL | given)
    return vars(engine.parsed(parser, "local", endpoint, ["-i", ""]))


def test_a_table_is_read_as_the_command_line_would_be() -> None:
    given = {
        "max_model_len": 8192, "quantization": "fp8", "enforce_eager": True,
        "enable_prefix_caching": False, "structured_outputs_config": {"backend": "guidance"},
        "chat_template": "--- {{ messages }}",
    }  # fmt: skip
    found = flags(revision="r1", vllm=given)
    assert found.items() >= {**given, "model": "org/tiny", "revision": "r1"}.items()
    # Files may lie elsewhere than the name says that calls are stored under.
    found = flags(vllm={"model": "/models/tiny"})
    assert (found["model"], found["served_model_name"]) == ("/models/tiny", ["org/tiny"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"max_model_length": 4096}, "unrecognized arguments: --max-model-length=4096"),
        ({"max_model_len": "long"}, "--max-model-len: invalid int value: 'long'"),
        ({"dtype": False}, "unrecognized arguments: --no-dtype"),
    ],
)
def test_a_flag_that_vllm_refuses_is_named(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        flags(vllm=table)
    assert caught.value.where == "[endpoints.local.vllm]"
    assert message in caught.value.what
    assert "vllm serve --help" in caught.value.fix


# --- starting ---


class StandIn:
    """Stands in for the engine that `start_chat` starts."""

    def __init__(self) -> None:
        self.fails: Exception | None = None
        self.starts = self.ends = 0
        self.asked = list[Any]()
        self.client = SimpleNamespace(shutdown=self.end)

    async def start(self, *_: object) -> "StandIn":
        self.starts += 1
        await asyncio.sleep(0.01)
        if self.fails:
            raise self.fails
        return self

    async def reply(self, body: dict[str, Any], _: str) -> Response:
        self.asked.append(body)
        return Response(200, json.dumps(completion()).encode())

    def end(self, timeout: float) -> None:
        assert timeout > 0
        self.ends += 1


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    monkeypatch.setattr(engine, "start_chat", made.start)
    monkeypatch.setattr(connect, "find_spec", lambda _: True)
    monkeypatch.setattr(engine, "_ENVIRONMENT", {})
    # There is no engine to be collected.
    monkeypatch.setattr("gc.collect", lambda: 0)
    return made


def send(*texts: str) -> list[Completion | Any]:
    """The outcomes of calls that are in flight at once."""

    async def scenario() -> list[Completion | Any]:
        endpoint = Endpoint.model_validate(LOCAL)
        async with connect.client_of("local", endpoint, Meter()) as client:
            calls = (client.complete(ask(text, model="org/tiny")) for text in texts)
            return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(scenario())


def test_without_vllm_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "find_spec", lambda _: None)
    with pytest.raises(ConfigError) as caught:
        send("a")
    assert caught.value.where == "[endpoints.local] engine = 'vllm'"
    assert install("vllm") in caught.value.fix


def test_an_engine_that_cannot_start_is_tried_once(stand_in: StandIn) -> None:
    stand_in.fails = OSError("org/tiny is not a local folder")
    for failed in send("a", "b"):
        assert isinstance(failed, InputError)
        assert failed.where == "[endpoints.local]"
        assert "org/tiny is not a local folder" in failed.what
    assert (stand_in.starts, stand_in.ends) == (1, 0)


def test_a_build_asks_the_engine_once_and_doctor_not_at_all(
    tmp_path: Path, stand_in: StandIn
) -> None:
    study = Study.make(tmp_path / "s", "unused", limit=3, endpoints__served=LOCAL)
    done = pairwright("doctor", study.config)
    assert done.code == 0, done.said
    assert "served: org/tiny runs in the build's own process and is not examined" in done.out
    assert stand_in.starts == 0
    first = study.build()
    # Its replies are of no use, so that the run is short.
    assert first.code == 1, first.said
    assert "vLLM starts with org/tiny" in first.err
    assert "vLLM is ready" in first.err
    assert (stand_in.starts, stand_in.ends) == (1, 1)
    files, asked = study.outcomes(), len(stand_in.asked)
    # The body is the one that a server gets.
    assert stand_in.asked[0].keys() >= {"model", "messages", "max_tokens", "response_format"}
    again = study.build()
    assert (again.code, "vLLM starts" in again.err) == (1, False)
    assert (study.outcomes(), len(stand_in.asked), stand_in.starts) == (files, asked, 1)
