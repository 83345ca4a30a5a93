"""The errors that Pairwright raises on purpose, each with the exit code that ends a command.

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
    """` Did you mean 'judge'?` if a name is nearly a known one, else nothing."""
    matches = get_close_matches(name, known, n=1, cutoff=0.6)
    return f" Did you mean {matches[0]!r}?" if matches else ""


def first_invalid(error: "ValidationError") -> tuple[str, str]:
    """The dotted field that a record refuses first, or nothing for the whole record; and why."""
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
        fix = "Make room, or name a folder that can be written."
        raise StoreError(f"{path}: {error.strerror}\n  {fix}") from None


class EndpointRefused(PairwrightError):
    """The endpoint refuses this kind of call for good, so going on would only repeat it."""


class Interrupted(PairwrightError):
    """The run is draining: no new call is sent."""

    exit_code = 130


class CallFailed(PairwrightError):
    """One call failed after its retries. Never stored, so the next run asks again."""

    exit_code = 1

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail
        self.result_reason = f"call_failed:{reason}"
        """The reason in results."""


class BudgetSpent(CallFailed):
    """`max_calls` or `max_cost` leaves no room for another call."""


class Unanswered(BaseException):
    """A call has no reply yet and is written for a batch: its work ends here for now. It is no
    Exception, so that nothing takes it for a failure."""

    def __init__(self, purpose: str) -> None:
        super().__init__(purpose)
        self.purpose = purpose
