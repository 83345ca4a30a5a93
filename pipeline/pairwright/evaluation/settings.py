"""The TOML file of an evaluation, read once, every key known.

    [endpoints.NAME]     what answers, as in a build's config     -> settings.endpoints.Endpoint
    [scorers.NAME]       what is under test, by its kind          -> a class of `Spec`
    [judge]              judges outputs by their aspects          -> OutputJudge
    [policy]             what best-of-n samples from              -> Policy
    [history]            which posts are shown                    -> ScorerHistory

The baselines (`scorers.scorer.BASELINES`) are there without a file.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from pairwright.assets import DOCS
from pairwright.errors import InputError, first_invalid
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.models import key_of
from pairwright.records import Record
from pairwright.settings import read_toml, validated
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.rules import HistoryRules

_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""What a scorer may be called: it becomes part of a file's name."""
Dtype = Literal["auto", "float32", "bfloat16", "float16"]


class Classifier(Record):
    """A sequence-classification reward model, by transformers in this process (extra
    `[evaluate]`)."""

    kind: Literal["classifier"]
    model: str = Field(description="a folder or a Hugging Face id")
    revision: str | None = Field(None, description="revision of the model")
    dtype: Dtype = Field("auto", description="'auto': bfloat16 on a GPU, float32 on a CPU")
    device: str = Field("auto", description="'auto': a GPU if there is one; or 'cpu', 'cuda:1'")
    batch_tokens: int = Field(
        16_384, ge=1, description="most tokens of one forward pass, padding included"
    )
    max_length: int | None = Field(
        None, ge=8, description="most tokens of one text; none: the model's own limit"
    )


class ServedClassifier(Record):
    """The same served by vLLM: raw logits of its `/classify`."""

    kind: Literal["served"]
    endpoint: str = Field(description="which of [endpoints]")


class ServedLikelihood(Record):
    """How likely a language model makes a response, token by token, by vLLM's
    `prompt_logprobs`."""

    kind: Literal["served-likelihood"]
    endpoint: str = Field(description="which of [endpoints]")
    per_token: bool = Field(False, description="divide the sum by the number of tokens")


class Guided(Record):
    """What reward-guided decoding adds up: how likely a language model makes a response, and a
    reward over beta. Its accuracy is the policy accuracy of Pref-LaMP (arXiv 2512.23067)."""

    kind: Literal["guided"]
    policy: str = Field(description="a scorer of kind 'served-likelihood'")
    reward: str = Field(description="a scorer of single responses, or a baseline")
    beta: float = Field(1.0, gt=0, description="the reward is divided by it")


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


class _Judge(Record):
    endpoint: str = Field(description="which of [endpoints]")
    prompt: str | None = Field(
        None, description="a prompt file of your own, relative to this file's folder; none: ours"
    )
    sampling: Sampling = Sampling()


class PairwiseJudge(_Judge):
    """A generative judge that compares two responses, in both orders."""

    kind: Literal["pairwise"]


class PointwiseJudge(_Judge):
    """A generative judge that rates one response."""

    kind: Literal["pointwise"]


