"""Training a planner, posts and a question in, the gold aspects out: prepare, train and choose."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import Argument, Option

from pairwright import assets
from pairwright.errors import ConfigError, on_disk
from pairwright.evaluation.session import settings_folder
from pairwright.extras import install
from pairwright.lines import read_one, write_one
from pairwright.pages.output import output_folder
from pairwright.progress import Note, Progress, Step, Stop, counter, log_notes
from pairwright.settings.domains import Domains
from pairwright.settings.prompt import BUILDING, Prompts
from pairwright.sources import SourceItems
from pairwright.text import number_of
from pairwright.training import planner_checkpoints as folder
from pairwright.training.gold import read_gold
from pairwright.training.plan_settings import Training, load_training
from pairwright.training.planner_checkpoints import (
    CheckpointScore,
    TrainingReport,
    best,
    sample_hash,
    sample_items,
    score_checkpoint,
)
from pairwright.training.planner_data import (
    PromptMaker,
    SplitPrompt,
    TrainingData,
    planner_prompt,
    rows_of,
)

if TYPE_CHECKING:
    from pairwright.training.planner_model import Words

LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets")
"""What the extra [train] installs."""


def train_planner(
    settings: Annotated[Path | str, Argument(help="How to train.", metavar="SETTINGS.toml")],
    out: Annotated[Path | str, Option(help="Folder of checkpoints and adapter.", metavar="DIR")],
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> TrainingReport:
    """Train a planner: posts and a question in, the gold aspects out (extra [train]).

    Supervised fine-tuning with LoRA. The loss counts the target's tokens alone. Items without gold
    aspects are refused and counted. The checkpoint whose plans match the gold aspects of validation
    items best is kept in DIR/adapter. Running the same command again goes on where it stopped.

    Examples::

        pairwright train planner planner.toml --out planner
        vllm serve MODEL --enable-lora --lora-modules planner=planner/adapter
        pairwright train score score.toml --out scores
    """
    path = Path(settings)
    training = load_training(path)
    if absent := [name for name in LIBRARIES if not find_spec(name)]:
        raise ConfigError(
            f"{', '.join(absent)}: not installed",
            where="pairwright train planner",
            fix=f"Run {install('train')}.",
        )
    output_folder(out)
    return TrainingRun(training, path.resolve().parent, Path(out), progress, stop or Stop()).run()


def asking_of(settings: Training, base: Path) -> PromptMaker:
    """How the planner will be asked; paths start from `base`. Raises ConfigError."""
    prompts = settings_folder("prompts", settings.prompts, base, assets.PROMPTS)
    rubrics = settings_folder("rubrics", settings.rubrics, base, assets.RUBRICS)
    return PromptMaker(
        Prompts.load(prompts, BUILDING),
        Domains.load(rubrics),
        settings.history,
        settings.words,
    )


def sources_of(settings: Training, base: Path, domains: Domains) -> tuple[SourceItems, SourceItems]:
    """The items with gold aspects to train on, and those to choose a checkpoint on.

    Raises SourceError, and ConfigError where a user is in both.
    """
    training = read_gold(settings.source, domains, base, "[source]")
    validation = read_gold(settings.validation, domains, base, "[validation]")
    folder.apart(training.items, validation.items, f"[validation] {settings.validation.path}")
    return training, validation


class TrainingRun(NamedTuple):
    """One training."""

    settings: Training
    base: Path
    """What paths in the settings start from."""
    out: Path
    progress: Progress
    stop: Stop

    def run(self) -> TrainingReport:
        """Train, choose a checkpoint and report.

        Raises ConfigError, SourceError, StoreError and Interrupted; what is saved stays.
        """
        # What trains takes seconds to import, and what is wrong with the settings is said before.
        from pairwright.training.planner_model import Words

        settings = self.settings
        asking = asking_of(settings, self.base)
        training, validation = sources_of(settings, self.base, asking.domains)
        words = Words(settings)
        count = counter(self.progress, "items", len(training.items))
        rows, data = rows_of(settings, training, asking, words.tokens, count)
        with on_disk(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
        hashes = [asking.prompts.hashes[name] for name in ("system_planning", "history", "plan")]
        begun = folder.TrainingStart(
            settings=settings,
            fingerprint=words.fingerprint(),
            prompt=" ".join(hashes),
            data=data,
        )
        folder.begin(self.out, begun)
        self._note_data(data)
        self._train(words, rows)
        scores = self._validated(asking, words, validation)
        chosen = best(scores).step
        folder.keep_adapter(self.out / f"checkpoint-{chosen}", self.out)
        report = TrainingReport(
            begun=begun,
            refused=validation.refused,
            checkpoints=tuple(scores),
            chosen=chosen,
        )
        write_one(self.out / "report.json", report)
        return report

    def _train(self, words: "Words", rows: list[SplitPrompt]) -> None:
        from pairwright.training.planner_model import train

        most, done = self.settings.steps.most, list(folder.checkpoints(self.out))
        for _, checkpoint in done:
            folder.check_base(checkpoint, self.settings.model)
        reached, last = done[-1] if done else (0, None)
        if reached >= most:
            return

        def report(step: int, loss: float) -> None:
            self.progress(Step(f"steps, loss {loss:.3f}", step, most))

        # What says that steps begin is printed when a wish to stop already saves the one under way.
        with self.stop.heard_by(lambda: None):
            if last:
                self._note(f"Going on from {last.name}, of {number_of(most, 'step')}")
            self.progress(Step("steps", reached, most))
            train(
                self.settings, words, rows, self.out, last,
                on_step=report, stopped=lambda: self.stop.requested,
            )  # fmt: skip

    def _validated(
        self, asking: PromptMaker, words: "Words", validation: SourceItems
    ) -> list[CheckpointScore]:
        """Score every checkpoint on the same items; those scored before are not scored again."""
        from pairwright.training.planner_model import PlanWriter

        settings, by = self.settings, self.settings.selection
        items = sample_items(validation.items, by.items, settings.seed)
        sample = sample_hash(
            items, by.model_dump_json(), str(settings.max_tokens), *asking.prompts.hashes.values()
        )
        room = settings.max_tokens - by.new_tokens
        prompts = [
            planner_prompt(item, asking, lambda ask: len(words.prompt(ask)), room) for item in items
        ]
        scores: list[CheckpointScore] = []
        writer: PlanWriter | None = None
        for step, checkpoint in folder.checkpoints(self.out):
            # Where a training was stopped, there may be one more than those of the schedule.
            if step % settings.steps.save_every and step != settings.steps.most:
                continue
            path = checkpoint / "validation.json"
            if path.exists() and (before := read_one(path, CheckpointScore)).sample == sample:
                scores.append(before)
                continue
            writer = writer or PlanWriter(settings, words)
            count = counter(self.progress, f"plans of {checkpoint.name}", len(items))
            replies = list(writer.write(checkpoint, [one.ask for one in prompts], count))
            scores.append(score_checkpoint(step, sample, prompts, replies))
            write_one(path, scores[-1])
        return scores

    def _note_data(self, data: TrainingData) -> None:
        self._note(
            f"{number_of(data.items, 'item')} of {number_of(data.users, 'user')},"
            f" {number_of(data.aspects, 'aspect')};"
            f" {data.learned:,} of {data.tokens:,} tokens are learned"
        )
        for what, counted in (("refused", data.refused), ("aspects left out", data.dropped)):
            if counted:
                reasons = ", ".join(f"{n:,} {reason}" for reason, n in counted.items())
                self._note(f"  {what}: {reasons}")
        if data.shortened:
            self._note(f"  {number_of(data.shortened, 'item')} with fewer posts, for want of room")

    def _note(self, line: str) -> None:
        self.progress(Note(line))
