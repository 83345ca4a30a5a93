"""A run folder: its files, and whether a run may go on in it, by its files, settings, outcomes."""

import json
import tomllib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

import tomli_w
from pydantic import ValidationError

from pairwright import sources
from pairwright.drafting.rules import BuildRules
from pairwright.errors import ConfigError, StoreError
from pairwright.files import CALLS, ITEMS
from pairwright.records import content_id
from pairwright.settings.config import Config, differences, essential, validate
from pairwright.settings.domains import Scale
from pairwright.settings.rules import HumanRules, ReleaseInfo
from pairwright.version import __version__

FILES = ("pairs.jsonl", "dropped.jsonl", "manifest.json")
"""What the end of a build writes from the outcomes."""


def identity(saved: dict[str, Any], limit: int | None) -> str:
    """A name for all that outcomes follow from, beside the replies: the run's config as saved, with
    its hashes of source, prompts and rubrics; and this version, without its last part."""
    parts = [essential(saved), __version__.rpartition(".")[0], limit]
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


def changes(saved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What differs between the config of a run and the one of now, a line each.

    Only keys and files count that decide the outcomes.
    """
    old, new = essential(saved), essential(now)
    before, after = old.pop("content"), new.pop("content")
    lines = differences(old, new)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) == after.get(key):
            continue
        if key == "source":
            lines += _changed_sources(str(before.get(key)), str(after.get(key)), now["source"])
        elif key == "rubrics":
            lines += _changed_rubrics(saved["content"], now["content"])
        elif key.startswith("prompt_"):
            name = key.removeprefix("prompt_")
            lines.append(f"{name}.md {_change(key, before, after)} (a prompt)")
        else:
            lines += differences({key: before.get(key)}, {key: after.get(key)}, "content.")
    return lines


def _changed_sources(before: str, after: str, source: dict[str, Any]) -> Iterator[str]:
    """The files of a source whose content is another: one of choices may have texts beside it,
    and its hash is then two."""
    names, old, new = [source["path"]], [before], [after]
    if "texts" in source and before.count(" ") == after.count(" ") == 1:
        names, old, new = [source["path"], source["texts"]], before.split(), after.split()
    for name, was, is_now in zip(names, old, new, strict=True):
        if was != is_now:
            yield f"{PurePath(name).name} changed (the source)"


def _changed_rubrics(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if before.get("scales") != after.get("scales"):
        yield "quality.toml changed (the quality scales)"
    old, new = before.get("domains", {}), after.get("domains", {})
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"{name}.toml {_change(name, old, new)} (a domain)"


def _change(name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    if name in before and name in after:
        return "changed"
    return "is new" if name in after else "is gone"


_EDITED: dict[str, type[ReleaseInfo | HumanRules]] = {"release": ReleaseInfo, "human": HumanRules}
"""The tables that a person may change in the folder's own config, after a build."""


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = path / CALLS
        self.items = path / ITEMS
        self.problems = path / "source_problems.jsonl"
        self.config = path / "config.toml"
        self.shards = path / "shards"

    def make(self) -> None:
        """Make the folder. One that exists must be empty or a run folder already."""
        # A run that was killed before its config was written may have left these.
        calls = self.calls.name
        early = {"lock", "config.partial", calls}
        early |= {calls + end for end in (".partial", ".partial-journal", "-wal", "-shm")}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strangers = {path.name for path in self.path.iterdir()} - early
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror}\n  Give a folder that can be written as --run."
            ) from None
        if strangers and not self.config.exists():
            raise StoreError(
                f"{self.path}: not empty and not a run folder\n"
                "  Give a new or empty folder as --run."
            )

    def forget_outcomes(self) -> None:
        """Remove the outcome files, which the end of the next build writes again."""
        for name in FILES:
            (self.path / name).unlink(missing_ok=True)

    def prepare(self, config: Config, content: dict[str, Any], *, accept_changes: bool) -> str:
        """Go on in the folder if what decides the outcome is as it was; to be called while
        the store is held, so that a refused second process changes nothing.

        `content` holds the hashes of prompts, rubrics and source, and the quality scales.
        Raises ConfigError naming what differs, unless `accept_changes`: then calls stay, and
        the old outcome files go, and a sentence that says so is returned; else an empty one.
        What a person wrote into [release] and [human] of the folder's own config stays; a
        ConfigError names where the given config says otherwise.
        """
        given = {
            name: getattr(config, name).model_dump(
                mode="json", exclude_unset=True, exclude_none=True
            )
            for name in _EDITED
        }
        # Beside it is kept what was given, which tells what a person wrote into the file later.
        content = {**content, "given": given}
        now: dict[str, Any] = {**config.model_dump(mode="json"), "content": content}
        changed = ""
        if self.config.exists():
            changed = self._compare(now, accept_changes)
            for name in _EDITED:
                now[name] |= self._written_by_hand(name, given[name])
        partial = self.config.with_suffix(".partial")
        partial.write_text(to_toml(now), encoding="utf-8")
        partial.replace(self.config)
        return changed

    def saved(self) -> dict[str, Any]:
        """The config that the folder was last built with, as it was resolved."""
        if not self.config.exists() and not self.calls.exists():
            raise ConfigError(
                "is not a run folder" if self.path.is_dir() else "no such run folder",
                where=self.path,
                fix="Name the folder that `pairwright build` was given as --run.",
            )
        try:
            saved = tomllib.loads(self.config.read_text(encoding="utf-8"))
            essential(saved)
        except (
            OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError
        ) as error:  # fmt: skip
            raise ConfigError(
                f"the run's own config cannot be read: {error}",
                where=self.config,
                fix="Restore it from a copy, or build into another --run folder.",
            ) from None
        return saved

    def settings(self) -> Config:
        """The same as a Config."""
        return validate({k: v for k, v in self.saved().items() if k != "content"}, self.config)

    def scales(self) -> tuple[Scale, ...]:
        """The quality scales that the judges of this run read."""
        try:
            return tuple(map(Scale.model_validate, self.saved()["content"]["scales"]))
        except (KeyError, TypeError, ValidationError):
            raise ConfigError(
                "the quality scales of this run are not in it",
                where=f"{self.config} [content.scales]",
                fix="Build again with this version: no call is sent twice.",
            ) from None

    def _written_by_hand(self, table: str, given: dict[str, Any]) -> dict[str, Any]:
        """The keys of a table that were written into the folder's own config after a build.

        Raises ConfigError where the given config has another value.
        """
        saved = self.saved()
        before = _EDITED[table]().model_dump(mode="json", exclude_none=True)
        before |= saved["content"].get("given", {}).get(table, {})
        own: dict[str, Any] = saved.get(table, {})
        written = {key: value for key, value in own.items() if value != before.get(key)}
        conflicts = [key for key in written if key in given and given[key] != written[key]]
        if conflicts:
            listed = "\n    ".join(
                f"{key}: {written[key]!r} here, {given[key]!r} in the config of this build"
                for key in conflicts
            )
            raise ConfigError(
                f"was written by hand, and the config of this build says otherwise:\n    {listed}",
                where=f"{self.config} [{table}]",
                fix="Write what holds into both.",
            )
        return written

    def _compare(self, now: dict[str, Any], accept_changes: bool) -> str:
        """A sentence about what changed, empty where nothing did."""
        changed = tuple(changes(self.saved(), tomllib.loads(to_toml(now))))
        if not changed:
            return ""
        if not accept_changes:
            listed = "\n    ".join(changed)
            raise ConfigError(
                f"this run was built with other files or settings:\n    {listed}",
                where=self.config,
                fix="Undo the change, use a new --run folder, or add --accept-changes to go on in"
                " this one: its calls stay, and what they no longer fit is asked again.",
            )
        self.forget_outcomes()
        return f"Built again, because {'; '.join(changed)}."


def to_toml(data: dict[str, Any]) -> str:
    """A nested dict as TOML. Keys without a value are left out: TOML has no null."""
    return tomli_w.dumps(_valued(data))


def _valued(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _valued(value) for key, value in node.items() if value is not None}
    if isinstance(node, list):
        return [_valued(value) for value in node if value is not None]
    return node
