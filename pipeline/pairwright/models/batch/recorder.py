"""What stands in an endpoint's place while a build is written to files."""

from pairwright.errors import CallFailed, Interrupted, Unanswered
from pairwright.models import Answer, Request
from pairwright.models.batch.asked import Asked
from pairwright.models.client import Meter


class Recorder:
    """The `Sender` of one endpoint that notes what is asked and answers nothing."""

    def __init__(self, name: str, attempts: int, asked: Asked, meter: Meter) -> None:
        """A request that failed in `attempts` rounds is not asked again."""
        self._name = name
        self._attempts = attempts
        self._asked = asked
        self._meter = meter
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    async def send(self, request: Request) -> Answer:
        """Raises Unanswered; or CallFailed for a request that is given up, BudgetSpent and
        Interrupted, and then nothing is noted."""
        if self._stopped:
            raise Interrupted("stopping: no new calls are written")
        if not self._asked.needs(request.key):
            failed = self._asked.failure(request.key)
            if failed and failed.rounds >= self._attempts:
                raise CallFailed(failed.reason, f"{failed.detail} (in {failed.rounds} rounds)")
            self._meter.admit()
            self._asked.need(self._name, request)
            self._meter.written += 1
        raise Unanswered(request.purpose)
