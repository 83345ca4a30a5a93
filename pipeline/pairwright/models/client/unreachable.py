"""Why an address gave no reply, in plain words: what aiohttp says of it is for programmers."""

import errno
import ssl

import aiohttp


def why(error: Exception, url: str, timeout_s: float) -> str:
    """One clause that names the address and what happened there."""
    if isinstance(error, aiohttp.ClientConnectorError):
        at = f"{error.host}:{error.port}"
        if isinstance(error, aiohttp.ClientProxyConnectionError):
            return f"{url}: the proxy {at} cannot be reached: {_cause(error.os_error)}"
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return f"{url}: no machine is known by the name {error.host!r}"
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return f"{url}: its certificate is not trusted: {error.certificate_error}"
        return f"{url}: {_cause(error.os_error)}"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return f"{url}: the machine did not answer"
    if isinstance(error, TimeoutError):
        return f"{url}: no whole reply in {timeout_s:g} s"
    return f"{url}: {error or type(error).__name__}"


def _cause(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED:
        return "the connection was refused; no server listens there"
    if isinstance(error, ssl.SSLError):
        return "no encrypted connection: it may speak http and not https"
    if isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
        return "the machine did not answer"
    return f"no connection: {error.strerror or error}"
