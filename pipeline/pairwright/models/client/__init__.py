"""The real endpoints: OpenAI-compatible servers, vLLM in this process, and what vLLM's servers tell
beside completions: classes and log-probabilities."""

from pairwright.models.client.classify import Classify
from pairwright.models.client.client import Client
from pairwright.models.client.engine import Engine
from pairwright.models.client.meter import Meter
from pairwright.models.client.prompt_logprobs import PromptLogprobs

__all__ = ["Classify", "Client", "Engine", "Meter", "PromptLogprobs"]
