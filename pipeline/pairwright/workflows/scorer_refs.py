"""The exact identity of a scorer: for its results, and for the keys of its stored calls."""

import json

from pairwright.evaluate.results import ScorerRef
from pairwright.evaluate.scorers.score_models import LanguageModel, RewardModel
from pairwright.evaluate.scorers.spec import (
    Classifier,
    Dpo,
    GuidedDecoding,
    Likelihood,
    PairwiseJudge,
    PointwiseJudge,
    PythonScorer,
)
from pairwright.models import key_of
from pairwright.settings.endpoints import Endpoint
from pairwright.settings.prompt import OwnPrompt, Prompts
from pairwright.settings.prompt_variables import SCORING


def deciding(spec: Classifier | Dpo | Likelihood) -> str:
    """What decides a model's scores beside its name and revision, as canonical JSON."""
    beside = {"model", "revision", "device", "batch_tokens", "per_token", "cutoff", "tie_margin"}
    return json.dumps(spec.model_dump(exclude=beside), sort_keys=True, separators=(",", ":"))


def reward_ref(name: str, kind: str, scorer: RewardModel) -> ScorerRef:
    """The reference of a reward model."""
    return ScorerRef(
        name=name,
        kind=kind,
        model=scorer.model,
        revision=scorer.revision,
        settings=key_of(scorer.settings),
    )


def language_model_ref(name: str, kind: str, scorer: LanguageModel) -> ScorerRef:
    """The reference of a language model whose log-probabilities are scores."""
    return ScorerRef(
        name=name,
        kind=kind,
        model=scorer.model,
        revision=scorer.revision,
        settings=key_of(json.dumps([scorer.settings, scorer.per_token])),
    )


def guided_ref(name: str, spec: GuidedDecoding, policy: ScorerRef, reward: ScorerRef) -> ScorerRef:
    """The reference of a guided policy, which has its policy's model."""
    decides = [
        spec.beta,
        policy.settings,
        reward.model_dump(mode="json", exclude={"beside", "cutoff", "tie_margin"}),
    ]
    return ScorerRef(
        name=name,
        kind=spec.kind,
        model=policy.model,
        revision=policy.revision,
        settings=key_of(json.dumps(decides, sort_keys=True)),
        beside=reward.model,
    )


def own_settings(spec: PythonScorer, code: str) -> str:
    """What decides a scorer of one's own beside its name and revision, as canonical JSON.

    These are its options, and `code`, the hash of the file that defines it.
    """
    decides = {"kind": spec.kind, "options": spec.options, "code": code}
    return json.dumps(decides, sort_keys=True, separators=(",", ":"))


def judge_ref(
    name: str,
    spec: PairwiseJudge | PointwiseJudge,
    endpoint: Endpoint,
    prompts: Prompts | OwnPrompt,
) -> ScorerRef:
    """The reference of a judge under test."""
    decides: dict[str, object] = {"sampling": spec.sampling.model_dump()}
    if isinstance(prompts, OwnPrompt):
        decides["prompt"] = prompts.hash
    else:
        decides["prompts"] = {one: prompts.hashes[one] for one in sorted({"history", *SCORING})}
        decides["structured"] = endpoint.structured
    return ScorerRef(
        name=name,
        kind=spec.kind,
        model=endpoint.model,
        revision=endpoint.revision,
        settings=key_of(json.dumps(decides, sort_keys=True, separators=(",", ":"))),
    )
