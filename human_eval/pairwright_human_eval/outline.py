"""What is known of a subject without any text: names, hashes and the judge's scores.

Decisions and every number of a report are functions of outlines and verdicts, so that whoever has
a release, where refused pairs are not, can derive them again.
"""

from collections.abc import Iterable, Mapping

from pairwright.records import Mode, Record, Side, dyad_id
from pairwright_human_eval.records import KeyedTask, aspect_id, response_id
from pairwright_human_eval.subjects import Subject


class OutlinePair(Record):
    """One pair: its responses and aspects by neutral name."""

    id: str
    asked: bool
    chosen: str
    rejected: str
    aspects: tuple[str, ...]
    adherence: dict[Side, tuple[int, ...]]
    """The judge's scores, in the order of the aspects; empty where nothing was judged."""


class Outline(Record):
    """One subject: a twin with both halves, or a pair."""

    id: str
    mode: Mode
    domain: str
    dyad: str
    """The users it is about: the cluster of every interval."""
    first: str
    """The response that is chosen for the user who asked."""
    second: str
    pairs: tuple[OutlinePair, ...]
    """The asked one first."""
    quality: dict[str, dict[str, int]]
    """By response and scale: the judge's scores, where it gave them."""
    aspects_asked: bool = True
    """False for a control of the study: nobody was asked about its aspects."""


def outlines_of(subjects: Iterable[Subject], key: Mapping[str, KeyedTask]) -> list[Outline]:
    """The outlines of a study's subjects, in their order."""
    asked = {keyed.subject for keyed in key.values() if keyed.kind == "rubric"}
    return [outline_of(subject, aspects_asked=subject.id in asked) for subject in subjects]


def outline_of(subject: Subject, *, aspects_asked: bool = True) -> Outline:
    asked = subject.asked
    judged = {getattr(asked, side): of for side, of in asked.quality.items()}
    return Outline(
        id=subject.id,
        mode=asked.mode,
        domain=asked.domain,
        dyad=dyad_id(pair.user for pair in subject.pairs),
        first=response_id(subject.first),
        second=response_id(subject.second),
        pairs=tuple(
            OutlinePair(
                id=pair.id,
                asked=pair.asked,
                chosen=response_id(pair.chosen),
                rejected=response_id(pair.rejected),
                aspects=tuple(aspect_id(aspect.aspect) for aspect in pair.rubric.aspects),
                adherence={
                    side: tuple(score.score for score in given.scores)
                    for side, given in pair.adherence.items()
                },
            )
            for pair in subject.pairs
        ),
        quality={response_id(text): of.scores for text, of in judged.items()},
        aspects_asked=aspects_asked,
    )
