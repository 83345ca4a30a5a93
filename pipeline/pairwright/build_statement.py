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


class BuildSummary(Record, extra="ignore"):
    """Summary of the build that made the pairs."""

    source: SourceSummary | None = None
    roles: dict[str, str | tuple[str, ...]] = Field(default={})
    """The name of the endpoint, or of several, of each role."""
    endpoints: dict[str, dict[str, str | None]] = Field(default={})
    """`model` and `revision` by name; none for people's own choices, in which no model had part."""
    recorded: tuple[str, ...] = ()
    """Models whose replies came from a recording."""
    served_models: dict[str, dict[str, int]] = Field(default={})
    """The other names that replies give, with the number of calls, by requested model."""
    calls: dict[str, JsonValue] = Field(default={})
    """`n` calls, `prompt_tokens`, `completion_tokens`, `cached_tokens`, `cost`."""
    sampling: dict[str, dict[str, JsonValue]] = Field(
        default={}, validation_alias=AliasPath("config", "sampling")
    )
    """By role, as the run was configured."""

    def model(self, endpoint: str) -> str:
        """The model behind an endpoint, with its revision."""
        settings = self.endpoints.get(endpoint, {})
        model, revision = settings.get("model") or endpoint, settings.get("revision")
        return f"{model} ({revision})" if revision else model

    @property
    def answered_by(self) -> list[str]:
        """The names that replies give their models, where they are others than those asked for."""
        served = self.served_models.items()
        return [f"{name} for {asked}" for asked, names in sorted(served) for name in sorted(names)]
