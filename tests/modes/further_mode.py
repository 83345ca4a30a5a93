"""A mode as one adds it: a response by the rubric against a plain one."""

from pairwright.models import Models
from pairwright.modes import Mode
from pairwright.modes.drawing import Drawing
from pairwright.modes.judging import both
from pairwright.modes.rules import BuildRules, rubric_of
from pairwright.records import Draft, Dropped, Item, Kept, Rubric
from pairwright.stages.writer import write, write_plain


async def build_plain(
    item: Item,
    partner: Item | None,
    models: Models,
    rules: BuildRules,
    rubric: Rubric | None = None,
) -> Kept | Dropped:
    """Build one pair for the item's own user."""
    assert partner is None
    question, generator = rules.question(item), models.generator
    own = await rubric_of(item, item.user, item.profile, models, rules, rubric)
    if isinstance(own, Dropped):
        return own

    async def written(number: int, _refused: Draft | None) -> tuple[str, str] | Dropped:
        served = write(question, own, "adhering", generator, draw=number)
        return await both((served, write_plain(question, generator, number)))

    drawing = Drawing(item, "plain", models, rules, (item.profile,))
    draft = await drawing.until_accepted(written, (own,))
    if draft is None:
        return drawing.dropped(own)
    return drawing.kept("plain", draft, (own,))


PLAIN = Mode(
    name="plain",
    units="plain pairs",
    build=build_plain,
    halves=1,
    label="chosen",
    stages=("items", "signal", "drafts", "kept"),
    card="The rejected response is a plain one.\n\nPlain pairs: aspect words tell.",
)
