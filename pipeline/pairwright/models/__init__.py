"""Everything between a prompt and its reply; this file is the seam that stages see.

A stage gets a `Model` and calls `write` (free text) or `answer` (a validated object). Below
that is an `LLM`: anything with `complete(request)`, so that a stage is tested with five lines that
return canned replies. In a run it is a `Client`: it looks into the `Store`, and asks for what is
not there. A malformed reply is stored, too: a stage that asks again asks for the next draw.
"""

from pairwright.models.completion import (
    CONTEXT_LENGTH,
    RECORDED,
    Completion,
    Totals,
    Usage,
    completion_of,
    counting,
    note,
)
from pairwright.models.model import (
    LLM,
    Answer,
    Call,
    CallLog,
    Model,
    ModelRef,
    Models,
    Request,
    key_of,
)
from pairwright.models.reply import (
    WHOLE_NUMBER,
    Leniency,
    Reply,
    Unread,
    in_order,
    leniency,
    misnumbered,
    parse,
    schema_of,
)
from pairwright.models.work import together

__all__ = [
    "CONTEXT_LENGTH",
    "LLM",
    "RECORDED",
    "WHOLE_NUMBER",
    "Answer",
    "Call",
    "CallLog",
    "Completion",
    "Leniency",
    "Model",
    "ModelRef",
    "Models",
    "Reply",
    "Request",
    "Totals",
    "Unread",
    "Usage",
    "completion_of",
    "counting",
    "in_order",
    "key_of",
    "leniency",
    "misnumbered",
    "note",
    "parse",
    "schema_of",
    "together",
]
