"""Everything between a prompt and its reply; this file is the seam that stages see.

model.py        a role's `Model`, which a stage asks: `write` for a text, `answer` for an object
calls.py        a call: its request and key, and what a reply means
client.py       answers requests: the `Store` first, else the endpoint, within the budgets
store.py        every call of a run, in one SQLite file
server.py engine.py vllm.py scores.py recording.py    how each kind of endpoint is asked
connect.py      the clients of a config's endpoints
batch.py batch_service.py    requests out and replies in, by files
local_model.py  tokens and weights of a model of transformers
doctor.py       examines the servers of a config
"""

from pairwright.models.calls import (
    CONTEXT_LENGTH,
    Answer,
    Completion,
    Request,
    completion_of,
    key_of,
)  # fmt: skip
from pairwright.models.model import (
    LLM,
    WHOLE_NUMBER,
    CallLog,
    Model,
    ModelRef,
    Models,
    Reply,
    Unread,
    Usage,
    in_order,
    misnumbered,
    parse,
    schema_of,
    together,
)  # fmt: skip

__all__ = [
    "CONTEXT_LENGTH", "LLM", "WHOLE_NUMBER", "Answer", "CallLog", "Completion", "Model", "ModelRef",
    "Models", "Reply", "Request", "Unread", "Usage", "completion_of", "in_order", "key_of",
    "misnumbered", "parse", "schema_of", "together",
]  # fmt: skip
