"""Mode placebo: one question, two users whose posts contain nothing that bears on it, and two plain
responses, so that nothing decides."""

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
from pairwright.records import Draft, Dropped, Item, Kept, Post, Rubric
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
    posts = fair_posts(item, partner.profile)
    if refusal := await _check_partner(item, partner.user, posts, models, rules):
        return refusal

    question = rules.question(item)

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


async def _check_partner(
    item: Item, user: str, posts: tuple[Post, ...], models: Models, rules: BuildRules
) -> Dropped | None:
    """Refuse a partner of whom something is known that bears on the question."""
    if not are_level(len(item.profile), len(posts), rules.config.twin):
        # They are a couple by another question, before which the partner wrote more, or less.
        detail = f"{len(item.profile)} posts of the asker, {len(posts)} of the partner"
        return Dropped(stage="placebo", reason="unlike_histories", detail=detail)
    found = await plan(rules.question(item), posts, models.planner)
    if isinstance(found, Dropped):
        return Dropped(stage=found.stage, reason=found.reason, detail=found.detail, user=user)
    if says_nothing(found):
        return None
    detail = "the partner's posts show something that bears on the question"
    return Dropped(stage="placebo", reason="partner_signal", detail=detail, user=user)


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
