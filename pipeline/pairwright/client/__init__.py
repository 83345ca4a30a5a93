"""The real endpoints: OpenAI-compatible servers, classifiers of vLLM, and vLLM in this process."""

from pairwright.client.classify import Classify
from pairwright.client.client import Client
from pairwright.client.engine import Engine
from pairwright.client.meter import Meter

__all__ = ["Classify", "Client", "Engine", "Meter"]
