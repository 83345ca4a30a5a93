"""The TOML file of an evaluation, read once, every key known.

    [endpoints.NAME]     what answers, as in a build's config     -> settings.endpoints.Endpoint
    [scorers.NAME]       what is under test, by its kind          -> a class of `Spec`
    [judge]              judges outputs by their aspects          -> OutputJudge
    [policy]             writes for best-of-n and completions     -> Policy
    [history]            which posts scorers are shown            -> conditions.ScorerHistory

The baselines (`scorers.scorer.BASELINES`) are there without a file.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationError, model_validator
from typer import Option

from pairwright.assets import DOCS, PROMPTS
from pairwright.errors import ConfigError, InputError, first_invalid, near
from pairwright.evaluation.conditions import ScorerHistory
from pairwright.evaluation.scorers.in_process import Classifier
from pairwright.evaluation.scorers.judges import Judge
from pairwright.evaluation.scorers.own_scorer import PythonScorer
from pairwright.evaluation.scorers.score_file import ScoresOfFile
from pairwright.evaluation.scorers.score_models import Served
from pairwright.evaluation.scorers.scorer import BASELINES
from pairwright.evaluation.session import InFolder, no_table
from pairwright.records import Record
from pairwright.settings import read_toml, settings_folder, validated
from pairwright.settings.endpoints import Endpoint, Sampling, check_endpoints
from pairwright.settings.prompt import PROMPTS as PROMPT_NAMES
from pairwright.settings.prompt import Prompts
from pairwright.settings.rules import HistoryRules

ScorerName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
"""The name of a scorer, which becomes part of a file's name: lower case, digits and dashes."""
Spec = Annotated[
    Classifier | Served | PythonScorer | ScoresOfFile | Judge,
    Field(discriminator="kind"),
]


class OutputJudge(Record):
    """The judge of outputs: how far each serves the aspects of its question."""

    endpoint: str = Field(description="name of a table of [endpoints]")
    sampling: Sampling = Sampling()


class PolicySampling(Sampling):
    """Sampling of a policy, as in the paper's repository (arXiv 2604.07343)."""

    temperature: float | None = Field(1.0, ge=0, description="'none': the endpoint's default")
    top_p: float | None = Field(0.9, gt=0, le=1, description="'none': the endpoint's default")


class Policy(HistoryRules):
    """The model that writes for best-of-n and completions."""

    endpoint: str = Field(description="name of a table of [endpoints]")
    sampling: PolicySampling = PolicySampling()
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")


class Scorers(Record):
    """The file of an evaluation's models: the scorers, the judge of outputs and the policy."""

    endpoints: dict[str, Endpoint] = Field(default={})
    scorers: dict[ScorerName, Spec] = Field(default={})
    judge: OutputJudge | None = None
    policy: Policy | None = None
    history: ScorerHistory = ScorerHistory()
    prompts: InFolder | None = Field(None, description="folder of prompts; none: the built-in ones")
    seed: int = Field(0, description="seed for drawing wrong profiles")

    @model_validator(mode="after")
    def _check_names(self) -> "Scorers":
        named = {f"scorers.{name}": spec for name, spec in self.scorers.items()}
        check_endpoints({**named, "judge": self.judge, "policy": self.policy}, self.endpoints)
        for name, spec in self.scorers.items():
            if name in BASELINES:
                raise ValueError(f"[scorers.{name}] has the name of a baseline")
            if not isinstance(spec, Served) or (reward := spec.reward) is None:
                continue
            of, where = self.scorers.get(reward), f"[scorers.{name}] reward = {reward!r}"
            if not (of or reward in BASELINES):
                hint = near(reward, [*self.scorers, *BASELINES])
                raise ValueError(f"{where} is no scorer of this file and no baseline.{hint}")
            if isinstance(of, Served) and of.reward is not None:
                raise ValueError(f"{where} has a reward itself: name a scorer without one")
        return self


def load_scorers(path: Path) -> Scorers:
    """Read the file; paths in it are relative to its folder. Raises ConfigError naming the key."""
    otherwise = f"{DOCS / 'evaluate.md'} shows one. To name a scorer, use --scorer."
    return validated(Scorers, read_toml(path, otherwise), path)


