"""`pairwright batch submit`."""

from rich.console import Console

from pairwright.cli.batch.opened import OutPath, RunPath, opened
from pairwright.cli.shell import program
from pairwright.models.batch import Shard
from pairwright.models.batch.service import submit
from pairwright.models.batch.submissions import Submission
from pairwright.text import number_of


def submit_command(run: RunPath, out: OutPath) -> None:
    """Hand the files of the latest round to the OpenAI Batch API.

    Safe to repeat and to interrupt: no file is submitted twice. Each file goes to the endpoint it
    was written for, with the key that its api_key_env names.

    Example:

      pairwright batch submit runs/first batches
    """
    console = Console()

    def told(shard: Shard, submission: Submission) -> None:
        sent = f"{shard.file}: {number_of(shard.lines, 'request')} to {shard.endpoint}"
        console.print(
            f"{sent} as {submission.batch_id}",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip

    with opened(run) as there, there.apis() as api_of:
        made = there.round_in(out)
        new = submit(out, made, api_of, told)
    batches = number_of(new, "new batch", "new batches")
    console.print(f"{batches}, {len(made.shards) - new} submitted before. Next:")
    command = f"  {program()} batch poll {run} {out} --wait"
    console.print(command, highlight=False, markup=False, soft_wrap=True)
