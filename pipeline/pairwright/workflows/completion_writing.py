"""Completions: a policy writes the body of each item's question, and scorers pick a text."""

from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from pairwright import assets
from pairwright.errors import InputError
from pairwright.evaluation.completions import (
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
from pairwright.evaluation.completions import completions as write_completions
from pairwright.evaluation.content import Strangers
from pairwright.evaluation.policy_samples import SampledPolicy
from pairwright.evaluation.results import ScorerRef
from pairwright.evaluation.scorers.scorer import Pointwise
from pairwright.evaluation.settings import Policy
from pairwright.notebook import run_async
from pairwright.options import ItemLimit, OutPath
from pairwright.progress import Progress, Stop, log_notes
from pairwright.records import Record
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import COMPLETING
from pairwright.settings.rules import SourceRules
from pairwright.sources import SourceItems, read_whole
from pairwright.workflows.output import output_folder, write_page
from pairwright.workflows.scoring import (
    ScorerSession,
    ScorersFile,
    open_session,
    policy_of,
    scorer_settings,
)

KS = (1, 4, 16)
"""Posts in context, where nothing is said."""
DRAWS = 8
"""Texts that scorers pick from."""


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

    Held to what the user wrote (`narrative`) by ROUGE-1 and ROUGE-L: without posts, with another
    user's, with K of the user's own in context, and with a scorer's pick of N texts. It measures
    imitation of the user's writing, and is not evidence about answers. Items with an empty body, or
    one that is part of what is shown, are refused and counted. Calls are stored as they come:
    running the same command again goes on. Writes completions.json, .md, .html and .jsonl, and
    picks.jsonl. Exit code 1: fewer items count than 95 %.

    Examples::

        pairwright downstream completions histories.jsonl --scorers scorers.toml --out completions
        pairwright downstream completions histories.jsonl --scorers s.toml --out c -k 1 -k 4
    """
    folder, names = output_folder(out), tuple(dict.fromkeys(names))
    settings, prompts = scorer_settings(scorers)
    rules = SourceRules(path=source, config=config, split=split)
    items = read_whole(rules, Domains.load(assets.RUBRICS), Path.cwd())
    tasks, refused = _tasks_of(items, source, settings.seed, limit)
    ks, n = tuple(sorted(set(ks))), DRAWS if names else 1
    policy = policy_of(settings, n)
    with open_session(settings, prompts, folder, progress, stop) as session:
        written, picks, models = run_async(_write_and_score(session, policy, tasks, ks, n, names))
    scores = figures(written, picks, ks, n)
    summary = Completions(
        source=Path(source).name if Path(source).exists() else source,
        source_hash=items.hash,
        limit=limit,
        policy=models[0],
        words=policy.words,
        n=n,
        scorers=tuple(models[1:]),
        items=len(items.items),
        source_problems=items.refused,
        refused=refused,
        asked=len(tasks),
        counted=len(scores.counted),
        unscored=scores.unscored,
        shortened=sum(one.left_out > 0 for one in written),
        means=scores.means,
        differences=scores.differences,
    )
    lines: dict[str, Sequence[Record]] = {"completions.jsonl": written, "picks.jsonl": picks}
    write_page(folder, "completions", completions_page(summary), summary, lines)
    return summary


def _tasks_of(
    source: SourceItems, path: str, seed: int, limit: int | None
) -> tuple[tuple[CompletionTask, ...], dict[str, int]]:
    """The tasks of a source's items, and how many items give none, by reason. Raises InputError
    where no item gives one."""
    strangers = Strangers(source.items, seed)
    tasks_or_reasons = [task(item, strangers.instead_of(item)) for item in source.items]
    refused = Counter(one for one in tasks_or_reasons if isinstance(one, str))
    tasks = tuple(one for one in tasks_or_reasons if not isinstance(one, str))[:limit]
    if not tasks:
        reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(refused.items()))
        raise InputError(
            f"no item can be asked: {reasons}",
            where=path,
            fix="Name items whose `narrative` is the body that their user wrote, of two users or"
            " more in a category.",
        )
    return tasks, dict(sorted(refused.items()))


async def _write_and_score(
    session: ScorerSession,
    policy: Policy,
    tasks: Sequence[CompletionTask],
    ks: tuple[int, ...],
    n: int,
    names: tuple[str, ...],
) -> tuple[list[ItemCompletions], list[Picks], list[ScorerRef]]:
    """What was written and picked, and the policy with the scorers behind it; scorers pick from `n`
    texts with the most posts in context."""
    most = own(max(ks))
    await session.check_pointwise(names)
    draws = [(one, n if one.name == most else 1) for one in completion_conditions(ks)]
    async with session.policy(tuple(sorted(COMPLETING))) as opened:
        sampled = SampledPolicy(opened.model, session.prompts, policy.history, policy.words)
        written = await session.calls.each(
            "texts written",
            [(one, *drawn) for one in tasks for drawn in draws],
            lambda piece: write_completions(*piece, sampled),
            workers=opened.workers,
            stop=opened.stop,
        )
    items = {item.id: item for item, _ in tasks}
    # The items are of a source, which no study is about.
    history = session.settings.history.rules(None)

    def choose(one: ItemCompletions, name: str, scorer: Pointwise) -> Awaitable[Picks]:
        return pick(one, items[one.item], name, scorer, history)

    picks, refs = list[Picks](), [opened.ref]
    to_pick = [one for one in written if one.condition == most and not one.unscored]
    for name in names:
        ref, of_scorer = await session.score(name, to_pick, choose, responses=n)
        refs.append(ref)
        picks += of_scorer
    return written, picks, refs
