"""The keys by which scores are stored, and what results say of each kind of scorer.

A folder of results goes on where it ended only while these stay what they are: a change of one of
them makes every stored score of that kind worthless. So they are written down here.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pairwright.evaluation.scorers.scorer import Pointwise, PromptContent, Unscored
from pairwright.evaluation.settings import Scorers
from pairwright.models import Answer, Completion, Request
from pairwright.models.client import Meter
from pairwright.models.client.scores import TokenLogprobs, chat_reply, score_reply, to_text
from pairwright.records import Post
from pairwright.workflows.scorers import OpenScorer, open_scorers
from pairwright.workflows.scoring import prompts_of

SCORE = score_reply(0.5, 3)
TOKENS = chat_reply(to_text(TokenLogprobs((1, 2), (-0.5, -0.25))), 3)
VERDICT = chat_reply('{"reason": "It fits.", "verdict": "A"}', 3)
RATING = chat_reply('{"reason": "It fits.", "score": 7}', 3)
NEAR = {"base_url": "http://127.0.0.1:9/v1", "model": "org/near", "revision": "r1"}
OWN = """class Short:
    def __init__(self, words: int) -> None:
        self.words = words

    def score(self, candidates):
        return [0.0 for _ in candidates]
"""
LIKELIHOOD = {"kind": "likelihood", "model": "org/lm"}
KINDS: dict[str, tuple[dict[str, Any], bytes]] = {
    "classifier": ({"model": "org/rm", "revision": "r2"}, SCORE),
    "served": ({"endpoint": "near"}, SCORE),
    "dpo": ({"model": "org/policy", "reference": "org/base"}, SCORE),
    "likelihood": ({"model": "org/lm"}, TOKENS),
    "served-likelihood": ({"endpoint": "near"}, TOKENS),
    "guided": ({"policy": "lm", "reward": "lm", "beta": 0.5}, TOKENS),
    "python": ({"object": "short_scorer:Short", "options": {"words": 80}}, SCORE),
    "pairwise": ({"endpoint": "near"}, VERDICT),
    "pointwise": ({"endpoint": "near"}, RATING),
}
GOLDEN: dict[str, tuple[str, tuple[str, ...]]] = {
    "classifier": (
        "b2:380e40c2fc5953d1a8e9f716ef8ec2a11bf56af9",
        ("b2:ec77ad67cbd3b62d9314bfd3a3c68cf70946fabf",),
    ),
    "served": (
        "b2:daa92811c38bf9f85d4212c7cfa295661c26c438",
        ("b2:b9f7868021606f254c060435880d1b9b2c132ff4",),
    ),
    "dpo": (
        "b2:346d568c9476167cd8ebf04d71d5717ef26ddbc4",
        ("b2:e2df726959f961bb767b849a7368702dea23cc96",),
    ),
    "likelihood": (
        "b2:ad7a1befc9b568beda48e9a9ca670c5d038422ff",
        ("b2:cdd495c26c94144c3120bd2b6ee6553d8a8085a6",),
    ),
    "served-likelihood": (
        "b2:13f730665084d6fbbbf7db7356e60f46387e0be0",
        ("b2:d178bfcb5d17bc2a97f0526a23a482ce9df917aa",),
    ),
    "guided": (
        "b2:dee7b3c373a78fb05d87bbdc7dbd2ba93b5400cc",
        ("b2:cdd495c26c94144c3120bd2b6ee6553d8a8085a6",),
    ),
    "python": (
        "b2:3cdcb2ecba897362348e306881d4b87553ff85ef",
        ("b2:b134eea71a0f8ebeff60eb82f9c2cabb0207cd72",),
    ),
    "pairwise": (
        "b2:f7c0a51bc2213d64d266530f3ee966bc54198106",
        (
            "b2:3ed29df04027dc0d3d2a3b0ddca506021401016f",
            "b2:bcaaf73fbce0692a3ef011c351569e490d5c5ccc",
        ),
    ),
    "pointwise": (
        "b2:f7c0a51bc2213d64d266530f3ee966bc54198106",
        ("b2:1f45da344e7c307f15bed594bf95df77291e72c9",),
    ),
}
"""By kind: the settings that results name, and the key of each stored call."""
SHOWN = PromptContent(
    "How do I bake bread?",
    (Post(id="p1", text="There is no oven on our narrowboat.", category="cooking"),),
    ("Baking without an oven aboard",),
)


class Keys:
    """A store that has one reply to every request, and writes down which keys it was asked for."""

    def __init__(self, body: bytes) -> None:
        self.path = Path("calls.sqlite")
        self.in_flight: dict[str, asyncio.Future[Completion]] = {}
        self.found: dict[str, None] = {}
        self._body = body

    def get(self, key: str) -> bytes | None:
        self.found[key] = None
        return self._body

    async def put(self, request: Request, answer: Answer) -> None:
        raise AssertionError("every reply is stored")


async def ask(opened: OpenScorer) -> None:
    if isinstance(opened.scorer, Pointwise):
        given: object = await opened.scorer.score(SHOWN, "Bake it in a pan.")
    else:
        given = await opened.scorer.prefer(SHOWN, "Bake it in a pan.", "Buy some.")  # type: ignore[union-attr]
    assert not isinstance(given, Unscored)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_scorer_keeps_its_keys(kind: str, tmp_path: Path) -> None:
    (tmp_path / "short_scorer.py").write_text(OWN)
    spec, body = KINDS[kind]
    folder = {"folder": str(tmp_path)} if kind == "python" else {}
    scorers = Scorers.model_validate(
        {
            "endpoints": {"near": NEAR},
            "scorers": {"lm": LIKELIHOOD, "mine": {"kind": kind, **spec, **folder}},
        }
    )
    keys = Keys(body)

    async def scenario() -> OpenScorer:
        prompts = prompts_of(scorers, Path.cwd())
        async with open_scorers(scorers, ("mine",), prompts, keys, Meter()) as found:
            await ask(found["mine"])
            return found["mine"]

    opened = asyncio.run(scenario())
    assert (opened.ref.settings, tuple(keys.found)) == GOLDEN[kind]
