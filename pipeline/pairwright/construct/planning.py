"""The plan of a question: whether its asker's posts show a personal signal, and whose do among the
users who could be the partner.

The asker's rubric is inferred here, once: the twin takes it from the plan. The other users whose
plans the rubric is compared with are those who could be the partner, so they cost no further call.
"""

from collections.abc import Iterable

from pairwright import text
from pairwright.construct.candidates import TriedUsers
from pairwright.construct.corpus import Corpus
from pairwright.construct.outcomes import Planned, PossiblePartner
from pairwright.drafting.posts import fair_posts
from pairwright.drafting.rubrics import plans_of, rubric_of, says_nothing
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.modes import MODES
from pairwright.records import Dropped, Item, Post
from pairwright.stages.infer import shows_signal


def may_say_nothing(modes: Iterable[str]) -> bool:
    """Whether one of these modes takes questions on which nothing is known of either user."""
    partnered = (MODES[mode] for mode in modes if MODES[mode].needs_partner)
    return any("signal" not in mode.stages for mode in partnered)


async def plan_question(
    item: Item, tried: TriedUsers, corpus: Corpus, models: Models, rules: BuildRules
) -> Planned:
    """Plan an item's question for its asker, and for the users who could be the partner.

    If the asker's posts show no signal, no other plan is asked for. Raises as the build functions
    do.
    """
    rubric, config = await rubric_of(item, models, rules), rules.config
    if isinstance(rubric, Dropped):
        plain = may_say_nothing(config.modes) and says_nothing(rubric)
        unlike = (PossiblePartner(user, bearing=0) for user in tried.unlike if plain)
        return Planned(rubric=rubric, possible=tuple(unlike))
    posts = tuple(fair_posts(item, corpus.longest_item(user).profile) for user in tried.users)
    plans = await plans_of(item, posts, models, rules)
    suited = [
        PossiblePartner(user, _bearing(item, own, rules))
        for user, own in zip(tried.users[: tried.suited], posts, strict=False)
    ]
    planned = zip(suited, plans, strict=False)
    possible = tuple(user for user, plan in planned if shows_signal(plan, config.planner))
    return Planned(rubric=rubric, possible=possible, unplanned=tuple(suited[len(plans) :]))


def _bearing(item: Item, posts: tuple[Post, ...], rules: BuildRules) -> float:
    language = rules.language(item)
    asks = text.terms(item.question, language)
    held = text.terms_of((post.text for post in posts), language)
    return round(len(asks & held) / max(1, len(asks)), 4)
