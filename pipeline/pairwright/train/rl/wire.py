"""What is posted to a reward server, and what it says."""

from typing import Annotated, Literal

from pydantic import FailFast, Field, model_validator

from pairwright.records import Record


class UserMessage(Record):
    """What a policy was asked."""

    role: Literal["user"]
    content: str


class RewardSample(Record):
    """A response that is to be rewarded: to a pair's question, or to a prompt that comes with it.

    A pair of the server's release is shown to the scorer in the server's condition, with fewer
    posts where all do not fit. A prompt is shown as it is.
    """

    response: str
    id: str | None = Field(None, description="of a pair of the release")
    prompt: tuple[UserMessage] | None = None

    @model_validator(mode="after")
    def _one(self) -> "RewardSample":
        if (self.id is None) == (self.prompt is None):
            raise ValueError("give either `id` or `prompt`")
        return self


class Batch(Record):
    """The body of a POST to /score."""

    # Of a body with many faults only the first is kept: each takes far more memory than its bytes.
    samples: Annotated[tuple[RewardSample, ...], FailFast()] = Field(min_length=1)


class Reward(Record):
    """A score, or why there is none."""

    score: float | None = None
    error: str = ""
    """The reason in one word, such as `context_length`; empty where there is a score."""
    detail: str = ""

    @model_validator(mode="after")
    def _one(self) -> "Reward":
        if (self.score is None) != bool(self.error):
            raise ValueError("either a score or an error")
        return self


class Rewards(Record):
    """The reply: a reward for each sample, in the order of the samples."""

    rewards: tuple[Reward, ...]


class Health(Record):
    """The reply to GET /health; status 200 where `status` is `ready`, 503 otherwise."""

    status: Literal["loading", "ready", "stopping"]
    scorer: str
    model: str = ""
    revision: str | None = None
    release: str = ""
    """The release whose pairs can be named by id: name, version and digest; empty: none."""
    condition: str = ""
    """What the scorer is shown of the user of such a pair."""
    waiting: int = 0
    """Samples that are not answered yet."""
    scored: int = 0
    empty: int = 0
    """The number of these that were empty responses."""
    errors: dict[str, int] = Field(default={})
    """Samples without a score, by reason."""
    failed: dict[str, int] = Field(default={})
    """Requests whose samples all went without a reward, by reason: the scorer's endpoint is down or
    refuses, the scorer cannot be used, or an id is unknown."""
    failing: bool = False
    """Whether the scorer gave no rewards for the latest of them. `status` stays `ready`: requests
    are taken, and one that is sent again may succeed."""
