"""A scripted model: canned replies by prompt name, and the requests it got. Also small records.

    llm = Scripted(plan=planned(("p1", "no oven on board", "Baking without an oven")))
    answer = asyncio.run(plan(..., model(llm), ...))
    assert llm.purposes == ["plan"]

A reply is text, an object (sent as JSON), a `Said` with another finish reason, or an exception to
raise. Each prompt has one reply for all its calls, a list of successive ones, or a function of the
request. A prompt that nothing was scripted for fails the test.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pairwright import assets
from pairwright.models import LLM, Completion, Model, Models, Request
from pairwright.modes.rules import BuildRules
from pairwright.records import Aspect, Dropped, Item, Origin, Post, Rubric
from pairwright.settings.config import Config, validate
from pairwright.settings.domains import Domains, Scale, load_scales
from pairwright.settings.endpoints import Endpoint, Sampling
from pairwright.settings.prompt import Prompts
from pairwright.stages.question import Question

T = TypeVar("T")


class Said(NamedTuple):
    """A reply with its finish reason."""

    text: str = ""
    finish: str = "stop"


Canned = str | Mapping[str, Any] | Said | BaseException
Answer = Canned | list[Canned] | Callable[[Request], Canned]


class Scripted:
    """An LLM (`pairwright.models.LLM`) that says what it was told to say."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        name = request.purpose
        assert name in self.answers, f"nothing is scripted for {name!r}"
        canned = self.answers[name]
        if callable(canned):
            canned = canned(request)
        elif isinstance(canned, list):
            taken = self.purposes.count(name)
            assert taken <= len(canned), f"{name!r} was asked more often than scripted"
            canned = canned[taken - 1]
        await asyncio.sleep(0)
        if isinstance(canned, BaseException):
            raise canned
        if not isinstance(canned, Said):
            canned = Said(canned if isinstance(canned, str) else json.dumps(canned))
        return Completion(request.key, canned.text, canned.finish)

    @property
    def purposes(self) -> list[str]:
        """The prompts asked, in order."""
        return [request.purpose for request in self.requests]

    def asked(self, *names: str) -> list[Request]:
        """The requests of some prompts, in order."""
        return [request for request in self.requests if request.purpose in names]

    def prompts(self, *names: str) -> list[str]:
        """What those prompts said to the model, after the system text."""
        return [body(request) for request in self.asked(*names)]


def body(request: Request) -> str:
    """The text of a request after its system message."""
    return "\n".join(m.content for m in request.messages if m.role == "user")


def parts(tag: str, prompt: str) -> list[str]:
    """What stands in a prompt between `<tag ...>` and `</tag>`."""
    return re.findall(rf"<{tag}\b[^>]*>\n?(.*?)\n?</{tag}>", prompt, re.DOTALL)


def model(llm: LLM, name: str = "m", **changes: Any) -> Model:
    """`changes` are of the sampling or of the endpoint, and not validated."""
    of_sampling = {key: changes.pop(key) for key in Sampling.model_fields if key in changes}
    sampling = Sampling().model_copy(update={"temperature": None, "seed": 7, **of_sampling})
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1", model=name)
    return Model(llm, endpoint.model_copy(update=changes), sampling)


def models(llm: Scripted) -> Models:
    return Models(
        model(llm, "the-planner"), model(llm, "the-generator"), (model(llm, "the-judge"),)
    )


def wait(call: Awaitable[T]) -> T:
    async def awaited() -> T:
        return await call

    return asyncio.run(awaited())


def good(call: Awaitable[T | Dropped]) -> T:
    """The answer of a call that must not be refused."""
    answer = wait(call)
    assert not isinstance(answer, Dropped), answer
    return answer


def refused(call: Awaitable[T | Dropped]) -> Dropped:
    """The refusal of a call that must be refused."""
    answer = wait(call)
    assert isinstance(answer, Dropped), answer
    return answer


def expect(kind: type[T], found: object) -> T:
    """What was found, which must be of this kind."""
    assert isinstance(found, kind), found
    return found


@cache
def prompts() -> Prompts:
    return Prompts.load(assets.PROMPTS)


@cache
def domains() -> Domains:
    return Domains.load(assets.RUBRICS)


@cache
def scales() -> tuple[Scale, ...]:
    return load_scales(assets.RUBRICS)


