"""Completions: a policy writes the body of each item's question, and scorers pick a text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

from pairwright import assets
from pairwright.errors import InputError
from pairwright.evaluation.completions import (
    NONE,
    BodyWriter,
    Completions,
    CompletionTask,
    ItemCompletions,
    Picks,
    completion_conditions,
    completions_page,
    figures,
    own,
    pick,
    task,
)
from pairwright.evaluation.content import Asker, Strangers
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.settings import Scorers
from pairwright.notebook import run_async
from pairwright.options import Doc, ItemLimit, OutPath
from pairwright.settings.domains import Domains
from pairwright.settings.prompt_variables import COMPLETING
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems, read_whole
from pairwright.text import word_count
from pairwright.workflows.best_samples import check_pointwise
from pairwright.workflows.output import write_page
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scorers import pointwise
from pairwright.workflows.scoring import ScorerSession, open_session, policy_of, scorer_settings


class WritingTasks(NamedTuple):
    """The tasks of a source, and what was refused."""

    source: SourceItems
    refused: dict[str, int]
    """Items that cannot be asked, by reason."""
    tasks: tuple[CompletionTask, ...]


def writing_tasks(rules: SourceRules, seed: int, limit: int | None) -> WritingTasks:
    """Read a source. Raises SourceError, and InputError where no item of it gives a task."""
    source = read_whole(rules, Domains.load(assets.RUBRICS), Path.cwd())
    askers = [
        Asker(
            item=item.id,
            user=item.user,
            twin=False,
            domain=item.domain,
            category=item.category,
            question=item.question,
            created=item.created,
            posts=item.profile,
        )
        for item in source.items
    ]
    strangers = Strangers(askers, seed)
    tasks_or_reasons = [
        task(item, strangers.instead_of(asker))
        for item, asker in zip(source.items, askers, strict=True)
    ]
    refused = Counter(one for one in tasks_or_reasons if isinstance(one, str))
    tasks = tuple(one for one in tasks_or_reasons if isinstance(one, CompletionTask))[:limit]
    if not tasks:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(refused.items()))
        raise InputError(
            f"no item can be asked: {reasons}",
            where=rules.path,
            fix="Name items whose `narrative` is the body that their user wrote, of two users or"
            " more in a category.",
        )
    return WritingTasks(source, dict(sorted(refused.items())), tasks)


KS = (1, 4, 16)
"""Posts in context, where nothing is said."""
DRAWS = 8
"""Texts that scorers pick from, where nothing is said."""


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """What a completions benchmark wrote."""

    summary: Completions
    """Mean ROUGE-1 and ROUGE-L of each condition, from 0 to 1, and their differences, with 95 %
    intervals by user."""
    completions: tuple[ItemCompletions, ...]
    picks: tuple[Picks, ...]


def completions(
    source: Annotated[str, Doc("A file of items, or a Hugging Face id.", "SOURCE")],
    scorers: Annotated[
        str | Path | Scorers,
        Doc("Its [policy], endpoints and scorers.", "FILE.toml", name="--scorers"),
    ],
    out: OutPath,
    *,
    config: Annotated[str | None, Doc("Configuration of a Hugging Face dataset.", "NAME")] = None,
    split: Annotated[str, Doc("Split of a Hugging Face dataset.", "NAME")] = "test",
    names: Annotated[
        Iterable[str],
        Doc("A scorer that picks the best of N; again for more.", "NAME", name="--scorer"),
    ] = (),
    ks: Annotated[
        Iterable[int],
        Doc("Posts in context; again for more.", "K", name="-k", least=1),
    ] = KS,
    n: Annotated[
        int | None,
        Doc("Texts to pick from [8 with --scorer, else 1].", name="-n", least=1, most=1000),
    ] = None,
    limit: ItemLimit = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> CompletionResult:
    """Have a policy write the body of each item's question as its user would, given the title.

    `source` is a file of items, or a Hugging Face dataset with its `config` and `split`;
    `scorers` has the table [policy] and the scorers of `names`, which pick the
    best of `n` texts. `ks` are the numbers of posts in context. Texts are compared with what the
    user wrote by ROUGE: this measures imitation, and is not evidence about answers. `out` gets
    completions.json, .md, .html and .jsonl, picks.jsonl and `calls.sqlite`: what is stored there is
    not asked again.

    Raises SourceError, InputError, ConfigError, EndpointRefused, Interrupted and StoreError.

        >>> completions("histories.jsonl", "scorers.toml", "completions", limit=20).summary.counted
        20
    """
    settings, folder, names = scorer_settings(scorers), Path(out), tuple(dict.fromkeys(names))
    rules = SourceRules(path=source, config=config, split=split)
    task = _WritingTask(
        Path(source).name if Path(source).exists() else source,
        writing_tasks(rules, settings.scorers.seed, limit),
        tuple(sorted(set(ks))),
        n or (DRAWS if names else 1),
        names,
        limit,
    )
    with open_session(settings, folder, progress, stop) as session:
        done = run_async(_write_and_score(task, session))
    report = completions_page(done.summary)
    lines = {"completions.jsonl": done.completions, "picks.jsonl": done.picks}
    write_page(folder, "completions", report, done.summary, lines)
    return done


class _WritingTask(NamedTuple):
    name: str
    """The source's."""
    writing: WritingTasks
    ks: tuple[int, ...]
    n: int
    """Texts that are written with the most posts in context; one is in the other conditions."""
    scorers: tuple[str, ...]
    limit: int | None

    @property
    def most(self) -> str:
        """The name of the condition with the most posts."""
        return own(max(self.ks))


