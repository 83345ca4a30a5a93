"""Plans that were made elsewhere."""

from pathlib import Path

from pydantic import model_validator

from pairwright.dataset import read_lines
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.stages.aspect_list import parse_aspects
from pairwright.train.gold import GoldItems


class MadePlan(Record):
    """One line: the item, and its aspects, or the planner's text."""

    id: str
    aspects: tuple[str, ...] | None = None
    plan: str | None = None

    @model_validator(mode="after")
    def _one(self) -> "MadePlan":
        if (self.aspects is None) == (self.plan is None):
            raise ValueError("give one of `aspects` and `plan`")
        if self.aspects is not None and not all(name.strip() for name in self.aspects):
            raise ValueError("an aspect without text")
        return self

    @property
    def read(self) -> tuple[str, ...] | None:
        """The aspects; None for a text that is not a list of them."""
        return self.aspects if self.plan is None else parse_aspects(self.plan)


def read_plans(path: Path, gold: GoldItems) -> dict[str, MadePlan]:
    """Plans by item. Raises InputError for a line that is not a plan, an item that is not in the
    source and one that is planned twice."""
    if not path.is_file():
        raise InputError(
            "no such file",
            where=path,
            fix="`path` is relative to the folder of the settings: correct it.",
        )
    known = {item.id for item in gold.items} | gold.without
    plans: dict[str, MadePlan] = {}
    for number, plan in enumerate(read_lines(path, MadePlan), start=1):
        if plan.id not in known:
            raise InputError(
                f"the item {plan.id!r} is not in [source]",
                where=f"{path}:{number} [id]",
                fix="Plans are matched to items by id: name the source that they were made for.",
            )
        if plan.id in plans:
            raise InputError(
                f"the item {plan.id!r} has a plan already",
                where=f"{path}:{number} [id]",
                fix="Give one plan an item.",
            )
        plans[plan.id] = plan
    return plans
