"""Several servers of one endpoint: the least busy is asked, a dead one rests for a while."""

import time
from dataclasses import dataclass, field

from pairwright.models.client.wire import Wire


@dataclass
class Server:
    """One base URL, or the engine in this process."""

    wire: Wire
    in_flight: int = 0
    failures: int = field(default=0)
    """Failures in a row; success sets it to zero."""
    rests_until: float = 0.0

    FAILURES = 3
    REST_S = 1.0
    LONGEST_REST_S = 60.0
    MOST_DOUBLINGS = 16

    def failed(self) -> None:
        """After three failures in a row the server rests, twice as long each time."""
        self.failures += 1
        if self.failures >= self.FAILURES:
            # The exponent is bounded, because a float is: a server may be down for days.
            doublings = min(self.failures - self.FAILURES, self.MOST_DOUBLINGS)
            rest = min(self.REST_S * 2**doublings, self.LONGEST_REST_S)
            self.rests_until = time.monotonic() + rest

    def succeeded(self) -> None:
        self.failures = 0
        self.rests_until = 0.0


def least_busy(servers: list[Server]) -> Server:
    """The awake server with the fewest calls in flight; if all rest, the first to wake."""
    now = time.monotonic()
    awake = [server for server in servers if server.rests_until <= now]
    if awake:
        return min(awake, key=lambda server: server.in_flight)
    return min(servers, key=lambda server: server.rests_until)
