"""Known defects to plant, each at its own rate, so that checks can be checked.

    Defects.parse(["leaked_rubric=0.2", "http_429=0.05"])

Whether a defect strikes depends on its kind and the request alone. Transport faults also take
in how often the request came before, so a retry usually succeeds.
"""

from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from pairwright.errors import ConfigError
from pairwright.models.simulated.chance import share
from pairwright.records import Record


class Defects(Record):
    """How often each defect strikes, from 0 (never) to 1 (always)."""

    unparseable_json: float = Field(0, ge=0, le=1, description="a JSON reply breaks off")
    wrong_number_of_scores: float = Field(0, ge=0, le=1, description="one verdict too many")
    aspect_without_evidence: float = Field(0, ge=0, le=1, description="a quote in no post")
    generic_aspect: float = Field(0, ge=0, le=1, description="an aspect that anyone would expect")
    leaked_rubric: float = Field(0, ge=0, le=1, description="an answer quotes an aspect")
    repeated_aspects: float = Field(
        0, ge=0, le=1, description="an answer has every word of its aspects, in another order"
    )
    copied_profile: float = Field(0, ge=0, le=1, description="an answer holds a post's sentence")
    copied_particular: float = Field(
        0, ge=0, le=1, description="an answer holds a name, number or address of a post"
    )
    violated_chosen: float = Field(0, ge=0, le=1, description="the chosen side serves nothing")
    adhering_rejected: float = Field(0, ge=0, le=1, description="the rejected side serves all")
    over_long: float = Field(0, ge=0, le=1, description="an answer far over the word limit")
    persona_talk: float = Field(0, ge=0, le=1, description="an answer talks about its reader")
    refusal: float = Field(0, ge=0, le=1, description="an answer that refuses")
    first_preferring_judge: float = Field(
        0, ge=0, le=1, description="a comparing judge always says A"
    )
    http_429: float = Field(0, ge=0, le=1, description="too many requests, with Retry-After")
    http_500: float = Field(0, ge=0, le=1, description="an internal error")
    timeout: float = Field(0, ge=0, le=1, description="no answer within half a minute")
    dropped_connection: float = Field(0, ge=0, le=1, description="the connection is cut")
    truncated_body: float = Field(0, ge=0, le=1, description="the reply's bytes end too early")
    slow_reply: float = Field(0, ge=0, le=1, description="half a second late")
    permanent_500: float = Field(0, ge=0, le=1, description="this request fails for ever")

    TRANSPORT: ClassVar[tuple[str, ...]] = (
        "permanent_500", "http_429", "http_500", "timeout", "dropped_connection",
        "truncated_body", "slow_reply",
    )  # fmt: skip

    @classmethod
    def parse(cls, settings: Iterable[str]) -> "Defects":
        """Read `kind=rate` settings; raises ConfigError naming the kind."""
        rates: dict[str, float] = {}
        for setting in settings:
            kind, _, rate = (part.strip() for part in setting.partition("="))
            if kind not in cls.model_fields:
                raise ConfigError(
                    f"no defect is called {kind!r}",
                    where=f"defect {setting!r}",
                    fix=f"Choose among: {', '.join(cls.model_fields)}.",
                )
            try:
                rates[kind] = float(rate)
            except ValueError:
                rates[kind] = -1.0
            if not 0 <= rates[kind] <= 1:
                raise ConfigError(
                    f"the rate of {kind} is {rate!r}",
                    where=f"defect {setting!r}",
                    fix=f"Write {kind}=RATE with a rate from 0 to 1, such as {kind}=0.2.",
                )
        return cls(**rates)

    @property
    def in_transport(self) -> bool:
        """Whether any transport fault can strike."""
        return any(getattr(self, kind) for kind in self.TRANSPORT)

    def strikes(self, kind: str, digest: str, asked: int = 0) -> bool:
        """Whether the defect strikes the request with this digest, asked `asked` times before."""
        rate: float = getattr(self, kind)
        return rate > 0 and share(kind, digest, str(asked)) < rate

    def fault(self, digest: str, asked: int) -> str | None:
        """The transport fault that strikes, if one does."""
        for kind in self.TRANSPORT:
            if self.strikes(kind, digest, 0 if kind == "permanent_500" else asked):
                return kind
        return None
