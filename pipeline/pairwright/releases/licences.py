"""Which licence holds for what: ids and addresses of licences, and attribution.csv.

attribution.csv has the address and the licence of each post and question; the address names the
author. A cell that a spreadsheet would take for a formula begins with an apostrophe, which a
spreadsheet does not show.
"""

import codecs
import csv
import re
from collections.abc import Iterable, Set
from typing import BinaryIO

from pairwright.modes import Mode
from pairwright.pairs import Row, RowPost
from pairwright.releases.contents import Contents

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_COLUMNS = ("id", "address", "licence", "created")
# https://huggingface.co/docs/hub/repositories-licenses, those that posts have.
_ON_THE_HUB = (
    "CC0-1.0", "CC-BY-2.0", "CC-BY-2.5", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0",
    "MIT", "Apache-2.0", "ODC-By-1.0",
)  # fmt: skip
_SPDX = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def own_licence(contents: Contents, modes: Iterable[Mode]) -> list[str]:
    """The licence of what was made from the posts, if anything was."""
    if any(mode.label == "given" for mode in modes):
        return []
    return [contents.stated.info.own_licence or "unknown"]


def licences_on_hub(names: Set[str]) -> list[str]:
    """Licences as the Hugging Face Hub writes them; `other` for those that it does not list or
    nobody states."""
    known = {
        name.lower().removesuffix("-1.0") if name == "ODC-By-1.0" else name.lower()
        for name in names
        if name in _ON_THE_HUB
    }
    rest = names - set(_ON_THE_HUB)
    return [*sorted(known), *(["other"] if rest or not known else [])]


def licence_address(name: str) -> str | None:
    """The address of a licence's text on spdx.org; None for what is not an SPDX id."""
    known = name != "unknown" and _SPDX.fullmatch(name)
    return f"https://spdx.org/licenses/{name}.html" if known else None


class Attribution:
    """Writes attribution.csv while rows pass by: a line per different post and question."""

    def __init__(self, file: BinaryIO) -> None:
        # Quoted throughout: a lone carriage return would end a line otherwise.
        text = codecs.getwriter("utf-8")(file)
        self._writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
        self._writer.writerow(_COLUMNS)
        self._written = set[int]()

    def add(self, row: Row) -> None:
        """Write what is new of a row's question and posts, without their texts."""
        texts: list[tuple[str, Row | RowPost]] = [(row.item_id, row)]
        texts += [(post.id, post) for post in row.profile]
        for name, of in texts:
            line = name, of.source_url or "", of.licence or "", of.created or ""
            if (key := hash(line)) not in self._written:
                self._written.add(key)
                self._writer.writerow(f"'{x}" if x.startswith(_FORMULA) else x for x in line)
