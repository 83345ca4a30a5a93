"""Commands and options of earlier versions: what somebody who types one reads instead."""

from typing import Any

from typer.core import TyperGroup

RENAMED = {
    "best-of-n": "downstream best-of-n",
    "completions": "downstream completions",
    "correlate": "downstream correlate",
    "export-rl": "train export-rl",
    "judge-outputs": "downstream judge-outputs",
    "plan-score": "train score",
    "policy": "downstream policy",
    "push": "verify DIR --push ORG/NAME",
    "reward-server": "train reward-server",
    "rl-outputs": "train rl-outputs",
    "train-planner": "train planner",
}
"""Commands that have another name now, by the old one."""

REMOVED = {
    "downstream n-lets": "`pairwright evaluate --condition wrong-profile` shows strangers' posts.",
    "downstream spread": "Give each wording a scorer with a `prompt` of its own, and rank them with"
    " `pairwright leaderboard`.",
    "train accepted": '`modes = ["accepted"]` makes pairs of accepted answers, and'
    " `pairwright train score` compares planners.",
}
"""Commands that are gone, with what to do instead."""

REMOVED_OPTIONS = {
    "show --full": "`show DIR ID` has it all; the key of a call shows its prompt and raw reply.",
    "show --no-calls": "`show DIR ID` lists the keys of calls, and no prompts.",
}
"""Options that are gone, with what to do instead."""


class CommandGroup(TyperGroup):
    """A group of commands that knows those of earlier versions."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named. Raises a usage error, which says what to do instead where the
        name is of an earlier version."""
        name = f"{ctx.info_name} {args[0]}" if ctx.parent else args[0]
        if new := RENAMED.get(name):
            ctx.fail(f"`pairwright {name}` is now `pairwright {new}`.")
        if advice := REMOVED.get(name):
            ctx.fail(f"`pairwright {name}` is gone. {advice}")
        for option in args[1:]:
            if advice := REMOVED_OPTIONS.get(f"{name} {option}"):
                ctx.fail(f"{option} is gone. {advice}")
        return super().resolve_command(ctx, args)
