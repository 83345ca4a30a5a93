"""Write: one response to a question, from a rubric or from none.

Writers of the ordinary modes see the question and one rubric, never a profile: otherwise word
overlap with the history would tell the sides apart. Only the paper's setting shows posts.
"""

from collections.abc import Mapping
from typing import Literal, get_args

from pairwright.models import Model
from pairwright.records import Dropped, Post, Rubric
from pairwright.settings.prompt import label_texts
from pairwright.settings.rules import asked_length
from pairwright.stages.question import Question

Stance = Literal["adhering", "omitting", "contradicting"]
PaperStance = Literal["expected", "avoided"]
WRITER_PROMPTS = frozenset(
    (
        *(f"write_{stance}" for stance in get_args(Stance)),
        *(f"paper_{stance}" for stance in get_args(PaperStance)),
    )
)
"""The prompts that write a side of a draft by a rubric. `write_plain` is not among them."""
WORDS_OF_ASPECT = 18
"""The words asked for each aspect, per 100 words of a response; the others serve anybody."""
Refusal = Mapping[str, tuple[str, ...]]
"""What is told of a response that was refused, to the writer who writes it again: `earlier` its
text, `faults` in sentences, `reasons` in the words of a judge who saw no post and no aspect."""


async def write(
    question: Question,
    rubric: Rubric,
    stance: Stance,
    generator: Model,
    *,
    draw: int,
    refusal: Refusal | None = None,
) -> str | Dropped:
    """A response that serves, leaves out or contradicts the aspects of a rubric."""
    aspects = tuple(aspect.aspect for aspect in rubric.aspects)
    values: dict[str, object] = {"faults": (), **(refusal or {})}
    if stance == "adhering":
        length, each = asked_length(question.words), question.words * WORDS_OF_ASPECT // 100
        values |= {
            "each": each,
            "shared": sum(length) // 2 - len(aspects) * question.words * WORDS_OF_ASPECT // 100,
        }
    ask = question.ask(f"write_{stance}", aspects=aspects, words=_length(question), **values)
    return await generator.write(ask, draw)


async def write_plain(question: Question, generator: Model, draw: int = 0) -> str | Dropped:
    """A response to a typical asker: the first is the yardstick for aspects that anyone gets, and
    two of them are a placebo's."""
    return await generator.write(question.ask("write_plain", words=_length(question)), draw)


def _length(question: Question) -> str:
    """The length as the prompts ask for it, such as `80 to 95`."""
    return "{} to {}".format(*asked_length(question.words))


async def write_from_posts(
    question: Question,
    posts: tuple[Post, ...],
    rubric: Rubric,
    stance: PaperStance,
    generator: Model,
    draw: int,
) -> str | Dropped:
    """A response of the paper's setting, whose writer sees posts: the aspects are given as expected
    (chosen) or to be avoided (rejected) (arXiv 2604.07343, figure 1)."""
    ask = question.ask(
        f"paper_{stance}",
        posts=label_texts(post.text for post in posts),
        aspects=tuple(aspect.aspect for aspect in rubric.aspects),
        words=question.words,
    )
    return await generator.write(ask, draw)
