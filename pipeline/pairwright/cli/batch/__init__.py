"""`pairwright batch`: calls by files."""

import typer

from pairwright.cli.batch.ingest import ingest_command
from pairwright.cli.batch.poll import poll_command
from pairwright.cli.batch.submit import submit_command

batch = typer.Typer(
    name="batch",
    help="Have a build's calls answered by files: a Batch API, or vllm run-batch.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
batch.command("ingest")(ingest_command)
batch.command("submit")(submit_command)
batch.command("poll")(poll_command)
