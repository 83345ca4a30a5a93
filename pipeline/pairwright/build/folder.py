"""A run folder: its files, and whether this config may go on in it."""

import json
import tomllib
from pathlib import Path
from typing import Any

from pairwright.build.outcomes import FILES
from pairwright.config import Config, differences
from pairwright.errors import ConfigError, StoreError


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = path / "calls.sqlite"
        self.items = path / "items.jsonl"
        self.problems = path / "source_problems.jsonl"
        self.config = path / "config.toml"

    def prepare(self, config: Config, content: dict[str, str], *, accept_changes: bool) -> None:
        """Make the folder, or go on in it if what decides the outcome is as it was.

        `content` holds the hashes of prompts, rubrics and source. Raises ConfigError naming
        what differs, unless `accept_changes`: then calls stay, and the old outcome files
        move to `previous/`.
        """
        now: dict[str, Any] = {**config.model_dump(mode="json"), "content": content}
        if self.path.exists() and not self.path.is_dir():
            raise StoreError(f"{self.path}: is a file\n  Give a folder as --run.")
        self.path.mkdir(parents=True, exist_ok=True)
        if self.config.exists():
            self._compare(now, accept_changes)
        elif any(self.path.iterdir()):
            raise StoreError(
                f"{self.path}: not empty and not a run folder\n"
                "  Give a new or empty folder as --run."
            )
        partial = self.config.with_suffix(".partial")
        partial.write_text(to_toml(now), encoding="utf-8")
        partial.replace(self.config)

    def _compare(self, now: dict[str, Any], accept_changes: bool) -> None:
        before = tomllib.loads(self.config.read_text(encoding="utf-8"))
        # None has no TOML form: a key that is absent is none.
        changed = differences(before, tomllib.loads(to_toml(now)))
        if not changed:
            return
        if not accept_changes:
            listed = "\n    ".join(changed)
            raise ConfigError(
                f"this run was built otherwise:\n    {listed}",
                where=self.config,
                fix="Use a new --run folder, or add --accept-changes to go on in this one.",
            )
        previous = self.path / "previous"
        for name in FILES:
            if (self.path / name).exists():
                previous.mkdir(exist_ok=True)
                (self.path / name).replace(previous / name)


def to_toml(data: dict[str, Any], prefix: str = "") -> str:
    """A nested dict as TOML. Keys without a value are left out."""
    plain, tables = [], []
    for key, value in data.items():
        name = (
            key
            if key.replace("_", "").replace("-", "").isalnum() and key.isascii()
            else json.dumps(key)
        )
        if isinstance(value, dict):
            tables.append(f"\n[{prefix}{name}]\n{to_toml(value, f'{prefix}{name}.')}")
        elif value is not None:
            # JSON's strings, numbers, booleans and flat lists are TOML's, too.
            plain.append(f"{name} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join([*plain, *tables]) + "\n"
