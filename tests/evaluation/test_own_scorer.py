"""A scorer of one's own: found by its name, given candidates in batches, stored, and held to its
word; and what every mistake in it is answered with."""

import asyncio
import itertools
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.opening import Opening, OpenScorer
from pairwright.evaluation.scorers.scorer import (
    Pointwise,
    PromptContent,
    ResponseScore,
    ScorerRef,
    Unscored,
)
from pairwright.evaluation.session import scorer_settings
from pairwright.models.client import Meter
from pairwright.models.store import Store
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
    """A folder with a file of scorers and a module beside it."""

    def __init__(self, folder: Path, module: str, store: Store) -> None:
        self.folder, self.module, self.store = folder, module, store
        self.meter = Meter()

    def write(self, code: str, **keys: str) -> None:
        """`keys` are lines of the table, in TOML."""
        (self.folder / f"{self.module}.py").write_text(code, encoding="utf-8")
        # A fresh process would import the file as it is now.
        sys.modules.pop(self.module, None)
        keys = {"object": f'"{self.module}:Length"', **keys}
        lines = ["[scorers.mine]", 'kind = "python"', *(f"{k} = {v}" for k, v in keys.items())]
        (self.folder / "scorers.toml").write_text("\n".join(lines), encoding="utf-8")

    async def opened(self, work: Any) -> Any:
        scorers, prompts = scorer_settings(self.folder / "scorers.toml")
        opening = Opening(scorers.scorers, {}, prompts, self.store, self.meter)
        async with opening.scorer("mine") as found:
            return await work(found)

    def scores(self, *responses: str) -> Any:
        async def work(mine: OpenScorer) -> list[object]:
            assert isinstance(mine.scorer, Pointwise)
            return await asyncio.gather(*(mine.scorer.score(SHOWN, of) for of in responses))

        return asyncio.run(self.opened(work))

    def ref(self) -> Any:
        async def work(mine: OpenScorer) -> ScorerRef:
            return mine.ref

        return asyncio.run(self.opened(work))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Own]:
    """With a name that no other test has imported; what it adds to Python's path is taken out
    again."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = next(NAMES)
    with closing(Store(tmp_path / "run.sqlite")) as store:
        yield Own(tmp_path, module, store)
    sys.modules.pop(module, None)


def test_its_numbers_are_the_scores_of_batches_of_the_size_that_is_asked_for(own: Own) -> None:
    own.write(LENGTH, options="{ factor = 0.5 }", batch="3")
    found = own.scores(*(f"{n}" * (n + 1) for n in range(8)))
    assert found == [ResponseScore(0.5 * (n + 1)) for n in range(8)]
    calls = sys.modules[own.module].Length.calls
    assert [len(call) for call in calls] == [3, 3, 2]


def test_it_is_shown_what_the_condition_shows_and_not_which_response_is_chosen(own: Own) -> None:
    own.write("""
class Length:
    def score(self, candidates):
        (one,) = candidates
        assert (one.question, one.posts, one.aspects) == ("Which flour?", ("I bake.",), ("Short",))
        assert "> I bake." in one.prompt and "> Short" in one.prompt and "flour" in one.prompt
        assert one._fields == ("question", "posts", "aspects", "prompt", "response")
        return [1]
""")
    assert own.scores("Rye.") == [ResponseScore(1.0)]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("async def", "[7]"),
        ("def", "(7.0,)"),
        ("def", "__import__('numpy').array([7], dtype='float32')"),
    ],
    ids=["async", "a tuple", "an array"],
)
def test_it_may_answer_in_several_ways(own: Own, kind: str, answer: str) -> None:
    own.write(f"class Length:\n    {kind} score(self, candidates):\n        return {answer}\n")
    assert own.scores("Rye.") == [ResponseScore(7.0)]


def test_none_and_nan_leave_a_response_without_a_score(own: Own) -> None:
    own.write("""
class Length:
    def score(self, candidates):
        values = {"none": None, "nan": float("nan"), "inf": float("inf"), "one": 1}
        return [values[c.response] for c in candidates]
