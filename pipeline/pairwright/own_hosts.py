"""Which names a server of this machine answers to.

A web page can have its own name lead to 127.0.0.1 and then talk to a server there as if it were the
page's own ("DNS rebinding"). So a server that listens on loopback answers only to loopback's names.
"""

from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware


def only_own_names(host: str) -> list[Middleware]:
    """The middlewares of a server that listens on `host`: none where others are to reach it."""
    return [_refuse_other_names] if _is_loopback(host) else []


@web.middleware
async def _refuse_other_names(request: web.Request, handler: Handler) -> web.StreamResponse:
    named = request.host
    name = named.rpartition(":")[0] if not named.endswith("]") and ":" in named else named
    if _is_loopback(name.strip("[]")):
        return await handler(request)
    return web.Response(
        status=403,
        text="This server answers to localhost and 127.0.0.1 alone. Use one of these names.\n",
    )


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower().rstrip(".") == "localhost"
