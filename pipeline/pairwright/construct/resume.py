"""What decides whether a run may go on where it was: its files, its settings, and its outcomes."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePath
from typing import Any, cast

from pairwright import sources
from pairwright.construct.build_rules import BuildRules
from pairwright.construct.outcomes import Brief, Kind
from pairwright.construct.unit_tally import UnitTally
from pairwright.construct.units import BuildUnit
from pairwright.models.store import Store
from pairwright.records import content_id
from pairwright.settings.config import Config, differences, essential
from pairwright.version import code_digest

_LIBRARIES = ("bm25s", "jinja2", "numpy", "py3langid", "pydantic", "sentence-transformers")
"""Those that a unit's outcome goes through."""


def identity(saved: dict[str, Any], limit: int | None, *, in_waves: bool = False) -> str:
    """A name for all that outcomes follow from, beside the replies.

    That is the run's config as saved, with its hashes of source, prompts and rubrics; this code;
    the libraries that it decides with; and whether partners are matched in waves, which a target
    does, whatever its number.
    """
    libraries = {name: _version(name) for name in _LIBRARIES}
    parts = [
        essential(saved),
        code_digest(),
        libraries,
        sys.version,
        limit,
        *(["waves"] if in_waves else []),
    ]
    return content_id("follows", json.dumps(parts, sort_keys=True))


def content_hashes(config: Config, rules: BuildRules, folder: Path) -> dict[str, Any]:
    """Hashes of what the config names: another prompt or source is another run.

    The scales are kept whole, because people will be asked in the words that the judges read.
    """
    rubrics = (sorted(rules.domains.by_key.items()), rules.scales)
    return {
        "source": sources.source_hash(config.source, folder),
        "rubrics": _digest(rubrics),
        "scales": [scale.model_dump(mode="json") for scale in rules.scales],
        "domains": {key: _digest(domain) for key, domain in rules.domains.by_key.items()},
        **{f"prompt_{name}": digest for name, digest in sorted(rules.prompts.hashes.items())},
    }


def _digest(value: object) -> str:
    return f"b2:{blake2b(repr(value).encode(), digest_size=16).hexdigest()}"


def unfinished(
    todo: Iterable[BuildUnit], store: Store, ended: Callable[[Brief], None]
) -> Iterator[BuildUnit]:
    """The units that have no outcome yet; `ended` is called with the outcomes of the others."""
    for unit in todo:
        kind = store.kind(unit.position, unit.id)
        if kind is None:
            yield unit
        else:
            ended(Brief(unit.id, unit.mode, cast(Kind, kind), _reason(store, unit, kind)))


def _reason(store: Store, unit: BuildUnit, kind: str) -> str:
    """Why the unit was refused, failed or waits."""
    if kind in ("kept", "surveyed") or store.index is None:
        return ""
    tally = store.index.tally(unit.position)
    return "" if tally is None else UnitTally.model_validate_json(tally).reason


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


PROMPT = "prompt_"


def changes(saved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between the config of a run and the one of now, a line each.

    Only keys and files count that decide the outcomes.
    """
    old, new = essential(saved), essential(now)
    before, after = old.pop("content"), new.pop("content")
    lines = differences(old, new)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            lines += _files(key, saved, now)
    return lines


def _files(key: str, saved: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """The files behind one hash."""
    before, after = saved["content"], now["content"]
    if key == "source":
        yield from _source(str(before.get(key)), str(after.get(key)), now["source"])
    elif key == "rubrics":
        yield from _rubrics(before, after)
    elif key.startswith(PROMPT):
        how = "changed" if key in before and key in after else _presence(key in after)
        yield f"{key.removeprefix(PROMPT)}.md {how} (a prompt)"
    else:
        yield from differences({key: before.get(key)}, {key: after.get(key)}, "content.")


def _source(before: str, after: str, source: dict[str, Any]) -> Iterator[str]:
    """The files of a source whose content is another: one of choices may have texts beside it,
    and its hash is then two."""
    names, old, new = [source["path"]], [before], [after]
    if "texts" in source and before.count(" ") == after.count(" ") == 1:
        names, old, new = [source["path"], source["texts"]], before.split(), after.split()
    for name, was, is_now in zip(names, old, new, strict=True):
        if was != is_now:
            yield f"{PurePath(name).name} changed (the source)"


def _rubrics(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if before.get("scales") != after.get("scales"):
        yield "quality.toml changed (the quality scales)"
    old, new = before.get("domains"), after.get("domains", {})
    if old is None:
        # Runs of earlier versions have one hash of all domains.
        yield "a file of rubrics/ changed"
        return
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            how = "changed" if name in old and name in new else _presence(name in new)
            yield f"{name}.toml {how} (a domain)"


def _presence(there: bool) -> str:
    return "is new" if there else "is gone"
