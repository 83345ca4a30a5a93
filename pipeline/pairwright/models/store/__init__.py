"""The store of calls: one SQLite file that holds every request beside its raw reply.

Replies are committed in groups, one transaction per turn of the event loop, and handed on only
after their commit. Journal mode WAL with `synchronous = NORMAL`: kill -9 loses no finished
call; a power cut may lose the last ones. Only answers are stored, never failures.

store.py     the store of a run: its calls, and what came of its units
calls.py     the calls, what they add up to, and an `LLM` that looks there first
database.py  the file, the lock of its folder, and the connection of one process
shards.py    what one worker of a build stores, until it is merged
"""

from pairwright.models.store.calls import CallStore, Durable, RecentReplies, ReplyStore, StoredCall
from pairwright.models.store.database import is_held
from pairwright.models.store.store import Store, UnitRow

__all__ = [
    "CallStore",
    "Durable",
    "RecentReplies",
    "ReplyStore",
    "Store",
    "StoredCall",
    "UnitRow",
    "is_held",
]