ScorersFile: TypeAlias = Annotated[
    Path | str | Scorers,
    Option(help="The file of scorers, endpoints, [policy] and [judge].", metavar="FILE.toml"),
]


def scorer_settings(scorers: str | Path | Scorers | None) -> tuple[Scorers, Prompts]:
    """Read a file of scorers with its prompts; None has the baselines alone.

    Paths in a `Scorers` record start from the current folder. Raises ConfigError and InputError.
    """
    if isinstance(scorers, str | Path):
        scorers = load_scorers(Path(scorers))
    settings = scorers or Scorers()
    folder = settings_folder("prompts", settings.prompts, Path(), PROMPTS)
    return settings, Prompts.load(folder, PROMPT_NAMES)


def policy_of(scorers: Scorers, samples: int) -> Policy:
    """Find the policy. Raises ConfigError if it is missing, or would write the same text `samples`
    times."""
    if (policy := scorers.policy) is None:
        raise no_table("policy")
    if policy.sampling.temperature == 0 and samples > 1:
        what = f"at temperature 0 the {samples} samples of a question are one and the same"
        fix = "Give it a temperature such as 1.0, or leave the key out."
        raise ConfigError(what, where="[policy.sampling] temperature", fix=fix)
    return policy


FORMS = {
    "hf": "hf:ORG/NAME",
    "openai": "openai:MODEL@URL",
    "scores": "scores:FILE",
    "python": "python:FILE.py:CLASS",
}
"""Forms in which `--scorer` names a scorer that no file defines."""


def with_scorers(settings: Scorers, given: Iterable[str]) -> tuple[Scorers, tuple[str, ...]]:
    """Add the scorers that are given in one of FORMS; also return the names of all, each once.

    Raises InputError for a form that is not whole, and for two scorers of one name.
    """
    names = dict[str, None]()
    for one in dict.fromkeys(given):
        form, name = one.partition(":")[0], one
        if name != form and form in FORMS:
            where, fix = f"--scorer {one}", f"Write {FORMS[form]}."
            name, spec, endpoints = _given(form, one.removeprefix(f"{form}:"), where, fix)
            if name in settings.scorers or name in names or name in BASELINES:
                what = f"{one!r} and another scorer are both called {name}"
                fix = "Name one of them in a file of scorers, as [scorers.OTHER-NAME]."
                raise InputError(what, where="--scorer", fix=fix)
            more = {"endpoints": settings.endpoints | endpoints}
            more |= {"scorers": {**settings.scorers, name: spec}}
            try:
                settings = Scorers.model_validate(dict(settings) | more)
            except ValidationError as error:
                raise InputError(first_invalid(error)[1], where=where, fix=fix) from None
        names[name] = None
    return settings, tuple(names)


def _given(form: str, rest: str, where: str, fix: str) -> tuple[str, Any, dict[str, Any]]:
    """The name of a scorer that is given in one of FORMS, its table, and the endpoint it needs."""
    first, _, second = rest.rpartition("@" if form == "openai" else ":")
    if not rest or (form in ("openai", "python") and not (first and second)):
        raise InputError("is incomplete", where=where, fix=fix)
    if form == "hf":
        return _name(rest), {"kind": "classifier", "model": rest}, {}
    if form == "scores":
        file = Path(rest).resolve()
        return _name(file.stem), {"kind": "scores", "path": str(file)}, {}
    if form == "python":
        file = Path(first).resolve()
        if not file.is_file():
            raise InputError(f"no such file {first}", where=where, fix=fix)
        named = {"object": f"{file.stem}:{second}", "folder": str(file.parent)}
        return _name(second), {"kind": "python", **named}, {}
    # The key goes to no server of a plain address.
    known = second.startswith("https:") and "OPENAI_API_KEY" in os.environ
    key, name = "OPENAI_API_KEY" if known else None, _name(first)
    endpoint = {"base_url": second, "model": first, "api_key_env": key}
    return name, {"kind": "pairwise", "endpoint": name}, {name: endpoint}


def _name(text: str) -> str:
    """A scorer's name, from the last part of a path or id."""
    last = re.split(r"[/\\]", text.rstrip("/\\"))[-1].lower()
    return re.sub(r"[^a-z0-9]+", "-", last).strip("-")[:64] or "scorer"
