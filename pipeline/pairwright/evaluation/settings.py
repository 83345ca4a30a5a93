"""The TOML file of an evaluation, read once, every key known.

    [endpoints.NAME]     what answers, as in a build's config     -> settings.endpoints.Endpoint
    [scorers.NAME]       what is under test, by its kind          -> a class of `Spec`
    [planner]            the planner of condition "planner"       -> settings.config.Planner
    [judge]              judges outputs by their aspects          -> OutputJudge
    [policy]             what best-of-n samples from              -> Policy
    [history]            which posts are shown                    -> ScorerHistory

The baselines (`scorers.scorer.BASELINES`) are there without a file.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from pairwright.assets import DOCS
from pairwright.evaluation.results import NAME
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.models import key_of
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.config import Planner
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.rules import HistoryRules

_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
Dtype = Literal["auto", "float32", "bfloat16", "float16"]


class InProcessModel(Record):
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


class ServedClassifier(Record):
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


class ServedLikelihood(Record):
    """The same served by vLLM: its `prompt_logprobs`."""

    kind: Literal["served-likelihood"]
    endpoint: str = Field(description="which of [endpoints]")
    per_token: bool = Field(False, description="divide the sum by the number of tokens")


class GuidedDecoding(Record):
    """What reward-guided decoding prefers: a policy's log-probabilities and a reward."""

    kind: Literal["guided"]
    policy: str = Field(
        description="a scorer of kind likelihood or served-likelihood; its per_token holds for both"
    )
    reward: str = Field(
        description="a scorer; of the same kinds it counts at every token, of others at the last"
    )
    beta: float = Field(1.0, gt=0, description="the reward is divided by it")


class EmbeddingScorer(Record):
    """A baseline: cosine of a response with what is shown, by sentence-transformers."""

    kind: Literal["embedding"]
    model: str = Field(description="a folder or a Hugging Face id of a sentence-transformers model")


class PythonScorer(Record):
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


class ScoresOfFile(Record):
    """Scores that were computed elsewhere, in a file: a line for each pair and response."""

    kind: Literal["scores"]
    path: str = Field(description="the .csv or .jsonl file, relative to this file's folder")
    model: str = Field("", description="what computed them, to be shown with the results")
    revision: str | None = Field(None, description="revision of that")


class PairwiseJudge(Record):
    """A generative judge that compares two responses, in both orders."""

    kind: Literal["pairwise"]
    endpoint: str = Field(description="which of [endpoints]")
    prompt: str | None = Field(
        None, description="a prompt file of your own, relative to this file's folder; none: prefer"
    )
    sampling: Sampling = Sampling()


class PointwiseJudge(Record):
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


MOST_TOKENS = 10_000_000
ALL_POSTS = HistoryRules(posts=100_000, history_tokens=MOST_TOKENS)
"""The rules that show all posts that fit."""


class ScorerHistory(Record):
    """Which posts a scorer is shown: those that people saw in the release's study, unless it says
    otherwise; all that fit where nobody was asked."""

    posts: Literal["study", "all"] | Annotated[int, Field(ge=1)] = Field(
        "study",
        description="'study': those that people saw, or all where nobody was asked; 'all'; or at"
        " most so many, best ranked first",
    )
    history_tokens: int = Field(
        MOST_TOKENS,
        ge=100,
        description="most tokens of history (four characters each; Chinese: one)",
    )
    retrieval: Literal["bm25", "recency", "dense"] = Field(
        "bm25", description="how posts are ranked against the question; people's are by 'bm25'"
    )
    dense_model: str = Field(HistoryRules().dense_model, description="model of retrieval = 'dense'")

    @model_validator(mode="after")
    def _ranked_as_for_people(self) -> "ScorerHistory":
        if self.posts == "study" and self.retrieval != "bm25":
            raise ValueError(
                f"the posts that people see are ranked by 'bm25', not by {self.retrieval!r}: say"
                " how many posts to show, or posts = 'all'"
            )
        return self

    def rules(self, study_posts: int | None) -> HistoryRules:
        """The rules for a release whose study shows so many posts; None where nobody was asked."""
        most = study_posts if self.posts == "study" else self.posts
        return HistoryRules(
            posts=most if isinstance(most, int) else ALL_POSTS.posts,
            history_tokens=self.history_tokens,
            retrieval=self.retrieval,
            dense_model=self.dense_model,
        )


