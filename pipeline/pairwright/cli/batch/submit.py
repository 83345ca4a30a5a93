"""`pairwright batch submit`."""

from rich.console import Console

from pairwright.batch import Shard
from pairwright.batch.submissions import Submission
from pairwright.batch.submit import submit
from pairwright.cli.batch.opened import OutPath, RunPath, opened
from pairwright.cli.program import program


def submit_command(run: RunPath, out: OutPath) -> None:
    """Hand the files of the latest round to the OpenAI Batch API.

    Safe to repeat and to interrupt: no file is submitted twice. Each file goes to the endpoint it
    was written for, with the key that its api_key_env names.

    Example:

      pairwright batch submit runs/first batches
    """
    console = Console()

    def told(shard: Shard, submission: Submission) -> None:
        console.print(
            f"{shard.file}: {shard.lines:,} requests to {shard.endpoint} as {submission.batch_id}",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip

    with opened(run) as there, there.apis() as api_of:
        made = there.round_in(out)
        new = submit(out, made, api_of, told)
    console.print(f"{new} new batches, {len(made.shards) - new} submitted before. Next:")
    command = f"  {program()} batch poll {run} {out} --wait"
    console.print(command, highlight=False, markup=False, soft_wrap=True)
