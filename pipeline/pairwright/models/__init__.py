"""Everything between a prompt and its reply; this file is the seam that stages see.

A stage gets a `Model` and calls `write` (free text) or `answer` (a validated object). Below
that is an `LLM`: anything with `complete(request)`, so that a stage is tested with five lines that
return canned replies. In a run it is a `Client`: it looks into the `Store`, and asks for what is
not there. A malformed reply is stored, too: a stage that asks again asks for the next draw.
"""

from pairwright.models.model import (
    LLM,
    Answer,
    CallLog,
    Model,
    ModelRef,
    Models,
    Request,
    Usage,
    key_of,
)
from pairwright.models.reply import (
    CONTEXT_LENGTH,
    WHOLE_NUMBER,
    Completion,
    Reply,
    Unread,
    completion_of,
    in_order,
    misnumbered,
    parse,
    schema_of,
)
from pairwright.models.work import together

__all__ = [
    "CONTEXT_LENGTH",
    "LLM",
    "WHOLE_NUMBER",
    "Answer",
    "CallLog",
    "Completion",
    "Model",
    "ModelRef",
    "Models",
    "Reply",
    "Request",
    "Unread",
    "Usage",
    "completion_of",
    "in_order",
    "key_of",
    "misnumbered",
    "parse",
    "schema_of",
    "together",
]
