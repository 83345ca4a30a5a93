"""What a worker tells of its work."""

import traceback
from typing import NamedTuple

from pairwright.construct.outcomes import Brief
from pairwright.errors import Interrupted, PairwrightError
from pairwright.models.client import Meter


class Reading(NamedTuple):
    """What one worker's meter counted since the worker began."""

    in_flight: int = 0
    sent: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


def reading_of(meter: Meter) -> Reading:
    return Reading(*(getattr(meter, name) for name in Reading._fields))


class Trouble(NamedTuple):
    """Why a worker gave up, in a form that can be sent."""

    message: str
    exit_code: int | None
    """None for a bug: the message is its traceback."""

    @property
    def error(self) -> Exception:
        """The same to be raised."""
        if self.exit_code is None:
            return RuntimeError(f"a worker met a bug:\n{self.message}")
        if self.exit_code == Interrupted.exit_code:
            return Interrupted(self.message)
        error = PairwrightError(self.message)
        error.exit_code = self.exit_code
        return error


def trouble_of(error: Exception) -> Trouble:
    if isinstance(error, PairwrightError):
        return Trouble(str(error), error.exit_code)
    return Trouble("".join(traceback.format_exception(error)), None)


def worst(troubles: list[Trouble]) -> Trouble:
    """A bug before a refusal, and that before being interrupted by it."""
    return min(
        troubles,
        key=lambda one: (one.exit_code is not None, one.exit_code == Interrupted.exit_code),
    )


class Report(NamedTuple):
    """Units of a chunk that have ended, or the chunk itself."""

    worker: str
    reading: Reading
    chunk: int | None = None
    """None where it is about the worker, which could not begin."""
    ended: tuple[Brief, ...] = ()
    done: bool = False
    trouble: Trouble | None = None
