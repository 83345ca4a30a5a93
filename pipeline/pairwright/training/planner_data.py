"""Items with gold aspects, and what a planner learns of each: a prompt and the reply to it; and the
file of a training. The defaults of [lora] and [steps] are those that LaMP-QA published.

The reply is the JSON that the planner of a build writes, so a trained model can be any planner.

Gold aspects come from the user's narrative, which no planner reads, and name no post. A reply has
to quote a post for each aspect. A gold aspect that no shown post carries is left out, because it
would teach the model to invent evidence. So is an aspect that a build would drop.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from pairwright import assets, text
from pairwright.assets import DOCS
from pairwright.errors import SourceError
from pairwright.records import Follows, GoldAspect, Item, Record
from pairwright.retrieve import selected
from pairwright.settings import read_toml, settings_folder, validated
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import BUILDING, Ask, Prompts, guard, label_texts
from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.sources import SourceItems, read_whole
from pairwright.stages.planner import (
    MAX_PLANNED,
    PlannedAspect,
    PlannedPassage,
    PlanReply,
    plan_values,
    sifted,
)
from pairwright.stages.question import PromptPosts, Question

R = TypeVar("R", bound=Record)
LEAST_CARRIED = 0.25
"""The least share of an aspect's content words that a passage has to hold."""
PASSAGE_WORDS = 30
"""A longer sentence is searched in pieces of this length."""
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?]+(?=\s|$)|$)", re.MULTILINE)
# From the beginning of a word on: in a run without spaces no other place is tried.
_PIECE = re.compile(rf"(?<!\S)\S+(?:\s+\S+){{1,{PASSAGE_WORDS - 1}}}")
Conversation = dict[str, list[dict[str, str]]]
"""The messages of a `prompt` and of its `completion`, as TRL reads them."""


class Lora(Record):
    """The adapter (Hu et al. 2021, arXiv 2106.09685): arguments of PEFT's `LoraConfig`."""

    r: int = Field(16, ge=1, description="rank")
    lora_alpha: int = Field(16, ge=1, description="scale: updates count lora_alpha / r")
    lora_dropout: float = Field(0.05, ge=0, lt=1, description="dropout of the adapter's input")
    target_modules: str | tuple[str, ...] = Field("all-linear", description="which modules get one")


class Steps(Record):
    """The optimisation: arguments of TRL's `SFTConfig`."""

    learning_rate: float = Field(5e-5, gt=0, description="step size of AdamW; falls linearly to 0")
    warmup_steps: int = Field(250, ge=0, description="steps in which the learning rate rises")
    max_steps: int = Field(2000, ge=1, description="steps in all")
    save_steps: int = Field(250, ge=1, description="steps from one checkpoint to the next")
    per_device_train_batch_size: int = Field(1, ge=1, description="items of one forward pass")
    gradient_accumulation_steps: int = Field(64, ge=1, description="forward passes of one step")


class Training(Record):
    """Settings of the training of a planner."""

    model: str = Field(description="a folder or a Hugging Face id of a chat model")
    revision: str | None = Field(None, description="revision of the model")
    max_tokens: int = Field(8192, ge=64, description="longer items (prompt and target) are refused")
    seed: int = Field(0, ge=0, description="seed of the adapter's start and the items' order")
    words: int = Field(100, ge=20, description="words of an answer, as the prompt says")
    prompts: str | None = Field(None, description="folder of prompts; none: the built-in ones")
    rubrics: str | None = Field(None, description="folder of domains; none: the built-in ones")
    source: SourceRules
    validation: SourceRules
    history: HistoryRules = HistoryRules()
    lora: Lora = Lora()
    steps: Steps = Steps()


def load_settings(kind: type[R], path: Path) -> R:
    """Read a file of settings. Raises ConfigError naming the key."""
    data = read_toml(path, f"{DOCS / 'train.md'} shows one.")
    return validated(kind, data, path, docs=DOCS / "config.md")


