"""`pairwright human`: people verify the pairs of a run."""

import typer

from pairwright.cli.human.adjudicate import adjudicate_command
from pairwright.cli.human.answers import import_command, simulate_command
from pairwright.cli.human.export import export_command
from pairwright.cli.human.people import (
    people_command,
    replace_command,
    start_command,
    withdraw_command,
)
from pairwright.cli.human.plan import plan_command
from pairwright.cli.human.qualify import qualify_command
from pairwright.cli.human.report import report_command, status_command
from pairwright.cli.human.server import (
    preview_command,
    pull_command,
    push_command,
    serve_command,
)
from pairwright.workflows.collector import ease

human = typer.Typer(
    name="human",
    help="Have people verify the pairs of a run: blind tasks out, answers in, decisions.",
    callback=ease,
    no_args_is_help=True,
    rich_markup_mode=None,
)
human.command("plan")(plan_command)
human.command("qualify")(qualify_command)
human.command("export")(export_command)
human.command("preview")(preview_command)
human.command("serve")(serve_command)
human.command("push")(push_command)
human.command("status")(status_command)
human.command("pull")(pull_command)
human.command("import")(import_command)
human.command("simulate")(simulate_command)
human.command("report")(report_command)
human.command("adjudicate")(adjudicate_command)
human.command("start")(start_command)
human.command("people")(people_command)
human.command("replace")(replace_command)
human.command("withdraw")(withdraw_command)
