"""What a planner is trained on: prompts and targets, each fitted to what the model reads.

A target is the JSON that our own planners reply with, so that the trained model can be put in any
planner's place.

Gold aspects were extracted from the user's narrative, which a planner never sees, and name no post.
A reply must: each aspect rests on a passage of a post that was shown. So each gold aspect is held
against those posts, and one without a passage is not asked of the planner: it would
teach to make evidence up. What a build would drop of the reply is not trained on either.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pairwright import text
from pairwright.errors import ConfigError
from pairwright.models import parse
from pairwright.records import GoldAspect, Item, Record
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Ask, Prompts, guard, label_texts
from pairwright.settings.rules import HistoryRules
from pairwright.sources import SourceItems
from pairwright.stages.history import PromptPosts, best_posts
from pairwright.stages.planner import (
    MAX_PLANNED,
    PlannedAspect,
    PlannedPassage,
    PlanReply,
    plan_values,
    sifted,
    wrong,
)
from pairwright.training.plan_settings import Training

LEAST_CARRIED = 0.25
"""Share of an aspect's content words that a passage must hold to carry it."""
PASSAGE_WORDS = 30
"""A longer sentence is looked at in pieces of this length."""
NO_PASSAGE = "no_passage_in_posts"
TOO_MANY = "more_than_asked_for"
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?]+(?=\s|$)|$)", re.MULTILINE)


class PlanTarget(NamedTuple):
    """What is to be written, and the gold aspects that are not in it, by reason."""

    text: str
    aspects: int
    dropped: dict[str, int]


def target(
    question: str,
    gold: Sequence[GoldAspect],
    shown: PromptPosts,
) -> PlanTarget:
    """What a planner that was shown these posts is to write; of no aspects where none can be."""
    dropped: Counter[str] = Counter()
    shares: dict[str, float] = {}
    candidates: dict[str, PlannedAspect] = {}
    for aspect in gold:
        name = " ".join(aspect.aspect.split())
        found = carrying(name, question, shown)
        if name in candidates:
            dropped["repeats_another_aspect"] += 1
        elif found is None:
            dropped[NO_PASSAGE] += 1
        else:
            shares[name], passage = found
            candidates[name] = PlannedAspect(
                aspect=name,
                reason=" ".join(aspect.reason.split()),
                evidence=[passage],
                # Gold aspects do not say how they follow from posts: what a passage holds in full
                # is stated.
                follows="stated" if shares[name] == 1 else "inferred",
            )
    # Those that a post carries most plainly come first, and stay where there are too many.
    carried = [candidates[name] for name in sorted(candidates, key=lambda name: -shares[name])]
    plan = sifted(PlanReply(aspects=carried), question, shown, _language(question, shown))
    dropped.update(aspect.reason for aspect in plan.dropped)
    passed = [candidates[aspect.aspect] for aspect in plan.aspects]
    dropped[TOO_MANY] += len(passed[MAX_PLANNED:])
    reply = PlanReply(aspects=passed[:MAX_PLANNED])
    counted = {reason: n for reason, n in sorted(dropped.items()) if n > 0}
    return PlanTarget(reply.model_dump_json(), len(reply.aspects), counted)


def aspects_of(plan_text: str, question: str, shown: PromptPosts) -> tuple[str, ...] | None:
    """The aspects of a planner's text that pass the rules; None for a text that cannot be read."""
    reply = parse(plan_text, PlanReply)
    if isinstance(reply, str) or wrong(reply):
        return None
    plan = sifted(reply, question, shown, _language(question, shown))
    return tuple(aspect.aspect for aspect in plan.aspects)


def carrying(aspect: str, question: str, shown: PromptPosts) -> tuple[float, PlannedPassage] | None:
    """The passage of the shown posts that holds most of an aspect's content words, those of the
    question left out, and the share that it holds; of equal ones the shortest. None where none
    holds `LEAST_CARRIED` of them."""
    language = _language(question, shown)
    wanted = text.terms(aspect, language) - text.terms(question, language)
    if not wanted:
        return None
    passages = [
        (
            len(wanted & text.terms(words, language)) / len(wanted),
            PlannedPassage(post=f"p{n}", passage=words),
        )
        for n, post in enumerate(shown.posts, start=1)
        for words in _passages(guard(post.text))
    ]
    best = max(passages, key=lambda found: (found[0], -len(found[1].passage)), default=None)
    return best if best and best[0] >= LEAST_CARRIED else None


def _language(question: str, shown: PromptPosts) -> str | None:
    return text.language_of(question, *(post.text for post in shown.posts))


def _passages(post: str) -> Iterator[str]:
    """Sentences, verbatim; long ones in pieces."""
    for sentence in _SENTENCE.finditer(post):
        words = list(re.finditer(r"\S+", sentence.group()))
        for first in range(0, len(words), PASSAGE_WORDS):
            piece = words[first : first + PASSAGE_WORDS]
            if len(piece) > 1:
                yield sentence.group()[piece[0].start() : piece[-1].end()]


IGNORED = -100
"""The label of a token that the loss does not count, as PyTorch's cross entropy has it."""


class SplitPrompt(NamedTuple):
    """What is read, and what is learned."""

    prompt: tuple[int, ...]
    completion: tuple[int, ...]

    @property
    def labels(self) -> list[int]:
        """One for every token: the loss counts those of the completion alone."""
        return [IGNORED] * len(self.prompt) + list(self.completion)


