"""Asking a reward server.

A call is repeated while the server is away, loading or full. Repeating is safe: a reward depends on
what is asked alone, and the server computes the same sample once. What it will never answer is
raised at once, so that no training goes on without rewards.
"""

from collections.abc import Iterator, Sequence

import httpx2
import tenacity
from pydantic import ValidationError
from pydantic_core import to_json

from pairwright.errors import CallFailed, ConfigError, EndpointRefused
from pairwright.models.client.connection import proxy_for
from pairwright.models.client.wire import Transient
from pairwright.train.rl.wire import Batch, Reward, Rewards, RewardSample

PATIENCE_S = 300.0
TIMEOUT_S = 600.0
AT_ONCE = 256
"""Samples of one call."""
_JITTERED = tenacity.wait_exponential(multiplier=0.2, max=15) + tenacity.wait_random(0, 0.2)
_BUSY = (429, 502, 503, 504)
_NO_SERVER = "\n  Give the address that `pairwright train reward-server` prints, without a path."


class RewardClient:
    """One reward server. Threads may share it."""

    def __init__(
        self, url: str, *, patience_s: float = PATIENCE_S, timeout_s: float = TIMEOUT_S
    ) -> None:
        """`patience_s`: how long a call is repeated; `timeout_s`: how long one reply may take.

        Raises ConfigError for what is not a URL.
        """
        if not _is_address(url):
            raise ConfigError(
                f"{url!r} is not an address",
                where="url",
                fix="Give one such as http://127.0.0.1:8600.",
            )
        self.url = url.rstrip("/")
        self._patience_s = patience_s
        self._http = httpx2.Client(
            timeout=httpx2.Timeout(timeout_s, connect=10),
            # A trainer never says that it is done, so no connection is kept for later.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0),
            verify=httpx2.create_ssl_context(),
            # Not its own look at the environment: it takes passwords from ~/.netrc.
            trust_env=False,
            proxy=proxy_for(url),
        )

    def rewards(self, samples: Sequence[RewardSample]) -> list[Reward]:
        """One for each sample, in their order.

        Raises CallFailed where no whole answer came within the patience, or one that is not a
        reward (not a number, too few), and EndpointRefused where the server will not answer."""
        return [reward for part in _parts(samples) for reward in self._asked(part)]

    def _asked(self, samples: Sequence[RewardSample]) -> tuple[Reward, ...]:
        body = to_json(Batch(samples=tuple(samples)), exclude_none=True)
        repeating = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(Transient),
            stop=tenacity.stop_after_delay(self._patience_s),
            wait=_wait,
            reraise=True,
        )
        try:
            rewards: tuple[Reward, ...] = repeating(self._sent, body)
        except Transient as error:
            raise CallFailed(
                error.reason,
                f"{self.url} gave no rewards for {self._patience_s:g} s: {error.detail}\n"
                "  Start `pairwright train reward-server` again, then the training from its last"
                " checkpoint.",
            ) from None
        if len(rewards) != len(samples):
            detail = f"{self.url} gave {len(rewards)} rewards for {len(samples)} samples"
            raise CallFailed("not_as_many_rewards", detail)
        return rewards

    def _sent(self, body: bytes) -> tuple[Reward, ...]:
        headers = {"Content-Type": "application/json"}
        try:
            reply = self._http.post(f"{self.url}/score", content=body, headers=headers)
        except httpx2.TransportError as error:
            raise Transient("connection", str(error) or type(error).__name__) from None
        if reply.status_code in _BUSY:
            raise Transient(f"http_{reply.status_code}", _said(reply), _seconds(reply.headers))
        if reply.status_code != 200:
            fix = _NO_SERVER if reply.status_code == 404 else ""
            raise EndpointRefused(f"{self.url}: {reply.status_code} {_said(reply)}{fix}")
        try:
            return Rewards.model_validate_json(reply.content).rewards
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            at = ".".join(map(str, first["loc"]))
            raise CallFailed("not_a_reward", f"{self.url}: {at}: {first['msg']}") from None


def _is_address(url: str) -> bool:
    try:
        parts = httpx2.URL(url)
    except httpx2.InvalidURL:
        return False
    return parts.scheme in ("http", "https") and bool(parts.host)


def _parts(samples: Sequence[RewardSample]) -> Iterator[Sequence[RewardSample]]:
    for start in range(0, len(samples), AT_ONCE):
        yield samples[start : start + AT_ONCE]


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    retry_after = error.retry_after if isinstance(error, Transient) else None
    return min(retry_after, 60.0) if retry_after is not None else _JITTERED(state)


def _seconds(headers: httpx2.Headers) -> float | None:
    seconds = headers.get("Retry-After", "")
    return float(seconds) if seconds.isdecimal() else None


def _said(reply: httpx2.Response) -> str:
    try:
        return str(reply.json()["error"]["message"])[:1000]
    except (ValueError, KeyError, TypeError):
        return reply.text[:300]
