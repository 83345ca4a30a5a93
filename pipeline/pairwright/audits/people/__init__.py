"""People: personal data in the rows, sensitive subjects, licences and deletion.

scan.py        one search of each text: checks, a log of what to redact, and one text by itself
names.py contacts.py identifiers.py    the kinds of personal data
rights.py      licences, people who asked to be forgotten, and subjects that can harm people
"""

from pairwright.audits.people.rights import Licences, Tombstones, sensitive
from pairwright.audits.people.scan import PersonalData, PublicNames
from pairwright.audits.records import RowReader
from pairwright.dataset.address import ForgetList


def people_checks(
    data: PersonalData, forgotten: ForgetList | None = None, *, has_attribution: bool = False
) -> list[RowReader]:
    """The checks of this part, in the order of the report. `forgotten` is what tombstones name;
    None where the auditor has no list of them. `has_attribution`: whether a release or run states
    the attribution of its texts."""
    others = (sensitive(), Licences(has_attribution=has_attribution), Tombstones(forgotten))
    return [data, *map(PublicNames, others)]
