"""The licence of a post.

Stack Exchange: CC BY-SA, its version by the date of the post
(https://stackoverflow.com/help/licensing): 2.5 before 2011-04-08, 3.0 before 2018-05-02, then 4.0.
"""

from pairwright.dataset.address import host_of

_HOSTS = (
    "stackexchange.com", "stackoverflow.com", "superuser.com", "serverfault.com", "askubuntu.com",
    "mathoverflow.net", "mathoverflow.com", "stackapps.com",
)  # fmt: skip
_VERSIONS = (("2011-04-08", "CC-BY-SA-2.5"), ("2018-05-02", "CC-BY-SA-3.0"))
_NEWEST = "CC-BY-SA-4.0"


def licence_of(url: str | None, created: str | None, default: str | None = None) -> str | None:
    """The SPDX id; `default` for a post that is not of Stack Exchange, None where nothing tells."""
    if not url or not of_stack_exchange(url):
        return default
    if not created:
        return None
    return next((licence for until, licence in _VERSIONS if created < until), _NEWEST)


def of_stack_exchange(url: str) -> bool:
    """Whether an address is of one of its sites."""
    host = host_of(url)
    return host is not None and stack_exchange_host(host)


def stack_exchange_host(host: str) -> bool:
    """The same of an `Address.host`."""
    return any(host == known or host.endswith(f".{known}") for known in _HOSTS)
