"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): `downstream completions`.

Given a question's title and earlier posts of the person who asks it, a model writes the question's
body, which is compared with what they really wrote. It measures imitation of a user's writing, and
is not evidence about answers.

Texts are compared by ROUGE-1 and ROUGE-L (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
Summaries", sections 2 and 3.1), as F-measures without stemming. For texts in ASCII they equal those
of the package rouge-score 0.1.2, which drops every other letter; here letters of all scripts count.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from typer import Argument, Option

from pairwright import assets, text
from pairwright.errors import InputError
from pairwright.evaluation.conditions import Strangers
from pairwright.evaluation.outputs import SampledPolicy, SampleScores, score_samples
from pairwright.evaluation.scorers.scorer import Pointwise, ScorerRef, Unscored, reasons
from pairwright.evaluation.session import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)
from pairwright.evaluation.settings import Policy
from pairwright.notebook import run_async
from pairwright.options import ItemLimit, OutPath
from pairwright.pages import Page, render_page
from pairwright.pages.output import output_folder, write_page
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Item, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.sources import read_whole
from pairwright.stats import Estimate, mean_by_user

Refusal = Literal["empty_body", "body_in_posts", "body_in_title", "no_other_profile"]
NONE, WRONG = "none", "wrong-profile"
KS = (1, 4, 16)
"""Posts in context by default."""
DRAWS = 8
"""Texts that scorers pick from."""
VALUES = ["rouge_1", "rouge_l", "posts", "words"]
CompletionTask = tuple[Item, tuple[Post, ...]]
"""An item whose narrative is to be written, and another user's posts, oldest first."""


def task(item: Item, other: tuple[Post, ...] | None) -> CompletionTask | Refusal:
    """Make the task of an item, or say why there is none; `other` are another user's posts."""
    body = item.narrative or ""
    if not text.words(body):
        return "empty_body"
    plain = text.normalised(body)
    if plain in text.normalised(item.question):
        return "body_in_title"
    for post in (*item.profile, *(other or ())):
        if plain in text.normalised(post.text) or text.near_duplicate(body, post.text):
            return "body_in_posts"
    return (item, other) if other else "no_other_profile"


def shown_posts(
    task: CompletionTask, condition: str, most: int, history: HistoryRules
) -> tuple[Post, ...]:
    """The posts that a condition shows, oldest first: at most so many, ranked best for the
    question."""
    item, other = task
    own = selected(item.question, item.profile, history, most=most) if condition != NONE else ()
    # As many as the user's own, so that only their writer differs.
    return selected(item.question, other, history, most=len(own)) if condition == WRONG else own


def conditions_of(ks: Sequence[int]) -> dict[str, int]:
    """The most posts by condition: none, another user's, and k of the user's own, fewest first."""
    return {NONE: 0, WRONG: max(ks), **{f"posts-{k}": k for k in sorted(set(ks))}}


def compared(ks: Sequence[int], picks: Iterable[str]) -> list[tuple[str, str]]:
    """Which conditions are compared: every one with posts against none, the user's own against
    another's, and every pick against its draws unpicked."""
    names = [f"posts-{k}" for k in sorted(set(ks))]
    most = names[-1]
    return [*((one, NONE) for one in (WRONG, *names)), (most, WRONG), *((p, most) for p in picks)]


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
    """A line of completions.jsonl: what was written for one item in one condition."""

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


async def write_completions(
    task: CompletionTask, condition: str, most: int, n: int, policy: SampledPolicy
) -> ItemCompletions:
    """Draw n texts of one task in one condition, and compare them with what the user wrote."""
    item, _ = task
    posts = shown_posts(task, condition, most, policy.history)
    fields = policy.history.model_dump() | {"posts": max(1, most)}
    sampled = SampledPolicy(policy.model, policy.prompts, HistoryRules(**fields), policy.words)
    drawn = await sampled.draw(n, "complete", item.question, posts)
    if isinstance(drawn, Unscored):
        return ItemCompletions(item=item.id, user=item.user, condition=condition, **drawn.fields)
    texts, shown = drawn
    scores = [rouge(one, item.narrative or "") for one in texts]
    return ItemCompletions(
        item=item.id,
        user=item.user,
        condition=condition,
        posts=shown,
        left_out=len(posts) - shown,
        texts=texts,
        rouge_1=tuple(round(one, 6) for one, _ in scores),
        rouge_l=tuple(round(longest, 6) for _, longest in scores),
    )


