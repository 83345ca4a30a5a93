"""Scoring n-lets: one response and k users, of whom a scorer is to pick the right one."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pairwright.dataset import write_lines
from pairwright.errors import InputError
from pairwright.evaluate.content import partners_of
from pairwright.evaluate.n_lets import (
    KnownChoices,
    NLetLine,
    NLetScores,
    NLetSources,
    n_let_figures,
    score_n_let,
)
from pairwright.evaluate.n_lets.figures import ScorerNLets
from pairwright.evaluate.n_lets.report_page import n_let_page
from pairwright.evaluate.release import Release
from pairwright.evaluate.scorers.baselines import BASELINES, MANNER
from pairwright.evaluate.scorers.scorer_protocols import Pointwise
from pairwright.evaluate.settings import Scorers
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.models.run import work_through
from pairwright.notebook import run_async
from pairwright.workflows.output import write_report
from pairwright.workflows.progress import Progress, Stop, log_notes
from pairwright.workflows.scorers import OpenScorer
from pairwright.workflows.scoring import ScorerSession, open_session, scorer_settings

LEAST_USERS = 2
"""The fewest users of an n-let: the one whom the response is for, and another."""


@dataclass(frozen=True, slots=True)
class NLetResult:
    """The scored n-lets of a release, as they were written."""

    folder: Path
    """It holds n_lets.html, .md and .json, and SCORER.jsonl with a line for each pair."""
    scores: NLetScores
    lines: dict[str, tuple[NLetLine, ...]]
    """By scorer."""


def score_n_lets(
    release: str | Path,
    scorers: str | Path | Scorers | None,
    out: str | Path,
    *,
    users: int = 5,
    names: Iterable[str] | None = None,
    split: str | None = None,
    limit: int | None = None,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> NLetResult:
    """Score each response of a release for its user and for others: is the right user of k picked?

    `users` is k, `names` are scorers that score one response (the baselines); `split` and `limit`
    select the pairs. `out` gets the page and `calls.sqlite`; a call that is stored there is not
    sent again.

    Raises InputError, ConfigError, EndpointRefused, Interrupted and StoreError.

        >>> done = score_n_lets("releases/1.0.0", None, "n-lets", names=["overlap"])
        >>> done.scores.scorers[0].figures[0].chosen.value
        0.31
    """
    if users < LEAST_USERS:
        raise InputError(
            f"{users} users are too few", where="--users", fix=f"Give {LEAST_USERS} or more."
        )
    settings, folder = scorer_settings(scorers), Path(out)
    pairs = Release(Path(release), split)
    with open_session(settings, folder, progress, stop) as session:
        sources = NLetSources(
            users,
            settings.scorers.history.rules(pairs.study_posts),
            Strangers(map(asker_of, pairs.rows()), settings.scorers.seed),
            partners_of(pairs.rows()),
            KnownChoices(pairs.rows()),
        )
        baselines = [name for name in BASELINES if name not in MANNER]
        wanted = dict.fromkeys(baselines if names is None else names)
        found = run_async(_score_scorers(wanted, pairs, limit, sources, session))
    scores = NLetScores(
        release=pairs.ref,
        users=users,
        seed=settings.scorers.seed,
        limit=limit,
        split=split,
        scorers=tuple(one for one, _ in found),
    )
    by_name = {one.scorer.name: own for one, own in found}
    for name, own in by_name.items():
        write_lines(folder / f"{name}.jsonl", own)
    write_report(folder, "n_lets", n_let_page(scores), scores)
    return NLetResult(folder, scores, by_name)


async def _score_scorers(
    names: Iterable[str],
    pairs: Release,
    limit: int | None,
    sources: NLetSources,
    session: ScorerSession,
) -> list[tuple[ScorerNLets, tuple[NLetLine, ...]]]:
    found = []
    for name in names:
        # One at a time: a model in this process fills the memory there is.
        async with session.scorer(name) as opened:
            lines = await _score_rows(opened, pairs, limit, sources, session)
            one = ScorerNLets(
                scorer=opened.ref,
                simulated=session.calls.any_simulated({opened.ref.model, opened.ref.beside}),
                figures=tuple(n_let_figures(lines)),
            )
            found.append((one, lines))
    return found


async def _score_rows(
    opened: OpenScorer,
    pairs: Release,
    limit: int | None,
    sources: NLetSources,
    session: ScorerSession,
) -> tuple[NLetLine, ...]:
    scorer = opened.scorer
    if not isinstance(scorer, Pointwise):
        raise InputError(
            f"{opened.ref.name} does not score one response: it compares two, or has scores of a"
            " file",
            where="--scorer",
            fix="Name a scorer of another kind: n-lets hold one response against several users.",
        )
    rows = list(pairs.rows(limit))
    lines: dict[str, NLetLine] = {}
    with session.calls.step(f"{opened.ref.name}, n-lets", len(rows), opened.stop) as count:

        async def work(place: int) -> None:
            row = rows[place]
            lines[row.id] = await score_n_let(row, scorer, sources)
            count()

        await work_through(iter(range(len(rows))), work, workers=opened.workers, stop=opened.stop)
    return tuple(lines[row.id] for row in rows)
