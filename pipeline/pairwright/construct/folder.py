"""A run folder: its files, and whether a run may go on in it, by its files, settings, outcomes."""

import json
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from pairwright.assets import __version__
from pairwright.errors import ConfigError, StoreError, on_disk
from pairwright.files import CALLS, ITEMS
from pairwright.models.store import Store
from pairwright.modes.rules import BuildRules
from pairwright.pages.output import output_folder
from pairwright.records import content_id
from pairwright.settings.config import Config, differences, essential, validate
from pairwright.settings.domains import Scale

FILES = ("pairs.jsonl", "dropped.jsonl", "manifest.json")
"""The files that a build writes from the outcomes at its end."""


def identity(saved: dict[str, Any], limit: int | None) -> str:
    """A name for all that outcomes follow from, beside the replies: the run's config as saved, with
    its hashes of source, prompts and rubrics; and this version, without its last part."""
    parts = [essential(saved), __version__.rpartition(".")[0], limit]
    return content_id("follows", json.dumps(parts, sort_keys=True))


def content_hashes(rules: BuildRules, source_hash: str) -> dict[str, Any]:
    """Hashes of the files that the config names, by name: another prompt or source is another run.

    The scales are kept whole, because people will be asked in the words that the judges read.
    """
    source = rules.config.source
    named = {"source": source.path, "texts": source.texts}
    read = [f"{key}/{Path(path).name}" for key, path in named.items() if path]
    return {
        **dict(zip(read, source_hash.split(), strict=True)),
        **{f"prompts/{name}.md": hash for name, hash in rules.prompts.hashes.items()},
        **{f"rubrics/{name}.toml": _digest(one) for name, one in rules.domains.by_key.items()},
        "rubrics/quality.toml": _digest(rules.scales),
        "scales": [scale.model_dump(mode="json") for scale in rules.scales],
    }


def _digest(value: object) -> str:
    return f"b2:{blake2b(repr(value).encode(), digest_size=16).hexdigest()}"


def changes(saved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The differences between the config of a run and the present one, a line each.

    Only keys and files count that decide the outcomes.
    """
    old, new = essential(saved), essential(now)
    before, after = old.pop("content"), new.pop("content")
    differ = differences(old, new)
    for name in sorted(before | after):
        if name not in before or name not in after:
            differ.append(f"{name} is {'new' if name in after else 'gone'}")
        elif before[name] != after[name]:
            differ.append(f"{name} changed")
    return differ


class RunFolder:
    """The files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.calls = path / CALLS
        self.items = path / ITEMS
        self.problems = path / "source_problems.jsonl"
        self.config = path / "config.toml"
        self.shards = path / "shards"

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store of the run, open for writing, with what workers left merged into it."""
        with closing(Store(self.calls)) as store:
            merge_all(store, self.shards)
            yield store

    def make(self) -> None:
        """Make the folder. One that exists must be empty or a run folder already."""
        output_folder(self.path, "--run")
        with on_disk(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            stems = {path.name.partition(".")[0] for path in self.path.iterdir()}
        # A run that was killed before its config was written may have left its store.
        if stems - {"lock", "config", self.calls.stem} and not self.config.exists():
            raise StoreError(
                f"{self.path}: not empty and not a run folder\n"
                "  Give a new or empty folder as --run."
            )

    def prepare(self, config: Config, content: dict[str, Any], *, accept_changes: bool) -> str:
        """Go on in the folder if what decides the outcome is as it was; to be called while
        the store is held, so that a refused second process changes nothing.

        `content` is what `content_hashes` gives. Raises ConfigError naming what differs, unless
        `accept_changes`: then calls stay, and the old outcome files go. What a person wrote into
        [release] and [human] of the folder's own config stays if the given config does not name it.
        What went and what was replaced is returned in a sentence, empty if nothing was.
        """
        now: dict[str, Any] = {**config.model_dump(mode="json"), "content": content}
        changed, said = list[str](), ""
        if self.config.exists():
            saved = self.saved()
            changed = changes(saved, tomllib.loads(to_toml(now)))
            if changed and not accept_changes:
                listed = "\n    ".join(changed)
                raise ConfigError(
                    f"this run was built with other files or settings:\n    {listed}",
                    where=self.config,
                    fix="Undo the change, use a new --run folder, or add --accept-changes to go on"
                    " in this one: its calls stay, and what they no longer fit is asked again.",
                )
            for name in ("release", "human"):
                named, own = getattr(config, name).model_fields_set, saved.get(name, {})
                for key in sorted(k for k in named & own.keys() if own[k] != now[name][k]):
                    said += f" [{name}] {key} was {own[key]!r} in {self.config} and is replaced."
                now[name] |= {k: v for k, v in own.items() if k not in named}
        if changed:
            for file in FILES:
                (self.path / file).unlink(missing_ok=True)
        partial = self.config.with_suffix(".partial")
        partial.write_text(to_toml(now), encoding="utf-8")
        partial.replace(self.config)
        built = f"Built again, because {'; '.join(changed)}." if changed else ""
        return f"{built}{said}".strip()

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
            fix = "Restore it from a copy, or build into another --run folder."
            if isinstance(error, tomllib.TOMLDecodeError):
                fix = "Correct that line. If it repeats a key, write one line with that key."
            what = f"the run's own config cannot be read: {error}"
            raise ConfigError(what, where=self.config, fix=fix) from None
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


def merge_all(store: Store, shards: Path) -> None:
    """Merge every shard that is there, in the order of their names, and remove their folder.

    Raises StoreError for one that cannot be merged; it is left as it is.
    """
    for path in sorted(shards.glob(f"*/{CALLS}")):
        try:
            # Opening a shard checks it, and that its worker has ended.
            with closing(Store(path)):
                store.merge(path)
        except StoreError as error:
            raise StoreError(
                f"{str(error).splitlines()[0]}\n  A worker of a build left this. Move"
                f" {path.parent} away to go on without it: its calls are then sent again."
            ) from None
        shutil.rmtree(path.parent)
    shutil.rmtree(shards, ignore_errors=True)


def to_toml(data: dict[str, Any]) -> str:
    """A nested dict as TOML. Keys without a value are left out: TOML has no null."""
    return tomli_w.dumps(_valued(data))


def _valued(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _valued(value) for key, value in node.items() if value is not None}
    if isinstance(node, list):
        return [_valued(value) for value in node if value is not None]
    return node
