"""Endpoints: OpenAI-compatible servers, vLLM in this process, and what vLLM's servers give beside
completions: classes and log-probabilities.

client.py      one endpoint of the config: sends, and retries what is worth it
meter.py       what a run has sent, and may send
wire.py        bodies, headers and secrets, and what the refusals of endpoints mean
connection.py  the wire to one server
engine.py vllm.py    vLLM in this process
scores.py      vLLM's scores, as if they were completions
"""

from pairwright.models.client.client import Client
from pairwright.models.client.engine import Engine
from pairwright.models.client.meter import Meter
from pairwright.models.client.scores import Classify, PromptLogprobs

__all__ = ["Classify", "Client", "Engine", "Meter", "PromptLogprobs"]
