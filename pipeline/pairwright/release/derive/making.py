"""How the pairs were made: sentences and rows of tables. Plain text, to be escaped."""

from collections import Counter
from collections.abc import Iterator

from pairwright.release.derive.built import Built, Sampling
from pairwright.release.derive.units import UnitCount
from pairwright.release.summary import Summary

Row = tuple[str, ...]

PAIR = (
    "A pair is one question, the earlier posts of one user, and two responses: the chosen one fits"
    " what the posts let one expect of this user, the rejected one does not. Both are meant to be"
    " equally good answers to anyone who does not know the user. The rubric says what this user"
    " expects, why, and which post shows it."
)
TWIN = (
    "Mode twin: one question and two users whose rubrics for it differ. Each response is written"
    " to one of the two rubrics by a model that sees the question and that rubric alone. What is"
    " chosen for the one user is rejected for the other, so that a twin is two pairs: it is"
    " verified, released and left out as one."
)
VIOLATE = (
    "Mode violate: the rejected response is written so that it misses or contradicts the user's"
    " rubric."
)


def source(built: Built) -> Iterator[str]:
    """Where the items came from."""
    if built.source is None:
        return
    of = built.source
    yield f"Source: {of.path}, hash {of.hash}: {of.items:,} questions, each with its user's posts."
    for what, counts in (("refused", of.refused), ("repaired", of.repaired)):
        if counts:
            told = ", ".join(f"{reason} {n:,}" for reason, n in sorted(counts.items()))
            yield f"Rows of the source {what}, by reason: {told}."


def preparation(summary: Summary, counts: tuple[UnitCount, ...]) -> Iterator[str]:
    """What was done to the material, as far as its rows and units show it."""
    yield "Posts that are not older than the question are left out; very long ones are cut."
    how = {
        "planner": "inferred by a model from the user's posts",
        "gold": "of the source",
        "narrative": "drawn from the asker's explanation of the question",
    }
    told = ", ".join(f"{n:,} {how[of]}" for of, n in summary.origins.items() if of in how)
    if told:
        yield f"Rubrics, by pairs: {told}."
    judged = summary.rows - summary.judges.get("none", 0)
    yield f"Responses were written by a model; those of {judged:,} pairs were scored by a judge."
    ended = Counter[str]()
    for of in counts:
        ended[of.outcome] += of.units
    yield (
        f"A question in a mode is a unit: {ended['kept']:,} were kept, {ended['rejected']:,} were"
        f" refused and {ended['failed']:,} failed, as build/units.jsonl says of each."
    )


def models(built: Built) -> list[Row]:
    """Role, model, how it sampled."""
    if built.roles is None:
        return []
    tasks = {
        "planner": "infers what a user expects",
        "generator": "writes both responses",
        "judge": "scores adherence and quality",
    }
    named = {
        "planner": (built.roles.planner,),
        "generator": built.roles.generator,
        "judge": (built.roles.judge,),
    }
    return [
        (f"{role}: {task}", built.model(endpoint), _sampled(built.config.sampling.get(role)))
        for role, task in tasks.items()
        for endpoint in named[role]
    ]


def stages(counts: tuple[UnitCount, ...]) -> list[Row]:
    """Mode, outcome, stage, reason, n."""
    return [(of.mode, of.outcome, of.stage, of.reason, f"{of.units:,}") for of in counts]


def calls(built: Built) -> str:
    """What was asked of models in all."""
    of = built.calls
    if of is None:
        return "Calls and tokens are not stated."
    simulated = f", {of.simulated:,} of them simulated" if of.simulated else ""
    return (
        f"In all {of.n:,} calls of models{simulated}, with {of.prompt_tokens:,} tokens in and"
        f" {of.completion_tokens:,} tokens out."
    )


def _sampled(of: Sampling | None) -> str:
    if of is None:
        return "not stated"
    told = {"temperature": of.temperature, "top-p": of.top_p, "seed": of.seed}
    parts = [f"{name} {value}" for name, value in told.items() if value is not None]
    return ", ".join(parts) or "as the endpoint decides"
