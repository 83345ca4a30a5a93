"""The table of flags of an engine in this process, read by the engine's own parser."""

import json
from argparse import ArgumentParser, Namespace
from typing import NoReturn

from pydantic import JsonValue

from pairwright.errors import ConfigError
from pairwright.settings.endpoints import Endpoint


def parsed(parser: ArgumentParser, name: str, endpoint: Endpoint, required: list[str]) -> Namespace:
    """All flags as the parser's namespace, with defaults for those that the endpoint leaves out.

    `required` is what the parser insists on. Raises ConfigError naming the key that it refuses.
    """
    key = ""

    def refuse(message: str) -> NoReturn:
        raise wrong(name, key, message)

    parser.error = refuse  # type: ignore[method-assign]
    arguments = parser.parse_args(required)
    for key, value in _flags(endpoint).items():
        if not hasattr(arguments, key):
            refuse("this flag does not exist")
        arguments = parser.parse_args([*required, *_words(key, value)], arguments)
    return arguments


def wrong(name: str, key: str, message: str) -> ConfigError:
    """An error of one key of the table, or of the table where `key` is empty."""
    table = f"endpoints.{name}.vllm"
    return ConfigError(
        message,
        where=f"[{table}.{key}]" if key else f"[{table}]",
        fix="Its keys are flags of `vllm serve --help=all`, with underscores.",
    )


def _flags(endpoint: Endpoint) -> dict[str, JsonValue]:
    """What is stored and sent is the endpoint's `model`; a flag may say where its files lie."""
    revision = {} if endpoint.revision is None else {"revision": endpoint.revision}
    named = {"served_model_name": endpoint.model}
    return {"model": endpoint.model, **revision, **endpoint.vllm, **named}


def _words(key: str, value: JsonValue) -> list[str]:
    """A key as it is written on the command line."""
    flag = key.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    if isinstance(value, list):
        return [f"--{flag}", *map(_word, value)]
    return [f"--{flag}={_word(value)}"]


def _word(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)
