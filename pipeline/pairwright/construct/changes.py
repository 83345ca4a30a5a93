"""What differs between the config that a run was built with and the one of now, in words."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from pairwright.settings.config import differences, essential

PROMPT = "prompt_"


def changes(saved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """One line for each key or file that decides what comes of a run and has changed."""
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
        yield f"{PurePath(now['source']['path']).name} changed (the source)"
    elif key == "rubrics":
        yield from _rubrics(before, after)
    elif key.startswith(PROMPT):
        how = "changed" if key in before and key in after else _came(key in after)
        yield f"{key.removeprefix(PROMPT)}.md {how} (a prompt)"
    else:
        yield from differences({key: before.get(key)}, {key: after.get(key)}, "content.")


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
            how = "changed" if name in old and name in new else _came(name in new)
            yield f"{name}.toml {how} (a domain)"


def _came(there: bool) -> str:
    return "is new" if there else "is gone"
