"""Mode violate: a response that meets the user's rubric against one that does not, as in the paper.

Aspect words and completeness can give the rejected side away without the profile, so these pairs
are expected to fail a shortcut audit; twins are not.
"""

from functools import partial

from pairwright.models import Models
from pairwright.modes.drawing import Drawing
from pairwright.modes.mode import Mode, read_card
from pairwright.modes.rules import BuildRules, rubric_of
from pairwright.modes.writing import Side, write_paper, write_sides
from pairwright.records import Dropped, Item, Kept, Rubric, content_id
from pairwright.retrieve import selected
from pairwright.stages.writer import Stance

_AGAINST: dict[str, Stance] = {"omit": "omitting", "contradict": "contradicting"}


async def build_violate(
    item: Item,
    partner: Item | None,
    models: Models,
    rules: BuildRules,
    rubric: Rubric | None = None,
) -> Kept | Dropped:
    """Build one pair for the item's own user, or give the reason that it cannot be built. There
    is no partner. Raises as `build_twin` does.

        >>> made = await build_violate(item, None, models, rules)
        >>> made.pairs[0].chosen if isinstance(made, Kept) else made.reason
        'Simmer the beans for an hour ...'
    """
    assert partner is None, "one user has this pair"
    config, question, generator = rules.config, rules.question(item), models.generator
    own = await rubric_of(item, item.user, item.profile, models, rules, rubric)
    if isinstance(own, Dropped):
        return own
    if config.paper_writers:
        shown = selected(item.question, item.profile, config.planner)
        own = Rubric(**{**dict(own), "shown": tuple(post.id for post in shown)})
        strategy, write = "avoid", partial(write_paper, question, shown, own, generator)
    else:
        # By content: the same item gets the same strategy in any file order.
        chosen = int(content_id("s", item.id)[-8:], 16) % len(config.strategies)
        strategy = config.strategies[chosen]
        sides = Side("first", own), Side("second", own, stance=_AGAINST[strategy])
        write = partial(write_sides, question, sides, generator)
    drawing = Drawing(item, strategy, models, rules, (item.profile,))
    draft = await drawing.until_accepted(write, (own,))
    if draft is None:
        return drawing.dropped(own)
    return drawing.kept("violate", draft, (own,))


VIOLATE = Mode(
    name="violate",
    units="violate pairs",
    build=build_violate,
    halves=1,
    label="chosen",
    stages=("items", "signal", "drafts", "kept"),
    card=read_card("violate"),
)