""")
    none, nan, inf, one = own.scores("none", "nan", "inf", "one")
    assert none == Unscored("no_score", "the scorer gives none")
    assert nan.reason == inf.reason == "not_a_number"
    assert one == ResponseScore(1.0)


def test_what_is_stored_is_not_asked_again_and_the_object_is_not_made(own: Own) -> None:
    own.write(LENGTH)
    for _ in range(2):
        assert own.scores("four") == [ResponseScore(4.0)]
        assert own.meter.calls == 1
    # Batch and folder do not decide a score.
    before = own.ref()
    own.write(LENGTH, batch="1", folder='"."')
    assert own.ref() == before


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        pytest.param(LENGTH.replace("len(", "2 * len("), {}, id="its code"),
        pytest.param(LENGTH, {"options": "{ factor = 2 }"}, id="its options"),
        pytest.param(LENGTH, {"revision": '"weights of May"'}, id="its revision"),
    ],
)
def test_what_decides_a_score_is_part_of_its_key(own: Own, code: str, keys: dict[str, str]) -> None:
    own.write(LENGTH)
    own.scores("four")
    before = own.ref()
    own.write(code, **keys)
    assert own.ref() != before
    own.scores("four")
    assert own.meter.calls == 2


@pytest.mark.parametrize(
    ("code", "keys", "message"),
    [
        ("class Other: pass", {}, ["has no class Length", "Other"]),
        ("Length = 3", {}, ["has no class Length"]),
        ("class Length: pass", {}, ["class Length", "no method score"]),
        (
            "import not_there_at_all",
            {},
            ["No module named 'not_there_at_all'"],
        ),
        ("class Length:\n  def", {}, ["cannot be imported", "SyntaxError", "line 2"]),
        ("1 / 0", {}, ["cannot be imported", "ZeroDivisionError", "line 1"]),
        (f"{LENGTH}\n__import__('sys').exit(3)", {}, ["SystemExit: 3"]),
        (
            LENGTH,
            {"object": '"nowhere_at_all:Length"'},
            ["No module named 'nowhere_at_all'"],
        ),
        (LENGTH, {"object": '"Length"'}, ["scorers.mine.object", "write module:Class"]),
        (LENGTH, {"options": "{ weight = 1 }"}, ["unexpected keyword argument 'weight'", "factor"]),
        (LENGTH, {"options": "3"}, ["scorers.mine.options"]),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_cannot_be_used_is_named_before_anything_is_scored(
    own: Own, code: str, keys: dict[str, str], message: list[str]
) -> None:
    own.write(code, **keys)
    with pytest.raises(ConfigError) as caught:
        own.ref()
    for words in (*message, "scorers.mine"):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return [1, 2]", "2 scores for 1 candidates"),
        ("return 3", "gave int, and not a list"),
        ("return '7'", "gave str, and not a list"),
        ("return ['7']", "gave '7' as a score"),
        ("return [True]", "gave True as a score"),
        ("return [10**400]", "as a score"),
        ("return [[1]]", "gave [1] as a score"),
        ("return {c.response: 1 for c in candidates}", "gave dict, and not a list"),
        ("raise RuntimeError('no memory')", "RuntimeError: no memory"),
        ("__import__('json').loads('{') or raised()", "JSONDecodeError: "),
        ("__import__('sys').exit(3)", "SystemExit: 3"),
        ("candidates.sort(key=len)", "'tuple' object has no attribute 'sort'"),
    ],
)
def test_what_it_does_wrong_ends_the_command_with_its_place(
    own: Own, body: str, message: str
) -> None:
    own.write(f"class Length:\n    def score(self, candidates):\n        {body}\n")
    with pytest.raises(ConfigError) as caught:
        own.scores("Rye.")
    assert message in caught.value.what
    assert f"{own.module}.py, class Length" in caught.value.where
    if "raise" in body:
        assert f"{own.module}.py, line 3" in caught.value.what
