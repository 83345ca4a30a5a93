"""manifest.json beside the primary files: whose bytes are not those that it states?"""

from collections.abc import Mapping

from pydantic import ConfigDict, ValidationError

from pairwright.dataset import Layout
from pairwright.dataset.lines import read_document
from pairwright.errors import InputError
from pairwright.records import Record
from pairwright.release.verify.difference import difference


class _Manifest(Record):
    model_config = ConfigDict(frozen=True, extra="ignore")

    files: dict[str, str]


def check_digests(layout: Layout, digests: Mapping[str, str]) -> None:
    """Name the primary file that changed where the manifest still has its digest, since to compare
    the manifest with what it must be would name the manifest. Raises Difference."""
    try:
        stated = _Manifest.model_validate_json(read_document(layout.manifest)).files
    except (InputError, ValidationError):
        return  # It is compared whole after this.
    for path, digest in digests.items():
        if stated.get(path, digest) != digest:
            raise difference(f"sha256 is {digest}, and manifest.json has {stated[path]}", path)
