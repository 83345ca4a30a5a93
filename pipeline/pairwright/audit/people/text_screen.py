"""One text looked at by itself: personal data in it, and subjects that can harm people."""

from collections.abc import Iterator
from typing import NamedTuple

from pairwright.audit.people.finding import mask
from pairwright.audit.people.scan import KINDS, find
from pairwright.audit.people.sensitive import sensitive_groups

_REACHES = frozenset(kind.definition.name for kind in KINDS if kind.fails)


class ScreenedText(NamedTuple):
    """Something in a text that may not be fit to be shown to strangers."""

    kind: str
    """The kind of personal data, or the group of subjects."""
    personal: bool
    """Data by which anybody can reach or rob a person; else a subject that can harm people."""
    masked: str
    """What was found, without what it gives away; empty for a subject."""


def screen(text: str) -> Iterator[ScreenedText]:
    """What is found in a text. Public names, which many texts hold, are left out."""
    for finding in find(text):
        if finding.kind in _REACHES:
            yield ScreenedText(finding.kind, True, mask(text, finding))
    for group in sorted(sensitive_groups(text)):
        yield ScreenedText(group, False, "")
