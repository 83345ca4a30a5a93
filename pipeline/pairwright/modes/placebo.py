"""Mode placebo: one question, two users whose posts contain nothing that bears on it, and two plain
responses, so that nothing decides."""

from functools import partial

from pairwright.models import Models
from pairwright.modes.drawing import Drawing
from pairwright.modes.judging import both
from pairwright.modes.mode import Mode, read_card
from pairwright.modes.rules import (
    BuildRules,
    are_level,
    fair_posts,
    no_rubric,
    says_nothing,
)
from pairwright.records import Draft, Dropped, Item, Kept, Rubric
from pairwright.stages.planner import plan
from pairwright.stages.writer import write_plain


async def build_placebo(
    item: Item,
    partner: Item | None,
    models: Models,
    rules: BuildRules,
    rubric: Rubric | None = None,  # noqa: ARG001 - nothing is known of its users
) -> Kept | Dropped:
    """Build the placebo of `item`'s question for its user, whose posts say nothing on it, and the
    partner's user, if theirs do not either; or give the reason why not.

    Both responses are plain ones, written without a rubric. Raises as `build_twin` does.

        >>> made = await build_placebo(item, partner, models, rules)
        >>> {pair.mode for pair in made.pairs} if isinstance(made, Kept) else made.reason
        {'placebo'}
    """
    assert partner, "a placebo has two users"
    posts, question = fair_posts(item, partner.profile), rules.question(item)
    refused = partial(Dropped, stage="placebo", user=partner.user)
    if not are_level(len(item.profile), len(posts), rules.config.twin):
        # They are a couple by another question, before which the partner wrote more, or less.
        detail = f"{len(item.profile)} posts of the asker, {len(posts)} of the partner"
        return refused(reason="unlike_histories", detail=detail, user=None)
    found = await plan(question, posts, models.planner)
    if isinstance(found, Dropped):
        return refused(stage=found.stage, reason=found.reason, detail=found.detail)
    if not says_nothing(found):
        detail = "the partner's posts show something that bears on the question"
        return refused(reason="partner_signal", detail=detail)

    async def write(number: int, _refused: Draft | None) -> tuple[str, str] | Dropped:
        # There is nothing to learn of a refused draft: both are written again.
        draws = range(2 * number, 2 * number + 2)
        return await both(write_plain(question, models.generator, draw) for draw in draws)

    drawing = Drawing(item, "plain", models, rules)
    draft = await drawing.until_accepted(write)
    if draft is None:
        return drawing.dropped()
    rubrics = no_rubric(item, item.user), no_rubric(item, partner.user)
    return drawing.kept("placebo", draft, rubrics, posts)


PLACEBO = Mode(
    name="placebo",
    units="placebos",
    build=build_placebo,
    halves=2,
    label="equal",
    # Whose posts say nothing is known before: such a unit begins there.
    stages=("items", "drafts", "kept"),
    card=read_card("placebo"),
)
