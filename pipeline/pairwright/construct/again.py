"""What a run need not do again: outcomes that are settled and follow from the same things."""

import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pairwright.construct.outcomes import Outcome
from pairwright.construct.units import Unit
from pairwright.models.store import Store
from pairwright.records import content_id
from pairwright.settings.config import essential
from pairwright.version import code_digest

_LIBRARIES = ("bm25s", "jinja2", "numpy", "py3langid", "pydantic", "sentence-transformers")
"""Those that a unit's outcome goes through."""


def identity(saved: dict[str, Any], limit: int | None) -> str:
    """A name for all that outcomes follow from, beside the replies: the run's config as saved, with
    its hashes of source, prompts and rubrics; this code; and the libraries it decides with."""
    libraries = {name: _version(name) for name in _LIBRARIES}
    parts = [essential(saved), code_digest(), libraries, sys.version, limit]
    return content_id("follows", json.dumps(parts, sort_keys=True))


def unfinished(
    todo: Iterator[Unit], store: Store, ended: Callable[[Outcome], None]
) -> Iterator[Unit]:
    """The units that have no outcome yet; `ended` is told those of the others."""
    for unit in todo:
        record = store.outcome(unit.position, unit.id)
        if record is None:
            yield unit
        else:
            ended(Outcome.model_validate_json(record))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
