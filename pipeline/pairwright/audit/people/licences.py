"""Posts with their licence and address, as the licence asks for both."""

from collections import Counter
from collections.abc import Iterator

from pairwright.audit.found import Found
from pairwright.audit.records import Check
from pairwright.dataset import Row, licence_of
from pairwright.dataset.licence import of_stack_exchange


class Licences:
    """`licence`: posts, and questions with an address, that lack their licence or their address,
    or state another licence than their address and date give.

    It fails where a post of Stack Exchange does, where a licence asks for attribution and there is
    no address to give, or where nothing states a licence.
    """

    def __init__(self) -> None:
        self._found = Found(
            "people", "licence", limit=None, others=None,
            nothing="no row has posts, or says where its question stands",
        )  # fmt: skip
        self._known: dict[int, tuple[str | None, str | None]] = {}
        self._stated: Counter[str] = Counter()
        self._texts = self._covered = self._breaches = 0

    def add(self, row: Row) -> None:
        texts = [
            (f"post {number}", post.source_url, post.created, post.licence)
            for number, post in enumerate(row.profile, 1)
        ]
        if row.source_url:
            texts.append(("question", row.source_url, row.created, row.licence))
        if not texts:
            return
        said = None
        for name, url, created, licence in texts:
            self._texts += 1
            self._covered += bool(url and licence)
            self._stated[licence or "none"] += 1
            breach, lack = self._faults(url, created, licence)
            self._breaches += breach is not None
            fault = breach or lack
            said = said or (fault and f"{name} {fault}")
        self._found.add(row, said)

    def checks(self) -> Iterator[Check]:
        by = sorted(self._stated.items(), key=lambda of: (-of[1], of[0]))
        detail = (
            f"{self._covered:,} of {self._texts:,} texts have licence and address; by licence: "
            + ", ".join(f"{name} {n:,}" for name, n in by)
        )
        for check in self._found.checks(detail if self._texts else ""):
            fails = self._breaches or (self._texts and self._stated["none"] == self._texts)
            yield check.model_copy(update={"status": "fail"}) if fails else check

    def _faults(
        self, url: str | None, created: str | None, licence: str | None
    ) -> tuple[str | None, str | None]:
        # Posts come again, and taking an address to pieces costs time.
        key = hash((url, created, licence))
        if key not in self._known:
            self._known[key] = _breach(url, created, licence), _lack(url, licence)
        return self._known[key]


def _breach(url: str | None, created: str | None, licence: str | None) -> str | None:
    """What breaks a licence. That of a text of Stack Exchange its date gives."""
    if not url and (licence or "").startswith("CC-BY"):
        return f"states {licence}, which asks for attribution, and has no address"
    if not url or not of_stack_exchange(url):
        return None
    if not licence:
        return "is of Stack Exchange and states no licence"
    due = licence_of(url, created)
    return f"states {licence}, its date gives {due}" if due and licence != due else None


def _lack(url: str | None, licence: str | None) -> str | None:
    if url and licence:
        return None
    return f"has no {'licence' if url else 'address'}" if url or licence else "has neither"
