"""What people were asked about: does every subject hang together?"""

from collections.abc import Iterable

from pairwright.release.verify.difference import difference, same
from pairwright_human_eval.public_study import PublicStudy
from pairwright_human_eval.subjects import Outline


def check_outlines(
    outlines: Iterable[Outline], study: PublicStudy, file: str
) -> dict[str, Outline]:
    """The outlines by their ids; raises Difference."""
    scales = {scale.name for scale in study.scales}
    found: dict[str, Outline] = {}
    for number, outline in enumerate(outlines, start=1):
        where = f"{file}:{number}"
        if outline.id in found:
            raise difference(f"{outline.id} is there twice", where)
        found[outline.id] = outline
        _check_pairs(outline, where)
        for pair in outline.pairs:
            for side, scores in pair.adherence.items():
                same(f"the number of adherence.{side}", len(scores), len(pair.aspects), where)
        if strangers := outline.quality.keys() - {outline.first, outline.second}:
            raise difference(f"quality is of {min(strangers)}, a response of nobody", where)
        if unknown := {name for of in outline.quality.values() for name in of} - scales:
            raise difference(f"quality is on {min(unknown)!r}, a scale of nobody", where)
    if len(found) + study.left_out > study.of:
        raise difference(
            f"holds {len(found)} subjects, {study.left_out} left out, of {study.of} in the run",
            file,
        )
    return found


def _check_pairs(outline: Outline, where: str) -> None:
    """A twin's halves mirror each other, the asked one first; a pair stands for itself."""
    same("the number of pairs", len(outline.pairs), 2 if outline.mode == "twin" else 1, where)
    for n, pair in enumerate(outline.pairs):
        same(f"pairs.{n}.asked", pair.asked, n == 0, where)
        sides = (outline.first, outline.second) if n == 0 else (outline.second, outline.first)
        same(f"pairs.{n}: chosen and rejected", (pair.chosen, pair.rejected), sides, where)
    if outline.mode == "violate":
        same("the pair's id", outline.pairs[0].id, outline.id, where)