class ConditionMean(Record):
    """One condition over the items that count, or one less another, item by item."""

    condition: str
    posts: float
    """Mean of the posts that were shown."""
    words: float
    """Mean of the words that were written, or picked."""
    rouge_1: Estimate
    rouge_l: Estimate


class CompletionFigures(NamedTuple):
    """What is found."""

    counted: int
    """Items with a value in every condition."""
    unscored: dict[str, int]
    """Items without, by condition and reason."""
    means: tuple[ConditionMean, ...] = ()
    differences: Mapping[str, ConditionMean] = {}
    """By `FIRST less SECOND`."""


class Completions(Record):
    """The whole result of a completions benchmark."""

    source: str
    """The source's file name, or its id on the Hub."""
    source_hash: str
    policy: ScorerRef
    n: int
    """Draws that scorers pick from."""
    most: int
    """The most posts in context."""
    scorers: tuple[ScorerRef, ...]
    refused: dict[str, int]
    """Items that cannot be asked, by reason."""
    asked: int
    shortened: int
    """Texts that were written with fewer posts than chosen, for want of room."""
    counted: int
    unscored: dict[str, int]
    means: tuple[ConditionMean, ...]
    differences: dict[str, ConditionMean]


def figures(
    written: Sequence[ItemCompletions], picks: Sequence[SampleScores], ks: Sequence[int], n: int
) -> CompletionFigures:
    """Means by condition over the items that have all of them, and the differences."""
    most = f"posts-{max(ks)}"
    drawn = {one.item: one for one in written if one.condition == most and not one.unscored}
    reranked = {one.scorer: f"best-of-{n}-by-{one.scorer}" for one in picks}
    rows = [
        (one.condition, one.item, *_values(one, range(len(one.texts))))
        for one in written
        if not one.unscored
    ]
    rows += [
        (reranked[one.scorer], one.question, *_values(drawn[one.question], picked(one.scores)))
        for one in picks
        if one.question in drawn and not one.unscored
    ]
    missing = [f"{one.condition}: {one.unscored}" for one in written if one.unscored]
    missing += [
        f"{reranked[one.scorer]}: {one.unscored}"
        for one in picks
        if one.question in drawn and one.unscored
    ]
    names = [*dict.fromkeys(one.condition for one in written), *reranked.values()]
    table = pd.DataFrame(rows, columns=["condition", "item", *VALUES])
    whole = table.groupby("item").condition.transform("nunique") == len(names)
    counted = table[whole].set_index("item")
    if counted.empty:
        return CompletionFigures(0, reasons(missing))
    users = {one.item: one.user for one in written}
    points = {name: counted[counted.condition == name].drop(columns="condition") for name in names}
    differences = {
        f"{a} less {b}": _mean(f"{a} less {b}", points[a] - points[b], users, least=-1)
        for a, b in compared(ks, reranked.values())
    }
    means = tuple(_mean(name, of, users) for name, of in points.items())
    return CompletionFigures(len(points[NONE]), reasons(missing), means, differences)


def picked(scores: Sequence[float]) -> tuple[int, ...]:
    """The draws with the highest score; those that tie are picked equally often."""
    return tuple(draw for draw, score in enumerate(scores) if score == max(scores))


def _values(line: ItemCompletions, draws: Iterable[int]) -> tuple[float, ...]:
    """The means of these draws, by VALUES."""
    of = [(line.rouge_1[n], line.rouge_l[n], text.word_count(line.texts[n])) for n in draws]
    rouge_1, rouge_l, words = np.mean(of, axis=0)
    return (rouge_1, rouge_l, line.posts, words)


def _mean(
    name: str, values: pd.DataFrame, users: Mapping[str, str], least: float = 0.0
) -> ConditionMean:
    found = {
        column: mean_by_user([(users[str(k)], v) for k, v in values[column].items()], least)
        for column in ("rouge_1", "rouge_l")
    }
    return ConditionMean.model_validate(
        {"condition": name, **values[["posts", "words"]].mean().round(2).to_dict(), **found}
    )


def completions_page(result: Completions) -> Page:
    """The whole report of a completions benchmark."""
    return render_page("completions", result=result)


