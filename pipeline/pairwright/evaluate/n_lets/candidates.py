"""The users of an n-let: whom the response is for, the partner of a twin, and strangers."""

from collections.abc import Mapping
from typing import NamedTuple

from pairwright.dataset import Row
from pairwright.evaluate.content import Posts
from pairwright.evaluate.decision import NO_PROFILE, NO_STRANGER
from pairwright.evaluate.release import posts_of
from pairwright.evaluate.scorers.scorer_protocols import PromptContent, Unscored
from pairwright.evaluate.wrong_profile import Strangers, asker_of
from pairwright.retrieve import selected
from pairwright.settings.rules import HistoryRules


class NLetSources(NamedTuple):
    """What n-lets are made from."""

    users: int
    """In each n-let: k."""
    history: HistoryRules
    strangers: Strangers
    partners: Mapping[str, Posts] = {}
    """By pair, the posts of the other user of its twin."""


def candidates_of(row: Row, sources: NLetSources) -> tuple[PromptContent, ...] | Unscored:
    """What a scorer is shown of each user, of whom the first is the right one.

    The partner of a twin, who asked for the other response, is one of them; all others are users of
    the category with histories of about the same length, older than the question. Of each there are
    as many posts as of the right one, selected for the question by the same rules.
    """
    own = posts_of(row)
    if not own:
        return Unscored(NO_PROFILE)
    partner = sources.partners.get(row.id)
    others = [partner] if partner else []
    wanted = sources.users - 1 - len(others)
    strangers = sources.strangers.several(asker_of(row), wanted)
    if len(strangers) < wanted:
        detail = f"{len(strangers) + len(others)} other users in {row.category!r}"
        return Unscored(NO_STRANGER, f"{detail}, and {sources.users - 1} are needed")
    shown = selected(row.question, own, sources.history)
    as_many = sources.history.model_copy(update={"posts": len(shown)})
    return (
        PromptContent(row.question, shown),
        *(
            PromptContent(row.question, selected(row.question, posts, as_many))
            for posts in (*others, *strangers)
        ),
    )
