"""What a planner is trained on: prompts and targets, each fitted to what the model reads."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

from pairwright.errors import ConfigError
from pairwright.records import Item
from pairwright.retrieve import ranked, selected
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.prompt_variables import Ask, Labelled
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import PromptPosts
from pairwright.stages.planner import MAX_PLANNED
from pairwright.train.planner.training_target import Form, PlanTarget, target

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


Refusal = Literal["empty_target", "too_long"]


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
    reason: Refusal
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


def training_examples(
    items: Iterable[Item], asking: PromptMaker, tokenizer: Tokenizer, most: int
) -> Iterator[TrainingExample | LeftOutItem]:
    """Each item with as many of its best posts as leave prompt and target within `most` tokens."""
    for item in items:
        yield _fitted(item, asking, tokenizer, most)


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


def _fitted(
    item: Item, asking: PromptMaker, tokenizer: Tokenizer, most: int
) -> TrainingExample | LeftOutItem:
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
