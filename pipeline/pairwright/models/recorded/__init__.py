"""Recordings: the replies to all calls of a run in one file, which answers them again.

A recording holds replies by the key of their request, so a changed prompt, item or setting is a
call that is not in it. There is no reply in place of one that is missing.
"""

from pairwright.models.recorded.file import (
    RecordedCall,
    RecordedModel,
    Recording,
    RecordingHead,
    read_recording,
    topic,
    write_recording,
)
from pairwright.models.recorded.replay import NOT_RECORDED, Replay

__all__ = [
    "NOT_RECORDED",
    "RecordedCall",
    "RecordedModel",
    "Recording",
    "RecordingHead",
    "Replay",
    "read_recording",
    "topic",
    "write_recording",
]
