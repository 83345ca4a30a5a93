"""A further mode as one adds it: a response by the rubric against a plain one."""

from pairwright.drafting.drafts import Drawing
from pairwright.drafting.judging import Requirements, Texts, both
from pairwright.drafting.pairs import asker_half, judge_of, pairs_of
from pairwright.drafting.rubrics import rubric_of
from pairwright.drafting.rules import BuildRules
from pairwright.gates import judge_contrast
from pairwright.models import Models
from pairwright.modes import Mode
from pairwright.records import Draft, Dropped, Item, Kept
from pairwright.stages.writer import write, write_plain


async def build_plain(
    item: Item, partner: Item | None, models: Models, rules: BuildRules
) -> Kept | Dropped:
    """Build one pair for the item's own user."""
    assert partner is None
    config = rules.config
    rubric = await rubric_of(item, models, rules)
    if isinstance(rubric, Dropped):
        return rubric

    async def written(number: int, refused: Draft | None) -> Texts | Dropped:
        served = await write(
            item.question,
            rubric,
            "adhering",
            models.generator,
            rules.prompts,
            words=config.words,
            draw=number,
        )
        plain = await write_plain(
            item.question, models.generator, rules.prompts, words=config.words, draw=number
        )
        return both(served, plain)

    drawing = Drawing("plain", models, rules)
    required = Requirements(
        item,
        rubrics=(rubric,),
        histories=(item.profile,),
        fits=lambda fits: judge_contrast(fits[0], config.gates),
    )
    draft = await drawing.until_accepted(written, required)
    if draft is None:
        return drawing.dropped(rubric)
    halves = (asker_half(item, rubric),)
    pairs = pairs_of("plain", item, draft, halves, judge_of(models, rules))
    return Kept(pairs=pairs, refused=drawing.refused)


PLAIN = Mode(
    name="plain",
    units="plain pairs",
    build=build_plain,
    halves=1,
    label="chosen",
    stages=("items", "signal", "drafts", "kept"),
    card="Mode plain: the rejected response is a plain one.\n\nPlain pairs: aspect words tell.",
)
