"""Reward models in this process: what is batched with what, when the model starts, how it ends.

torch is not installed here: `StandIn` takes the models' place, and counts a response's words.
test_real_reward.py asks real ones.
"""

import asyncio
import itertools
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import jinja2
import pytest

from pairwright.assets import install
from pairwright.errors import ConfigError, Interrupted
from pairwright.evaluation.scorers import in_process
from pairwright.evaluation.scorers.in_process import (
    ChatTokens,
    Classifier,
    InProcess,
    TokenizedText,
)
from pairwright.evaluation.scorers.score_models import RewardModel
from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, ResponseScore, Unscored
from pairwright.evaluation.session import ScorerSession, ScoringCalls
from pairwright.evaluation.settings import Scorers, scorer_settings
from pairwright.models import CONTEXT_LENGTH
from pairwright.models.client import Meter
from pairwright.models.store import Store
from pairwright.progress import Stop, log_notes
from pairwright.records import Post
from pairwright.settings.prompt import Message

T = TypeVar("T")


@dataclass
class StandIn:
    """Stands in for `pairwright.evaluation.scorers.torch_models` and the model that it loads."""

    limit: int = 1000
    fails: Exception | None = None
    """Raised on loading."""
    breaks: Exception | None = None
    """Raised on scoring."""
    gives: Callable[[int], float] = float
    """The score of so many tokens."""
    too_few: bool = False
    holds: threading.Event | None = None
    """A batch waits for it."""
    loads: int = 0
    batches: list[list[int]] = field(default_factory=list)
    """Tokens of each text of each batch."""

    def load(self, where: str, spec: Classifier) -> "StandIn":
        self.loads += 1
        if self.fails:
            raise self.fails
        return self

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        words = sum(len(message.content.split()) for message in messages)
        return tuple(range(words))

    def go_on(self) -> None:
        assert self.holds
        self.holds.set()

    def scores(self, texts: list[TokenizedText]) -> list[float]:
        if self.holds:
            assert self.holds.wait(10)
        if self.breaks:
            raise self.breaks
        lengths = [len(text) for text in texts]
        self.batches.append(lengths)
        return [self.gives(length) for length in lengths[self.too_few :]]


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "find_spec", lambda _: True)


def using(
    model: StandIn,
    use: Callable[[InProcess, RewardModel], Awaitable[T]],
    *,
    meter: Meter | None = None,
    said: list[str] | None = None,
    **spec: Any,
) -> T:
    """What `use` made of the sender and the scorer above it."""
    given = Classifier.model_validate({"kind": "classifier", "model": "tiny", **spec})

    async def scenario() -> T:
        say = (said if said is not None else []).append
        async with InProcess("mine", given, meter or Meter(), None, say) as sender:
            return await use(sender, RewardModel(sender, "tiny"))

    with mock.patch.object(in_process, "import_module", return_value=model):
        return asyncio.run(asyncio.wait_for(scenario(), 20))


async def score(scorer: RewardModel, tokens: int, word: str = "word") -> Any:
    """That of a conversation of so many tokens, of which the question is one."""
    return await scorer.score(PromptContent("Why?"), " ".join([word] * (tokens - 1)))


def scores(*lengths: int) -> Callable[[InProcess, RewardModel], Awaitable[list[Any]]]:
    async def use(_: InProcess, scorer: RewardModel) -> list[Any]:
        calls = (score(scorer, n, f"word{at}") for at, n in enumerate(lengths))
        return await asyncio.gather(*calls, return_exceptions=True)

    return use


async def begun(model: StandIn) -> None:
    """Wait until a model that holds has its first batch."""
    while not model.loads:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


