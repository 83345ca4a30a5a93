"""A training from its settings to its report: prepare, train, choose, and merge where asked."""

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from rich.console import Console
from rich.progress import Progress

from pairwright.cli.signals import say_at_once
from pairwright.cli.train_planner.prepared import asking_of, sources_of
from pairwright.dataset import read_one, write_one
from pairwright.errors import on_disk
from pairwright.files import write_whole
from pairwright.report import to_html
from pairwright.retrieve import dense
from pairwright.text import number_of
from pairwright.train.gold import GoldItems, Similarity, by_embedding, by_words
from pairwright.train.planner import folder
from pairwright.train.planner.choose import (
    CheckpointScore,
    best,
    sample_hash,
    sample_items,
    score_checkpoint,
)
from pairwright.train.planner.data import TrainingData, rows_of
from pairwright.train.planner.examples import PromptMaker, SplitPrompt, planner_prompt
from pairwright.train.planner.report_page import TrainingReport, page, warnings
from pairwright.train.planner.settings import Training
from pairwright.train.planner.sft import PlanWriter, Words, merge, train


class Session(NamedTuple):
    """One training."""

    settings: Training
    base: Path
    """What paths in the settings start from."""
    out: Path
    console: Console = Console(stderr=True)

    def run(self, merging: bool) -> None:
        """Raises ConfigError, SourceError, StoreError and Interrupted; what is saved stays."""
        settings = self.settings
        if settings.selection.match == "embedding":
            dense.require("[selection] match = 'embedding'", "use match = 'words'")
        asking = asking_of(settings, self.base)
        sources = sources_of(settings, self.base, asking.domains)
        words = Words(settings)
        with self._progress("items", len(sources.training.items)) as seen:
            rows, data = rows_of(settings, sources.training, asking, words, seen)
        with on_disk(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
        begun = self._begun(asking, words, data)
        folder.begin(self.out, begun)
        self._tell(data)
        self._train(words, rows)
        found = self._validated(asking, words, sources.validation)
        chosen = best(found).step
        adapter = folder.keep_adapter(self.out / f"checkpoint-{chosen}", self.out)
        served = self._merged(words, adapter) if merging else adapter
        *_, (_, last) = folder.checkpoints(self.out)
        report = TrainingReport(
            begun=begun,
            match=settings.selection.match,
            refused=sources.validation.refused,
            checkpoints=tuple(found),
            chosen=chosen,
            losses=tuple(folder.losses(last)),
        )
        write_whole(self.out / "report.html", to_html(page(report)))
        write_one(self.out / "report.json", report)
        for warning in warnings(report):
            self._say(warning)
        self._say(f"checkpoint-{chosen} is chosen; serve {served}")
        self._say(f"Open: {self.out / 'report.html'}")

    def _begun(self, asking: PromptMaker, words: Words, data: TrainingData) -> folder.TrainingStart:
        settings = self.settings
        prompt = "plan_list" if settings.target == "lamp-qa" else "plan"
        hashes = [asking.prompts.hashes[name] for name in ("system", "history", prompt)]
        return folder.TrainingStart(
            model=settings.model,
            revision=settings.revision,
            fingerprint=words.fingerprint(),
            target=settings.target,
            prompt=" ".join(hashes),
            max_tokens=settings.max_tokens,
            seed=settings.seed,
            words=settings.words,
            dtype=settings.dtype,
            history=settings.history,
            lora=settings.lora,
            steps=settings.steps,
            data=data,
        )

    def _train(self, words: Words, rows: list[SplitPrompt]) -> None:
        most, done = self.settings.steps.most, list(folder.checkpoints(self.out))
        for _, checkpoint in done:
            folder.check_base(checkpoint, self.settings.model)
        reached, last = done[-1] if done else (0, None)
        if reached >= most:
            return
        with (
            Progress(console=self.console, transient=True) as progress,
            _stopping() as stopped,
        ):
            if last:
                self._say(f"Going on from {last.name}, of {number_of(most, 'step')}")
            task = progress.add_task("steps", total=most, completed=reached)

            def seen(step: int, loss: float) -> None:
                progress.update(task, completed=step, description=f"steps, loss {loss:.3f}")

            train(self.settings, words, rows, self.out, last, seen=seen, stopped=stopped)

    def _validated(
        self, asking: PromptMaker, words: Words, validation: GoldItems
    ) -> list[CheckpointScore]:
        """Every checkpoint's plans for the same items; those measured before are not made again."""
        settings, by = self.settings, self.settings.selection
        items = sample_items(validation.items, by.items, settings.seed)
        sample = sample_hash(
            items, by.model_dump_json(), str(settings.max_tokens), *asking.prompts.hashes.values()
        )
        room = settings.max_tokens - by.new_tokens
        asked = [planner_prompt(item, asking, words.prompt_length, room) for item in items]
        similarity: Similarity = by_words
        if by.match == "embedding":
            similarity = by_embedding(by.embedding_model, "[selection] embedding_model")
        found: list[CheckpointScore] = []
        writer: PlanWriter | None = None
        for step, checkpoint in self._candidates():
            path = checkpoint / "validation.json"
            if path.exists() and (before := read_one(path, CheckpointScore)).sample == sample:
                found.append(before)
                continue
            writer = writer or PlanWriter(settings, words)
            with self._progress(f"plans of {checkpoint.name}", len(items)) as seen:
                said = list(writer.write(checkpoint, [of.ask for of in asked], seen))
            found.append(score_checkpoint(step, sample, asked, said, asking.form, similarity))
            write_one(path, found[-1])
        return found

    def _candidates(self) -> list[tuple[int, Path]]:
        """Checkpoints of the schedule: where a training was stopped, one more may stand."""
        steps = self.settings.steps
        return [
            (step, path)
            for step, path in folder.checkpoints(self.out)
            if step % steps.save_every == 0 or step == steps.most
        ]

    def _merged(self, words: Words, adapter: Path) -> Path:
        merged, partial = self.out / "merged", self.out / "merged.partial"
        self._say(f"Writing {merged}")
        with on_disk(self.out):
            shutil.rmtree(partial, ignore_errors=True)
            merge(self.settings, words, adapter, partial)
            shutil.rmtree(merged, ignore_errors=True)
            partial.replace(merged)
        return merged

    def _tell(self, data: TrainingData) -> None:
        self._say(
            f"{number_of(data.items, 'item')} of {number_of(data.users, 'user')},"
            f" {number_of(data.aspects, 'aspect')};"
            f" {data.learned:,} of {data.tokens:,} tokens are learned"
        )
        for what, counted in (("refused", data.refused), ("aspects left out", data.dropped)):
            if counted:
                told = ", ".join(f"{n:,} {reason}" for reason, n in counted.items())
                self._say(f"  {what}: {told}")
        if data.shortened:
            self._say(f"  {number_of(data.shortened, 'item')} with fewer posts, for want of room")

    def _say(self, line: str) -> None:
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def _progress(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        with Progress(console=self.console, transient=True) as progress:
            task = progress.add_task(what, total=total)
            yield lambda n: progress.advance(task, n)


@contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Whether a signal asked to stop; the second ends the process at once."""
    asked: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        say_at_once("Stopping after the step under way. Press Ctrl-C again to stop at once.")

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
