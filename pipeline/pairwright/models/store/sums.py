"""What the calls of a store add up to: tokens, and the names under which models answered."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pairwright.models import completion_of
from pairwright.models.store.database import Database
from pairwright.models.store.file import CACHED, SERVED
from pairwright.records import Record

INSERT_CACHED = "INSERT OR IGNORE INTO cached VALUES (?, ?, ?)"


class ModelCalls(Record):
    """What the calls to one model add up to."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of `prompt_tokens` that came from the endpoint's cache."""


class Totals(NamedTuple):
    """What the calls of a store add up to."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    simulated: int
    cached_tokens: int = 0


class CallSums:
    """The sums of an open file of calls."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._state: tuple[int, int] | None = None
        self._by_model: dict[str, ModelCalls] = {}
        self._simulated = 0

    def totals(self) -> Totals:
        """What all calls add up to."""
        models = self.by_model().values()
        return Totals(
            calls=sum(model.calls for model in models),
            prompt_tokens=sum(model.prompt_tokens for model in models),
            completion_tokens=sum(model.completion_tokens for model in models),
            simulated=self._simulated,
            cached_tokens=sum(model.cached_tokens for model in models),
        )

    def by_model(self) -> dict[str, ModelCalls]:
        """The number of calls to each model, and their tokens. Calls are added up again only where
        this process or another one has written since."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        state = (version, self._db.connection.total_changes)
        if state != self._state:
            self._add_up()
            self._state = state
        return self._by_model

    def _add_up(self) -> None:
        cached = self._cached_by_model()
        rows = self._db.execute(
            "SELECT model, count(*), sum(prompt_tokens), sum(completion_tokens), sum(simulated)"
            f" FROM {self._paid()} GROUP BY model ORDER BY model"
        )
        self._by_model, self._simulated = {}, 0
        for model, n, sent, received, simulated in rows:
            self._simulated += simulated
            self._by_model[str(model)] = ModelCalls(
                calls=n, prompt_tokens=sent, completion_tokens=received, cached_tokens=cached[model]
            )

    def _paid(self) -> str:
        """All calls that were paid for: those that are there, and those that were set aside."""
        if not self._db.has("set_aside"):
            return "calls"
        columns = "model, prompt_tokens, completion_tokens, simulated"
        return f"(SELECT {columns} FROM calls UNION ALL SELECT {columns} FROM set_aside)"

    def _cached_by_model(self) -> Counter[str]:
        if self._db.has("cached"):
            return Counter(
                dict(self._db.rows("SELECT model, sum(tokens) FROM cached GROUP BY model"))
            )
        sums: Counter[str] = Counter()
        for _, model, tokens in _cached_by_replies(self._db):
            sums[model] += tokens
        return sums

    def served_names(self) -> dict[str, dict[str, int]]:
        """By model, the other names under which its replies say that they were answered, with the
        number of calls. Stores of earlier versions know none."""
        names: dict[str, dict[str, int]] = defaultdict(dict)
        if self._db.has("served"):
            query = "SELECT model, name, count(*) FROM served GROUP BY model, name"
            for model, name, n in self._db.rows(query):
                names[str(model)][str(name)] = n
        return dict(names)


def bring_up_to_date(database: Database) -> None:
    """Give a store of an earlier version the tables that it lacks."""
    if not database.has("cached"):
        database.write((CACHED, ()), (INSERT_CACHED, list(_cached_by_replies(database))))
    if not database.has("served"):
        for statement in SERVED:
            database.execute(statement)


def _cached_by_replies(database: Database) -> Iterator[tuple[str, str, int]]:
    """Rows of the table `cached`, from the raw replies."""
    rows = database.rows(
        "SELECT key, model, reply FROM calls WHERE instr(reply, CAST('cached_tokens' AS BLOB))"
    )
    for key, model, reply in rows:
        with suppress(ValueError):  # A damaged reply is named where it is used.
            if tokens := completion_of(key, reply).cached_tokens:
                yield key, model, tokens
