"""Everything between a prompt and its reply; this file is the seam that stages see.

model.py        a role's `Model`, which a stage asks: `write` for a text, `answer` for an object
request.py reply.py    what is asked, with its key; what came back, and what it means
client.py       answers requests: the `Store` first, else the endpoint, within the budgets
store.py        every call of a run, in one SQLite file
server.py engine.py vllm.py scores.py recording.py    how each kind of endpoint is asked
connect.py      the clients of a config's endpoints
batch.py batch_service.py    requests out and replies in, by files
doctor.py       examines the servers of a config
"""

from pairwright.models.model import (
    LLM,
    WHOLE_NUMBER,
    CallLog,
    Model,
    Models,
    NumberedReply,
    Reply,
    Unread,
    in_order,
    misnumbered,
    parse,
    schema_of,
    together,
)  # fmt: skip
from pairwright.models.reply import CONTEXT_LENGTH, Completion, completion_of
from pairwright.models.request import Request, key_of

__all__ = [
    "CONTEXT_LENGTH", "LLM", "WHOLE_NUMBER", "CallLog", "Completion", "Model", "Models",
    "NumberedReply", "Reply", "Request", "Unread", "completion_of", "in_order", "key_of",
    "misnumbered", "parse", "schema_of", "together",
]  # fmt: skip
