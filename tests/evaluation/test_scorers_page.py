"""docs/scorers.md, followed to the letter on a small release: files, commands and server."""

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from endpoint import in_thread, say
from pairwright.evaluation.settings import Spec, load_scorers
from pairwright.models.client.scores import _ClassReply
from study import pairwright

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "scorers.md").read_text(encoding="utf-8")
ENDINGS = {"python": "py", "toml": "toml", "markdown": "md"}
PORT = "8000"


class Block(NamedTuple):
    """A fenced block, under the name of the file that the text before it gives."""

    language: str
    name: str
    text: str


def blocks() -> Iterator[Block]:
    for match in re.finditer(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE):
        before = PAGE[: match.start()].rstrip().rpartition("\n\n")[2]
        named = re.findall(rf"`([a-z_]+\.{ENDINGS.get(match[1], 'none')})`", before)
        yield Block(match[1], named[-1] if named else "", match[2])


BLOCKS = list(blocks())
COMMANDS = [line for block in BLOCKS if block.language == "sh" for line in block.text.splitlines()]


def command(scorer: str) -> list[str]:
    (found,) = [
        line for line in COMMANDS if shlex.split(line)[-1] == scorer or f" {scorer} " in line
    ]
    return shlex.split(found)[1:]


@pytest.fixture(scope="module")
def made(small_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in demo/release, and every file of the page."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(small_release, folder / "demo" / "release")
    for block in BLOCKS:
        if block.name:
            (folder / block.name).write_text(block.text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


USUAL = ("none", "profile", "wrong-profile")


def run(folder: Path, scorer: str, *conditions: str) -> dict[str, Any]:
    """The result of the page's command with this scorer in the last of these conditions, all of
    which must be whole."""
    done = pairwright(*command(scorer))
    assert done.code == 0, done.said
    found = {}
    for condition in conditions:
        found = json.loads((folder / "results" / f"{scorer}.{condition}.json").read_bytes())
        assert found["scored"] == found["pairs"] > 0, found
    return found


def move(folder: Path, name: str, before: str, after: str) -> None:
    """Put a server of a file somewhere else."""
    table = (folder / name).read_text("utf-8")
    assert before in table
    (folder / name).write_text(table.replace(before, after), "utf-8")


def test_every_file_and_every_command_of_the_page_is_tried_here() -> None:
    named = {block.name for block in BLOCKS if block.name}
    assert named == {
        "scorers.toml", "my_scorer.py", "own.toml", "file.toml", "server.py", "served.toml",
        "grm.md", "grm.toml", "rewards.toml",
    }  # fmt: skip
    words = [shlex.split(line) for line in COMMANDS]
    tried = {line[line.index("--scorer") + 1] for line in words}
    assert tried == {"qwen-judge", "shared", "elsewhere", "mine", "grm"}


def test_every_kind_has_an_example_and_every_file_is_read_as_it_stands(folder: Path) -> None:
    for block in BLOCKS:
        if block.name.endswith(".toml"):
            assert load_scorers(folder / block.name).scorers
    tables = [tomllib.loads(block.text) for block in BLOCKS if block.language == "toml"]
    shown = {of["kind"] for table in tables for of in table.get("scorers", {}).values()}
    kinds = [get_args(of.model_fields["kind"].annotation)[0] for of in get_args(get_args(Spec)[0])]
    assert shown == set(kinds)


def test_the_first_example_asks_a_server(folder: Path) -> None:
    with in_thread(say('{"reason": "r", "verdict": "A"}')) as endpoint:
        move(folder, "scorers.toml", f"http://127.0.0.1:{PORT}/v1", endpoint.url)
        run(folder, "qwen-judge", *USUAL)


def test_the_scorer_of_ones_own_runs_and_the_file_of_scores_is_taken_in(folder: Path) -> None:
    about = run(folder, "shared", "none", "wrong-profile", "profile")
    assert about["scorer"]["model"] == "my_scorer:Shared"
    (script,) = [b.text for b in BLOCKS if b.language == "python" and "scores.csv" in b.text]
    exec(script, {})
    assert run(folder, "elsewhere", "profile")["scorer"]["model"] == "our-reward-model"


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def server(folder: Path, port: int) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "server.py", str(port)], cwd=folder, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.real
def test_the_server_of_the_page_is_a_reward_model(folder: Path) -> None:
    port = free_port()
    move(folder, "served.toml", PORT, str(port))
    with server(folder, port):
        run(folder, "mine", *USUAL)


def test_the_reply_of_the_page_is_what_is_read_and_the_request_what_is_sent() -> None:
    asked, answered = (json.loads(b.text) for b in BLOCKS if b.language == "json")
    assert _ClassReply.model_validate_json(json.dumps(answered)).data[0].probs == [0.73]
    assert asked.keys() == {"model", "messages", "use_activation"}
    assert [message["role"] for message in asked["messages"]] == ["user", "assistant"]


def test_the_prompt_of_ones_own_is_the_whole_of_what_is_asked(folder: Path) -> None:
    with in_thread(say("It keeps to the pan. [[A]]")) as endpoint:
        move(folder, "grm.toml", f"127.0.0.1:{PORT}/v1", endpoint.url[7:])
        about = run(folder, "grm", "none", "wrong-profile", "profile")
    # It always answers the first place, so it contradicts itself in every pair.
    assert about["unstable"] == about["pairs"]
    for request in endpoint.asked:
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        assert "response_format" not in request.body
        assert request.said.startswith("Earlier posts of one person, oldest first:")
        assert request.said.endswith("or [[C]] for a tie.")
