"""Everything between a prompt and its reply; this file is the seam that stages see.

A stage gets a `Model` and calls `write` (free text) or `answer` (a validated object). Below
that is an `LLM`: anything with `complete(request)`. Durability, retries, rate limits and
progress are behind it, so a stage is tested with five lines that return canned replies. A
malformed reply is stored, too: a stage that asks again asks for the next draw.

model.py         a role's model, a request with its key, and the seam below: `LLM` and `Sender`
completion.py    a stored reply
reply.py         replies by a schema: what is sent, and reading what comes back
shared_work.py   several calls at once, and a log of them
run.py           many pieces of work at once, with bounded memory and a clean stop
recorded.py      recordings, and replies out of one
local_model.py   tokens and weights of a model of transformers in this process

store.py         the store of a run: every request beside its reply
client/          endpoints over the network, and vLLM in this process
batch/           calls as files, for a Batch API or an offline run
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
    Model,
    ModelRef,
    Models,
    Request,
    Sender,
    Unstored,
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
from pairwright.models.shared_work import Call, CallLog, Traced, together, traced

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
    "Sender",
    "Totals",
    "Traced",
    "Unread",
    "Unstored",
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
    "traced",
]
