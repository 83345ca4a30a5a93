"""The models that built a release, and whether a scorer is one of them or of the family of one.

A judge prefers what it wrote or accepted itself, so such a scorer is marked wherever it is shown.
A model is known by its name alone: it is the same where the last part of the name is the same, and
of one family where the two names share a word, such as `llama` in `Meta-Llama-3` and
`Skywork-Reward-Llama-3.1`. A name that hides its origin cannot be found in this way.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from pairwright.records import Record
from pairwright.text import visible

BuildRole = Literal["planner", "generator", "judge"]
_COMMON = frozenset(
    "awq base chat chosen class classifier code coder critic distill distilled dpo embedding"
    " english exp experimental flash generator gguf gptq grm instruct instruction int judge"
    " large latest lite local lora max mini model models multilingual nano open orm planner plus"
    " ppo preference preview prm pro rater reasoner reasoning rejected reward rewards rlhf"
    " scorer scores sentence sft simulated small test text thebloke think thinking tiny toy"
    " transformer transformers turbo ultra unsloth vision writer".split()
)
"""Words of models' names that say nothing of a family, and those who publish others' models."""


class BuildModel(Record):
    """A model that had a part in building a release."""

    role: BuildRole
    model: str


class BuildTie(Record):
    """What a scorer has to do with a model that built the release."""

    role: BuildRole
    model: str
    """The model that built it."""
    word: str
    """The word of both names, where only the family is the same; empty where the model is."""


def bare_name(model: str) -> str:
    """A model's name without its folder or organisation, in lower case.

    A release names a model that was read from a folder by its last part, and "org/Model" may be
    served as "model".
    """
    return re.split(r"[/\\]", model.rstrip("/\\"))[-1].casefold()


def build_ties(models: Iterable[str], builders: Sequence[BuildModel]) -> tuple[BuildTie, ...]:
    """What a scorer's models have to do with those that built the release, one for each role and
    model of these."""
    own = [model for model in models if model]
    ties: dict[tuple[BuildRole, str], BuildTie] = {}
    for builder in builders:
        same = any(bare_name(model) == bare_name(builder.model) for model in own)
        shared = sorted(_words(builder.model) & {word for model in own for word in _words(model)})
        if same or shared:
            word = "" if same else shared[0]
            ties[builder.role, builder.model] = BuildTie(
                role=builder.role, model=builder.model, word=word
            )
    return tuple(ties.values())


def tie_mark(ties: Sequence[BuildTie]) -> str:
    """The mark beside a scorer's name; empty where it has nothing to do with the build."""
    same = dict.fromkeys(tie.role for tie in ties if not tie.word)
    family = [role for role in dict.fromkeys(tie.role for tie in ties) if role not in same]
    parts = [
        *([f"the build's {' and '.join(same)}"] if same else []),
        *([f"family of the build's {' and '.join(family)}"] if family else []),
    ]
    return ", ".join(parts)


def tie_sentence(name: str, ties: Sequence[BuildTie]) -> str:
    """What a reader must know of a scorer that has something to do with the build."""
    reasons = ", ".join(
        f"the {tie.role} was {visible(tie.model)}"
        + (f", with “{tie.word}” in both names" if tie.word else "")
        for tie in ties
    )
    return (
        f"Self-preference: {name} is {tie_mark(ties)} ({reasons}). A model prefers what it wrote or"
        " accepted itself."
    )


def families_by_name(models: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The names that share a word which may name a family, by word; each of two names or more."""
    named: dict[str, list[str]] = {}
    for model in models:
        for word in sorted(_words(model)):
            named.setdefault(word, []).append(model)
    return {word: tuple(names) for word, names in named.items() if len(names) > 1}


def _words(model: str) -> frozenset[str]:
    """The words of a name that may name a family, with those of an organisation before it."""
    path = model.strip().rstrip("/\\")
    of_hub = re.fullmatch(r"[\w-]+/[\w.-]+", path)
    name = path.casefold() if of_hub else bare_name(path)
    return frozenset(re.findall(r"[a-z]{3,}", name)) - _COMMON