def completions(
    source: Annotated[str, Argument(help="Items: a file or Hugging Face id.", metavar="SOURCE")],
    scorers: ScorersFile,
    out: OutPath,
    *,
    config: Annotated[str | None, Option(help="Configuration of a Hugging Face dataset.")] = None,
    split: Annotated[str, Option(help="Split of a Hugging Face dataset.", metavar="NAME")] = "test",
    names: Annotated[
        Iterable[str], Option("--scorer", help="A scorer that picks; repeatable.", metavar="NAME")
    ] = (),
    ks: Annotated[
        Iterable[int], Option("-k", help="Posts in context; repeatable.", metavar="NAME", min=1)
    ] = KS,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> Completions:
    """Have a policy write the body of each item's question as its user would, given the title.

    Compared with what the user wrote (`narrative`) by ROUGE-1 and ROUGE-L: without posts, with
    another user's, with K of the user's own in context, and with a scorer's pick of N texts. It
    measures imitation of the user's writing, and is not evidence about answers. Items with an empty
    body, or one that is part of what is shown, are refused and counted. Calls are stored as they
    come: running the same command again goes on. Writes completions.json, .md, .html and .jsonl,
    and picks.jsonl. Exit code 1: fewer items count than 95 %.

    Examples::

        pairwright downstream completions histories.jsonl --scorers scorers.toml --out completions
        pairwright downstream completions histories.jsonl --scorers s.toml --out c -k 1 -k 4
    """
    folder, names = output_folder(out), tuple(dict.fromkeys(names))
    settings, prompts = scorer_settings(scorers)
    rules = SourceRules(path=source, config=config, split=split)
    items = read_whole(rules, Domains.load(assets.RUBRICS), Path.cwd())
    strangers = Strangers(items.items, settings.seed)
    made = [task(item, strangers.instead_of(item)) for item in items.items]
    refused = reasons(one for one in made if isinstance(one, str))
    tasks = tuple(one for one in made if not isinstance(one, str))[:limit]
    if not tasks:
        raise InputError(
            f"no item can be asked: {', '.join(f'{n} {why}' for why, n in refused.items())}",
            where=source,
            fix="Name items whose `narrative` is the body that their user wrote, of two users or"
            " more in a category.",
        )
    ks, n = tuple(sorted(set(ks))), DRAWS if names else 1
    policy = policy_of(settings, n)
    with open_session(settings, prompts, folder, progress, stop) as session:
        written, picks, models = run_async(_write_and_score(session, policy, tasks, ks, n, names))
    summary = Completions(
        source=Path(source).name if Path(source).exists() else source,
        source_hash=items.hash,
        policy=models[0],
        n=n,
        most=max(ks),
        scorers=tuple(models[1:]),
        refused=refused,
        asked=len(tasks),
        shortened=sum(one.left_out > 0 for one in written),
        **figures(written, picks, ks, n)._asdict(),
    )
    lines: dict[str, Sequence[Record]] = {"completions.jsonl": written, "picks.jsonl": picks}
    write_page(folder, "completions", completions_page(summary), summary, lines)
    return summary


async def _write_and_score(
    session: ScorerSession,
    policy: Policy,
    tasks: Sequence[CompletionTask],
    ks: tuple[int, ...],
    n: int,
    names: tuple[str, ...],
) -> tuple[list[ItemCompletions], list[SampleScores], list[ScorerRef]]:
    """What was written and picked, and the policy with the scorers behind it; scorers pick from `n`
    texts with the most posts in context."""
    most = f"posts-{max(ks)}"
    await session.check_pointwise(names)
    async with session.role("policy") as opened:
        sampled = SampledPolicy(opened.model, session.prompts, policy.history, policy.words)
        pieces = [
            (one, condition, posts, n if condition == most else 1)
            for one in tasks
            for condition, posts in conditions_of(ks).items()
        ]
        written = await session.calls.each(
            "texts written",
            pieces,
            lambda piece: write_completions(*piece, sampled),
            workers=opened.workers,
            stop=opened.stop,
        )
    items = {item.id: item for item, _ in tasks}
    # The items are of a source, which no study is about.
    history = session.settings.history.rules(None)

    async def score(one: ItemCompletions, name: str, scorer: Pointwise) -> SampleScores:
        of = items[one.item]
        return await score_samples(of.id, one.texts, of.question, of.profile, name, scorer, history)

    picks, refs = list[SampleScores](), [opened.ref]
    to_pick = [one for one in written if one.condition == most and not one.unscored]
    for name in names:
        ref, of_scorer = await session.score(name, to_pick, score, responses=n)
        refs.append(ref)
        picks += of_scorer
    return written, picks, refs
