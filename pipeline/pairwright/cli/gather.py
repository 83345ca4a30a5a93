"""From a run folder to what a release is written from."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from pairwright.cli.human.opened import opened
from pairwright.cli.units import AGAIN, units_of
from pairwright.construct.folder import RunFolder
from pairwright.construct.run_pairs import check_as_built
from pairwright.dataset import read_lines
from pairwright.dataset.splits import splits_of
from pairwright.dataset.tombstones import Forgotten
from pairwright.errors import InputError
from pairwright.models.store import Store
from pairwright.release.errata import read_errata
from pairwright.release.previous import read_previous
from pairwright.release.select import Entry, Survey, select, survey, trial_because
from pairwright.release.stated import stated
from pairwright.release.told import Told
from pairwright.release.tombstones import read_tombstones
from pairwright.release.write import Content
from pairwright.settings.config import Config, essential
from pairwright_human_eval.decisions import Decision
from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.public_study import ReleasedStudy, published

Step = Callable[[str, int | None], None]
"""Told what is being done, and how much of it is done where that is counted."""


class Asked(NamedTuple):
    """What the command line asks for."""

    version: str
    previous: Path | None
    trial: bool
    validation_share: float


class Gathered(NamedTuple):
    """What is released of a run, and why the rest is not."""

    content: Content
    entries: tuple[Entry, ...]
    """All subjects of the run."""
    why: dict[str, str]
    """By subject: why it is not released; empty for those that are."""
    failed: int
    """Units that failed."""


class _Decided(NamedTuple):
    survey: Survey
    public: ReleasedStudy | None
    decisions: dict[str, Decision] | None


def gather(run: Path, store: Store, asked: Asked, step: Step) -> Gathered:
    """Raises InputError for whatever keeps the run from being released, StoreError where its
    store cannot be read."""
    folder = RunFolder(run)
    config, manifest = folder.settings(), _manifest(run)
    if not store.finished:
        raise InputError("its build has not finished", where=run, fix=AGAIN)
    previous = _previous(asked, config.release.name)
    errata = read_errata(run, previous.errata if previous else ())
    forgotten = read_tombstones(run)
    found, public, decisions = _decided(run, config, forgotten, asked, step)
    units = tuple(units_of(store, found.entries, forgotten, run / "pairs.jsonl"))
    why = select(found.entries, decisions, trial=asked.trial)
    chosen = tuple(entry for entry in found.entries if not why[entry.id])
    if not chosen:
        raise _nothing(run, why, trial=asked.trial)
    content = Content(
        stated=stated(
            asked.version,
            config.release,
            manifest,
            essential(folder.saved())["content"],
            trial_because=trial_because(chosen, public) if asked.trial else (),
            validation_share=asked.validation_share,
            where=run / "manifest.json",
        ),
        pairs=run / "pairs.jsonl",
        entries=chosen,
        # Of all pairs, released or not: what people decide then moves nobody.
        splits=splits_of((entry.users for entry in found.entries), asked.validation_share),
        units=units,
        errata=errata,
        public=public,
        decisions=decisions or {},
        previous=previous,
        forgotten=forgotten,
    )
    return Gathered(content, found.entries, why, sum(unit.outcome == "failed" for unit in units))


def _previous(asked: Asked, name: str) -> Told | None:
    if asked.previous is None:
        return None
    return read_previous(asked.previous, asked.version, name, trial=asked.trial)


def _manifest(run: Path) -> JsonValue:
    path = run / "manifest.json"
    try:
        manifest: JsonValue = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {error}", where=path, fix=AGAIN) from None
    return manifest


def _decided(run: Path, config: Config, forgotten: Forgotten, asked: Asked, step: Step) -> _Decided:
    """The run's subjects, and what people decided on them if there is a study."""
    human, trial = HumanFolder(run), asked.trial

    def seen(n: int) -> None:
        step("reading pairs", n)

    if not human.study.exists():
        if not trial:
            raise InputError(
                "no study: nobody has verified its pairs",
                where=human.path,
                fix=f"`pairwright human export {run}` begins one; --trial makes a release for"
                " trying out.",
            )
        found = survey(run / "pairs.jsonl", forgotten, None, seen)
        # A study's export has done so, and the study keeps the file's hash.
        check_as_built(run)
        return _Decided(found, None, None)
    with opened(run) as study:
        step("reading answers", None)
        pairs, answers = study.pairs(), study.answers()
        found = survey(pairs, forgotten, study.fixed.key, seen)
        leaving = {of.id for of in found.entries if of.forgotten or (of.simulated and not trial)}
        step("deciding", None)
        public = published(
            study.fixed, found.outlines, answers.verdicts, answers.set_aside, config.human,
            leaving=leaving,
        )  # fmt: skip
        if public.simulated and not trial:
            raise InputError(
                "simulated annotators answered, and that verifies nothing",
                where=human.verdicts,
                fix="Have people answer (pairwright human serve), or add --trial.",
            )
        decisions = public.decisions
        _check_reported(human.decisions, decisions, run)
        return _Decided(found, public, decisions)


def _check_reported(path: Path, decisions: Mapping[str, Decision], run: Path) -> None:
    """Raise InputError where decisions.jsonl says something else: its report is not of this."""
    if not path.exists():
        return
    fix = f"`pairwright human report {run}`, look at what it says, and release then."
    for number, line in enumerate(read_lines(path, Decision), start=1):
        now = decisions.get(line.subject)
        if now and now != line:
            raise InputError(
                f"{line.subject} is {line.state} here, and {now.state} by the answers and the rule"
                " of now"
                if now.state != line.state
                else f"{line.subject} has other answers now",
                where=f"{path}:{number}",
                fix=fix,
            )


def _nothing(run: Path, why: Mapping[str, str], *, trial: bool) -> InputError:
    reasons = ", ".join(f"{n:,} {reason}" for reason, n in Counter(why.values()).most_common())
    fix = "Build until pairs are kept."
    if why:
        fix = f"`pairwright human report {run}` says what is open or refused."
        fix += "" if trial else " For trying out, add --trial."
    return InputError(f"nothing to release ({reasons or 'no pairs'})", where=run, fix=fix)
