"""The real endpoints: OpenAI-compatible servers, vLLM in this process, and what vLLM's servers tell
beside completions: classes and log-probabilities."""

from pairwright.client.classify import Classify
from pairwright.client.client import Client
from pairwright.client.engine import Engine
from pairwright.client.meter import Meter
from pairwright.client.prompt_logprobs import PromptLogprobs

__all__ = ["Classify", "Client", "Engine", "Meter", "PromptLogprobs"]
