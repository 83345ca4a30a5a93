"""The part of a study that a release holds, and everything that can be derived from it.

Verdicts by pseudonym, without comments and clock times; outlines of all sampled subjects, refused
ones too; how each annotator did in checks and repeats, whose tasks are never released.
"""

from pairwright_human_eval.public.files import read_public
from pairwright_human_eval.public.publish import published
from pairwright_human_eval.public.records import Public, PublicAnnotator, PublicStudy

__all__ = [
    "Public",
    "PublicAnnotator",
    "PublicStudy",
    "published",
    "read_public",
]
