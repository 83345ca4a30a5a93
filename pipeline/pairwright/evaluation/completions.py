"""Completions in the manner of Pref-LaMP (arXiv 2512.23067): `downstream completions`.

Given a question's title and earlier posts of the person who asks it, a model writes the question's
body, which is compared with what they really wrote. It measures imitation of a user's writing, and
is not evidence about answers.

Texts are compared by ROUGE-1 and ROUGE-L (Lin 2004, "ROUGE: A Package for Automatic Evaluation of
Summaries", sections 2 and 3.1), as F-measures without stemming. For texts in ASCII they equal those
of the package rouge-score 0.1.2, which drops every other letter; here letters of all scripts count.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from typer import Argument, Option

from pairwright import assets, text
from pairwright.errors import InputError
from pairwright.evaluation.conditions import Strangers
from pairwright.evaluation.downstream import (
    Downstream,
    difference,
    figures_of,
    mean_share,
    part_of,
)
from pairwright.evaluation.sampling import SampledPolicy, Samples, SampleScores, scores_by
from pairwright.evaluation.scorers.scorer import ScorerRef, Unscored, reasons
from pairwright.evaluation.session import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)
from pairwright.notebook import run_async
from pairwright.options import ItemLimit, OutPath
from pairwright.pages.output import output_folder
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Item, Post, Record
from pairwright.retrieve import selected
from pairwright.settings.domains import Domains
from pairwright.settings.rules import HistoryRules, SourceRules
from pairwright.sources import read_whole
from pairwright.text import number_of

Refusal = Literal["empty_body", "body_in_posts", "body_in_title", "no_other_profile"]
NONE, WRONG = "none", "wrong-profile"
KS = (1, 4, 16)
"""Posts in context by default."""
DRAWS = 8
"""Texts that scorers pick from."""
ROUGE = ["ROUGE-1", "ROUGE-L"]
CompletionTask = tuple[Item, tuple[Post, ...]]
"""An item whose narrative is to be written, and another user's posts, oldest first."""
_WARNING = (
    "This measures imitation of a user's writing: how many words a text shares with what the user"
    " wrote. It is not evidence about answers, nor about what the user would like."
)


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
    """The fewest posts that a text was shown; those that did not fit are left out."""
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
    line = {"item": item.id, "user": item.user, "condition": condition}
    posts = shown_posts(task, condition, most, policy.history)
    history = HistoryRules(**policy.history.model_dump() | {"posts": max(1, most)})
    sampled = SampledPolicy(policy.model, policy.prompts, history, policy.words)
    drawn = await sampled.draw(n, "complete", item.question, posts)
    if isinstance(drawn, Unscored):
        return ItemCompletions.model_validate(line | drawn.fields)
    texts, shown = drawn
    scores = [rouge(one, item.narrative or "") for one in texts]
    return ItemCompletions(
        **line,
        posts=shown,
        texts=texts,
        rouge_1=tuple(round(one, 6) for one, _ in scores),
        rouge_l=tuple(round(longest, 6) for _, longest in scores),
    )


def texts_of(
    written: Iterable[ItemCompletions], scored: Iterable[SampleScores], most: str, n: int
) -> pd.DataFrame:
    """A line for each item and condition, with the means of ROUGE over its draws; a scorer's pick
    of the draws with the `most` posts is a condition, too. `reason` says why there are none."""

    def means(of: ItemCompletions, draws: Sequence[int]) -> tuple[float, ...]:
        both = (of.rouge_1, of.rouge_l)
        return tuple(float(np.mean([own[n] for n in draws])) if draws else np.nan for own in both)

    lines, drawn = [], {}
    for one in written:
        found = means(one, range(len(one.texts)))
        lines.append((one.condition, one.item, one.user, *found, one.unscored))
        if one.condition == most:
            drawn[one.item] = one
    for pick in scored:
        of = drawn[pick.question]
        # Those that tie are picked equally often.
        found = means(of, [n for n, s in enumerate(pick.scores) if s == max(pick.scores)])
        name = f"best-of-{n}-by-{pick.scorer}"
        lines.append((name, of.item, of.user, *found, pick.unscored))
    return pd.DataFrame(lines, columns=["condition", "item", "cluster", *ROUGE, "reason"])


