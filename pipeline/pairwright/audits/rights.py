"""Whether the texts of a row may be passed on: licences, and the attribution that they ask for."""

from functools import lru_cache

from pairwright.audits.checks import clip
from pairwright.pairs import Row, RowPost, licence_of
from pairwright.pairs.address import host_of, of_stack_exchange

_ATTRIBUTION = ("CC-BY", "ODC-BY")
"""Licences, by the start of their SPDX id, that ask for attribution, which an address gives."""


def licence(row: Row, *, attributed: bool = False) -> str | None:
    """The fault of the first post, or question with an address, that states no licence, lacks an
    attribution that its licence requires, or contradicts its address and date. An address
    attributes a text; a release or run may attribute all of its texts (`attributed`).

    Other people's rows are not examined if no text states a licence or has an address.
    """
    texts: dict[str, RowPost | Row] = {f"post {n}": of for n, of in enumerate(row.profile, 1)}
    if row.source_url:
        texts["question"] = row
    stated = any(one.licence or _is_address(one.source_url) for one in texts.values())
    if not texts or (row.mode is None and not stated):
        return None
    faults = (
        (name, _fault(one.source_url, one.created, one.licence, attributed=attributed))
        for name, one in texts.items()
    )
    return next((f"{name} {fault}" for name, fault in faults if fault), "")


# Posts are repeated, and parsing an address takes time.
@lru_cache(maxsize=100_000)
def _is_address(url: str | None) -> bool:
    """Whether an address has a host: `n/a` and `unknown` do not."""
    host = host_of(url) if url else None
    return host is not None and "." in host and " " not in host


@lru_cache(maxsize=100_000)
def _fault(url: str | None, created: str | None, licence: str | None, *, attributed: bool) -> str:
    """The fault of a text's licence. The date of a Stack Exchange text implies its licence."""
    if url and not _is_address(url):
        return f"gives {clip(url)} as its address"
    if not licence:
        return "states no licence"
    if not url:
        if licence.upper().startswith(_ATTRIBUTION) and not attributed:
            return f"states {licence}, which asks for attribution, and has no address"
        return ""
    due = licence_of(url, created) if of_stack_exchange(url) else None
    return f"states {licence}, its date gives {due}" if due and licence != due else ""
