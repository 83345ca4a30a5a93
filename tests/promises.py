"""What the project promises, as texts that are kept in tests/freeze/.

public.txt        the public names with their signatures
commands.txt      the tree of commands with their options
messages.txt      what is printed for common mistakes, with exit codes
demo/, choices/   what the recorded example and the example of choices give: digests of the
                  release's files, and the JSON of audit, leaderboard and study report

A commit that changes one of them says so in its message, with the reason, after

    .venv/bin/python tests/promises.py
"""

import hashlib
import inspect
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Annotated, Any, get_origin
from unittest import mock

import pairwright as public
from study import _commands, pairwright

FREEZE = Path(__file__).parent / "freeze"
CODE = f"sha256:{0:064}"

MISTAKES = (
    "build nothing.toml --run new",
    "build empty.toml --run new",
    "build demo/typo.toml --run new",
    "build demo/no-source.toml --run new",
    "build demo/pairwright.toml",
    "build demo/pairwright.toml --run demo/run --limit 0",
    "buidl demo/pairwright.toml",
    "init demo",
    "status nothing",
    "status demo",
    "show demo/run no-such-unit",
    "audit nothing",
    "audit empty.jsonl",
    "audit broken.jsonl",
    "audit pairs.csv",
    "release nothing --out new --version 1.0.0",
    "release demo/run --out new --version one",
    "release demo/run --out new --version 1.0.0",
    "release demo/run --out demo/release --version 0.1.0 --trial",
    "verify nothing",
    "verify demo/run",
    "verify tampered",
    "diff demo/release nothing",
    "forget demo/run",
    "evaluate demo/run --out new",
    "evaluate nothing --out new",
    "evaluate demo/release --out new --scorer nobody",
    "evaluate demo/release --out new --condition nothing",
    "leaderboard nothing",
    "leaderboard demo/run",
    "human export nothing",
    "human import demo/run nothing.json",
    "human import demo/run broken.jsonl",
    "human report choices/run",
    "human nothing",
    "batch ingest demo/run",
    "batch record nothing --out new.jsonl.gz",
    "downstream best-of-n nothing",
    "downstream correlate nothing.csv",
    "downstream certify nothing nothing",
    "train planner nothing.jsonl --out new",
    "correlate table.csv",
    "doctor nothing.toml",
)
"""Commands that end with an error, in a folder with both examples."""


def public_names() -> str:
    lines = []
    for name in sorted(public.__all__):
        value = getattr(public, name)
        signature = "" if isinstance(value, str) else str(_signature(value))
        lines.append(name + re.sub(r" at 0x[0-9a-f]+", "", signature))
    return "\n".join(lines) + "\n"


def _signature(value: Any) -> inspect.Signature:
    """The signature without what the arguments mean."""
    signature = inspect.signature(value)
    if inspect.isclass(value):
        return signature
    plain = []
    for one in signature.parameters.values():
        annotation = one.annotation
        if get_origin(annotation) is Annotated:
            annotation = annotation.__origin__
        plain.append(one.replace(annotation=annotation))
    return signature.replace(parameters=plain)


def commands() -> str:
    return "\n".join(_branch("pairwright", _commands())) + "\n"


def _branch(path: str, command: Any) -> Iterator[str]:
    """The lines of a command and of those below it."""
    options = []
    for parameter in command.params:
        names = "/".join([*parameter.opts, *parameter.secondary_opts])
        required = "!" if parameter.required else ""
        options.append(names + required)
    yield f"{path}: {' '.join(options)}"
    for name, one in sorted(getattr(command, "commands", {}).items()):
        yield from _branch(f"{path} {name}", one)


def _run(line: str, *, code: int = 0) -> None:
    done = pairwright(*line.split())
    assert done.code == code, f"{line}: exit {done.code}\n{done.said}"


def _make_examples() -> None:
    """Both examples from a new folder to a leaderboard, by the commands of the README."""
    _run("init demo")
    _run("build demo/pairwright.toml --run demo/run")
    _run("human export demo/run --seed 0")
    _run("human simulate demo/run")
    _run("human report demo/run")
    _run("release demo/run --out demo/release --version 0.1.0 --trial")
    _run("init choices --choices")
    _run("build choices/pairwright.toml --run choices/run")
    _run("release choices/run --out choices/release --version 0.1.0")
    for name in ("demo", "choices"):
        _run(f"evaluate {name}/release --out {name}/results --scorer overlap --scorer longer")
        _run(f"leaderboard {name}/results --out {name}/board")


def _make_mistakes() -> None:
    """The files that the mistakes name."""
    Path("empty.toml").touch()
    config = Path("demo/pairwright.toml").read_text(encoding="utf-8")
    Path("demo/typo.toml").write_text(config.replace("[source]", "[sauce]"), encoding="utf-8")
    moved = config.replace("histories.jsonl", "nowhere.jsonl")
    Path("demo/no-source.toml").write_text(moved, encoding="utf-8")
    Path("empty.jsonl").touch()
    Path("broken.jsonl").write_text('{"question": "Why?"\n', encoding="utf-8")
    Path("pairs.csv").write_text("question,a,b\nWhy?,x,y\n", encoding="utf-8")
    Path("table.csv").write_text("model,score\n", encoding="utf-8")
    shutil.copytree("demo/release", "tampered")
    card = Path("tampered/README.md")
    card.write_text(card.read_text(encoding="utf-8") + "One more line.\n", encoding="utf-8")


def _mistakes() -> Iterator[str]:
    places = {str(Path.cwd()): "FOLDER", str(FREEZE.parents[1]): "CHECKOUT"}
    for line in MISTAKES:
        done = pairwright(*line.split())
        said = done.said.strip()
        for place, name in places.items():
            said = said.replace(place, name)
        yield f"$ pairwright {line}\n{said}\n-> {done.code}\n"


def _digests(release: Path) -> str:
    lines = []
    for path in sorted(release.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            lines.append(f"{digest}  {path.relative_to(release).as_posix()}")
    return "\n".join(lines) + "\n"


def promises(folder: Path) -> dict[str, str]:
    """Every text by its name in tests/freeze/, made in an empty folder."""
    made = {"public.txt": public_names(), "commands.txt": commands()}
    with (
        chdir(folder),
        # The manifest names the code that wrote it, which is another one after every change.
        mock.patch("pairwright.releases.run_notes.code_digest", return_value=CODE),
        # No text is of these pages, and to draw takes longer than all else of them.
        mock.patch("pairwright.evaluation.board.page._plots", return_value={}),
        mock.patch("pairwright_human_eval.report.page._plots", return_value={}),
    ):
        _make_examples()
        for name in ("demo", "choices"):
            made[f"{name}/release.txt"] = _digests(Path(name, "release"))
            made[f"{name}/audit.json"] = Path(name, "release/audit/audit.json").read_text("utf-8")
            board = Path(name, "board/leaderboard.json")
            made[f"{name}/leaderboard.json"] = board.read_text("utf-8")
        made["demo/report.json"] = Path("demo/run/human/report.json").read_text("utf-8")
        _make_mistakes()
        made["messages.txt"] = "\n".join(_mistakes())
    return made


if __name__ == "__main__":
    os.environ.pop("PYTHONHASHSEED", None)
    with tempfile.TemporaryDirectory() as temporary:
        texts = promises(Path(temporary))
    for name, text in texts.items():
        path = FREEZE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(texts)} files in {FREEZE}\n")