async def _write_and_score(task: _WritingTask, session: ScorerSession) -> CompletionResult:
    policy = policy_of(session.settings, task.n)
    await check_pointwise(session, task.scorers)
    draws = [
        (one, task.n if one.name == task.most else 1) for one in completion_conditions(task.ks)
    ]
    async with session.policy(tuple(sorted(COMPLETING))) as opened:
        writer = BodyWriter(opened.model, session.prompts, policy.history, policy.words)
        pieces = [(one, *drawn) for one in task.writing.tasks for drawn in draws]
        written = await session.calls.each(
            "texts written",
            pieces,
            lambda piece: writer.completions(*piece),
            workers=opened.workers,
            stop=opened.stop,
        )
    picks, refs = list[Picks](), list[ScorerRef]()
    for name in task.scorers:
        ref, of_scorer = await _score(task, session, name, written)
        refs.append(ref)
        picks += of_scorer
    scores = figures(written, picks, task.ks, task.n)
    writing, counted = task.writing, set(scores.counted)
    first_without_posts = {
        one.item: one.texts[0] for one in written if one.condition == NONE and one.texts
    }
    truths = [word_count(one.body) for one in writing.tasks if one.item.id in counted]
    summary = Completions(
        source=task.name,
        source_hash=writing.source.hash,
        limit=task.limit,
        policy=opened.ref,
        words=policy.words,
        n=task.n,
        scorers=tuple(refs),
        simulated=session.calls.any_simulated({opened.ref.model, *(one.model for one in refs)}),
        seed=session.settings.seed,
        items=len(writing.source.items),
        source_problems=writing.source.refused,
        refused=writing.refused,
        asked=len(writing.tasks),
        counted=len(counted),
        unscored=scores.unscored,
        shortened=sum(one.left_out > 0 for one in written),
        unchanged=sum(
            one.texts[0] == first_without_posts.get(one.item)
            for one in written
            if one.condition == task.most and one.texts
        ),
        truth_words=round(sum(truths) / len(truths), 1) if truths else 0.0,
        means=scores.means,
        differences=scores.differences,
    )
    return CompletionResult(summary, tuple(written), tuple(picks))


async def _score(
    task: _WritingTask, session: ScorerSession, name: str, completions: Sequence[ItemCompletions]
) -> tuple[ScorerRef, list[Picks]]:
    written = [one for one in completions if one.condition == task.most and not one.unscored]
    items = {one.item.id: one.item for one in task.writing.tasks}
    # The items are of a source, which no study is about.
    history = session.settings.history.rules(None)
    # One at a time: a model in this process fills the memory there is.
    async with session.scorer(name) as opened:
        scorer = pointwise(name, opened.scorer)
        picks = await session.calls.each(
            f"scored by {name}",
            written,
            lambda one: pick(one, items[one.item], name, scorer, history),
            workers=max(1, opened.workers // task.n),
            stop=opened.stop,
        )
    return opened.ref, picks