def history_hash(rules: HistoryRules) -> str:
    """What results name the rules by: empty for all posts that fit."""
    return "" if rules == ALL_POSTS else key_of(rules.model_dump_json())


class OutputJudge(Record):
    """The judge of outputs: how far each serves the aspects of its question."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: Sampling = Sampling()


class PolicySampling(Sampling):
    """How a policy samples: as the paper's repository does (arXiv 2604.07343)."""

    temperature: float | None = Field(1.0, ge=0, description="'none': the endpoint's default")
    top_p: float | None = Field(0.9, gt=0, le=1, description="'none': the endpoint's default")


class Policy(HistoryRules):
    """What best-of-n samples from."""

    endpoint: str = Field(description="which of [endpoints]")
    sampling: PolicySampling = PolicySampling()
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")

    @property
    def history(self) -> HistoryRules:
        """Which posts it is shown, and nothing else."""
        return HistoryRules.model_validate(self.model_dump(include=set(HistoryRules.model_fields)))


class Scorers(Record):
    """What an evaluation scores with, as its file says: the scorers, and the roles beside them."""

    endpoints: dict[str, Endpoint] = Field(default={})
    scorers: dict[str, Spec] = Field(default={})
    planner: Planner | None = None
    judge: OutputJudge | None = None
    policy: Policy | None = None
    history: ScorerHistory = ScorerHistory()
    prompts: str | None = Field(None, description="folder of prompts; none: those that ship")
    seed: int = Field(0, description="wrong profiles are drawn with it")

    @field_validator("scorers")
    @classmethod
    def _named(cls, scorers: dict[str, Spec]) -> dict[str, Spec]:
        for name in scorers:
            if not NAME.fullmatch(name):
                raise ValueError(f"{name!r}: a scorer's name is lower case, digits and dashes")
            if name in BASELINES:
                raise ValueError(f"{name!r} is the name of a baseline")
        return scorers

    @model_validator(mode="after")
    def _check_names(self) -> "Scorers":
        named = {f"scorers.{name}": spec for name, spec in self.scorers.items()}
        roles = {"planner": self.planner, "judge": self.judge, "policy": self.policy}
        check_endpoints({**named, **roles}, self.endpoints)
        for name, spec in self.scorers.items():
            if isinstance(spec, GuidedDecoding):
                self._check_guided(name, spec)
        return self

    def _check_guided(self, name: str, spec: GuidedDecoding) -> None:
        policy, reward = self.scorers.get(spec.policy), self.scorers.get(spec.reward)
        if not isinstance(policy, Likelihood | ServedLikelihood):
            raise ValueError(
                f"[scorers.{name}] policy = {spec.policy!r} is not a scorer of kind likelihood or"
                " served-likelihood"
            )
        if isinstance(reward, GuidedDecoding | PairwiseJudge | ScoresOfFile) or not (
            reward or spec.reward in BASELINES
        ):
            raise ValueError(
                f"[scorers.{name}] reward = {spec.reward!r} is not a scorer that scores one"
                " response"
            )


def load_scorers(path: Path) -> Scorers:
    """The file, with the paths of its scorers made absolute. Raises ConfigError naming the key."""
    otherwise = f"{DOCS / 'scorers.md'} shows one. The baselines need none."
    scorers = validated(Scorers, read_toml(path, otherwise), path, docs=DOCS / "scorers_keys.md")
    folder = path.resolve().parent
    placed = {name: _placed(spec, folder) for name, spec in scorers.scorers.items()}
    return scorers.model_copy(update={"scorers": placed})


def _placed(spec: Spec, folder: Path) -> Spec:
    if isinstance(spec, PythonScorer):
        return spec.model_copy(update={"folder": str(folder / spec.folder)})
    if isinstance(spec, ScoresOfFile):
        return spec.model_copy(update={"path": str(folder / spec.path)})
    if isinstance(spec, PairwiseJudge | PointwiseJudge) and spec.prompt is not None:
        return spec.model_copy(update={"prompt": str(folder / spec.prompt)})
    return spec
