"""Reward models in this process.

batches.py   which texts go through the model together
engine.py    answers requests: starts the model at the first one, and keeps it full
models.py    the models; the only file that imports torch and transformers
"""

from pairwright.evaluate.local.engine import InProcess

__all__ = ["InProcess"]
