"""For tests and benchmarks of Label Studio: a study without a build, and answers to its tasks."""

from pathlib import Path

from pydantic import JsonValue

from live_study import LiveStudy
from pairwright import __version__
from pairwright.lines import read_one
from pairwright.progress import Event, Note
from pairwright.records import Post
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.folder import HumanFolder, write_study
from pairwright_human_eval.forms import questions
from pairwright_human_eval.label_studio import ServerState, pull_answers
from pairwright_human_eval.records import CANNOT_JUDGE, KINDS, Kind, Study
from pairwright_human_eval.tasks import BlindUnit, blind_task
from small_studies import SCALES, one, violate

ANNOTATORS = ("annotator-01", "annotator-02", "annotator-03")


def make_study(
    run: Path,
    units: int,
    annotators: tuple[str, ...] = ANNOTATORS,
    kinds: tuple[Kind, ...] = KINDS,
    words: int = 60,
    seed: int = 0,
) -> LiveStudy:
    """Tasks of every kind and unit for every annotator; `words` in each long text.

    Studies of other seeds are other studies to a server.
    """
    long = " ".join(["word"] * words)
    profile = tuple(
        Post(id=f"p{n}", text=f"Mail reader{n}@example.com. {long}", created=f"2024-01-0{n}")
        for n in (1, 2, 3)
    )
    texts = {"chosen": f"Use the steamer. {long}", "rejected": f"Call the chat line. {long}"}
    asked = [one(violate(n, profile=profile, **texts)) for n in range(units)]
    tasks = [
        blind_task(
            BlindUnit(seed, unit, False),
            kind,
            None if kind == "quality" else unit.asked,
            who,
            PlanRules(),
        )
        for who in annotators
        for kind in kinds
        for unit in asked
    ]
    study = Study(
        version=__version__,
        pairs_hash="",
        seed=seed,
        annotators=annotators,
        overlap=len(annotators),
        of=units,
        policy=HumanRules(),
        scales=SCALES,
    )
    write_study(HumanFolder(run), study, tasks)
    return LiveStudy(run)


def pushed(study: LiveStudy) -> ServerState:
    return read_one(study.folder.server, ServerState)


def pull(study: LiveStudy) -> list[str]:
    """Fetch the answers, and say what is odd on the server."""
    events: list[Event] = []
    pull_answers(study.run, progress=events.append)
    return [event.text for event in events if isinstance(event, Note)]


def answers(kind: Kind, pick: int = 0) -> list[JsonValue]:
    """A complete result, as the page sends it: of each control's values the one numbered `pick`."""
    result: list[JsonValue] = []
    for name, asked in questions(kind, SCALES, aspects=2).items():
        ordered = sorted({*asked.choices} - {CANNOT_JUDGE})
        value: JsonValue = {"choices": [ordered[pick % len(ordered)]]}
        result.append({"from_name": name, "to_name": "Question", "type": "choices", "value": value})
    return result
