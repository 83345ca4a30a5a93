"""Training a planner: posts and a question in, the gold aspects out.

training.json    what is trained, on what: written first, and compared when a training goes on
checkpoint-N/    the adapter after N steps, and what TRL needs to go on
adapter/         the adapter of the checkpoint with the least validation loss
report.json      which one that is, and what was trained on: written last
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from pairwright.assets import install
from pairwright.errors import ConfigError
from pairwright.files import write_whole
from pairwright.lines import read_one, write_one
from pairwright.pages.output import output_folder
from pairwright.progress import Note, Progress, Step, Stop, counter, log_notes
from pairwright.records import Record
from pairwright.settings.config import differences
from pairwright.text import number_of
from pairwright.training.planner_data import (
    Conversation,
    Training,
    load_settings,
    planner_prompt,
    prompts_and_domains,
    read_gold,
    target,
)

STATE = "trainer_state.json"
"""The file that transformers writes last into a checkpoint."""


class TrainingReport(Record):
    """The report of a training: its data, settings and checkpoints."""

    data: dict[str, dict[str, int]]
    """The number of items, users, aspects, tokens and left-out items and aspects, by table."""
    losses: dict[int, float]
    """The mean loss per token of the validation targets, by the step of each checkpoint."""
    chosen: int


def train_planner(
    settings: Annotated[
        Path | str, Argument(help="Settings of training.", metavar="SETTINGS.toml")
    ],
    out: Annotated[Path | str, Option(help="Folder of checkpoints and adapter.", metavar="DIR")],
    *,
    progress: Progress = log_notes,
    stop: Stop | None = None,
) -> TrainingReport:
    """Train a planner: posts and a question in, the gold aspects out (extra [train]).

    Supervised fine-tuning with LoRA. The loss counts the target's tokens alone. Items without gold
    aspects are refused and counted. The checkpoint with the least loss on the validation items is
    kept in DIR/adapter. Running the same command again goes on where it stopped.

    Raises ConfigError, SourceError, StoreError and Interrupted; what is saved stays.

    Examples::

        pairwright train planner planner.toml --out planner
        vllm serve MODEL --enable-lora --lora-modules planner=planner/adapter
        pairwright train score score.toml --out scores
    """
    path = Path(settings)
    training = load_settings(Training, path)
    folder = output_folder(out)
    try:
        # What trains takes seconds to import, and what is wrong with the settings is said before.
        from pairwright.training.planner_model import length_of, tokenizer_of, train
    except ImportError as error:
        where, fix = "pairwright train planner", f"Run {install('train')}."
        raise ConfigError(f"{error.name}: not installed", where=where, fix=fix) from None
    tokenizer = tokenizer_of(training)
    examples, data = read_examples(
        training, path.resolve().parent, partial(length_of, tokenizer), progress
    )
    for table, counts in data.items():
        progress(Note(f"{table}: {listed(counts)}"))
    begin(folder, training, examples)
    if (report := folder / "report.json").exists():
        return read_one(report, TrainingReport)
    most, wish = training.steps.max_steps, stop or Stop()
    whole = {step: path for step, path in checkpoints(folder).items() if step < most}
    reached, last = max(whole.items(), default=(0, None))
    # What says that steps begin is printed when a wish to stop already saves the one under way.
    with wish.heard_by(lambda: None):
        if last:
            progress(Note(f"Going on from {last.name}, of {number_of(most, 'step')}"))
        progress(Step("steps", reached, most))
        losses = train(
            training, tokenizer, examples, folder, last,
            on_step=lambda step, loss: progress(Step(f"steps, loss {loss:.3f}", step, most)),
            stopped=lambda: wish.requested,
        )  # fmt: skip
    chosen = min(losses, key=lambda step: (losses[step], step))
    found = TrainingReport(data=data, losses=losses, chosen=chosen)
    write_one(report, found)
    return found


def read_examples(
    settings: Training,
    base: Path,
    length: Callable[[Conversation], int],
    progress: Progress = log_notes,
) -> tuple[dict[str, list[Conversation]], dict[str, dict[str, int]]]:
    """Make the examples of the tables [source] and [validation], none of more than `max_tokens` by
    `length`; paths start from `base`. Also return the number of items, users, aspects and tokens of
    each, and of left-out items and aspects by reason.

    Raises SourceError, and ConfigError if a table gives no example or a user is in both.
    """
    prompts, domains = prompts_and_domains(settings.prompts, settings.rubrics, base)
    tables = {"[source]": settings.source, "[validation]": settings.validation}
    sources = {table: read_gold(rules, domains, base, table) for table, rules in tables.items()}
    training, validation = ({item.user for item in of.items} for of in sources.values())
    if both := sorted(training & validation):
        # The model would know their posts by heart.
        raise ConfigError(
            f"{number_of(len(both), 'user is', 'users are')} also in [source]: {both[0]}",
            where="[validation]",
            fix="Split items by user, so that no user is in both tables.",
        )
    examples, data = dict[str, list[Conversation]](), dict[str, dict[str, int]]()
    for table, source in sources.items():
        count = counter(progress, f"items of {table}", len(source.items))
        own, users = list[Conversation](), set[str]()
        counts = Counter({f"refused: {why}": n for why, n in source.refused.items()})
        for item in source.items:
            count()
            shown, ask = planner_prompt(item, settings, prompts, domains)
            reply, dropped = target(item.question, item.rubric_aspects, shown)
            counts.update({f"aspects left out: {why}": n for why, n in dropped.items()})
            said = {"role": "assistant", "content": reply.model_dump_json()}
            asked = [message._asdict() for message in ask.messages]
            conversation: Conversation = {"prompt": asked, "completion": [said]}
            tokens = length(conversation)
            if not reply.aspects or tokens > settings.max_tokens:
                counts["refused: too_long" if reply.aspects else "refused: empty_target"] += 1
                continue
            own.append(conversation)
            users.add(item.user)
            counts.update({"aspects": len(reply.aspects), "tokens": tokens})
        if not own:
            fix = "Bring items whose posts carry their gold aspects, or raise max_tokens."
            raise ConfigError(f"no item gives an example: {listed(counts)}", where=table, fix=fix)
        examples[table] = own
        data[table] = {"items": len(own), "users": len(users), **dict(sorted(counts.items()))}
    return examples, data


def listed(counts: Mapping[str, int]) -> str:
    """Counts as a phrase: `items 9, refused: too_long 1`."""
    return ", ".join(f"{name} {n:,}" for name, n in counts.items())


def begin(out: Path, settings: Training, examples: Mapping[str, list[Conversation]]) -> None:
    """Write what is trained; if the folder was begun before, check that it is the same.

    Raises ConfigError for the folder of another training.
    """
    path, beside = out / "training.json", {"source", "validation", "prompts", "rubrics"}
    decides = settings.model_dump(mode="json", exclude=beside)
    decides["examples"] = blake2b(json.dumps(examples).encode(), digest_size=16).hexdigest()
    if not path.exists() and not checkpoints(out):
        write_whole(path, json.dumps(decides, indent=2) + "\n")
    elif changed := differences(_document(path), decides):
        raise ConfigError(
            f"is the folder of another training: {'; '.join(changed[:3])}",
            where=out,
            fix="Give another --out, or the settings that it was begun with.",
        )


def checkpoints(out: Path) -> dict[int, Path]:
    """Find the complete checkpoints by step. One that was being written when the machine failed is
    written again when its step is reached."""
    found = {path.name.removeprefix("checkpoint-"): path for path in out.glob("checkpoint-*")}
    numbered = {int(step): path for step, path in found.items() if step.isdecimal()}
    return {step: path for step, path in numbered.items() if _document(path / STATE)}


def _document(path: Path) -> dict[str, Any]:
    """The JSON object of a file; empty if the file is absent or cut short."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found
