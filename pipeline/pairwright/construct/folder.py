"""A run folder: its files, and whether this config may go on in it."""

import json
import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from pairwright.construct.outcomes import FILES
from pairwright.construct.resume import changes
from pairwright.errors import ConfigError, StoreError
from pairwright.models.store import CallRecord
from pairwright.settings.config import Config, essential, validate
from pairwright.settings.domains import Scale
from pairwright.settings.release_info import ReleaseInfo
from pairwright.settings.study_rules import LATER_LIMITS, HumanRules
from pairwright.settings.toml_files import without_retired

_EDITED: dict[str, type[ReleaseInfo | HumanRules]] = {"release": ReleaseInfo, "human": HumanRules}
"""The tables that a person may change in the folder's own config, after a build."""


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = path / "calls.sqlite"
        self.items = path / "items.jsonl"
        self.problems = path / "source_problems.jsonl"
        self.config = path / "config.toml"
        self.shards = path / "shards"

    def make(self) -> None:
        """Make the folder. One that exists must be empty or a run folder already."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strangers = {path.name for path in self.path.iterdir()} - self._early
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror}\n  Give a folder that can be written as --run."
            ) from None
        if strangers and not self.config.exists():
            raise StoreError(
                f"{self.path}: not empty and not a run folder\n"
                "  Give a new or empty folder as --run."
            )

    @property
    def _early(self) -> set[str]:
        """What a run that was killed before its config was written may have left."""
        calls = self.calls.name
        return {
            "lock",
            "config.partial",
            "calls.json",
            "calls.json.partial",
            calls,
            *(calls + end for end in (".partial", ".partial-journal", "-wal", "-shm")),
        }

    def set_aside(self) -> Path | None:
        """Move the outcome files to `previous/`, which is returned; None where there are none."""
        previous = self.path / "previous"
        there = [name for name in FILES if (self.path / name).exists()]
        for name in there:
            previous.mkdir(exist_ok=True)
            (self.path / name).replace(previous / name)
        return previous if there else None

    def manifest_calls(self) -> CallRecord | None:
        """The calls that the manifest speaks of; None where there is none that can be read."""
        try:
            calls = json.loads((self.path / "manifest.json").read_bytes())["calls"]
            return CallRecord(
                calls=calls["n"],
                prompt_tokens=calls["prompt_tokens"],
                completion_tokens=calls["completion_tokens"],
                cost=calls["cost"] or 0.0,
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def prepare(self, config: Config, content: dict[str, Any], *, accept_changes: bool) -> str:
        """Go on in the folder if what decides the outcome is as it was; to be called while
        the store is held, so that a refused second process changes nothing.

        `content` holds the hashes of prompts, rubrics and source, and the quality scales.
        Raises ConfigError naming what differs, unless `accept_changes`: then calls stay, and
        the old outcome files move to `previous/`, and a sentence that says so is returned; else an
        empty one. What a person wrote into [release] and [human] of the folder's own config stays;
        a ConfigError names where the given config says otherwise.
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
            # A study that was exported without a limit is decided without it.
            unknown = LATER_LIMITS - self.saved().get("human", {}).keys() - given["human"].keys()
            now["human"] = {k: v for k, v in now["human"].items() if k not in unknown}
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
        saved = without_retired(self.saved())
        return validate({k: v for k, v in saved.items() if k != "content"}, self.config)

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
        previous = self.set_aside()
        moved = f" What was made before is in {previous}." if previous else ""
        return f"Built again, because {'; '.join(changed)}.{moved}"


def to_toml(data: dict[str, Any]) -> str:
    """A nested dict as TOML. Keys without a value are left out: TOML has no null."""
    return tomli_w.dumps(_valued(data))


def _valued(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _valued(value) for key, value in node.items() if value is not None}
    if isinstance(node, list):
        return [_valued(value) for value in node if value is not None]
    return node
