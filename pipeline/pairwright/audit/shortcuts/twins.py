"""Whether twins are whole: then a scorer that cannot see the user is right on half of the pairs."""

from collections.abc import Iterator, Sequence

from pairwright.audit.records import Check, Flag
from pairwright.audit.shortcuts.gathered import Gathered, Half
from pairwright.audit.shortcuts.trial import Trial


def twin_identity(config: str, of: Gathered, blind: Sequence[Trial]) -> Check:
    """Fails where a twin is not two halves that mirror each other, or where a blind scorer is not
    exactly right on half of the pairs."""
    flags = tuple(_broken(of))
    off = [
        f"{trial.name} {trial.points.mean():.4f}"
        for trial in blind
        if trial.points.sum() * 2 != len(trial.points)
    ]
    return Check(
        family="shortcuts",
        name="twin_identity",
        config=config,
        status="fail" if flags or off else "pass",
        count=len(flags),
        of=len(of.twins),
        detail=f"Not exactly one half: {', '.join(off)}." if off else "",
        flags=flags,
    )


def _broken(of: Gathered) -> Iterator[Flag]:
    for subject, halves in of.twins.items():
        if wrong := _wrong(halves):
            yield Flag(row=halves[0].row, detail=f"{subject}: {wrong}")


def _wrong(halves: Sequence[Half]) -> str:
    if len(halves) == 1:
        return "only one half is there"
    if len(halves) > 2:
        return f"{len(halves)} rows, where a twin has two halves"
    first, second = halves
    if first.texts == second.mirrored:
        return ""
    if first.texts == second.texts:
        return "both halves have the same response chosen"
    return "the halves are not of one question with chosen and rejected changed about"
