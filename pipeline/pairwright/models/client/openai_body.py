"""A Request as the body of a chat completion, in the form of OpenAI's protocol."""

import json
from functools import lru_cache
from typing import Any

from pydantic_core import to_json

from pairwright.models import Request


def body_of(request: Request, token_parameter: str) -> dict[str, Any]:
    """The JSON body of a chat completion."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        token_parameter: request.max_tokens,
    }
    for name in ("temperature", "top_p", "seed"):
        if (value := getattr(request, name)) is not None:
            body[name] = value
    if request.schema_json is not None:
        body["response_format"] = _format(request.schema_name, request.schema_json)
    body |= json.loads(request.extra)
    return body


def bytes_of(body: dict[str, Any]) -> bytes:
    """A body as it is sent. Half an emoji, which no UTF-8 can hold, is escaped."""
    try:
        return to_json(body)
    except ValueError:  # PydanticSerializationError
        return json.dumps(body).encode()


@lru_cache
def _format(name: str | None, schema_json: str) -> dict[str, Any]:
    schema = {"name": name, "schema": json.loads(schema_json), "strict": True}
    return {"type": "json_schema", "json_schema": schema}
