"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): given a question's title and earlier
posts of the person who asks it, a model writes the question's body, and is held to what they really
wrote. It measures imitation of a user's writing, and is not evidence about answers.

Texts are compared by ROUGE-1 and ROUGE-L (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
Summaries", sections 2 and 3.1), as F-measures without stemming. Of texts in ASCII they are those of
the package rouge-score 0.1.2, which drops every other letter; here letters of all scripts count,
cut as `words` are. (It was last released in 2022, and asks for NLTK for a stemmer that is off by
default.)
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from pairwright import text
from pairwright.errors import CallFailed
from pairwright.evaluation.policy_samples import SampledPolicy, scores_of
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, Unscored, failed_call
from pairwright.pages import Page, render_page
from pairwright.pages.plots import BLUE, ORANGE, Dot, Plot, draw_dots
from pairwright.records import Item, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules
from pairwright.stats import Estimate, Floats, mean_by_user

Refusal = Literal["empty_body", "body_in_posts", "body_in_title", "no_other_profile"]
NONE = "none"
WRONG = "wrong-profile"
CEILING = "rouge-1"
"""The scorer of the ceiling: who picks by what is measured."""


CompletionTask = tuple[Item, tuple[Post, ...]]
"""An item whose body is to be written, which is its narrative, and another user's posts, oldest
first."""


def task(item: Item, other: tuple[Post, ...] | None) -> CompletionTask | Refusal:
    """The task of an item, or why there is none; `other` are the posts of another user."""
    body = item.narrative or ""
    if not text.words(body):
        return "empty_body"
    plain = text.normalised(body)
    if plain in text.normalised(item.question):
        return "body_in_title"
    shown = (*item.profile, *(other or ()))
    if any(
        plain in text.normalised(post.text) or text.near_duplicate(body, post.text)
        for post in shown
    ):
        return "body_in_posts"
    if not other:
        return "no_other_profile"
    return item, other


class CompletionCondition(NamedTuple):
    """A name, whose posts, and how many at most."""

    name: str
    posts: int

    def shown(self, task: CompletionTask, history: HistoryRules) -> tuple[Post, ...]:
        """The posts, oldest first: those ranked best for the question."""
        item, other = task
        if self.name == NONE:
            return ()
        own = selected(item.question, item.profile, history, most=self.posts)
        if self.name != WRONG:
            return own
        # As many as the user's own, so that only their writer differs.
        return selected(item.question, other, history, most=len(own))


def own(k: int) -> str:
    """The name of k own posts in context."""
    return f"posts-{k}"


def best(n: int, scorer: str) -> str:
    """The name of a scorer's pick."""
    return f"best-of-{n}-by-{scorer}"


def completion_conditions(ks: Sequence[int]) -> tuple[CompletionCondition, ...]:
    """Without posts, with another user's, and with k of the user's own, fewest first."""
    shown = tuple(CompletionCondition(own(k), k) for k in sorted(set(ks)))
    return (CompletionCondition(NONE, 0), CompletionCondition(WRONG, max(ks)), *shown)


def pairs(ks: Sequence[int], reranked: Sequence[str]) -> list[tuple[str, str]]:
    """Which conditions are compared: every one with posts against none, the user's own against
    another's, and every pick against its draws unpicked."""
    names = [own(k) for k in sorted(set(ks))]
    most = names[-1]
    against_none = [(name, NONE) for name in (WRONG, *names)]
    return [*against_none, (most, WRONG), *((name, most) for name in reranked)]


def rouge(written: str, truth: str) -> tuple[float, float]:
    """ROUGE-1 and ROUGE-L, from 0 to 1, of a text and what was really written; 0 where either has
    no word."""
    a, b = (" ".join(text.words(one)).replace("'", " ").split() for one in (written, truth))

    def f(shared: int) -> float:
        # The harmonic mean of precision and recall.
        return 2 * shared / (len(a) + len(b)) if shared else 0.0

    return f((Counter(a) & Counter(b)).total()), f(common_subsequence(a, b))


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    All of a row of the table at once, a bit a word: Hyyrö 2004, "Bit-parallel LCS-length
    computation revisited".
    """
    places: dict[str, int] = {}
    for place, word in enumerate(a):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(a)) - 1
    row = whole
    for word in b:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & whole
    return len(a) - row.bit_count()


class ItemCompletions(Record):
    """What was written for one item in one condition."""

    item: str
    user: str
    condition: str
    posts: int = 0
    """Posts that were shown."""
    left_out: int = 0
    """Posts that did not fit."""
    texts: tuple[str, ...] = ()
    """In the order of the draws."""
    rouge_1: tuple[float, ...] = ()
    rouge_l: tuple[float, ...] = ()
    unscored: str = ""
    """Why there is none; empty where there is."""
    detail: str = ""

    def mean_of(self, draws: Sequence[int]) -> Floats:
        """ROUGE-1, ROUGE-L, posts shown and words, shape (4,), as means of these draws."""
        words = [text.word_count(self.texts[draw]) for draw in draws]
        rouges = ([of[draw] for draw in draws] for of in (self.rouge_1, self.rouge_l))
        return np.array([*map(np.mean, rouges), self.posts, np.mean(words)], np.float64)


async def completions(
    task: CompletionTask, condition: CompletionCondition, n: int, policy: SampledPolicy
) -> ItemCompletions:
    """So many draws of one task in one condition, held to what the user wrote."""
    item, _ = task
    line = ItemCompletions(item=item.id, user=item.user, condition=condition.name)
    posts = condition.shown(task, policy.history)
    history = policy.history.model_copy(update={"posts": max(1, condition.posts)})
    try:
        drawn = await policy._replace(history=history).draw(n, "complete", item.question, posts)
    except CallFailed as error:
        drawn = failed_call(error)
    if isinstance(drawn, Unscored):
        return line.model_copy(update=drawn.fields)
    texts, shown = drawn
    scores = [rouge(one, item.narrative or "") for one in texts]
    return line.model_copy(
        update={
            "posts": shown,
            "left_out": len(posts) - shown,
            "texts": texts,
            "rouge_1": tuple(round(one, 6) for one, _ in scores),
            "rouge_l": tuple(round(longest, 6) for _, longest in scores),
        }
    )


class Picks(Record):
    """What a scorer says of one item's draws."""

    item: str
    scorer: str
    scores: tuple[float, ...] = ()
    """In the order of the draws."""
    unscored: str = ""
    detail: str = ""


async def pick(
    written: ItemCompletions, item: Item, name: str, scorer: Pointwise, history: HistoryRules
) -> Picks:
    """The scores of one item's draws by the scorer of this name; `history` is what it is shown."""
    shown = PromptContent(item.question, selected(item.question, item.profile, history))
    try:
        scores, _ = await scores_of(written.texts, shown, scorer, history)
    except CallFailed as error:
        scores = failed_call(error)
    found = scores.fields if isinstance(scores, Unscored) else {"scores": scores}
    return Picks(item=item.id, scorer=name).model_copy(update=found)


class ConditionMean(Record):
    """One condition over the items that count."""

    condition: str
    posts: float
    """Mean of the posts that were shown."""
    words: float
    """Mean of the words that were written, or picked."""
    rouge_1: Estimate
    rouge_l: Estimate


class CompletionDifference(Record):
    """One condition less another, item by item."""

    first: str
    second: str
    rouge_1: Estimate
    rouge_l: Estimate


class Completions(Record):
    """All of it."""

    source: str
    """The source's file name, or its id on the Hub."""
    source_hash: str
    limit: int | None
    policy: ScorerRef
    words: int
    """Most words, as the prompt says."""
    n: int
    """Draws that scorers pick from."""
    scorers: tuple[ScorerRef, ...]
    items: int
    """The number of items that the source has."""
    source_problems: dict[str, int]
    """Rows and posts of it that were refused, by reason."""
    refused: dict[str, int]
    """Items that cannot be asked, by reason."""
    asked: int
    counted: int
    """Items with a text and a score in every condition."""
    unscored: dict[str, int]
    """Items without, by condition and reason."""
    shortened: int
    """Texts that were written with fewer posts than chosen, for want of room."""
    means: tuple[ConditionMean, ...]
    differences: tuple[CompletionDifference, ...]


class Figures(NamedTuple):
    """What is found."""

    counted: tuple[str, ...]
    """Items with a value in every condition."""
    unscored: dict[str, int]
    means: tuple[ConditionMean, ...] = ()
    differences: tuple[CompletionDifference, ...] = ()


def figures(
    completions: Sequence[ItemCompletions], picks: Sequence[Picks], ks: Sequence[int], n: int
) -> Figures:
    """All of them. Nothing where no item counts."""
    users = {completion.item: completion.user for completion in completions}
    by_condition: dict[str, dict[str, Floats]] = {}
    sampled: dict[str, ItemCompletions] = {}
    unscored: Counter[str] = Counter()
    for completion in completions:
        values = by_condition.setdefault(completion.condition, {})
        if completion.unscored:
            unscored[f"{completion.condition}: {completion.unscored}"] += 1
            continue
        values[completion.item] = completion.mean_of(range(len(completion.texts)))
        if completion.condition == own(max(ks)):
            sampled[completion.item] = completion
    ceiling = [
        Picks(item=item, scorer=CEILING, scores=one.rouge_1) for item, one in sampled.items()
    ]
    reranked: dict[str, dict[str, Floats]] = {}
    for pick in (*picks, *(ceiling if n > 1 else ())):
        name = best(n, pick.scorer)
        values = reranked.setdefault(name, {})
        if pick.unscored:
            unscored[f"{name}: {pick.unscored}"] += pick.item in sampled
        elif pick.item in sampled:
            values[pick.item] = sampled[pick.item].mean_of(picked(pick.scores))
    by_condition |= reranked
    reasons = {reason: items for reason, items in sorted(unscored.items()) if items}
    counted = tuple(
        item for item in users if all(item in values for values in by_condition.values())
    )
    if not counted:
        return Figures((), reasons)
    by_item = [users[item] for item in counted]
    points = {
        name: np.array([values[item] for item in counted]) for name, values in by_condition.items()
    }
    means = tuple(_mean(name, values, by_item) for name, values in points.items())
    differences = tuple(
        CompletionDifference(
            first=first, second=second, **_rouges(points[first] - points[second], by_item, least=-1)
        )
        for first, second in pairs(ks, list(reranked))
    )
    return Figures(counted, reasons, means, differences)


def picked(scores: Sequence[float]) -> tuple[int, ...]:
    """The draws with the highest score; those that tie are picked equally often."""
    return tuple(draw for draw, score in enumerate(scores) if score == max(scores))


def _mean(name: str, values: Floats, users: Sequence[str]) -> ConditionMean:
    posts, words = values[:, 2:].mean(axis=0)
    return ConditionMean(
        condition=name,
        posts=round(float(posts), 3),
        words=round(float(words), 1),
        **_rouges(values, users),
    )


def _rouges(values: Floats, users: Sequence[str], least: float = 0.0) -> dict[str, Estimate]:
    """Means of the first two columns, by the names of their fields."""
    intervals = {}
    for name, column in zip(("rouge_1", "rouge_l"), values.T[:2], strict=True):
        interval = mean_by_user(list(zip(users, column.tolist(), strict=True)), least)
        assert interval, "some items count"
        intervals[name] = interval
    return intervals


def completions_page(result: Completions, *, drawn: bool = True) -> Page:
    """The whole report of a completions benchmark; a terminal does without the drawing."""
    plots = {"rouge": _rouge_plot(result)} if result.means and drawn else {}
    return render_page("completions", plots, result=result, ceiling=CEILING)


def _rouge_plot(result: Completions) -> Plot:
    dots = [
        Dot(text.visible(mean.condition)[:40], estimate, colour, marker, name)
        for mean in result.means
        for name, estimate, colour, marker in (
            ("ROUGE-1", mean.rouge_1, BLUE, "o"),
            ("ROUGE-L", mean.rouge_l, ORANGE, "s"),
        )
    ]
    caption = (
        "ROUGE with 95 % intervals by user in each condition. The dashed line is ROUGE-1 of the"
        " model without posts."
    )
    without = result.means[0].rouge_1.value
    return draw_dots(dots, unit="ROUGE, %", reference=without, caption=caption, name="rouge")
