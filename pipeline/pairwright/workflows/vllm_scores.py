"""Clients of what vLLM's servers say of a response: a class, or log-probabilities."""

from pairwright.errors import ConfigError
from pairwright.evaluation.settings import ServedClassifier, ServedLikelihood
from pairwright.models.client import Classify, Client, Meter, PromptLogprobs
from pairwright.models.client.wire import Wire
from pairwright.settings.endpoints import Endpoint
from pairwright.workflows.run_models import Say, api_key

_SERVED: dict[str, tuple[str, str, str]] = {
    "served": ("/classify", "vllm serve MODEL --runner pooling", "classifier"),
    "served-likelihood": ("prompt_logprobs", "vllm serve MODEL", "likelihood"),
}
"""By kind: what a server must offer, what serves it, and the kind that does it in this process."""


def vllm_client(
    name: str, spec: ServedClassifier | ServedLikelihood, endpoint: Endpoint, meter: Meter, say: Say
) -> Client:
    """A client of what vLLM's servers say of a response: a class, or log-probabilities.

    Raises ConfigError for an endpoint that is not such a server, and for a key that is not set.
    """
    if endpoint.engine == "vllm" or endpoint.recording is not None:
        needed, command, here = _SERVED[spec.kind]
        raise ConfigError(
            f"has no {needed}: only vLLM's servers have it",
            where=f"[endpoints.{spec.endpoint}], which [scorers.{name}] names",
            fix=f"Give the base_url of `{command}`, or use kind = {here!r} for a model in this"
            " process.",
        )
    key = api_key(spec.endpoint, endpoint)
    wire = Classify if isinstance(spec, ServedClassifier) else PromptLogprobs
    wires: list[Wire] = [wire(url, key, endpoint.timeout_s) for url in endpoint.base_urls]
    return Client(spec.endpoint, endpoint, key, meter, *wires, say=say)