Tokenizer = Callable[[Ask, str], SplitPrompt]
"""A model's tokens of a prompt and of the target after it. Raises ConfigError for a chat template
that cannot be used."""


def learned_text(written: str, end: str) -> str:
    """What a model learns to write: the target, and the token at which it stops. What a template
    writes after that token is nothing that a model says."""
    before, ends, _ = written.rpartition(end)
    # Where the template ends no answer, the model still has to learn to stop.
    return before + end if ends else written + end


class PlannerPrompt(NamedTuple):
    """One item as a planner sees it."""

    item: Item
    shown: PromptPosts
    ask: Ask


class PromptMaker(NamedTuple):
    """How a planner is asked: as it will be when it is served."""

    prompts: Prompts
    domains: Domains
    history: HistoryRules
    words: int

    def prompts_for(self, item: Item) -> Iterator[PlannerPrompt]:
        """The item with the posts that the policy shows, oldest first, and then with one fewer
        each time, the lowest ranked first; the last one has one post."""
        chosen = selected(item.question, item.profile, self.history)
        for most in range(len(chosen), 0, -1):
            shown = best_posts(item.question, chosen, self.history, most)
            yield PlannerPrompt(item, shown, self._ask(item, shown))

    def _ask(self, item: Item, shown: PromptPosts) -> Ask:
        posts = label_texts(post.text for post in shown.posts)
        guidance, language = self.domains.guidance(item.domain), self.domains.item_language(item)
        values = plan_values(guidance, self.words, language)
        return self.prompts.ask("plan", posts=posts, question=item.question, **values)


def planner_prompt(
    item: Item, asking: PromptMaker, length: Callable[[Ask], int], most: int
) -> PlannerPrompt:
    """The item with as many of its best posts as leave the prompt within `most` tokens; with one
    at least."""
    for prompt in asking.prompts_for(item):
        if length(prompt.ask) <= most:
            break
    return prompt


class TrainingExample(NamedTuple):
    """What a planner sees of one item, and what it should write."""

    shown: PromptPosts
    target: PlanTarget
    tokens: SplitPrompt


class LeftOutItem(NamedTuple):
    """An item that nothing is learned from."""

    reason: Literal["empty_target", "too_long"]
    dropped: dict[str, int]
    """Its gold aspects, by why they are in no target."""


def training_example(
    item: Item, asking: PromptMaker, tokenizer: Tokenizer, most: int
) -> TrainingExample | LeftOutItem:
    """The item with as many of its best posts as leave prompt and target within `most` tokens."""
    for _, shown, ask in asking.prompts_for(item):
        # A target names posts as the prompt does, so that it is made again with each prompt.
        wanted = target(item.question, item.rubric_aspects, shown)
        if not wanted.aspects:
            # A post that left for want of room may have carried the last of them.
            return LeftOutItem("too_long" if shown.left_out else "empty_target", wanted.dropped)
        tokens = tokenizer(ask, wanted.text)
        if len(tokens.prompt) + len(tokens.completion) <= most:
            return TrainingExample(shown, wanted, tokens)
    return LeftOutItem("too_long", {})


class TrainingData(Record):
    """What is trained on."""

    source: str
    """Identifies the source's content."""
    items: int
    users: int
    refused: dict[str, int]
    """Rows and items that nothing is learned from, by reason."""
    aspects: int
    dropped: dict[str, int]
    """Gold aspects of the items that are in no target, by reason."""
    shortened: int
    """Items with fewer posts than the policy shows, for want of room."""
    tokens: int
    learned: int
    """Tokens of targets: those that the loss counts."""


def rows_of(
    settings: Training,
    source: SourceItems,
    asking: PromptMaker,
    tokenizer: Tokenizer,
    count: Callable[[], None],
) -> tuple[list[SplitPrompt], TrainingData]:
    """Each item's tokens; `count` is called with each item. Raises ConfigError where none is
    left."""
    examples = list[TrainingExample]()
    users = set[str]()
    refused, dropped, empty = Counter(source.refused), Counter[str](), Counter[str]()
    for item in source.items:
        example = training_example(item, asking, tokenizer, settings.max_tokens)
        count()
        if isinstance(example, LeftOutItem):
            refused[example.reason] += 1
            empty.update(example.dropped)
        else:
            examples.append(example)
            users.add(item.user)
            dropped.update(example.target.dropped)
    if not examples:
        of_aspects = f"; of their aspects {_reasons(empty)}" if empty else ""
        raise ConfigError(
            f"not one item is left to train on: {_reasons(refused)}{of_aspects}",
            where=f"[source] {settings.source.path}",
            fix="Bring items whose posts carry their gold aspects, or raise max_tokens.",
        )
    rows = [example.tokens for example in examples]
    learned = sum(len(row.completion) for row in rows)
    data = TrainingData(
        source=source.hash,
        items=len(rows),
        users=len(users),
        refused=dict(sorted(refused.items())),
        aspects=sum(example.target.aspects for example in examples),
        dropped=dict(sorted(dropped.items())),
        shortened=sum(bool(example.shown.left_out) for example in examples),
        tokens=learned + sum(len(row.prompt) for row in rows),
        learned=learned,
    )
    return rows, data


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in sorted(counts.items()))
