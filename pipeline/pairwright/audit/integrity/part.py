"""The audit's third part."""

from collections.abc import Iterator

from pairwright.audit.integrity.aspects import AspectsDistinct, Evidence, FewAspects
from pairwright.audit.integrity.endings import Endings
from pairwright.audit.integrity.hidden import HiddenCharacters
from pairwright.audit.integrity.identity import DerivedIds, UniqueIds
from pairwright.audit.integrity.labels import Labels, SameSides
from pairwright.audit.integrity.languages import Languages
from pairwright.audit.integrity.texts import Blank, Encoding, VeryLong
from pairwright.audit.integrity.times import PlausibleTimes, ProfileEmpty, TimesInOrder
from pairwright.audit.integrity.twins import Twins
from pairwright.audit.records import Check, Comparison, Part
from pairwright.dataset import Row


class Integrity:
    """Every check of a row's form, in the order of the report."""

    def __init__(self) -> None:
        self._parts: tuple[Part, ...] = (
            UniqueIds(), DerivedIds(), SameSides(), Labels(), Twins(), Evidence(),
            AspectsDistinct(), FewAspects(), ProfileEmpty(), TimesInOrder(), PlausibleTimes(),
            Blank(), VeryLong(), Encoding(), HiddenCharacters(), Endings(), Languages(),
        )  # fmt: skip

    def add(self, row: Row) -> None:
        for part in self._parts:
            part.add(row)

    def checks(self) -> Iterator[Check | Comparison]:
        for part in self._parts:
            yield from part.checks()
