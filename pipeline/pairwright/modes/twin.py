"""Mode twin: one question, two users, two responses; each is chosen for one user and rejected for
the other, so that nothing but the user decides."""

from functools import partial

from pairwright import text
from pairwright.models import Models
from pairwright.modes.drawing import Drawing
from pairwright.modes.judging import both
from pairwright.modes.mode import Mode, read_card
from pairwright.modes.rules import BuildRules, older_than, rubric_of
from pairwright.modes.writing import Side, write_sides
from pairwright.records import Draft, Dropped, Item, Kept, Rubric

RUBRIC_OVERLAP = 0.5  # at most, as the Jaccard index of their words


async def build_twin(
    item: Item,
    partner: Item | None,
    models: Models,
    rules: BuildRules,
    rubric: Rubric | None = None,
) -> Kept | Dropped:
    """Build the twin of `item`'s question for its user and the partner's user, or give the reason
    that it cannot be built. Both sides are accepted, or neither.

    Only the partner's posts are used, and only those older than the question. Raises
    CallFailed if a call fails after its retries, and EndpointRefused if the endpoint refuses.

        >>> made = await build_twin(item, partner, models, rules)
        >>> [pair.user for pair in made.pairs] if isinstance(made, Kept) else made.reason
        ['ada', 'grace']
    """
    assert partner, "a twin has two users"
    posts = older_than(item, partner.profile)
    # Of each user: rank the posts, plan aspects, keep those that the posts support.
    asker = rubric_of(item, item.user, item.profile, models, rules, rubric)
    planned = await both((asker, rubric_of(item, partner.user, posts, models, rules)))
    if isinstance(planned, Dropped):
        return planned
    if alike := _check_rubrics(item, *planned, rules):
        return alike

    question = rules.question(item)
    drawing = Drawing(item, "twin", models, rules, (item.profile, posts))

    async def drawn(sides: tuple[Side, Side]) -> Draft | None:
        """Write both sides, judge, gate; a refused side is written again with the reasons."""
        # A writer sees the question and one rubric, never a post.
        write = partial(write_sides, question, sides, models.generator)
        return await drawing.until_accepted(write, (sides[0].rubric, sides[1].rubric))

    sides = Side("first", planned[0]), Side("second", planned[1], half=1)
    least = rules.config.planner.min_aspects
    while (draft := await drawn(sides)) is None:
        # If neither of two drafts served an aspect, the pair does without it.
        first, second = (side.narrowed(drawing.round, least) for side in sides)
        if (first, second) == sides:
            return drawing.dropped(first.rubric, second.rubric)
        sides = first, second
    return drawing.kept("twin", draft, (sides[0].rubric, sides[1].rubric), posts)


def _check_rubrics(item: Item, own: Rubric, theirs: Rubric, rules: BuildRules) -> Dropped | None:
    """Refuse two rubrics that expect nearly the same."""
    language = rules.language(item)
    words = (
        text.terms(" ".join(aspect.aspect for aspect in rubric.aspects), language)
        for rubric in (own, theirs)
    )
    overlap = round(text.jaccard(*words), 3)
    if not rules.config.gated or overlap <= RUBRIC_OVERLAP:
        return None
    detail = f"the two rubrics share {overlap} of their words, limit {RUBRIC_OVERLAP}"
    return Dropped(stage="gates", reason="rubrics_alike", detail=detail)


TWIN = Mode(
    name="twin",
    units="twins",
    build=build_twin,
    halves=2,
    label="chosen",
    stages=("items", "signal", "partner", "partner_signal", "drafts", "kept"),
    card=read_card("twin"),
)
