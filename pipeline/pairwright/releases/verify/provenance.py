"""What a release says of itself: version, kind, models, history, errata and units agree."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pairwright.dataset import Layout
from pairwright.releases.changes import FIRST, TRIAL, numbers_of
from pairwright.releases.derive.build_summary import summarise_build
from pairwright.releases.primary import (
    PrimaryFiles,
    Provenance,
    ReleaseFormat,
    UnitOutcome,
    Version,
)
from pairwright.releases.run_notes import fault
from pairwright.releases.verify.comparison import difference, same, shown
from pairwright_human_eval.subjects import Outline


def check_provenance(layout: Layout, primary: PrimaryFiles) -> None:
    """Hold version, kind, calls, history and errata to each other. Raises Difference."""
    provenance, name = primary.provenance, layout.provenance.name
    _check_version(provenance, name)
    if not 0 <= provenance.validation_share < 1:
        raise difference(f"is {provenance.validation_share}", f"{name} [validation_share]")
    check_history(primary.history, provenance, layout.history.name)
    known = set[tuple[str, str]]()
    for number, erratum in enumerate(primary.errata, start=1):
        about = erratum.pair, erratum.what
        if why := "is there twice" if about in known else fault(erratum):
            raise difference(why, f"{layout.errata.name}:{number}")
        known.add(about)


def _check_version(provenance: Provenance, name: str) -> None:
    if not numbers_of(provenance.version):
        raise difference(f"is {shown(provenance.version)}, and must be X.Y.Z", f"{name} [version]")
    trial = provenance.kind == "trial"
    if provenance.version.endswith(TRIAL) != trial:
        raise difference(
            f"is {provenance.version}, and must {'' if trial else 'not '}end in {TRIAL}:"
            f" the kind is {provenance.kind}",
            f"{name} [version]",
        )
    if bool(provenance.trial_because) != trial:
        raise difference(
            "says nothing" if trial else "names reasons for an ordinary release",
            f"{name} [trial_because]",
        )


def known_models(provenance: Provenance, layout: Layout) -> set[str] | None:
    """The models that the build states; None where it states none. Raises InputError where it does
    not state them as a build does."""
    if "endpoints" not in provenance.build:
        return None
    return {each.model for each in summarise_build(provenance, layout).endpoints.values()}


_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SIGN = {"added": 1, "removed": -1, "changed": 0}


def check_history(history: Sequence[Version], provenance: Provenance, name: str) -> None:
    """Raises Difference. `name` is the file."""
    if not history:
        raise difference("is empty, and must hold this version", name)
    same("version", history[-1].version, provenance.version, f"{name}:{len(history)}")
    before: Version | None = None
    for number, version in enumerate(history, start=1):
        where = f"{name}:{number}"
        _check_line(version, where)
        same("previous", version.previous, before and before.version, where)
        if before is None:
            for n, change in enumerate(version.changes):
                first = (change.what, change.reason)
                same(f"changes.{n} of a first version", first, ("added", FIRST), where)
        elif not (numbers_of(before.version) or ()) < (numbers_of(version.version) or ()):
            raise difference(f"{version.version} does not come after {before.version}", where)
        elif before.version.endswith(TRIAL) and not version.version.endswith(TRIAL):
            raise difference(f"{version.version} follows {before.version}, a trial", where)
        more = sum(_SIGN[change.what] * change.pairs for change in version.changes)
        same("pairs", version.pairs, (before.pairs if before else 0) + more, where)
        before = version


def check_rows_of_history(history: Sequence[Version], rows: Mapping[str, int], name: str) -> None:
    """Raise Difference unless what was added and not removed is what is there, by configuration."""
    net, where = Counter[str](), f"{name}:{len(history)}"
    for version in history:
        for change in version.changes:
            net[change.config] += _SIGN[change.what] * change.pairs
    for config in sorted({*net, *rows}):
        same(f"pairs of {shown(config)}", net[config], rows.get(config, 0), where)
    same("pairs", history[-1].pairs, sum(rows.values()), where)


def _check_line(version: Version, where: str) -> None:
    if not numbers_of(version.version):
        raise difference(f"version is {shown(version.version)}, and must be X.Y.Z", where)
    if (version.previous is None) != (version.previous_digest is None):
        raise difference("previous and previous_digest are not both there", where)
    if version.previous_digest is not None and not _DIGEST.fullmatch(version.previous_digest):
        raise difference(f"previous_digest is {shown(version.previous_digest)}", where)
    for n, change in enumerate(version.changes):
        if change.pairs < 1:
            raise difference(f"changes.{n} is of {shown(change.pairs)} pairs", where)


_NAME = re.compile(r"unit-[0-9a-f]{16}")


KeptUnits = dict[str, tuple[int, UnitOutcome]]
"""The units that were kept, with their lines, counted from 1, by their subjects."""


def check_units(units: Iterable[UnitOutcome], format_: ReleaseFormat, file: str) -> KeptUnits:
    """The kept units by their subjects; raises Difference."""
    names, kept = set[str](), KeptUnits()
    for number, unit in enumerate(units, start=1):
        where = f"{file}:{number}"
        if not _NAME.fullmatch(unit.unit):
            raise difference(f"unit is {unit.unit!r}, and must be a hash", where)
        if unit.unit in names:
            raise difference(f"{unit.unit} is there twice", where)
        names.add(unit.unit)
        was_kept = unit.outcome == "kept"
        same("whether there is a subject", unit.subject is not None, was_kept, where)
        same("whether there is a reason", bool(unit.reason), not was_kept, where)
        if unit.contents and (format_ == 1 or not was_kept):
            raise difference("has contents, where it has none", where)
        if unit.subject is not None:
            if unit.subject in kept:
                raise difference(f"{unit.subject} was kept before", where)
            kept[unit.subject] = number, unit
    return kept


def check_contents(kept: KeptUnits, rows: Mapping[str, int], file: str) -> None:
    """Raise Difference where a unit has more hashes than rows of its subject are there."""
    for subject, (line, unit) in kept.items():
        if len(unit.contents) > rows.get(subject, 0):
            where = f"{file}:{line}"
            raise difference(
                f"has {len(unit.contents)} contents, of {rows.get(subject, 0)} rows", where
            )


def check_sampled(outlines: Mapping[str, Outline], kept: KeptUnits, file: str) -> None:
    """Every subject that people were asked about was kept, and their order is the build's."""
    before = 0
    for number, outline in enumerate(outlines.values(), start=1):
        where = f"{file}:{number}"
        if outline.id not in kept:
            raise difference(f"{outline.id} is not a kept unit of the build", where)
        line, unit = kept[outline.id]
        same("mode", outline.mode, unit.mode, where)
        if line <= before:
            raise difference(f"{outline.id} is out of the build's order", where)
        before = line
