"""What a planner is trained on: prompts and targets, each fitted to what the model reads.

A target of the form `plan` is the JSON that our own planners reply with, so that the trained model
can be put in any planner's place; `lamp-qa` is LaMP-QA's list, which names no posts.

Gold aspects were extracted from the user's narrative, which a planner never sees, and name no post.
A reply must: each aspect rests on a passage of a post that was shown. So for `plan` each gold
aspect is held against those posts, and one without a passage is not asked of the planner: it would
teach to make evidence up. What a build would drop of the reply is not trained on either.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from pairwright import text
from pairwright.errors import ConfigError
from pairwright.models import parse
from pairwright.records import GoldAspect, Item, Record
from pairwright.retrieve import ranked, selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.prompt_variables import Ask, Labelled
from pairwright.settings.rules import HistoryRules
from pairwright.settings.template import guard
from pairwright.stages.aspect_list import format_aspects, parse_aspects
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import (
    MAX_PLANNED,
    PlannedAspect,
    PlannedPassage,
    PlanReply,
    sifted,
    wrong,
)
from pairwright.training.gold import GoldItems
from pairwright.training.plan_settings import Form, Training

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


class Passage(NamedTuple):
    """Where a post carries an aspect, and the share of the aspect's content words it holds."""

    label: str
    words: str
    share: float


def target(
    form: Form,
    question: str,
    gold: Sequence[GoldAspect],
    shown: PromptPosts,
) -> PlanTarget:
    """What a planner that was shown these posts is to write; of no aspects where none can be."""
    if form == "lamp-qa":
        names = tuple(dict.fromkeys(" ".join(aspect.aspect.split()) for aspect in gold))
        repeated = {"repeats_another_aspect": len(gold) - len(names)}
        return PlanTarget(
            format_aspects(names), len(names), {k: n for k, n in repeated.items() if n}
        )
    dropped: Counter[str] = Counter()
    passages: dict[str, Passage] = {}
    reasons: dict[str, str] = {}
    for aspect in gold:
        name = " ".join(aspect.aspect.split())
        passage = carrying(name, question, shown)
        if name in passages:
            dropped["repeats_another_aspect"] += 1
        elif passage is None:
            dropped[NO_PASSAGE] += 1
        else:
            passages[name], reasons[name] = passage, aspect.reason
    # Those that a post carries most plainly come first, and stay where there are too many.
    carried = sorted(passages, key=lambda name: -passages[name].share)
    candidates = {name: _planned(name, reasons[name], passages[name]) for name in carried}
    language = _language(question, shown)
    plan = sifted(PlanReply(aspects=list(candidates.values())), question, shown, language)
    dropped.update(aspect.reason for aspect in plan.dropped)
    passed = [candidates[aspect.aspect] for aspect in plan.aspects]
    if over := len(passed) - MAX_PLANNED:
        dropped.update({TOO_MANY: max(0, over)})
    target = PlanReply(aspects=passed[:MAX_PLANNED])
    counted = {reason: n for reason, n in sorted(dropped.items()) if n > 0}
    return PlanTarget(target.model_dump_json(), len(target.aspects), counted)


def aspects_of(
    form: Form, plan_text: str, question: str, shown: PromptPosts
) -> tuple[str, ...] | None:
    """The aspects of a planner's text that pass the rules; None for a text that cannot be read."""
    if form == "lamp-qa":
        return parse_aspects(plan_text)
    reply = parse(plan_text, PlanReply)
    if isinstance(reply, str) or wrong(reply):
        return None
    plan = sifted(reply, question, shown, _language(question, shown))
    return tuple(aspect.aspect for aspect in plan.aspects)


def carrying(aspect: str, question: str, shown: PromptPosts) -> Passage | None:
    """The passage of the shown posts that holds most of an aspect's content words, those of the
    question left out; of equal ones the shortest. None where none holds `LEAST_CARRIED` of them."""
    language = _language(question, shown)
    wanted = text.terms(aspect, language) - text.terms(question, language)
    if not wanted:
        return None
    passages = [
        Passage(f"p{n}", passage, len(wanted & text.terms(passage, language)) / len(wanted))
        for n, post in enumerate(shown.posts, start=1)
        for passage in _passages(guard(post.text))
    ]
    best = max(
        passages, key=lambda candidate: (candidate.share, -len(candidate.words)), default=None
    )
    return best if best and best.share >= LEAST_CARRIED else None


def _language(question: str, shown: PromptPosts) -> str | None:
    return text.language_of(question, *(post.text for post in shown.posts))


def _planned(name: str, reason: str, passage: Passage) -> PlannedAspect:
    # Gold aspects do not say how they follow from posts: what a passage holds in full is stated.
    return PlannedAspect(
        aspect=name,
        reason=" ".join(reason.split()),
        evidence=[PlannedPassage(post=passage.label, passage=passage.words)],
        follows="stated" if passage.share == 1 else "inferred",
    )


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


class Tokenizer(Protocol):
    """A model's tokens of a prompt and of the target after it."""

    def tokens(self, ask: Ask, target: str) -> SplitPrompt:
        """Raises ConfigError for a chat template that cannot be used."""
        ...


