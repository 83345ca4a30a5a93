"""How well the planner's aspects agree with gold ones: two matches, one each way.

The answers decide nothing. The manifest sums them up: precision is the share of planned aspects
that the gold list contains, recall the share of gold aspects that the planner's list contains.
"""

from pairwright.models import Model, together
from pairwright.settings.prompt import Prompts
from pairwright.stages.match import match


async def measure_planner(
    question: str, planned: tuple[str, ...], gold: tuple[str, ...], judge: Model, prompts: Prompts
) -> None:
    """Ask both questions; their stored replies are read when the manifest is made."""
    await together(
        match(question, list(planned), [gold], judge, prompts, name="planner_precision"),
        match(question, list(gold), [planned], judge, prompts, name="planner_recall"),
    )
