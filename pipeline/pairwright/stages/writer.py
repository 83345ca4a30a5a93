"""Write: one response to a question, from a rubric or from none.

Writers of the ordinary modes see the question and one rubric, never a profile: otherwise word
overlap with the history would tell the sides apart. Only the paper's setting shows posts.
"""

from collections.abc import Hashable
from typing import Literal, NamedTuple, get_args

from pairwright.models import Model
from pairwright.records import Dropped, Post, Rubric
from pairwright.settings.prompt import Prompts, in_language
from pairwright.settings.rules import PlanRules, asked_length
from pairwright.stages.history import PromptPosts, with_history

Stance = Literal["adhering", "omitting", "contradicting"]
PaperStance = Literal["expected", "avoided"]
PAPER_STANCES: tuple[PaperStance, PaperStance] = ("expected", "avoided")
WRITER_PROMPTS = frozenset(
    (
        *(f"write_{stance}" for stance in get_args(Stance)),
        *(f"paper_{stance}" for stance in get_args(PaperStance)),
    )
)
"""The prompts that write a side of a draft by a rubric. `write_plain` is not among them."""


WORDS_OF_ASPECT = 18
"""The words asked for each aspect, per 100 words of a response; the others serve anybody."""


class Refusal(NamedTuple):
    """A response that was refused, for the writer who writes it again."""

    text: str
    faults: tuple[str, ...]
    """The faults of the response, in sentences."""
    reasons: tuple[str, ...] = ()
    """The words of a judge who saw no post and no aspect."""


async def write(
    question: str,
    rubric: Rubric,
    stance: Stance,
    generator: Model,
    prompts: Prompts,
    *,
    words: int,
    draw: int,
    refusal: Refusal | None = None,
    language: str | None = None,
) -> str | Dropped:
    """A response that serves, leaves out or contradicts the aspects of a rubric.

    `words` is the most that is accepted; `refusal` says why the last response was rejected;
    `language` is the question's.
    """
    aspects = tuple(aspect.aspect for aspect in rubric.aspects)
    values: dict[str, Hashable] = {}
    if stance == "adhering":
        values["each"] = words * WORDS_OF_ASPECT // 100
        values["shared"] = (
            sum(asked_length(words)) // 2 - len(aspects) * words * WORDS_OF_ASPECT // 100
        )
    ask = prompts.ask(
        f"write_{stance}",
        question=question,
        aspects=aspects,
        words=_length(words),
        earlier=(refusal.text,) if refusal else (),
        faults=refusal.faults if refusal else (),
        reasons=refusal.reasons if refusal else (),
        **values,
        **in_language(language, asked_length(words)),
    )
    return await generator.write(ask, draw)


async def write_plain(
    question: str,
    generator: Model,
    prompts: Prompts,
    *,
    words: int,
    draw: int = 0,
    language: str | None = None,
) -> str | Dropped:
    """A response to a typical asker: the first is the yardstick for aspects that anyone gets, and
    two of them are a placebo's."""
    ask = prompts.ask(
        "write_plain",
        question=question,
        words=_length(words),
        **in_language(language, asked_length(words)),
    )
    return await generator.write(ask, draw)


def _length(words: int) -> str:
    """The length as the prompts ask for it, such as `80 to 95`."""
    return "{} to {}".format(*asked_length(words))


async def write_paper(
    question: str,
    posts: tuple[Post, ...],
    rubric: Rubric,
    stance: PaperStance,
    generator: Model,
    prompts: Prompts,
    rules: PlanRules,
    *,
    words: int,
    draw: int,
) -> tuple[str | Dropped, PromptPosts]:
    """A response of the paper's setting, and the posts its writer saw: the aspects are given
    as expected (chosen) or to be avoided (rejected) (arXiv 2604.07343, figure 1)."""
    return await with_history(
        prompts,
        f"paper_{stance}",
        question,
        posts,
        rules,
        lambda ask: generator.write(ask, draw),
        aspects=tuple(aspect.aspect for aspect in rubric.aspects),
        words=words,
    )
