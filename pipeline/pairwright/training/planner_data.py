"""Items with gold aspects, and what a planner learns of each: a prompt and the reply to it.

The reply is the JSON that the planner of a build writes, so a trained model can be any planner.

Gold aspects come from the user's narrative, which no planner reads, and name no post. A reply has
to quote a post for each aspect. A gold aspect that no shown post carries is left out, because it
would teach the model to invent evidence. So is an aspect that a build would drop.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pairwright import text
from pairwright.assets import DOCS
from pairwright.errors import ConfigError, SourceError
from pairwright.records import GoldAspect, Item
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Ask, Prompts, guard, label_texts
from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.sources import SourceItems, read_whole
from pairwright.stages.history import PromptPosts, best_posts
from pairwright.stages.planner import (
    MAX_PLANNED,
    PlannedAspect,
    PlannedPassage,
    PlanReply,
    plan_values,
    sifted,
)

LEAST_CARRIED = 0.25
"""The least share of an aspect's content words that a passage has to hold."""
PASSAGE_WORDS = 30
"""A longer sentence is searched in pieces of this length."""
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?]+(?=\s|$)|$)", re.MULTILINE)
Conversation = dict[str, list[dict[str, str]]]
"""The messages of a `prompt` and of its `completion`, as TRL reads them."""
Length = Callable[[Conversation], int]
"""Counts the tokens of a conversation."""


def read_gold(rules: SourceRules, domains: Domains, folder: Path, where: str) -> SourceItems:
    """Read the items of a source that have gold aspects, and count those that have none.

    Raises SourceError naming the table `where` if no item has any.
    """
    source = read_whole(rules, domains, folder)
    items = tuple(item for item in source.items if item.rubric_aspects)
    without = frozenset(item.id for item in source.items if not item.rubric_aspects)
    n = len(source.items) - len(items)
    if not items:
        raise SourceError(
            f"not one of {n:,} items has gold aspects",
            where=f"{where} {rules.path}",
            fix=f"Give items a list `rubric_aspects`, as LaMP-QA's have: {DOCS / 'config.md'}.",
        )
    refused = source.refused | ({"no_gold_aspects": n} if n else {})
    return SourceItems(items, dict(sorted(refused.items())), source.hash, without)


def target(
    question: str, gold: Sequence[GoldAspect], shown: PromptPosts
) -> tuple[PlanReply, Counter[str]]:
    """Make the reply that a planner learns if it is shown these posts; it may have no aspects.
    Beside it, the gold aspects that are not in it, by reason."""
    language = text.language_of(question, *(post.text for post in shown.posts))
    dropped, shares = Counter[str](), dict[str, float]()
    candidates = dict[str, PlannedAspect]()
    for aspect in gold:
        name = " ".join(aspect.aspect.split())
        share, passage = _carrying(name, question, shown, language)
        if name in candidates:
            dropped["repeats_another_aspect"] += 1
        elif share < LEAST_CARRIED:
            dropped["no_passage_in_posts"] += 1
        else:
            shares[name] = share
            candidates[name] = PlannedAspect(
                aspect=name,
                reason=" ".join(aspect.reason.split()),
                evidence=[passage],
                # Gold aspects do not say how they follow from posts. A passage that holds every
                # word of an aspect states it.
                follows="stated" if share == 1 else "inferred",
            )
    # The best carried come first, and stay if there are too many.
    carried = [candidates[name] for name in sorted(candidates, key=lambda name: -shares[name])]
    plan = sifted(PlanReply(aspects=carried), question, shown, language)
    dropped.update(aspect.reason for aspect in plan.dropped)
    passed = [candidates[aspect.aspect] for aspect in plan.aspects]
    dropped.update(["more_than_asked_for"] * len(passed[MAX_PLANNED:]))
    return PlanReply(aspects=passed[:MAX_PLANNED]), dropped


