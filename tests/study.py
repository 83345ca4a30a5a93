"""A working folder for tests, as `pairwright init` makes one, and the commands in it.

study = Study.make(tmp_path, url, ...)
done = study.build("--limit", "4")         # in this process: quick, and a bug is its traceback
process = study.start_build()              # a process of its own, to be interrupted or killed
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from endpoint import double_url
from model_double import DOUBLE
from pairwright import assets, cli
from pairwright.construct.folder import to_toml
from pairwright.construct.outcomes import Outcomes
from pairwright.construct.status import UNUSABLE_SHARE
from pairwright.models.model import UNUSABLE
from pairwright.models.store import Store

OUTCOMES = ("pairs.jsonl", "dropped.jsonl", "manifest.json")
KEY_VARIABLE = "PAIRWRIGHT_TEST_KEY"
HISTORIES = Path(__file__).parent / "data" / "histories.jsonl"
"""24 fictional users, whom the double of a model can plan for."""
_EXAMPLE = tomllib.loads((assets.EXAMPLES / "recorded" / "pairwright.toml").read_text("utf-8"))
VERIFIED = {"human": _EXAMPLE["human"], "release": _EXAMPLE["release"]}
"""How the bundled example is verified and released, for `Study.make`."""


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


@cache
def _commands() -> Any:
    """All commands, as `pairwright` has them."""
    return cli.command_tree()


def pairwright(*arguments: object) -> Done:
    """Run a command in this process. What is not an error for the user is raised as it is."""
    out, err = io.StringIO(), io.StringIO()
    commands = _commands()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, {"COLUMNS": "400", "NO_COLOR": "1", "TERM": "dumb"}),
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setattr(sys, "argv", ["pairwright", *map(str, arguments)])
        # `main` makes the commands at each call.
        patched.setattr(cli, "command_tree", lambda: commands)
        try:
            cli.main()
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    return Done(code, out.getvalue(), err.getvalue())


@dataclass
class Study:
    """A folder with config, histories, prompts and rubrics, and one run folder."""

    folder: Path
    settings: dict[str, Any]

    @classmethod
    def make(
        cls, folder: Path, url: str | None = None, *, limit: int = 24, **changes: Any
    ) -> "Study":
        """`changes` are dotted keys of the config: gates__adherence=0.9. Without a URL the model's
        double answers."""
        folder.mkdir(exist_ok=True)
        histories = HISTORIES.read_text(encoding="utf-8")
        lines = histories.splitlines(keepends=True)[:limit]
        (folder / "histories.jsonl").write_text("".join(lines), encoding="utf-8")
        shutil.copytree(assets.PROMPTS, folder / "prompts", dirs_exist_ok=True)
        shutil.copytree(assets.RUBRICS, folder / "rubrics", dirs_exist_ok=True)
        settings: dict[str, Any] = {
            "modes": ["twin", "violate"],
            "prompts": "prompts",
            "rubrics": "rubrics",
            "source": {"path": "histories.jsonl"},
            "roles": {"planner": "served", "generator": ["served"], "judge": "served"},
            # The model's double says again what the posts say, in the same words.
            "gates": {"off": ["shared_words"]},
            "endpoints": {
                "served": {
                    "base_url": double_url() if url is None else url,
                    "model": DOUBLE,
                    "concurrency": 16,
                    "attempts": 2,
                    "timeout_s": 10,
                }
            },
        }
        study = cls(folder, settings)
        study.change(**changes)
        return study

    @property
    def config(self) -> Path:
        return self.folder / "pairwright.toml"

    @property
    def run(self) -> Path:
        return self.folder / "run"

    def change(self, **changes: Any) -> None:
        """Set keys, `__` for each dot (`served__x` is a key of the one endpoint), and write."""
        for dotted, value in changes.items():
            *path, last = dotted.split("__")
            if path[:1] == ["served"]:
                path = ["endpoints", *path]
            table = self.settings
            for name in path:
                table = table.setdefault(name, {})
            table[last] = value
        self.config.write_text(to_toml(self.settings), encoding="utf-8")

    def copy(self, folder: Path) -> "Study":
        """The same with its run folder, to do harm to."""
        shutil.copytree(self.folder, folder)
        return Study(folder, tomllib.loads(self.config.read_text(encoding="utf-8")))

    def build(self, *options: object) -> Done:
        return pairwright("build", self.config, "--run", self.run, *options)

    def start_build(self, *options: str, **environment: str) -> subprocess.Popen[str]:
        """The same in a process of its own."""
        program = [sys.executable, "-c", "from pairwright.cli import main; main()"]
        return subprocess.Popen(
            [*program, "build", str(self.config), "--run", str(self.run), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "400", **environment},
        )

    def outcomes(self) -> dict[str, bytes]:
        """The files that a run leaves, byte for byte."""
        return {name: (self.run / name).read_bytes() for name in OUTCOMES}

    def rows(self, name: str) -> list[dict[str, Any]]:
        text = (self.run / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.run / "manifest.json").read_bytes())
        return found

    def failed(self) -> list[dict[str, Any]]:
        """The units of which a call failed: `unit`, `mode`, `reason` and `detail`."""
        with closing(Store(self.run / "run.sqlite", writing=False)) as store:
            return [
                {"unit": row.unit, "mode": row.mode, **json.loads(row.record)}
                for row in Outcomes(store).rows("kind = 'failed' AND mode != 'plan'")
            ]

    def assert_whole(self, units: int) -> None:
        """Every unit is kept, dropped or failed, once, in all files and in the manifest."""
        pairs, failed = self.rows("pairs.jsonl"), self.failed()
        kept = [f"{p['mode']}:{p['item_id']}" for p in pairs if p["asked"]]
        dropped = [r["unit"] for r in self.rows("dropped.jsonl") if not r["kept"]]
        ended = [*kept, *dropped, *(f["unit"] for f in failed)]
        assert len(ended) == len(set(ended)) == units
        halves = [p["twin_id"] for p in pairs if p["mode"] == "twin"]
        assert all(halves.count(twin) == 2 for twin in halves)
        counts = self.manifest["counts"]
        assert counts["units"] == units
        assert sum(counts["kept"].values()) == len(kept)
        assert sum(counts["pairs"].values()) == len(pairs)
        assert sum(row["n"] for row in counts["dropped"]) == len(dropped)
        assert sum(row["n"] for row in counts["failed"]) == len(failed)
        unusable = sum(
            row["n"]
            for row in counts["dropped"]
            if row["stage"] != "gates" and row["reason"] in UNUSABLE
        )
        short = failed or not kept or unusable > UNUSABLE_SHARE * (len(kept) + len(dropped))
        assert self.manifest["state"] == ("short" if short else "whole")
        assert all(row["reason"] for row in failed)
        assert all(row["dropped"]["reason"] for row in self.rows("dropped.jsonl"))
        assert not list(self.run.glob("*.partial"))
