"""Endpoints: OpenAI-compatible servers, vLLM in this process, and what vLLM's servers give beside
completions: classes and log-probabilities.

client.py      one endpoint of the config: sends, retries, and learns the pace
wire.py        `Wire`: what sends a body and brings a response back
openai_body.py    a request as a body of OpenAI's form
refusals.py    what the refusals of endpoints mean
endpoint_wires.py    the wires of an endpoint: the protocol is chosen here
connection.py headers.py    the wire to one server, and the headers of every call
pace.py meter.py    how fast an endpoint is asked, and what was sent
engine.py vllm.py flags.py    vLLM in this process
classify.py prompt_logprobs.py stored_scores.py    vLLM's scores, as if they were completions

OpenAI's form is the form inside: a server of another protocol is one more `Wire`, which takes a
body of that form and brings back a response of that form, as `classify.py` does.
"""

from pairwright.models.client.classify import Classify
from pairwright.models.client.client import Client
from pairwright.models.client.engine import Engine
from pairwright.models.client.meter import Meter
from pairwright.models.client.prompt_logprobs import PromptLogprobs

__all__ = ["Classify", "Client", "Engine", "Meter", "PromptLogprobs"]
