"""The store of calls: one SQLite file that holds every request beside its raw reply.

Replies are committed in groups, one transaction per turn of the event loop, and handed on only
after their commit. Journal mode WAL with `synchronous = NORMAL`: kill -9 loses no finished
call; a power cut may lose the last ones. Only answers are stored, never failures.

store.py     the store of a run: its calls, and what came of its units
calls.py sums.py    the calls, and what they add up to
unit_index.py    what counts and finds the units without reading their records
durable.py   an `LLM` that looks into the store first
file.py      the file: making it, locking its folder, and what is wrong with it
database.py  the connection of one process
record.py    what a store held when it was last closed, so that a lost one is noticed
shards.py    what one worker of a build stores, until it is merged
"""

from pairwright.models.store.calls import CallStore, StoredCall
from pairwright.models.store.durable import Durable, RecentReplies, ReplyStore
from pairwright.models.store.file import is_held
from pairwright.models.store.record import CallRecord, lost_calls, recorded_store
from pairwright.models.store.store import Store
from pairwright.models.store.sums import ModelCalls, Totals
from pairwright.models.store.unit_index import Reading, UnitEntry, UnitIndex

__all__ = [
    "CallRecord",
    "CallStore",
    "Durable",
    "ModelCalls",
    "Reading",
    "RecentReplies",
    "ReplyStore",
    "Store",
    "StoredCall",
    "Totals",
    "UnitEntry",
    "UnitIndex",
    "is_held",
    "lost_calls",
    "recorded_store",
]