def test_texts_of_about_the_same_length_go_together_and_each_gets_its_own_score() -> None:
    model = StandIn()
    found = using(model, scores(9, 2, 8, 2, 3, 9), batch_tokens=18)
    assert found == [ResponseScore(float(n), n) for n in (9, 2, 8, 2, 3, 9)]
    assert model.batches == [[9, 9], [8], [3], [2, 2]]
    # A conversation over the limit is not cut, and the others are scored.
    model = StandIn(limit=10)
    long, short, edge = using(model, scores(11, 4, 10))
    assert (long.reason, long.detail) == (CONTEXT_LENGTH, "11 tokens, and the model reads 10")
    assert (short, edge) == (ResponseScore(4.0, 4), ResponseScore(10.0, 10))
    assert model.batches == [[10], [4]]


def test_the_model_is_loaded_once_and_not_before_it_is_asked() -> None:
    model, said = StandIn(), list[str]()

    async def twice(sender: InProcess, scorer: RewardModel) -> int:
        before = model.loads
        for _ in range(2):
            await scores(3, 4)(sender, scorer)
        return before

    assert (using(model, twice, said=said), model.loads) == (0, 1)
    assert "is being loaded" in said[0]
    assert "is ready" in said[1]


def test_without_the_extra_it_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setattr(in_process, "find_spec", lambda name: None)
    (error,) = using(StandIn(), scores(3))
    assert isinstance(error, ConfigError)
    assert error.where == "[scorers.mine] kind = 'classifier'"
    assert install("evaluate") in error.fix


@pytest.mark.parametrize(
    ("model", "kind", "said"),
    [
        (StandIn(fails=OSError()), ConfigError, f"There is no folder {Path('tiny').resolve()}"),
        (StandIn(breaks=RuntimeError("bug")), RuntimeError, "bug"),
        (StandIn(too_few=True), ValueError, ""),
    ],
)
def test_a_model_that_breaks_is_named_to_all_who_wait(
    model: StandIn, kind: type[Exception], said: str
) -> None:
    found = using(model, scores(3, 4, 5))
    assert [type(error) for error in found] == [kind] * 3
    assert all(said in str(error) for error in found)


def test_stopping_keeps_the_batch_under_way_and_begins_no_other() -> None:
    model = StandIn(holds=threading.Event())

    async def use(sender: InProcess, scorer: RewardModel) -> list[Any]:
        asked = [score(scorer, n) for n in (9, 2, 3)]
        calls = asyncio.gather(*asked, return_exceptions=True)
        await begun(model)
        sender.stop()
        model.go_on()
        return [*await calls, *await scores(4)(sender, scorer)]

    found = using(model, use, batch_tokens=9)
    assert found[0] == ResponseScore(9.0, 9)
    assert [type(of) for of in found[1:]] == [Interrupted] * 3
    assert model.batches == [[9]]


class Tokenizer:
    """Stands in for one of transformers: a token is a character."""

    def __init__(self, template: str | None) -> None:
        self.chat_template = template

    def apply_chat_template(self, conversation: Any, tokenize: bool) -> str:
        found = jinja2.Template(self.chat_template or "", undefined=jinja2.StrictUndefined)
        return str(found.render(messages=conversation))

    def __call__(self, text: str, add_special_tokens: bool, verbose: bool) -> Any:
        assert not add_special_tokens
        return {"input_ids": [ord(character) for character in text]}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("^{% for m in messages %}[{{ m.role }}]{{ m.content }};{% endfor %}", ""),
        (None, "no chat template"),
        ("{{ messages[0].content }}", "no chat template with both messages"),
        ("{% for", "chat template fails"),
    ],
)
def test_the_chat_template_alone_says_which_tokens_there_are(
    template: str | None, message: str
) -> None:
    words = ChatTokens(Tokenizer(template), "[scorers.mine]", "org/model")
    if message:
        with pytest.raises(ConfigError, match=message) as caught:
            words.check()
        assert caught.value.where == "[scorers.mine]"
    else:
        words.check()
        asked = Message("user", "Why?"), Message("assistant", "So.")
        assert "".join(map(chr, words.whole(asked))) == "^[user]Why?;[assistant]So.;"


# A scorer of one's own

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
        (LENGTH, {"options": {"width": 2}}, ["does not take these options", "'width'"]),
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
