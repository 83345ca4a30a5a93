"""The model seam: what a stage may ask of a model, and nothing about how it is answered.

A stage gets a `Model` and calls `write` (free text) or `answer` (a validated object). Below
that is an `LLM`: anything with `complete(request)`. Durability, retries, rate limits and
progress live behind it, so a stage is tested with five lines that return canned replies. A
malformed reply is an answer too: asking again is asking for the next draw.
"""

from pairwright.models.completion import (
    CONTEXT_LENGTH,
    RECORDED,
    SIMULATED,
    Completion,
    completion_of,
)
from pairwright.models.model import LLM, Answer, Model, Models, Sender, Unstored
from pairwright.models.reply import (
    WHOLE_NUMBER,
    Leniency,
    Reply,
    Unread,
    leniency,
    parse,
    schema_of,
)
from pairwright.models.request import KEY_TAG, Request, key_of
from pairwright.models.shared_work import SharedWork, together
from pairwright.models.usage import Usage, counting, note

__all__ = [
    "CONTEXT_LENGTH",
    "KEY_TAG",
    "LLM",
    "RECORDED",
    "SIMULATED",
    "WHOLE_NUMBER",
    "Answer",
    "Completion",
    "Leniency",
    "Model",
    "Models",
    "Reply",
    "Request",
    "Sender",
    "SharedWork",
    "Unread",
    "Unstored",
    "Usage",
    "completion_of",
    "counting",
    "key_of",
    "leniency",
    "note",
    "parse",
    "schema_of",
    "together",
]
