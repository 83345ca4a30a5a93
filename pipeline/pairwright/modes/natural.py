"""Mode natural: one question, two responses, two users; each took what the other refused."""

from pairwright.modes.drawing import pairs_of
from pairwright.modes.mode import Mode, read_card
from pairwright.modes.rules import no_rubric
from pairwright.records import Draft, Item, Kept


def natural_twin(item: Item) -> Kept:
    """The twin of an item's choice and the opposite one, which holds the other user."""
    choice = item.opposite
    assert choice, "an item of people's choices has the opposite one"
    draft = Draft(draw=0, strategy="", generator="", first=choice.chosen, second=choice.rejected)
    rubrics = no_rubric(item, item.user), no_rubric(item, choice.other)
    return Kept(pairs=pairs_of("natural", item, draft, rubrics, choice.profile))


NATURAL = Mode(
    name="natural",
    units="natural twins",
    given=natural_twin,
    halves=2,
    label="given",
    stages=("items", "kept"),
    card=read_card("natural"),
)
