"""One n-let: its users, what a scorer is shown of each, and the scores of both responses."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pairwright.dataset import Row
from pairwright.errors import CallFailed
from pairwright.evaluate.content import Posts, ask_fitting
from pairwright.evaluate.decision import NO_PROFILE, NO_STRANGER
from pairwright.evaluate.n_lets.known_choices import KnownChoices
from pairwright.evaluate.release import posts_of
from pairwright.evaluate.scorers.scorer_protocols import (
    Pointwise,
    PromptContent,
    ResponseScore,
    Unscored,
    failed_call,
)
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.models import together
from pairwright.records import Mode, Record
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules


class NLetSources(NamedTuple):
    """What n-lets are made from."""

    users: int
    """The number of users in each n-let: k."""
    history: HistoryRules
    strangers: Strangers
    partners: Mapping[str, Posts] = {}
    """By pair, the posts of the other user of its twin."""
    choices: KnownChoices = KnownChoices()


class NLetCandidates(NamedTuple):
    """The users of an n-let, of whom the first is the right one."""

    shown: tuple[PromptContent, ...]
    strangers: int
    unknown: int
    """Strangers of whom the release does not say whether they took or refused the response."""


def candidates_of(row: Row, sources: NLetSources) -> NLetCandidates | Unscored:
    """What a scorer is shown of each user.

    The partner of a twin, whom the other response is for, is one of them; all others are users of
    the category whose histories are older than the question and about as long. Each is shown with
    as many posts as the right one, selected for the question by the same rules. Of people's own
    choices no stranger is known to have taken the chosen response, and those who are known to have
    refused it come first.
    """
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    partner = sources.partners.get(row.id)
    others = [partner] if partner else []
    wanted = sources.users - 1 - len(others)
    refused = sources.choices.refused_chosen(row)
    strangers = sources.strangers.several(
        asker_of(row), wanted, sources.choices.took_chosen(row), refused
    )
    if len(strangers) < wanted:
        detail = f"{len(strangers) + len(others)} other users in {row.category!r}"
        return Unscored(NO_STRANGER, f"{detail}, and {sources.users - 1} are needed")
    shown = selected(row.question, own, sources.history)
    as_many = sources.history.model_copy(update={"posts": len(shown)})
    every = (*others, *(one.posts for one in strangers))
    return NLetCandidates(
        shown=(
            PromptContent(row.question, shown),
            *(PromptContent(row.question, selected(row.question, one, as_many)) for one in every),
        ),
        strangers=len(strangers),
        unknown=sum(one.user not in refused for one in strangers),
    )


class NLetLine(Record):
    """One pair's n-let. It holds no text of a user."""

    id: str
    """The pair."""
    mode: Mode | None
    cluster: str
    chosen: tuple[float, ...] = ()
    """The scores of the chosen response for each user, of whom the first is the right one; empty
    where one is missing."""
    rejected: tuple[float, ...] = ()
    strangers: int = 0
    """Users of the n-let who are strangers."""
    unknown: int = 0
    """Those of them of whom nothing says whether they took or refused the chosen response."""
    unscored: str = ""
    """Why there are no scores."""
    detail: str = ""


def pick_share(scores: tuple[float, ...]) -> float:
    """1 where the first user has the highest score alone, 1/t where t users have it, else 0."""
    if scores[0] < max(scores):
        return 0.0
    return 1 / scores.count(scores[0])


async def score_n_let(row: Row, scorer: Pointwise, sources: NLetSources) -> NLetLine:
    """Score both responses of a pair for each user of its n-let."""
    line = NLetLine(id=row.id, mode=row.mode, cluster=row.cluster)
    candidates = candidates_of(row, sources)
    if isinstance(candidates, Unscored):
        return _unscored_line(line, candidates)
    counts = {"strangers": candidates.strangers, "unknown": candidates.unknown}
    line = line.model_copy(update=counts)
    scores: dict[str, tuple[float, ...]] = {}
    try:
        for side, response in (("chosen", row.chosen), ("rejected", row.rejected)):
            found = await together(
                *(_score(shown, response, scorer, sources) for shown in candidates.shown)
            )
            if missing := next((one for one in found if isinstance(one, Unscored)), None):
                return _unscored_line(line, missing)
            scores[side] = tuple(one for one in found if isinstance(one, float))
    except CallFailed as error:
        return _unscored_line(line, failed_call(error))
    return line.model_copy(update=scores)


async def _score(
    shown: PromptContent, response: str, scorer: Pointwise, sources: NLetSources
) -> float | Unscored:
    async def ask(fewer: PromptContent) -> ResponseScore | Unscored:
        return await scorer.score(fewer, response)

    answer, _ = await ask_fitting(shown, sources.history, ask)
    if isinstance(answer, Unscored):
        return answer
    if not math.isfinite(answer.value):
        return Unscored("not_a_number", str(answer.value))
    return float(answer.value)


def _unscored_line(line: NLetLine, why: Unscored) -> NLetLine:
    return line.model_copy(update={"unscored": why.reason, "detail": why.detail[:500]})