Spec = Annotated[
    Classifier
    | ServedClassifier
    | ServedLikelihood
    | Guided
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

    def rules(self, study_posts: int | None) -> HistoryRules:
        """The rules for a release whose study shows so many posts; None where nobody was asked."""
        most = study_posts if self.posts == "study" else self.posts
        return HistoryRules(
            posts=most if isinstance(most, int) else ALL_POSTS.posts,
            history_tokens=self.history_tokens,
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
        roles = {"judge": self.judge, "policy": self.policy}
        check_endpoints({**named, **roles}, self.endpoints)
        for name, spec in self.scorers.items():
            if not isinstance(spec, Guided):
                continue
            if not isinstance(self.scorers.get(spec.policy), ServedLikelihood):
                raise ValueError(
                    f"[scorers.{name}] policy = {spec.policy!r} is not a scorer of kind"
                    " 'served-likelihood'"
                )
            reward = self.scorers.get(spec.reward)
            if isinstance(reward, Guided) or not (reward or spec.reward in BASELINES):
                raise ValueError(f"[scorers.{name}] reward = {spec.reward!r} is not a reward")
        return self


def load_scorers(path: Path) -> Scorers:
    """Read the file, with the paths of its scorers made absolute. Raises ConfigError naming the
    key."""
    otherwise = f"{DOCS / 'evaluate.md'} shows one. The baselines need none."
    settings = validated(Scorers, read_toml(path, otherwise), path)
    folder = path.resolve().parent
    placed = {name: _placed(spec, folder) for name, spec in settings.scorers.items()}
    return _changed(settings, scorers=placed)


def _placed(spec: Spec, folder: Path) -> Spec:
    fields = spec.model_dump()
    paths = {
        key: str(folder / fields[key]) for key in ("folder", "path", "prompt") if fields.get(key)
    }
    return type(spec)(**fields | paths)


def _changed(settings: Scorers, **changes: object) -> Scorers:
    fields = {name: getattr(settings, name) for name in type(settings).model_fields}
    return Scorers(**fields | changes)


FORMS = {
    "hf": "hf:ORG/NAME",
    "openai": "openai:MODEL@URL",
    "scores": "scores:FILE",
    "python": "python:FILE.py:CLASS",
}
"""How `--scorer` names a scorer that no file defines."""


def with_scorers(settings: Scorers, given: Iterable[str]) -> tuple[Scorers, tuple[str, ...]]:
    """Add the scorers that are given in one of FORMS; also give the names of all, each once.

    Raises InputError for a form that is not whole, and for two scorers of one name.
    """
    endpoints, scorers = dict(settings.endpoints), dict(settings.scorers)
    names: dict[str, str] = {}
    for one in dict.fromkeys(given):
        form, colon, rest = one.partition(":")
        if not colon or form not in FORMS:
            names[one] = one
            continue
        try:
            name, spec, endpoint = _given(form, rest)
        except ValidationError as error:
            what = first_invalid(error)[1]
            raise InputError(what, where=f"--scorer {one}", fix=f"Write {FORMS[form]}.") from None
        if name in scorers or name in names or name in BASELINES:
            raise InputError(
                f"{one!r} and another scorer are both called {name}",
                where="--scorer",
                fix="Name one of them in a file of scorers, as [scorers.OTHER-NAME].",
            )
        if endpoint:
            endpoints[name] = endpoint
        scorers[name], names[name] = spec, one
    return _changed(settings, endpoints=endpoints, scorers=scorers), tuple(names)


def _given(form: str, rest: str) -> tuple[str, Spec, Endpoint | None]:
    """The name, the table and the endpoint of a scorer that is given in one of FORMS."""
    model, _, more = rest.rpartition("@") if form == "openai" else rest.rpartition(":")
    if not rest or (form in ("openai", "python") and not (model and more)):
        what = f"{form + ':' + rest!r} is not whole"
        raise InputError(what, where="--scorer", fix=f"Write {FORMS[form]}.")
    match form:
        case "hf":
            return _name(rest), Classifier(kind="classifier", model=rest), None
        case "openai":
            # The key goes to no server of a plain address.
            known = more.startswith("https:") and "OPENAI_API_KEY" in os.environ
            key = "OPENAI_API_KEY" if known else None
            spec = PairwiseJudge(kind="pairwise", endpoint=_name(model))
            return _name(model), spec, Endpoint(base_url=more, model=model, api_key_env=key)
        case "scores":
            file = Path(rest).resolve()
            return _name(file.stem), ScoresOfFile(kind="scores", path=str(file)), None
        case _:
            file = Path(model).resolve()
            named = {"object": f"{file.stem}:{more}", "folder": str(file.parent)}
            return _name(more), PythonScorer(kind="python", **named), None


def _name(text: str) -> str:
    """A scorer's name, from the last part of a path or id."""
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1].lower()
    return re.sub(r"[^a-z0-9]+", "-", last).strip("-")[:64] or "scorer"
