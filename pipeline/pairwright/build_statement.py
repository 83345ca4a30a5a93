"""Statement on the making of a release's pairs, as in its stated.json and manifest.json."""

from pydantic import AliasPath, Field, JsonValue

from pairwright.records import Record


class SourceSummary(Record, extra="ignore"):
    """The source of the items, and the numbers of refused and repaired rows, by reason."""

    path: str
    hash: str
    items: int
    refused: dict[str, int] = Field(default={})
    repaired: dict[str, int] = Field(default={})


class EndpointModel(Record, extra="ignore"):
    model: str
    revision: str | None = None


class RoleEndpoints(Record, extra="ignore"):
    """The name of the endpoint of each role."""

    planner: str
    generator: tuple[str, ...]
    judge: tuple[str, ...]


class RoleSampling(Record, extra="ignore"):
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None


class BuildSummary(Record, extra="ignore"):
    """Summary of the build that made the pairs."""

    source: SourceSummary | None = None
    roles: RoleEndpoints | None = None
    endpoints: dict[str, EndpointModel] = Field(default={})
    recorded: tuple[str, ...] = ()
    """Models whose replies came from a recording."""
    served_models: dict[str, dict[str, int]] = Field(default={})
    """The other names that replies give, with the number of calls, by requested model."""
    calls: dict[str, JsonValue] = Field(default={})
    """`n` calls, `prompt_tokens`, `completion_tokens`, `cached_tokens`, `cost`."""
    sampling: dict[str, RoleSampling] = Field(
        default={}, validation_alias=AliasPath("config", "sampling")
    )
    """By role, as the run was configured."""

    def model(self, endpoint: str) -> str:
        """The model behind an endpoint, with its revision."""
        settings = self.endpoints.get(endpoint)
        if settings is None:
            return endpoint
        return f"{settings.model} ({settings.revision})" if settings.revision else settings.model

    @property
    def has_models(self) -> bool:
        """Whether models had a part: none is configured for people's own choices."""
        return bool(self.endpoints)

    @property
    def answered_by(self) -> list[str]:
        """The names that replies give their models, where they are others than those asked for."""
        served = self.served_models.items()
        return [f"{name} for {asked}" for asked, names in sorted(served) for name in sorted(names)]