def question(text: str, **changes: Any) -> Question:
    """A question with the shipped prompts and scales."""
    return Question(text, prompts(), **{"id": "item-1", "scales": scales(), **changes})


def post(id: str, text: str, created: str | None = None) -> Post:
    return Post(id=id, text=text, created=created)


def posts(*texts: str, prefix: str = "post") -> tuple[Post, ...]:
    """Posts of successive years, oldest first."""
    return tuple(
        post(f"{prefix}-{n}", text, f"{2001 + n}-01-01T00:00:00") for n, text in enumerate(texts)
    )


def item(profile: Sequence[Post], **changes: Any) -> Item:
    fields: dict[str, Any] = {
        "id": "item-1",
        "user": "una",
        "question": "How do I bake good bread during the week?",
        "category": "cooking",
        "domain": "Lifestyle_and_Personal_Development",
        "profile": tuple(profile),
        "created": "2020-01-01T00:00:00",
    }
    return Item(**(fields | changes))


def rubric(*names: str, user: str = "una", origin: Origin = "planner") -> Rubric:
    """A rubric of aspects with these names."""
    aspects = tuple(Aspect(aspect=name, reason="", evidence="") for name in names)
    return Rubric(question_id="item-1", user=user, origin=origin, aspects=aspects)


def settings(**changes: Any) -> Config:
    """A config with what must be there, and these tables and keys."""
    data: dict[str, Any] = {
        "source": {"path": "histories.jsonl"},
        "endpoints": {"local": {"base_url": "http://127.0.0.1:8000/v1", "model": "m"}},
        "roles": {"planner": "local", "generator": "local", "judge": "local"},
    }
    return validate(data | changes, Path("run.toml"))


class Others:
    """The other users of a run, who have these histories."""

    def __init__(self, histories: Iterable[Sequence[Post]] = ()) -> None:
        self._histories = tuple(tuple(history) for history in histories)

    def others(self, item: Item, user: str) -> tuple[tuple[Post, ...], ...]:
        return self._histories


def policy(other_users: Others | None = None, **changes: Any) -> BuildRules:
    """The shipped prompts and rubrics with a config of these changes."""
    return BuildRules(
        config=settings(**changes),
        folder=Path(),
        prompts=prompts(),
        domains=domains(),
        scales=scales(),
        others=(other_users or Others()).others,
    )


# Replies, as a model would send them.


def planned(*aspects: tuple[str, str, str]) -> dict[str, Any]:
    """A planner's reply of aspects that rest on one post: (post label, passage, aspect)."""
    made = [_aspect(name, "stated", (label, passage)) for label, passage, name in aspects]
    return {"aspects": made}


def pattern(name: str, *passages: tuple[str, str]) -> dict[str, Any]:
    """One aspect of a planner's reply that several posts show: (post label, passage) of each."""
    return _aspect(name, "pattern", *passages)


def _aspect(name: str, follows: str, *passages: tuple[str, str]) -> dict[str, Any]:
    evidence = [{"post": label, "passage": passage} for label, passage in passages]
    return {"aspect": name, "reason": "posts say so", "evidence": evidence, "follows": follows}


def scored(*scores: int) -> dict[str, Any]:
    """An adherence judge's reply."""
    return _numbered("scores", "score", scores)


def found_in(*lists: Sequence[int]) -> dict[str, Any]:
    """A match reply: for every aspect the numbers of the lists that contain it."""
    return _numbered("aspects", "found_in", lists)


def verdicts(*given: str) -> dict[str, Any]:
    """A support judge's reply."""
    return _numbered("cases", "verdict", given)


def _numbered(name: str, field: str, values: Sequence[Any]) -> dict[str, Any]:
    cases = enumerate(values, start=1)
    return {name: [{"number": n, "reason": f"reason {n}", field: value} for n, value in cases]}


def graded(score: int) -> dict[str, Any]:
    """A quality judge's reply with the same score on every scale."""
    return {scale.name: {"reason": "r", "score": score} for scale in scales()}


def by_order(field: str, first: str, straight: str, swapped: str) -> Callable[[Request], Canned]:
    """A judge of two responses who says `straight` where this one stands first, else `swapped`."""

    def given(request: Request) -> Canned:
        stands_first = parts("response", body(request))[0] == first
        return {"reason": "r", field: straight if stands_first else swapped}

    return given