def _carrying(
    aspect: str, question: str, shown: PromptPosts, language: str | None
) -> tuple[float, PlannedPassage]:
    """Find the passage with the largest share of an aspect's content words, without those of the
    question, and of equal ones the shortest; the share is 0 if there is none."""
    wanted = text.terms(aspect, language) - text.terms(question, language)
    passages = [
        (
            len(wanted & text.terms(words, language)) / max(1, len(wanted)),
            PlannedPassage(post=f"p{n}", passage=words),
        )
        for n, post in enumerate(shown.posts, start=1)
        for words in _passages(guard(post.text))
    ]
    none = 0.0, PlannedPassage(post="", passage="")
    return max(passages, key=lambda found: (found[0], -len(found[1].passage)), default=none)


def _passages(post: str) -> Iterator[str]:
    """Sentences, verbatim; long ones in pieces."""
    for sentence in _SENTENCE.finditer(post):
        words = list(re.finditer(r"\S+", sentence.group()))
        for first in range(0, len(words), PASSAGE_WORDS):
            piece = words[first : first + PASSAGE_WORDS]
            if len(piece) > 1:
                yield sentence.group()[piece[0].start() : piece[-1].end()]


class PromptMaker(NamedTuple):
    """Asks a planner as it will be asked when it is served."""

    prompts: Prompts
    domains: Domains
    history: HistoryRules
    words: int

    def prompts_for(self, item: Item) -> Iterator[tuple[PromptPosts, Ask]]:
        """Make the prompt with the posts that the rules select, oldest first, and then with one
        fewer each time, the lowest ranked first; the last one has one post."""
        guidance, language = self.domains.guidance(item.domain), self.domains.item_language(item)
        values = plan_values(guidance, self.words, language)
        chosen = selected(item.question, item.profile, self.history)
        for most in range(len(chosen), 0, -1):
            shown = best_posts(item.question, chosen, self.history, most)
            posts = label_texts(post.text for post in shown.posts)
            ask = self.prompts.ask("plan", posts=posts, question=item.question, **values)
            yield shown, ask


def example(
    item: Item, asking: PromptMaker, length: Length, most: int
) -> tuple[Conversation | str, Counter[str]]:
    """Make an example of at most `most` tokens, with as many of the best posts as fit, or say why
    there is none. Beside it: its aspects and tokens, and the aspects that are left out, by reason.
    """
    for shown, ask in asking.prompts_for(item):
        # A target names posts as its prompt does, so each prompt has its own.
        reply, dropped = target(item.question, item.rubric_aspects, shown)
        counts = Counter({f"aspects left out: {why}": n for why, n in dropped.items()})
        if not reply.aspects:
            # A post that left for want of room may have carried the last aspect.
            return ("too_long" if shown.left_out else "empty_target"), counts
        conversation: Conversation = {
            "prompt": [message._asdict() for message in ask.messages],
            "completion": [{"role": "assistant", "content": reply.model_dump_json()}],
        }
        if (tokens := length(conversation)) <= most:
            shortened = int(bool(shown.left_out))
            counts.update({"aspects": len(reply.aspects), "tokens": tokens})
            counts["items with fewer posts, for want of room"] = shortened
            return conversation, counts
    return "too_long", Counter()


def examples_of(
    source: SourceItems,
    asking: PromptMaker,
    length: Length,
    most: int,
    where: str,
    count: Callable[[], None] = lambda: None,
) -> tuple[list[Conversation], dict[str, int]]:
    """Make the examples of a source; `count` is called with each item. Beside them, the number of
    items, users, aspects and tokens, and of what was left out, by reason.

    Raises ConfigError naming the table `where` if no item gives an example.
    """
    examples, users = list[Conversation](), set[str]()
    counts = Counter({f"refused: {why}": n for why, n in source.refused.items()})
    for item in source.items:
        found, of_item = example(item, asking, length, most)
        counts += of_item
        count()
        if isinstance(found, str):
            counts[f"refused: {found}"] += 1
        else:
            examples.append(found)
            users.add(item.user)
    if not examples:
        raise ConfigError(
            f"no item gives an example: {listed(counts)}",
            where=where,
            fix="Bring items whose posts carry their gold aspects, or raise max_tokens.",
        )
    return examples, {"items": len(examples), "users": len(users), **dict(sorted(counts.items()))}


def listed(counts: Mapping[str, int]) -> str:
    """Counts as a phrase: `items 9, refused: too_long 1`."""
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())
