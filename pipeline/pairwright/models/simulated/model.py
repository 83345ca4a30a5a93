"""The reply to a chat request: one function for each task that the prompts name."""

import json
from collections.abc import Callable
from math import ceil
from typing import Any

from pairwright.models import SIMULATED
from pairwright.models.simulated import judge
from pairwright.models.simulated.defects import Defects
from pairwright.models.simulated.planner import narrative_aspects, plan, plan_blind
from pairwright.models.simulated.planting import (
    CHOSEN,
    FOR_A_PERSON,
    REJECTED,
    Memory,
    PlantedReply,
    planted_reply,
    spoil,
)
from pairwright.models.simulated.reading import Prompt, UnknownTask, read

Object = dict[str, Any]
"""A JSON object."""
WRITING = ("write_plain", *FOR_A_PERSON, *CHOSEN, *REJECTED)
_VERDICTS: dict[str, tuple[str, Callable[[Prompt], list[dict[str, object]]]]] = {
    "adherence": ("scores", judge.adherence),
    "support": ("cases", judge.support),
    "match": ("aspects", judge.match),
}


def reply(body: dict[str, Any], defects: Defects, memory: Memory) -> dict[str, Any]:
    """The response body to one chat completion; raises UnknownTask.

    It depends on nothing but its arguments, and on `memory` only for one defect.
    """
    prompt = read(body)
    say = planted_reply if prompt.task in WRITING else _json
    planted = say(prompt, defects, memory)
    prompt_count, reply_count = prompt_tokens(body), ceil(len(planted.text) / 4)
    return {
        "id": f"chatcmpl-{prompt.digest}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", SIMULATED),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": planted.text},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_count,
            "completion_tokens": reply_count,
            "total_tokens": prompt_count + reply_count,
        },
        "system_fingerprint": SIMULATED,
        "pairwright": {"planted": list(planted.planted)},
    }


def prompt_tokens(body: dict[str, Any]) -> int:
    """Tokens as the embedded model counts them: four characters each."""
    messages = body.get("messages") or []
    return ceil(sum(len(str(message.get("content", ""))) for message in messages) / 4)


def _json(prompt: Prompt, defects: Defects, memory: Memory) -> PlantedReply:
    content, planted = _object(prompt, defects, memory)
    text = json.dumps(content, ensure_ascii=False)
    if defects.strikes("unparseable_json", prompt.digest):
        # What else was planted cannot be read any more.
        return PlantedReply(text[: len(text) * 2 // 3], ("unparseable_json",))
    return PlantedReply(text, planted)


def _object(prompt: Prompt, defects: Defects, memory: Memory) -> tuple[Object, tuple[str, ...]]:
    """The JSON object of a task that is not writing, and what was planted in it."""
    if prompt.task in ("plan", "narrative"):
        aspects = _plan(prompt) if prompt.task == "plan" else _narrative(prompt)
        if defects.copied_profile or defects.copied_particular:
            memory.note(prompt.question, [text for _, text in prompt.every("post")])
        return {"aspects": aspects}, spoil(prompt, aspects, defects)
    if prompt.task == "plan_blind":
        return {"aspects": plan_blind(prompt.question, prompt.most_aspects)}, ()
    if prompt.task in _VERDICTS:
        name, judged = _VERDICTS[prompt.task]
        verdicts = judged(prompt)
        if verdicts and defects.strikes("wrong_number_of_scores", prompt.digest):
            return {name: [*verdicts, verdicts[-1]]}, ("wrong_number_of_scores",)
        return {name: verdicts}, ()
    if prompt.task == "quality":
        return judge.quality(prompt), ()
    if prompt.task == "rate":
        return judge.rate(prompt), ()
    if prompt.task == "choose":
        return judge.choose(), ()
    if prompt.task in ("compare", "prefer"):
        if defects.strikes("first_preferring_judge", prompt.digest):
            return {"reason": "A reads better.", "verdict": "A"}, ("first_preferring_judge",)
        return judge.compare(prompt) if prompt.task == "compare" else judge.prefer(prompt), ()
    raise UnknownTask(f"The simulated model does not know the task {prompt.task!r}.")


def _plan(prompt: Prompt) -> list[Object]:
    shown = prompt.every("post")
    posts = [text for _, text in shown]
    return [
        {
            "aspect": planned.aspect,
            "reason": planned.reason,
            "evidence": [
                {"post": shown[one.post][0], "passage": one.words} for one in planned.evidence
            ],
            "follows": planned.follows,
        }
        for planned in plan(prompt.question, posts, prompt.most_aspects)
    ]


def _narrative(prompt: Prompt) -> list[Object]:
    narrative = prompt.first("narrative")
    return [
        {
            "aspect": planned.aspect,
            "reason": planned.reason,
            "evidence": planned.evidence[0].words,
        }
        for planned in narrative_aspects(prompt.question, narrative, prompt.most_aspects)
    ]