def split(prompt: str, whole: str, end: str, where: str) -> tuple[str, str]:
    """What is read, and what is written after it: the target and the token that ends it.

    `prompt` is the template's text up to where the model begins, `whole` the same with the target
    in its place, `end` the token at which a model stops. What a template writes after that token
    is nothing that a model says. Raises ConfigError for a template that cannot be used.
    """
    if not whole.startswith(prompt):
        raise ConfigError(
            "its chat template does not put an answer after what asks for it",
            where=where,
            fix="Name the instruction-tuned model of the family.",
        )
    written = whole[len(prompt) :]
    before, ends, _ = written.rpartition(end)
    # Where the template ends no answer, the model still has to learn to stop.
    return prompt, before + end if ends else written + end


class TrainingExample(NamedTuple):
    """One item as a planner sees it, and what it should write."""

    item: Item
    shown: PromptPosts
    target: PlanTarget
    tokens: SplitPrompt


class PlannerPrompt(NamedTuple):
    """One item as a planner sees it."""

    item: Item
    shown: PromptPosts
    ask: Ask


class LeftOutItem(NamedTuple):
    """An item that nothing is learned from."""

    item: Item
    reason: Literal["empty_target", "too_long"]
    dropped: dict[str, int]
    """Its gold aspects, by why they are in no target."""


class PromptMaker(NamedTuple):
    """How a planner is asked: as it will be when it is served."""

    form: Form
    prompts: Prompts
    domains: Domains
    history: HistoryRules
    words: int

    def shown(self, item: Item, most: int | None = None) -> PromptPosts:
        """The item's posts, oldest first; of those that a policy shows, the `most` best ranked."""
        chosen = selected(item.question, item.profile, self.history)
        if most is None or most >= len(chosen):
            return PromptPosts(chosen, ())
        best = set(ranked(item.question, chosen, self.history)[:most])
        return PromptPosts(
            tuple(post for post in chosen if post in best),
            tuple(post for post in chosen if post not in best),
        )

    def ask(self, item: Item, shown: PromptPosts) -> Ask:
        """The prompt of the item with these posts."""
        posts = tuple(Labelled(f"p{n}", post.text) for n, post in enumerate(shown.posts, start=1))
        if self.form == "lamp-qa":
            return self.prompts.ask("plan_list", posts=posts, question=item.question)
        return self.prompts.ask(
            "plan",
            posts=posts,
            question=item.question,
            max_aspects=MAX_PLANNED,
            words=self.words,
            **self.domains.guidance(item.domain)._asdict(),
            **in_language(self.domains.item_language(item)),
        )


def planner_prompt(
    item: Item, asking: PromptMaker, length: Callable[[Ask], int], most: int
) -> PlannerPrompt:
    """The item with as many of its best posts as leave the prompt within `most` tokens; with one
    at least."""
    shown = asking.shown(item)
    for kept in range(len(shown.posts), 0, -1):
        shown = asking.shown(item, kept)
        ask = asking.ask(item, shown)
        if length(ask) <= most:
            break
    return PlannerPrompt(item, shown, ask)


def training_example(
    item: Item, asking: PromptMaker, tokenizer: Tokenizer, most: int
) -> TrainingExample | LeftOutItem:
    """The item with as many of its best posts as leave prompt and target within `most` tokens."""
    shown = asking.shown(item)
    for kept in range(len(shown.posts), 0, -1):
        shown = asking.shown(item, kept)
        ask = asking.ask(item, shown)
        # A target names posts as the prompt does, so that it is made again with each prompt.
        wanted = target(asking.form, item.question, item.rubric_aspects, shown)
        if not wanted.aspects:
            # A post that left for want of room may have carried the last of them.
            whole = kept == len(asking.shown(item).posts)
            return LeftOutItem(item, "empty_target" if whole else "too_long", wanted.dropped)
        tokens = tokenizer.tokens(ask, wanted.text)
        if len(tokens.prompt) + len(tokens.completion) <= most:
            return TrainingExample(item, shown, wanted, tokens)
    return LeftOutItem(item, "too_long", {})


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
    source: GoldItems,
    asking: PromptMaker,
    tokenizer: Tokenizer,
    count: Callable[[int], None],
) -> tuple[list[SplitPrompt], TrainingData]:
    """Each item's tokens; `count` is called with each item. Raises ConfigError where none is
    left."""
    rows: list[SplitPrompt] = []
    refused, dropped, users = Counter(source.refused), Counter[str](), set[str]()
    empty = Counter[str]()
    aspects = shortened = 0
    for item in source.items:
        example = training_example(item, asking, tokenizer, settings.max_tokens)
        count(1)
        if isinstance(example, LeftOutItem):
            refused[example.reason] += 1
            empty.update(example.dropped)
            continue
        rows.append(example.tokens)
        dropped.update(example.target.dropped)
        users.add(example.item.user)
        aspects += example.target.aspects
        shortened += bool(example.shown.left_out)
    if not rows:
        of_aspects = f"; of their aspects {_reasons(empty)}" if empty else ""
        raise ConfigError(
            f"not one item is left to train on: {_reasons(refused)}{of_aspects}",
            where=f"[source] {settings.source.path}",
            fix="Bring items whose posts carry their gold aspects, set target = 'lamp-qa', or raise"
            " max_tokens.",
        )
    data = TrainingData(
        source=source.hash,
        items=len(rows),
        users=len(users),
        refused=dict(sorted(refused.items())),
        aspects=aspects,
        dropped=dict(sorted(dropped.items())),
        shortened=shortened,
        tokens=sum(len(row.prompt) + len(row.completion) for row in rows),
        learned=sum(len(row.completion) for row in rows),
    )
    return rows, data


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in sorted(counts.items()))