def result_of(
    frame: pd.DataFrame,
    ks: Sequence[int],
    models: Sequence[ScorerRef],
    source: str,
    notes: Iterable[str] = (),
) -> Downstream:
    """Means by condition over the items that have all of them, and the differences; `models` are
    the policy and the scorers."""
    names = list(dict.fromkeys(frame.condition))
    whole = frame[frame.reason == ""].groupby("item").condition.nunique() == len(names)
    counted = frame[frame.item.isin(whole.index[whole])]
    clusters = counted.drop_duplicates("item").set_index("item").cluster
    by_name = {name: of.set_index("item")[ROUGE] for name, of in counted.groupby("condition")}
    picks = [name for name in names if name.startswith("best-of-")]
    less = [
        (by_name[a] - by_name[b]).assign(condition=f"{a} less {b}", cluster=clusters)
        for a, b in compared(ks, picks)
        if len(counted)
    ]
    rows, most = ["condition"], f"posts-{max(ks)}"
    figures = figures_of(counted, rows, dict.fromkeys(ROUGE, mean_share))
    if less:
        figures += figures_of(pd.concat(less), rows, dict.fromkeys(ROUGE, difference))
    asked = frame.item.nunique()
    missing = frame[frame.reason != ""]
    why = (missing.condition + ": " + missing.reason).groupby(missing.item).first()
    verdict = "No item has a text and a score in every condition."
    if less:
        first = {one.row[0]: one for one in reversed(figures) if one.column == "ROUGE-1"}
        gain, other = (first[f"{most} less {control}"] for control in (NONE, WRONG))
        verdict = (
            f"The user's own posts ({most}) change ROUGE-1 by {gain} against no posts, and by"
            f" {other} against another user's (n = {gain.n:,} items of {gain.clusters:,} users)."
        )
    return Downstream(
        name="completions",
        title=f"Completions, {source}",
        verdict=verdict,
        heads=("condition",),
        figures=figures,
        models=tuple(models),
        parts=(part_of("items", asked, why),),
        warnings=(_WARNING,),
        notes=(
            "ROUGE-1 and ROUGE-L: F-measures, 0 to 1, with 95 % intervals by user."
            f" Model: {models[0].model}.",
            *notes,
        ),
    )


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
) -> Downstream:
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
    items = read_whole(rules, Domains.load(assets.RUBRICS), Path.cwd()).items
    strangers = Strangers(items, settings.seed)
    made = [task(item, strangers.instead_of(item)) for item in items]
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
    with open_session(settings, prompts, folder, progress, stop) as session:
        models, written, scored = run_async(_write_and_score(session, tasks, ks, n, names))
    notes = [
        f"{number_of(many, 'item was', 'items were')} not asked, {why}."
        for why, many in refused.items()
    ]
    frame = texts_of(written, scored, f"posts-{max(ks)}", n)
    name = Path(source).name if Path(source).exists() else source
    found = result_of(frame, ks, models, name, notes)
    found.write(folder, {"completions.jsonl": written, "picks.jsonl": scored}, {})
    return found


async def _write_and_score(
    session: ScorerSession,
    tasks: Sequence[CompletionTask],
    ks: tuple[int, ...],
    n: int,
    names: tuple[str, ...],
) -> tuple[list[ScorerRef], list[ItemCompletions], list[SampleScores]]:
    """The policy and the scorers, what was written, and the scores; scorers pick from `n` texts
    with the most posts in context."""
    policy, most = policy_of(session.settings, n), f"posts-{max(ks)}"
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
    drawn = [
        Samples(one.item, items[one.item].question, items[one.item].profile, one.texts)
        for one in written
        if one.condition == most and not one.unscored
    ]
    # The items are of a source, which no study is about.
    history = session.settings.history.rules(None)
    refs, scored = await scores_by(session, names, drawn, history)
    return [opened.ref, *refs], written, scored
