"""What the pages of a release say that no file of a run can tell."""

import re

from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer

from pairwright.records import Record


class ReleaseInfo(Record):
    """What the pages of a release say that no file of a run can tell. Empty: "not stated"."""

    name: str = Field("personalized-preference-pairs", description="name of the dataset")
    motivation: str = Field("", description="why the dataset was made, and by whom it was funded")
    maintainers: str = Field("", description="who keeps it")
    contact: str = Field("", description="where to write, about removal too")
    licence: str | None = Field(
        None, description="SPDX id of posts whose own address does not tell it"
    )
    own_licence: str | None = Field(
        None, description="SPDX id of what was made from them: aspects, responses, scores, votes"
    )
    attribution: str = Field(
        "", description="the words by which the source wants to be named; pages repeat them"
    )
    languages: tuple[str, ...] = Field(
        (), description="languages of the texts, as ISO 639 codes such as `en`"
    )
    max_overlap: float | None = Field(
        None,
        gt=0.5,
        le=1,
        description="bound on the share of pairs in which word overlap with the posts picks the"
        " chosen response; an audit fails above it",
    )
    max_aspects_overlap: float | None = Field(
        None, gt=0.5, le=1, description="the same of word overlap with the aspects"
    )
    citation: str = Field("", description="how to cite it, as BibTeX")
    annotators: str = Field("", description="who the annotators were and how they were found")
    payment: str = Field("", description="what annotators were paid, and for how long")
    consent: str = Field("", description="what annotators agreed to; ethical review, if there was")
    maintenance: str = Field("", description="how errors are reported, and how long it is kept")

    @model_serializer(mode="wrap")
    def _without_later(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        """As older versions wrote it where there is none."""
        fields: dict[str, object] = handler(self)
        for name in ("attribution", "max_overlap", "max_aspects_overlap"):
            if not getattr(self, name):
                fields.pop(name, None)
        return fields

    @field_validator("languages")
    @classmethod
    def _codes(cls, languages: tuple[str, ...]) -> tuple[str, ...]:
        for code in languages:
            if not re.fullmatch(r"[a-z]{2,3}", code):
                raise ValueError(f"{code!r} is not an ISO 639 code such as `en`")
        return languages

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,95}", name):
            raise ValueError("up to 96 letters, digits, dots, dashes and underscores")
        return name
