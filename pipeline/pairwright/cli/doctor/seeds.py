"""Does the same seed give the same text, and another seed another text?"""

from pairwright.cli.doctor.finding import Finding
from pairwright.cli.doctor.questions import QUESTION, NotTaken, Questions

ROOM = 48
"""Tokens of a reply: enough for two texts to part."""


async def seeds(questions: Questions) -> Finding:
    """Three requests: one seed twice, another once."""
    seed = questions.sampling.seed
    if seed is None:
        return Finding("ok", "seeds", 'none are sent: seed = "none" in the config')
    ask = questions.prompts.ask("write_plain", question=QUESTION, words=60)
    try:
        answers = [
            (await questions.put(ask, room=ROOM, seed=number)).completion
            for number in (seed, seed, seed + 1)
        ]
    except NotTaken as error:
        return Finding("note", "seeds", f"not found out: {error}")
    # A model that thinks first may not have come to its text yet.
    first, second, other = [answer.reasoning + answer.text for answer in answers]
    if not first + second + other:
        return Finding("note", "seeds", f"not found out: empty replies in {ROOM} tokens")
    if first == second == other:
        return Finding(
            "note", "seeds", "two seeds gave the same text",
            "A draft that a gate refuses is drawn again with the next seed, and here the next one"
            " would be the same. Is the temperature fixed at 0, or a cache of replies in between?",
        )  # fmt: skip
    if first != second:
        return Finding(
            "note", "seeds", "the same seed gave two texts",
            "Replies are stored, so a run that goes on or is run again gives the same files. The"
            " same build in an empty run folder will give other texts. With vLLM on GPUs,"
            " VLLM_BATCH_INVARIANT=1 can help where the model supports it.",
        )  # fmt: skip
    return Finding("ok", "seeds", "the same seed repeats its text, another seed gives another")
