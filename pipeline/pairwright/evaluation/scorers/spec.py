"""The kinds of scorers that a file can name, each with its keys: tables [scorers.NAME]."""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from pairwright.records import Record
from pairwright.settings.endpoints import Sampling

_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
Dtype = Literal["auto", "float32", "bfloat16", "float16"]


class ScorerModel(Record):
    """What is known of a scorer's model, and which of its scores are ties: it decides no score."""

    cutoff: str | None = Field(
        None,
        description="year, month or day of the latest texts that it was trained on, such as"
        " '2024-06': the leaderboard then has slices by the dates of posts",
    )

    tie_margin: float = Field(
        0.0,
        ge=0,
        description="scores that are at most so far apart are a tie, in the scorer's own unit",
    )

    @field_validator("cutoff")
    @classmethod
    def _a_day_month_or_year(cls, cutoff: str | None) -> str | None:
        if cutoff is not None:
            try:
                date.fromisoformat(cutoff + "2000-01-01"[len(cutoff) :])
            except ValueError:
                raise ValueError(
                    f"{cutoff!r} is not a year, a month or a day: write 2024, 2024-06 or 2024-06-30"
                ) from None
            if len(cutoff) not in (4, 7, 10):
                raise ValueError(f"{cutoff!r} is not a year, a month or a day")
        return cutoff


class InProcessModel(ScorerModel):
    """How a model is run in this process, by transformers (extra `[evaluate]`)."""

    dtype: Dtype = Field("auto", description="'auto': bfloat16 on a GPU, float32 on a CPU")
    device: str = Field("auto", description="'auto': a GPU if there is one; or 'cpu', 'cuda:1'")
    batch_tokens: int = Field(
        16_384, ge=1, description="most tokens of one forward pass, padding included"
    )
    max_length: int | None = Field(
        None, ge=8, description="most tokens of one text; none: the model's own limit"
    )


class Classifier(InProcessModel):
    """A sequence-classification reward model, by transformers in this process."""

    kind: Literal["classifier"]
    model: str = Field(description="a folder or a Hugging Face id")
    revision: str | None = Field(None, description="revision of the model")


class ServedClassifier(ScorerModel):
    """The same served by vLLM: raw logits of its `/classify`."""

    kind: Literal["served"]
    endpoint: str = Field(description="which of [endpoints]")


class Dpo(InProcessModel):
    """The implicit reward of a policy that was trained by DPO, in this process."""

    kind: Literal["dpo"]
    model: str = Field(description="the policy: a folder or a Hugging Face id")
    revision: str | None = Field(None, description="revision of the policy")
    reference: str = Field(description="the model it was trained from")
    reference_revision: str | None = Field(None, description="revision of the reference")
    beta: float = Field(0.1, gt=0, description="factor of the difference of log-probabilities")


class Likelihood(InProcessModel):
    """How likely a language model makes a response, token by token, in this process."""

    kind: Literal["likelihood"]
    model: str = Field(description="a folder or a Hugging Face id")
    revision: str | None = Field(None, description="revision of the model")
    per_token: bool = Field(False, description="divide the sum by the number of tokens")


class ServedLikelihood(ScorerModel):
    """The same served by vLLM: its `prompt_logprobs`."""

    kind: Literal["served-likelihood"]
    endpoint: str = Field(description="which of [endpoints]")
    per_token: bool = Field(False, description="divide the sum by the number of tokens")


class GuidedDecoding(ScorerModel):
    """What reward-guided decoding prefers: a policy's log-probabilities and a reward."""

    kind: Literal["guided"]
    policy: str = Field(
        description="a scorer of kind likelihood or served-likelihood; its per_token holds for both"
    )
    reward: str = Field(
        description="a scorer; of the same kinds it counts at every token, of others at the last"
    )
    beta: float = Field(1.0, gt=0, description="the reward is divided by it")


class EmbeddingScorer(ScorerModel):
    """A baseline: cosine of a response with what is shown, by sentence-transformers."""

    kind: Literal["embedding"]
    model: str = Field(description="a folder or a Hugging Face id of a sentence-transformers model")


class PythonScorer(ScorerModel):
    """A scorer of your own: a Python class with a method `score`."""

    kind: Literal["python"]
    object: str = Field(description="module:Class, of a file in `folder` or of what is installed")
    options: dict[str, JsonValue] = Field(
        default={}, description="its keyword arguments; they are part of each stored score's key"
    )
    revision: str | None = Field(
        None, description="any word for what its file does not show, such as weights it loads"
    )
    folder: str = Field(".", description="where the module is, relative to this file's folder")
    batch: int = Field(64, ge=1, description="most responses that it is given at once")

    @field_validator("object")
    @classmethod
    def _a_class(cls, name: str) -> str:
        if not _CLASS.fullmatch(name):
            raise ValueError(f"{name!r} does not name a class: write module:Class")
        return name


class ScoresOfFile(ScorerModel):
    """Scores that were computed elsewhere, in a file: a line for each pair and response."""

    kind: Literal["scores"]
    path: str = Field(description="the .csv or .jsonl file, relative to this file's folder")
    model: str = Field("", description="what computed them, to be shown with the results")
    revision: str | None = Field(None, description="revision of that")


class PairwiseJudge(ScorerModel):
    """A generative judge that compares two responses, in both orders."""

    kind: Literal["pairwise"]
    endpoint: str = Field(description="which of [endpoints]")
    prompt: str | None = Field(
        None, description="a prompt file of your own, relative to this file's folder; none: prefer"
    )
    sampling: Sampling = Sampling()

    @field_validator("tie_margin")
    @classmethod
    def _no_margin(cls, margin: float) -> float:
        if margin:
            raise ValueError("a judge that compares gives verdicts and no scores: leave it out")
        return margin


class PointwiseJudge(ScorerModel):
    """A generative judge that rates one response."""

    kind: Literal["pointwise"]
    endpoint: str = Field(description="which of [endpoints]")
    prompt: str | None = Field(
        None, description="a prompt file of your own, relative to this file's folder; none: rate"
    )
    sampling: Sampling = Sampling()


Spec = Annotated[
    Classifier
    | ServedClassifier
    | Dpo
    | Likelihood
    | ServedLikelihood
    | GuidedDecoding
    | EmbeddingScorer
    | PythonScorer
    | ScoresOfFile
    | PairwiseJudge
    | PointwiseJudge,
    Field(discriminator="kind"),
]
