"""The embedded model: a small deterministic program behind the OpenAI wire format.

It is a toy. It plans, writes and judges by words and closed lists, so that a whole build can be
shown and tested without a model. Nothing it says is evidence of anything.
"""

from pairwright.models.simulated.defects import Defects
from pairwright.models.simulated.server import serve

__all__ = ["Defects", "serve"]
