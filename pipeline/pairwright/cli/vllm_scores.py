"""Clients of what vLLM's servers tell of a response: a class, or log-probabilities."""

from pairwright.errors import ConfigError
from pairwright.evaluate.scorers.spec import ServedClassifier, ServedLikelihood
from pairwright.models.client import Classify, Client, Meter, PromptLogprobs
from pairwright.models.client.wire import Wire
from pairwright.settings.config import SIMULATED_URL, Endpoint
from pairwright.workflows.run_models import api_key, say

_ASKED: dict[str, tuple[str, str, str]] = {
    "served": ("/classify", "vllm serve MODEL --runner pooling", "classifier"),
    "served-likelihood": ("prompt_logprobs", "vllm serve MODEL", "likelihood"),
}
"""By kind: what is asked, what serves it, and the kind that does the same in this process."""


def vllm_client(
    name: str, spec: ServedClassifier | ServedLikelihood, endpoint: Endpoint, meter: Meter
) -> Client:
    """Raises ConfigError for an endpoint that is no such server, and a key that is not set."""
    if endpoint.engine == "vllm" or SIMULATED_URL in endpoint.base_urls:
        asked, command, here = _ASKED[spec.kind]
        raise ConfigError(
            f"has no {asked}: that is asked of vLLM's servers",
            where=f"[endpoints.{spec.endpoint}], which [scorers.{name}] names",
            fix=f"Give the base_url of `{command}`, or use kind = {here!r} for a model in this"
            " process.",
        )
    key = api_key(spec.endpoint, endpoint)
    wire = Classify if isinstance(spec, ServedClassifier) else PromptLogprobs
    wires: list[Wire] = [wire(url, key, endpoint.timeout_s) for url in endpoint.base_urls]
    return Client(spec.endpoint, endpoint, key, meter, *wires, say=say)
