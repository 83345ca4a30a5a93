"""People: what the rows say about persons, and whether they may say it.

finding.py     what was found in a text, and its mask
secret_keys.py money.py national.py mail.py net.py telephone.py address.py names.py
               what personal data look like; one function each
scan.py        every text scanned once, and the log of what to redact
sensitive.py   rows on health, religion, law, politics, sexuality
licences.py    posts with their licence and address
tombstones.py  people and addresses that were to be forgotten
"""

from pairwright.audit.people.explained import EXPLAINED
from pairwright.audit.people.part import People

__all__ = ["EXPLAINED", "People"]
