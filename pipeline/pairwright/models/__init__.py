"""Everything between a prompt and its reply; this file is the seam that stages see.

model.py    a role's `Model`, which a stage asks: `write` for a text, `answer` for an object
call.py     what is asked, with its key; what came back, and what it means
client.py   answers requests: the `Store` first, else a server, within the budgets
store.py    every call of a run, in one SQLite file
engine.py scores.py recording.py    other ways to ask, and how each is answered
connect.py  the clients of a config's endpoints
batch.py    requests out and replies in, by files; batch_service.py submits them
doctor.py   examines the servers of a config
"""

from pairwright.models.call import CONTEXT_LENGTH, Completion, Request, completion_of, key_of
from pairwright.models.model import (
    LLM,
    WHOLE_NUMBER,
    CallLog,
    Model,
    Models,
    Reply,
    Unread,
    parse,
    schema_of,
    together,
)  # fmt: skip

__all__ = [
    "CONTEXT_LENGTH", "LLM", "WHOLE_NUMBER", "CallLog", "Completion", "Model", "Models", "Reply",
    "Request", "Unread", "completion_of", "key_of", "parse", "schema_of", "together",
]  # fmt: skip
