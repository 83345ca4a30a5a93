"""The environment's proxy for an endpoint: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.

Found once for each endpoint. Left to itself (`trust_env`), aiohttp looks for it in a thread before
each call, and takes passwords from ~/.netrc.
"""

from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pairwright.errors import ConfigError


def proxy_for(base_url: str) -> str | None:
    """The proxy's address; None for this machine's own servers and for what NO_PROXY names.

    Raises ConfigError for a proxy that is none for HTTP.
    """
    parts = urlsplit(base_url)
    host, proxies = parts.hostname or "", getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    local = host in ("localhost", "::1") or host.startswith("127.")
    if not proxy or local or proxy_bypass(parts.netloc) or _in_networks(host, proxies):
        return None
    if "://" not in proxy:
        return f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        raise ConfigError(
            f"the proxy for {host} is no HTTP proxy, and no other kind can be used",
            where=f"{parts.scheme.upper()}_PROXY or ALL_PROXY in the environment",
            fix=f"Set {parts.scheme.upper()}_PROXY to an HTTP proxy, or add {host} to NO_PROXY.",
        )
    return proxy


def _in_networks(host: str, proxies: dict[str, str]) -> bool:
    """Whether NO_PROXY names the host by a network, such as 10.0.0.0/8; urllib knows names only."""
    try:
        address = ip_address(host)
    except ValueError:
        return False
    for named in proxies.get("no", "").split(","):
        try:
            if "/" in named and address in ip_network(named.strip(), strict=False):
                return True
        except ValueError:  # No network; curl passes over it, too.
            continue
    return False
