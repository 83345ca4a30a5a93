"""A scorer of one's own: found by its name, given candidates in batches, and stored; and what every
mistake in it is answered with."""

import asyncio
import itertools
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, ResponseScore, Unscored
from pairwright.evaluation.session import ScorerSession, ScoringCalls
from pairwright.evaluation.settings import Scorers, scorer_settings
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.progress import Stop, log_notes
from pairwright.records import Post

SHOWN = PromptContent("Which flour?", (Post(id="p1", text="I bake.", category="c"),), ("Short",))
NAMES = (f"own_module_{n}" for n in itertools.count())

LENGTH = """
class Length:
    calls = []
    def __init__(self, factor=1.0):
        self.factor = factor
    def score(self, candidates):
        self.calls.append([c.response for c in candidates])
        return [self.factor * len(c.response) for c in candidates]
"""


class Own:
    """A folder with a module, which no other test has imported."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder, self.module, self.store, self.meter = folder, next(NAMES), store, Meter()

    def opening(self, code: str, **keys: Any) -> ScorerSession:
        """`keys` are those of the table."""
        (self.folder / f"{self.module}.py").write_text(code, encoding="utf-8")
        # A fresh process would import the file as it is now.
        sys.modules.pop(self.module, None)
        spec = {"kind": "python", "object": f"{self.module}:Length", "folder": str(self.folder)}
        scorers, prompts = scorer_settings(
            Scorers.model_validate({"scorers": {"mine": spec | keys}})
        )
        calls = ScoringCalls(self.store, self.meter, log_notes, Stop())
        return ScorerSession(scorers, prompts, calls)

    def scores(self, code: str, *responses: str, **keys: Any) -> Any:
        async def scored() -> list[object]:
            async with self.opening(code, **keys).scorer("mine") as mine:
                assert isinstance(mine.target, Pointwise)
                return await asyncio.gather(*(mine.target.score(SHOWN, of) for of in responses))

        return asyncio.run(scored())


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Own]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    with closing(Store(tmp_path / "run.sqlite")) as store:
        made = Own(tmp_path, store)
        yield made
    sys.modules.pop(made.module, None)


def test_its_numbers_are_the_scores_of_batches_of_the_size_that_is_asked_for(own: Own) -> None:
    responses = [f"{n}" * (n + 1) for n in range(8)]
    found = own.scores(LENGTH, *responses, options={"factor": 0.5}, batch=3)
    assert found == [ResponseScore(0.5 * (n + 1)) for n in range(8)]
    assert [len(call) for call in sys.modules[own.module].Length.calls] == [3, 3, 2]


def test_it_is_shown_what_the_condition_shows_and_not_which_response_is_chosen(own: Own) -> None:
    code = """
class Length:
    def score(self, candidates):
        (one,) = candidates
        assert (one.question, one.posts, one.aspects) == ("Which flour?", ("I bake.",), ("Short",))
        assert "> I bake." in one.prompt and "> Short" in one.prompt and "flour" in one.prompt
        assert one._fields == ("question", "posts", "aspects", "prompt", "response")
        return [1]
"""
    assert own.scores(code, "Rye.") == [ResponseScore(1.0)]


SEVEN, NOT_A_NUMBER = ResponseScore(7.0), Unscored("not_a_number", "nan")


@pytest.mark.parametrize(
    ("kind", "answer", "found"),
    [
        ("async def", "[7]", SEVEN),
        ("def", "__import__('numpy').array([7], dtype='float32')", SEVEN),
        ("def", "[None]", Unscored("no_score", "the scorer gives none")),
        ("def", "[float('nan')]", NOT_A_NUMBER),
    ],
)
def test_it_may_answer_in_several_ways(own: Own, kind: str, answer: str, found: object) -> None:
    code = f"class Length:\n    {kind} score(self, candidates):\n        return {answer}\n"
    assert own.scores(code, "Rye.") == [found]


@pytest.mark.parametrize(
    ("code", "keys", "calls"),
    [
        pytest.param(LENGTH, {}, 1, id="nothing"),
        pytest.param(LENGTH, {"batch": 1}, 1, id="its batches"),
        pytest.param(LENGTH.replace("len(", "2 * len("), {}, 2, id="its code"),
        pytest.param(LENGTH, {"options": {"factor": 2}}, 2, id="its options"),
        pytest.param(LENGTH, {"revision": "weights of May"}, 2, id="its revision"),
    ],
)
def test_what_is_stored_is_asked_again_if_what_decides_it_changes(
    own: Own, code: str, keys: dict[str, Any], calls: int
) -> None:
    assert own.scores(LENGTH, "four") == [ResponseScore(4.0)]
    before = own.opening(LENGTH).bound("mine").ref
    own.scores(code, "four", **keys)
    assert own.meter.calls == calls
    assert (own.opening(code, **keys).bound("mine").ref == before) is (calls == 1)


@pytest.mark.parametrize(
    ("code", "keys", "message"),
    [
        ("class Other: pass", {}, ["class Length", "no class with a method score"]),
        ("class Length: pass", {}, ["class Length", "no class with a method score"]),
        ("1 / 0", {}, ["cannot be imported", "ZeroDivisionError", "line 1"]),
        (f"{LENGTH}\n__import__('sys').exit(3)", {}, ["SystemExit: 3"]),
        (LENGTH, {"object": "nowhere_at_all:Length"}, ["No module named 'nowhere_at_all'"]),
    ],
)
def test_what_cannot_be_used_is_named_before_anything_is_scored(
    own: Own, code: str, keys: dict[str, Any], message: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        own.opening(code, **keys).bound("mine")
    for words in (*message, "scorer mine"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return [1, 2]", "2 scores for 1 candidates"),
        ("return '7'", "gave str, and not a list"),
        ("return ['7']", "gave '7' as a score"),
        ("return [True]", "gave True as a score"),
        ("return [10**400]", "int too large"),
        ("return {c.response: 1 for c in candidates}", "gave dict, and not a list"),
        ("raise RuntimeError('no memory')", "RuntimeError: no memory"),
        ("__import__('sys').exit(3)", "SystemExit: 3"),
        ("candidates.sort(key=len)", "'tuple' object has no attribute 'sort'"),
    ],
)
def test_what_it_does_wrong_ends_the_command_with_its_place(
    own: Own, body: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        own.scores(f"class Length:\n    def score(self, candidates):\n        {body}\n", "Rye.")
    assert message in caught.value.what
    assert f"{own.module}.py, class Length" in caught.value.where
    if "raise" in body:
        assert f"{own.module}.py, line 3" in caught.value.what
