"""Reward models in this process.

engine.py        answers requests: starts the model at the first one, and keeps it full
gathering.py     calls that come one by one, answered together
conversation.py  a conversation as a model reads it, and which go through the model together
models.py        the models; the only file that imports torch and transformers
"""

from pairwright.evaluate.local.engine import InProcess

__all__ = ["InProcess"]
