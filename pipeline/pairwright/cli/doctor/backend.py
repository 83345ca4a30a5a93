"""What holds replies to a schema, and has it the fault of letting control characters through?

vLLM does not say which backend it uses, but they differ in what they refuse: llguidance refuses
the keyword `not`, and xgrammar passes over it. xgrammar also lets raw control characters into
strings that `maxLength` limits. Schemas of Pairwright have neither keyword.
"""

import json
from typing import Any

from pairwright.cli.doctor.finding import Finding
from pairwright.cli.doctor.questions import QUESTION, NotTaken, Questions
from pairwright.models import leniency

SEEDS = (1, 2, 3)
ADVICE = (
    "Strings that a schema limits with maxLength can hold raw control characters, which are no"
    " JSON. Pairwright's schemas set no such limit, and what is read leniently is counted. Strict"
    " JSON without spare white space: vllm serve --structured-outputs-config"
    ' \'{"backend": "guidance", "disable_any_whitespace": true}\''
)


async def backend(questions: Questions, *, vllm: bool) -> Finding:
    """Three requests that tempt the fault, and for vLLM one that tells the backend."""
    name = await _name(questions) if vllm else None
    faults = await _faults(questions)
    found = [name] if name else []
    if faults:
        found.append(f"control characters in {faults} of {len(SEEDS)} replies under maxLength")
    if faults or name == "xgrammar":
        return Finding("note", "schema backend", "; ".join(found), ADVICE)
    return Finding("ok", "schema backend", name or "not told, and no control characters seen")


async def _name(questions: Questions) -> str | None:
    """vLLM's backend, by whether it refuses the keyword `not`; None where neither is seen."""
    try:
        await _ask(questions, {"type": "string", "not": {"const": "bread"}}, room=16, seed=SEEDS[0])
    except NotTaken as error:
        return "guidance" if "Unimplemented keys" in str(error) else None
    return "xgrammar"


async def _faults(questions: Questions) -> int:
    """How many replies under `maxLength` are JSON only if control characters are let through."""
    found = 0
    for seed in SEEDS:
        try:
            text = await _ask(questions, {"type": "string", "maxLength": 40}, room=256, seed=seed)
        except NotTaken:
            break  # A server that does not take the keyword cannot have the fault.
        found += leniency(text) == "control_characters"
    return found


async def _ask(questions: Questions, item: dict[str, Any], *, room: int, seed: int) -> str:
    aspects = {"type": "array", "items": item, "minItems": 1, "maxItems": 2}
    schema = {
        "type": "object",
        "properties": {"aspects": aspects},
        "required": ["aspects"],
        "additionalProperties": False,
    }
    ask = questions.prompts.ask("plan_blind", question=QUESTION, max_aspects=2)
    answer = await questions.put(ask, room=room, seed=seed, schema=json.dumps(schema))
    return answer.completion.text
