"""Every error Pairwright raises on purpose, and the exit code each one ends a command with.

    PairwrightError
    |-- InputError          2   what the user gave is wrong: where, and what to do
    |   |-- ConfigError         the run's TOML
    |   `-- SourceError         a file of user histories
    |-- Difference          1   a release is not what it says: where, and what to do
    |-- StoreError          2   the run folder cannot be used: foreign or corrupt
    |   `-- InUse               another process is writing there
    |-- EndpointRefused     2   the endpoint will refuse every call like this (401, 403, 404)
    |-- Interrupted       130   the run was asked to stop; running it again goes on
    `-- CallFailed          1   one call got no usable reply; its item failed, and is asked again
        `-- BudgetSpent     1   the call was not sent, because a budget of the config is spent
    Unanswered              3   the call is written for a batch; no error, and no Exception

A refused pair or a reply that does not parse is not an error: it is a `records.Dropped`.
Anything else that escapes (TypeError, KeyError, ...) is a bug in Pairwright and stops the run.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


def near(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'judge'?` where a name is nearly one of those known; else nothing. It goes
    behind a sentence."""
    matches = get_close_matches(name, known, n=1, cutoff=0.6)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def first_invalid(error: "ValidationError") -> tuple[str, str]:
    """The dotted field that a record refuses first, and why; the field is empty where it is the
    whole record."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return ".".join(map(str, first["loc"])), first["msg"]


class PairwrightError(Exception):
    """The base of all errors that carry a message for the user."""

    exit_code = 2


class _Placed(PairwrightError):
    """An error that says what is wrong, where, and what to do."""

    def __init__(self, what: str, *, where: str | Path, fix: str) -> None:
        """`where` is a file, `file:line`, or `file [key]`; `fix` says what to do about it."""
        super().__init__(f"{where}: {what}\n  {fix}")
        self.what, self.where, self.fix = what, str(where), fix


class InputError(_Placed):
    """Something the user wrote or supplied cannot be used."""


class ConfigError(InputError):
    """A key of the run's configuration."""


class SourceError(InputError):
    """A file of user histories."""


class Difference(_Placed):
    """The first place where a release is not what its own files say it must be."""

    exit_code = 1


class StoreError(PairwrightError):
    """The run folder or its store of calls cannot be used as it is."""


class InUse(StoreError):
    """Another process is writing there."""


@contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Turn a failing disk inside the block into a StoreError that names the path."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{path}: {error.strerror}\n  Make room, or name a folder that can be written."
        ) from None


class EndpointRefused(PairwrightError):
    """The endpoint refuses this kind of call for good, so going on would only repeat it."""


class Interrupted(PairwrightError):
    """The run is draining: no new call is sent."""

    exit_code = 130


CALL_FAILED = "call_failed"
"""How the reason of a call that failed begins in results."""


class CallFailed(PairwrightError):
    """One call failed after its retries. Never stored, so the next run asks again."""

    exit_code = 1

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    @property
    def result_reason(self) -> str:
        """The reason in results, such as `call_failed:http_500`."""
        return f"{CALL_FAILED}:{self.reason}"


class BudgetSpent(CallFailed):
    """`max_calls` or `max_cost` leaves no room for another call."""


class Unanswered(BaseException):
    """A call has no reply yet and is written for a batch: the piece of work ends here for now.

    A BaseException, so that nothing which looks after failures takes it for one.
    """

    def __init__(self, purpose: str) -> None:
        super().__init__(purpose)
        self.purpose = purpose
