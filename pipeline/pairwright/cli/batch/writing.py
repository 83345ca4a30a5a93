"""A build whose calls are written to files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rich.console import Console

from pairwright.cli.shell import program
from pairwright.construct.folder import RunFolder
from pairwright.models.batch import PendingCalls, Round, check_out, write_round
from pairwright.models.batch.rounds import folder_of
from pairwright.models.store import Store
from pairwright.settings.config import Config
from pairwright.text import number_of
from pairwright.workflows.run_models import RunModels, batch_models


class BatchBuild:
    """What `pairwright build --batch-out` does otherwise than a build that sends its calls."""

    def __init__(
        self, out: Path, most_lines: int, run: Path, config: Config, asked: PendingCalls
    ) -> None:
        self._out = out
        self._most_lines = most_lines
        self._run = run
        self._config = config
        self._asked = asked

    @classmethod
    def begin(cls, out: Path, most_lines: int, run: RunFolder, config: Config) -> "BatchBuild":
        """Begin a round; raises InputError where `out` cannot take it, and StoreError."""
        asked = PendingCalls(run.path / "batch.sqlite", create=True)
        try:
            check_out(out, asked)
            asked.begin()
        except BaseException:
            asked.close()
            raise
        return cls(out, most_lines, run.path, config, asked)

    def close(self) -> None:
        self._asked.close()

    @asynccontextmanager
    async def crew(self, store: Store) -> AsyncIterator[RunModels]:
        """Who notes the calls."""
        yield batch_models(self._config, store, self._asked)

    def write(self, console: Console, config_path: Path) -> None:
        """Write the round's files and print what to do with them."""
        used = {name: self._config.endpoints[name] for name in self._config.roles.all}
        made = write_round(self._asked, self._out, used, self._most_lines)
        folder = folder_of(self._out, made.round)
        console.print(
            f"Round {made.round}: {number_of(made.lines, 'call')} in {folder}/", markup=False
        )
        for shard in made.shards:
            line = f"  {shard.file}: {shard.lines:,} to {shard.endpoint} ({shard.model})"
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        self._next_steps(console, made, folder, config_path)

    def _next_steps(self, console: Console, made: Round, folder: Path, config_path: Path) -> None:
        first, name = made.shards[0], program()
        replies = f"{first.file.removesuffix('.jsonl')}.replies.jsonl"
        steps = {
            "Have them answered by a Batch API": (
                f"{name} batch submit {self._run} {self._out}",
                f"{name} batch poll {self._run} {self._out} --wait",
            ),
            "or by vLLM, each file with the model it is for": (
                f"vllm run-batch -i {folder / first.file} -o {folder / replies}"
                f" --model {first.model}",
                f"{name} batch ingest {self._run} {folder}/*.replies.jsonl",
            ),
            "and go on": (
                f"{name} build {config_path} --run {self._run} --batch-out {self._out}",
            ),
        }  # fmt: skip
        for title, commands in steps.items():
            console.print(f"{title}:", highlight=False)
            for command in commands:
                console.print(f"  {command}", highlight=False, markup=False, soft_wrap=True)
