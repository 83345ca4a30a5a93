"""Commands that had another name in an earlier version: the old name is an error with the new."""

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


class Commands(TyperGroup):
    """The commands at the top level."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named. Raises a usage error, which names the new command where the
        name is an old one."""
        if new := RENAMED.get(args[0]):
            ctx.fail(f"`pairwright {args[0]}` is now `pairwright {new}`.")
        return super().resolve_command(ctx, args)
