"""A plan as LaMP-QA's planner writes it: a line that says what follows, and one line an aspect."""

from collections.abc import Sequence

from pairwright.models import Model
from pairwright.records import Aspect, Post, Rejected
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import Ask
from pairwright.settings.rules import HistoryRules
from pairwright.stages.history import with_history
from pairwright.stages.planner import Plan

HEADER = "The user expects to see the following aspects in the response to their question:"
_BULLETS = ("-", "*", "\u2022")


def format_aspects(aspects: Sequence[str]) -> str:
    """The list as it is trained on."""
    return "\n".join([HEADER, *(f"- {' '.join(aspect.split())}" for aspect in aspects)])


def parse_aspects(text: str) -> tuple[str, ...] | None:
    """The aspects of such a list; None for a text that is not such a list.

    A list without aspects is one; a text without the header is one where all of its lines are
    bullets.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[0].rstrip(":").casefold() == HEADER.rstrip(":").casefold():
        lines = lines[1:]
    elif not lines:
        return None
    if not all(line.startswith(_BULLETS) for line in lines):
        return None
    aspects = [line[1:].strip() for line in lines]
    return tuple(aspects) if all(aspects) else None


async def list_aspects(
    question: str,
    posts: tuple[Post, ...],
    planner: Model,
    prompts: Prompts,
    rules: HistoryRules,
) -> Plan | Rejected:
    """A plan of the aspects, without reasons and evidence, that the planner lists for a user with
    these posts, oldest first."""

    async def send(ask: Ask) -> tuple[str, ...] | Rejected:
        for draw in range(planner.sampling.attempts):
            text = await planner.write(ask, draw)
            if isinstance(text, Rejected):
                return text
            if (aspects := parse_aspects(text)) is not None:
                return aspects
        return Rejected(stage=ask.name, reason="unparseable", detail="not a list of aspects")

    aspects, shown = await with_history(prompts, "plan_list", question, posts, rules, planner, send)
    if isinstance(aspects, Rejected):
        return aspects
    return Plan(tuple(Aspect(aspect=one, reason="", evidence="") for one in aspects), (), shown)
