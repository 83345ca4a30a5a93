"""Modes as one adds them: a response by the rubric against a plain one; a twin whose second half is
chosen by another name."""

from pairwright.drafting.drafts import Drawing
from pairwright.drafting.judging import Requirements, Texts, both
from pairwright.drafting.pairs import judge_of, pairs_of
from pairwright.drafting.rubrics import rubric_of
from pairwright.drafting.rules import BuildRules
from pairwright.gates import judge_violate
from pairwright.models import Models
from pairwright.modes import Mode
from pairwright.modes.twin import build_twin
from pairwright.records import Draft, Dropped, Item, Kept
from pairwright.stages.writer import write, write_plain


async def build_plain(
    item: Item, partner: Item | None, models: Models, rules: BuildRules
) -> Kept | Dropped:
    """Build one pair for the item's own user."""
    assert partner is None
    config, writes = rules.config, (models.generator, rules.prompts)
    rubric = await rubric_of(item, models, rules)
    if isinstance(rubric, Dropped):
        return rubric

    async def written(number: int, _refused: Draft | None) -> Texts | Dropped:
        served = await write(
            item.question, rubric, "adhering", *writes, words=config.words, draw=number
        )
        plain = await write_plain(item.question, *writes, words=config.words, draw=number)
        return both(served, plain)

    drawing = Drawing("plain", models, rules)
    required = Requirements(
        item,
        rubrics=(rubric,),
        histories=(item.profile,),
        fits=lambda fits: judge_violate(fits[0], config.gates),
    )
    draft = await drawing.until_accepted(written, required)
    if draft is None:
        return drawing.dropped(rubric)
    pairs = pairs_of("plain", item, draft, (rubric,), judge=judge_of(models, rules))
    return Kept(pairs=pairs, refused=drawing.refused)


async def build_couple(
    item: Item, partner: Item | None, models: Models, rules: BuildRules
) -> Kept | Dropped:
    """Build two pairs over the responses of a twin."""
    made = await build_twin(item, partner, models, rules)
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
