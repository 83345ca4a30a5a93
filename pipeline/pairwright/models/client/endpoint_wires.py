"""What answers for an endpoint: a connection to each of its addresses, or an engine here.

The protocol of an endpoint is chosen here and nowhere else. A wire takes a body of OpenAI's form
and brings back a response of that form, whatever its server speaks.
"""

from collections.abc import Callable

from pairwright.models.client.connection import Connection
from pairwright.models.client.engine import Engine
from pairwright.models.client.headers import headers_for
from pairwright.models.client.wire import Wire
from pairwright.settings.endpoints import Endpoint


def wires_of(
    name: str, endpoint: Endpoint, api_key: str | None, say: Callable[[str], None]
) -> list[Wire]:
    """The wires of an endpoint, in the order of its addresses. `say` tells people what takes long.

    Raises ConfigError where its engine is not installed, or a proxy cannot be used. Needs a running
    loop.
    """
    if endpoint.engine == "vllm":
        return [Engine(name, endpoint, say)]
    headers = headers_for(api_key)
    return [Connection(url, headers, endpoint.timeout_s) for url in endpoint.base_urls]
