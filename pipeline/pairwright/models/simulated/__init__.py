"""The embedded model: a small deterministic program behind the OpenAI wire format.

It is a toy. It plans, writes and judges by words and closed lists, so that a whole build can be
shown and tested without a model. Nothing it says is evidence of anything.

server.py model.py     the endpoint, and the reply to a request, by the task that its prompt names
reading.py             a prompt taken apart
planner.py statements.py cues.py phrases.py    aspects, out of what posts say about their author
writer.py frames.py    responses, out of a question and aspects
judge.py               judgements, by the words that texts share
lexicon.py chance.py   the words it knows, and choices that are a function of texts
planting.py defects.py    defects that it plants in replies, each at its own rate
"""

from pairwright.models.simulated.defects import Defects
from pairwright.models.simulated.server import serve

__all__ = ["Defects", "serve"]
