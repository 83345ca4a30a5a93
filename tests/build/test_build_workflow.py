"""Building, estimating and looking at a run from Python: results as objects, nothing printed."""

import asyncio
import json
import re
import threading
from collections import Counter
from pathlib import Path

import pytest
from aiohttp import web

from endpoint import Asked, double, in_thread
from model_double import ModelDouble
from pairwright.construct.build import BuildResult, build
from pairwright.construct.status import status
from pairwright.errors import InputError, Interrupted
from pairwright.progress import Event, Note, Step, Stop, UnitEnded
from pairwright.settings.config import load
from pairwright.start import start_study
from scripted import expect
from study import OUTCOMES, Study, pairwright

ITEMS = 4


def test_a_build_gives_its_counts_alone_and_the_files_of_the_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config, run = Study.make(tmp_path / "study", limit=ITEMS).config, tmp_path / "run"
    notes, events = list[Event](), list[Event]()

    async def cells() -> BuildResult:
        """As in a notebook, where an event loop runs."""
        waiting = build(config, tmp_path / "c", limit=2, batch=True, progress=notes.append)
        assert not waiting.whole
        assert (waiting.status.count("waiting"), waiting.usage.sent) == (4, 0)
        assert sum(file.lines for file in waiting.requests) > 0
        with pytest.raises(InputError, match="cannot be shared"):
            build(config, tmp_path / "d", address="10.0.0.1:6379", batch=True)
        return build(str(config), str(run), limit=ITEMS, progress=events.append)

    result = asyncio.run(cells())
    assert capfd.readouterr() == ("", "")
    assert result.whole
    assert result.requests == ()
    assert result.status.pairs == len((run / "pairs.jsonl").read_text().splitlines())
    assert result.usage.sent == result.status.stored.calls > 0
    assert all(found.n >= found.k for found in result.status.checks.values())
    begun, *ended = [event for event in events if not isinstance(event, Note)]
    assert expect(Step, begun).total == len(ended) == 3 * ITEMS
    kinds = Counter(event.kind for event in ended if isinstance(event, UnitEnded))
    assert kinds["kept"] == result.status.count("kept")
    again = build(config, run, limit=ITEMS)
    assert (again.usage.sent, again.status) == (0, result.status)
    assert status(run) == result.status
    assert pairwright("build", config, "--run", tmp_path / "a", "--limit", ITEMS).code == 0
    for name in OUTCOMES:
        assert (tmp_path / "a" / name).read_bytes() == (run / name).read_bytes()


def test_a_build_that_keeps_nothing_says_why(tmp_path: Path) -> None:
    async def copying(asked: Asked) -> web.StreamResponse:
        """The model's double, whose planner says in a post's words what a user expects."""
        body = ModelDouble().reply(asked.body)
        if "<task>plan</task>" in asked.said:
            message = body["choices"][0]["message"]
            found = json.loads(message["content"])
            for aspect in found["aspects"]:
                aspect["aspect"] = aspect["evidence"][0]["passage"]
            message["content"] = json.dumps(found)
        return web.json_response(body)

    with in_thread(copying) as endpoint:
        study = Study.make(tmp_path / "study", endpoint.url, limit=6)
        done = study.build()
    said = " ".join(done.err.split())
    assert "Nothing is kept of 12 units: " in said
    assert "copied from a post 12" in said
    assert str(study.run / "dropped.jsonl") in done.err
    status = pairwright("status", study.run)
    assert re.search(r"aspects dropped +copied from a post +12", status.out)
    assert (done.code, status.code, study.manifest["state"]) == (1, 1, "short")
    study.assert_whole(12)


@pytest.mark.parametrize("users", [1, 2])
@pytest.mark.parametrize("modes", [("twin",), ("twin", "violate"), ("violate",)])
def test_users_without_another_of_their_category_are_named_before_any_call(
    tmp_path: Path, modes: tuple[str, ...], users: int
) -> None:
    path = start_study(tmp_path / "study")
    source = path.parent / "histories.jsonl"
    lines = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()[:3]]
    for n, line in enumerate(lines):
        line["user"], line["category"] = f"user{n % users}", lines[0]["category"]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    config, notes = load(path).model_copy(update={"modes": modes}), list[Event]()
    said, alone = "no twin can be made of 3 of 3 items", users == 1
    if alone and modes == ("twin",):
        with pytest.raises(InputError, match=said):
            build(config, tmp_path / "run", folder=path.parent)
        return
    build(config, tmp_path / "run", folder=path.parent, batch=True, progress=notes.append)
    told = [note.text for note in notes if isinstance(note, Note) and "no twin" in note.text]
    assert len(told) == (alone and "twin" in modes)
    assert all(said in text for text in told)


def test_another_thread_can_stop_a_build_and_the_same_call_goes_on(tmp_path: Path) -> None:
    stop = Stop()
    with in_thread(double(delay_s=0.05)) as endpoint:
        study = Study.make(tmp_path / "s", endpoint.url, limit=ITEMS, served__concurrency=4)

        def ask(event: Event) -> None:
            if isinstance(event, Step):
                threading.Timer(0.5, stop.request).start()

        with pytest.raises(Interrupted):
            build(study.config, study.run, progress=ask, stop=stop)
        sent = endpoint.n
        assert sent == status(study.run).stored.calls
        assert not status(study.run).finished
        endpoint.handler = double()
        result = build(study.config, study.run)
        assert result.whole
        assert result.usage.sent == endpoint.n - sent