def prompts_and_domains(
    prompts: str | None, rubrics: str | None, base: Path
) -> tuple[Prompts, Domains]:
    """Read the prompts and domains of folders, relative to `base`, or those that ship. Raises
    ConfigError."""
    of_prompts = settings_folder("prompts", prompts, base, assets.PROMPTS)
    of_rubrics = settings_folder("rubrics", rubrics, base, assets.RUBRICS)
    return Prompts.load(of_prompts, BUILDING), Domains.load(of_rubrics)


def read_gold(rules: SourceRules, domains: Domains, folder: Path, where: str) -> SourceItems:
    """Read the items of a source that have gold aspects, and count those that have none.

    Raises SourceError naming the table `where` if no item has any.
    """
    source = read_whole(rules, domains, folder)
    items = tuple(item for item in source.items if item.rubric_aspects)
    n = len(source.items) - len(items)
    if not items:
        raise SourceError(
            f"not one of {n:,} items has gold aspects",
            where=f"{where} {rules.path}",
            fix=f"Give items a list `rubric_aspects`, as LaMP-QA's have: {DOCS / 'config.md'}.",
        )
    refused = source.refused | ({"no_gold_aspects": n} if n else {})
    return SourceItems(items, dict(sorted(refused.items())), source.hash)


def target(
    question: str, gold: Sequence[GoldAspect], shown: PromptPosts
) -> tuple[PlanReply, Counter[str]]:
    """Make the reply that a planner learns if it is shown these posts; it may have no aspects. Also
    return the number of gold aspects that it leaves out, by reason."""
    language = text.language_of(question, *(post.text for post in shown.posts))
    dropped, shares = Counter[str](), dict[str, float]()
    candidates = dict[str, PlannedAspect]()
    for aspect in gold:
        name, reason = " ".join(aspect.aspect.split()), " ".join(aspect.reason.split())
        share, passage = _carrying(name, question, shown, language)
        if name in candidates:
            dropped["repeats_another_aspect"] += 1
        elif share < LEAST_CARRIED:
            dropped["no_passage_in_posts"] += 1
        else:
            # Gold aspects do not say how they follow from posts. A passage that holds every word of
            # an aspect states it.
            follows: Follows = "stated" if share == 1 else "inferred"
            shares[name] = share
            candidates[name] = PlannedAspect(
                aspect=name, reason=reason, evidence=[passage], follows=follows
            )
    # The best carried come first, and stay if there are too many.
    carried = sorted(candidates.values(), key=lambda one: -shares[one.aspect])
    plan = sifted(PlanReply(aspects=carried), question, shown, language)
    dropped.update(aspect.reason for aspect in plan.dropped)
    passed = [candidates[aspect.aspect] for aspect in plan.aspects]
    dropped.update(["more_than_asked_for"] * len(passed[MAX_PLANNED:]))
    return PlanReply(aspects=passed[:MAX_PLANNED]), dropped


def _carrying(
    aspect: str, question: str, shown: PromptPosts, language: str | None
) -> tuple[float, PlannedPassage]:
    """Find the passage with the largest share of an aspect's content words, without those of the
    question, and of equal ones the shortest; the share is 0 without any."""
    wanted = text.terms(aspect, language) - text.terms(question, language)
    passages = [
        (
            len(wanted & text.terms(words, language)) / max(1, len(wanted)),
            PlannedPassage(post=f"p{n}", passage=words),
        )
        for n, post in enumerate(shown.posts, start=1)
        for sentence in _SENTENCE.findall(guard(post.text))
        for words in _PIECE.findall(sentence)
    ]
    none = 0.0, PlannedPassage(post="", passage="")
    return max(passages, key=lambda found: (found[0], -len(found[1].passage)), default=none)


def planner_prompt(
    item: Item, settings: Training, prompts: Prompts, domains: Domains
) -> tuple[PromptPosts, Ask]:
    """Ask a planner about an item as it will be asked when it is served; also the posts shown."""
    question = Question(
        item.question, prompts, item.id, domains.item_language(item), settings.words,
        domains.guidance(item.domain),
    )  # fmt: skip
    shown = selected(item.question, item.profile, settings.history)
    posts = label_texts(one.text for one in shown)
    ask = question.ask("plan", posts=posts, **plan_values(question))
    return PromptPosts(shown, ()), ask
