"""The two readings of a guided policy: the sum over tokens, and that over their number."""

from collections.abc import Sequence

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.evaluate.scorers.baselines import BASELINES
from pairwright.evaluate.scorers.spec import GuidedDecoding, Likelihood, ServedLikelihood, Spec
from pairwright.evaluate.settings import Scorers

PER_TOKEN = "-per-token"


def guided_names(scorers: Scorers, names: Sequence[str]) -> tuple[str, ...]:
    """The guided policies that are named, or all of the file. Raises ConfigError where one is no
    guided policy, and where there is none."""
    known = [name for name, spec in scorers.scorers.items() if isinstance(spec, GuidedDecoding)]
    if wrong := [name for name in names if name not in known]:
        raise ConfigError(
            f"{wrong[0]!r} is not a scorer of kind guided",
            where="--scorer",
            fix=f"Name one of: {', '.join(known) or 'none is there'}.",
        )
    if not known:
        raise ConfigError(
            "there is no scorer of kind guided",
            where="--scorers",
            fix="Add [scorers.NAME] with kind = 'guided', a policy and a reward;"
            f" {DOCS / 'train.md'} shows one.",
        )
    return tuple(dict.fromkeys(names)) or tuple(known)


def both_readings(scorers: Scorers, guided: Sequence[str]) -> tuple[Scorers, tuple[str, ...]]:
    """The file with a reading over the number of tokens beside each sum, and the names of all
    guided policies. Raises ConfigError where such a name is taken by another scorer."""
    specs: dict[str, Spec] = dict(scorers.scorers)
    names: list[str] = []
    for name in guided:
        spec = specs[name]
        assert isinstance(spec, GuidedDecoding), "its name was asked for"
        policy = specs[spec.policy]
        assert isinstance(policy, Likelihood | ServedLikelihood), "checked when the file was read"
        names.append(name)
        if policy.per_token:
            continue
        other = f"{spec.policy}{PER_TOKEN}"
        _add(specs, other, policy.model_copy(update={"per_token": True}))
        _add(specs, f"{name}{PER_TOKEN}", spec.model_copy(update={"policy": other}))
        names.append(f"{name}{PER_TOKEN}")
    return scorers.model_copy(update={"scorers": specs}), tuple(dict.fromkeys(names))


def parts(scorers: Scorers, guided: Sequence[str]) -> tuple[str, ...]:
    """The policies and rewards of these guided policies, each once."""
    names = []
    for name in guided:
        spec = scorers.scorers[name]
        assert isinstance(spec, GuidedDecoding), "its name was asked for"
        names += [spec.policy, spec.reward]
    return tuple(dict.fromkeys(names))


def _add(specs: dict[str, Spec], name: str, spec: Spec) -> None:
    if specs.setdefault(name, spec) != spec or name in BASELINES:
        raise ConfigError(
            "is another scorer, and the reading per token has this name",
            where=f"[scorers.{name}]",
            fix="Give that scorer another name.",
        )
