"""Mode natural: one question, two responses, two users; each took what the other refused."""

from pairwright.drafting.pairs import pairs_of
from pairwright.drafting.rubrics import no_rubric
from pairwright.drafting.rules import BuildRules
from pairwright.models import Models
from pairwright.modes.mode import Mode, read_card
from pairwright.records import Draft, Dropped, Item, Kept


async def build_natural(
    item: Item,
    partner: Item | None,
    models: Models,  # noqa: ARG001 - no model is asked
    rules: BuildRules,  # noqa: ARG001 - nothing is decided here
) -> Kept | Dropped:
    """Build the twin of an item's choice and the opposite one, which holds the other user."""
    choice = item.opposite
    assert choice, "an item of people's choices has the opposite one"
    assert partner is None, "the choice names the other user"
    draft = Draft(draw=0, strategy="", generator="", first=choice.chosen, second=choice.rejected)
    rubrics = no_rubric(item, item.user), no_rubric(item, choice.other)
    return Kept(pairs=pairs_of("natural", item, draft, rubrics, choice.profile))


NATURAL = Mode(
    name="natural",
    units="natural twins",
    build=build_natural,
    halves=2,
    label="given",
    stages=("items", "kept"),
    card=read_card("natural"),
)
