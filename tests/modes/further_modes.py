"""Modes as one adds them: a response by the rubric against a plain one; a twin whose second half is
chosen by another name."""

from pairwright.models import Models
from pairwright.modes import Mode
from pairwright.modes.drawing import Drawing, pairs_of
from pairwright.modes.judging import both
from pairwright.modes.rules import BuildRules, rubric_of
from pairwright.modes.twin import build_twin
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


async def build_couple(
    item: Item,
    partner: Item | None,
    models: Models,
    rules: BuildRules,
    rubric: Rubric | None = None,
) -> Kept | Dropped:
    """Build two pairs over the responses of a twin."""
    made = await build_twin(item, partner, models, rules, rubric)
    if isinstance(made, Dropped):
        return made
    own, theirs = made.pairs
    rubrics = own.rubric, theirs.rubric
    pairs = pairs_of("couple", item, own.draft, rubrics, theirs.profile, own.judge)
    return Kept(pairs=pairs, refused=made.refused)


PLAIN = Mode(
    name="plain",
    units="plain pairs",
    build=build_plain,
    halves=1,
    label="chosen",
    stages=("items", "signal", "drafts", "kept"),
    card="The rejected response is a plain one.\n\nPlain pairs: aspect words tell.",
)
COUPLE = Mode(
    name="couple",
    units="couples",
    build=build_couple,
    halves=2,
    label="chosen",
    stages=("items", "signal", "partner", "partner_signal", "drafts", "kept"),
    card="Couples are two pairs.\n\nCouples: halves are swapped.",
)
