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
from study import Done, pairwright

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


def result(folder: Path, stem: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results" / f"{stem}.json").read_bytes())
    return found


def assert_whole(done: Done, folder: Path, scorer: str, *conditions: str) -> None:
    assert done.code == 0, done.said
    for condition in conditions:
        about = result(folder, f"{scorer}.{condition}")
        assert about["scored"] == about["pairs"] > 0, about


def test_every_file_and_every_command_of_the_page_is_tried_here() -> None:
    named = {block.name for block in BLOCKS if block.name}
    assert named == {
        "scorers.toml", "my_scorer.py", "own.toml", "file.toml", "server.py", "served.toml",
        "grm.md", "grm.toml", "rewards.toml",
    }  # fmt: skip
    tried = {"qwen-judge", "shared", "elsewhere", "mine", "grm"}
    assert {
        shlex.split(line)[shlex.split(line).index("--scorer") + 1] for line in COMMANDS
    } == tried


def test_every_kind_has_an_example() -> None:
    tables = [tomllib.loads(block.text) for block in BLOCKS if block.language == "toml"]
    shown = {of["kind"] for table in tables for of in table.get("scorers", {}).values()}
    kinds = [get_args(of.model_fields["kind"].annotation)[0] for of in get_args(get_args(Spec)[0])]
    assert shown == set(kinds)


@pytest.mark.parametrize("name", [b.name for b in BLOCKS if b.name.endswith(".toml")])
def test_every_file_of_scorers_is_read_as_it_stands(folder: Path, name: str) -> None:
    assert load_scorers(folder / name).scorers


def test_the_first_example_asks_a_server(folder: Path) -> None:
    with in_thread(say('{"reason": "r", "verdict": "A"}')) as endpoint:
        table = (folder / "scorers.toml").read_text("utf-8")
        table = table.replace(f"http://127.0.0.1:{PORT}/v1", endpoint.url)
        (folder / "scorers.toml").write_text(table, "utf-8")
        done = pairwright(*command("qwen-judge"))
    assert_whole(done, folder, "qwen-judge", "none", "profile", "wrong-profile")


def test_the_scorer_of_ones_own_runs(folder: Path) -> None:
    done = pairwright(*command("shared"))
    assert_whole(done, folder, "shared", "none", "profile", "wrong-profile")
    assert result(folder, "shared.profile")["scorer"]["model"] == "my_scorer:Shared"


def test_the_file_of_scores_is_made_and_taken_in(folder: Path) -> None:
    (script,) = [b.text for b in BLOCKS if b.language == "python" and "scores.csv" in b.text]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    found = pairwright(*command("elsewhere"))
    assert_whole(found, folder, "elsewhere", "profile")
    assert result(folder, "elsewhere.profile")["scorer"]["model"] == "our-reward-model"


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
    table = (folder / "served.toml").read_text("utf-8")
    assert PORT in table
    (folder / "served.toml").write_text(table.replace(PORT, str(port)), "utf-8")
    with server(folder, port):
        done = pairwright(*command("mine"))
    assert_whole(done, folder, "mine", "none", "profile", "wrong-profile")


def test_the_reply_of_the_page_is_what_is_read_and_the_request_what_is_sent() -> None:
    asked, answered = (json.loads(b.text) for b in BLOCKS if b.language == "json")
    assert _ClassReply.model_validate_json(json.dumps(answered)).data[0].probs == [0.73]
    assert asked.keys() == {"model", "messages", "use_activation"}
    assert [message["role"] for message in asked["messages"]] == ["user", "assistant"]


def test_the_prompt_of_ones_own_is_the_whole_of_what_is_asked(folder: Path) -> None:
    with in_thread(say("It keeps to the pan. [[A]]")) as endpoint:
        table = (folder / "grm.toml").read_text("utf-8")
        assert PORT in table
        (folder / "grm.toml").write_text(table.replace(f"127.0.0.1:{PORT}/v1", endpoint.url[7:]))
        done = pairwright(*command("grm"))
    assert_whole(done, folder, "grm", "none", "profile", "wrong-profile")
    about = result(folder, "grm.profile")
    # It always answers the first place, so it contradicts itself in every pair.
    assert about["unstable"] == about["pairs"]
    for request in endpoint.asked:
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        assert "response_format" not in request.body
        assert request.said.startswith("Earlier posts of one person, oldest first:")
        assert request.said.endswith("or [[C]] for a tie.")
