"""Is a history that several prompts begin with computed once?"""

from pairwright.cli.doctor.finding import Finding
from pairwright.cli.doctor.questions import QUESTION, NotTaken, Questions
from pairwright.cli.doctor.server import Metrics
from pairwright.settings.prompt import Labelled

ROOM = 16
# Whole blocks are cached, and some services begin at 1,024 tokens.
_POST = (
    "I bake twice a week for a house of five, and by the third day the crust has gone soft and"
    " the crumb is dry. Last month I tried a linen bag, a tin and the cold oven, one week each,"
    " and wrote down what became of the loaf every morning. The tin was the worst of them. "
)
POSTS = tuple(Labelled(f"p{n}", _POST * 4) for n in range(1, 7))


async def prefix(questions: Questions, told: Metrics | None) -> Finding:
    """Two requests: a planner's prompt of about 1,500 tokens of history, twice."""
    ask = questions.prompts.ask(
        "plan", posts=POSTS, question=QUESTION, max_aspects=4, words=100, kinds=()
    )
    try:
        await questions.put(ask, room=ROOM, seed=questions.sampling.seed)
        again = await questions.put(ask, room=ROOM, seed=questions.sampling.seed)
    except NotTaken as error:
        return Finding("note", "prefix cache", f"not found out: {error}")
    if again.cached_tokens:
        found = (
            f"on: {again.cached_tokens:,} of {again.completion.prompt_tokens:,} tokens were reused"
        )
        return Finding("ok", "prefix cache", f"{found}{_room(told)}")
    if told and told.prefix_caching:
        return Finding("ok", "prefix cache", f"on, by the server's own account{_room(told)}")
    if told and told.prefix_caching is False:
        return Finding(
            "note", "prefix cache", "off",
            "Each call that carries a history computes it anew, which is most of a build's work."
            " Start vLLM without --no-enable-prefix-caching.",
        )  # fmt: skip
    if again.cached_tokens == 0:
        return Finding(
            "note", "prefix cache", "a repeated prompt was computed anew",
            "Each call that carries a history costs its full length. See whether the server has"
            " a prefix cache to turn on.",
        )  # fmt: skip
    return Finding(
        "note", "prefix cache", "not told: neither the usage of a reply nor metrics speak of it",
        "With one, a history that several calls carry is computed once.",
    )  # fmt: skip


def _room(told: Metrics | None) -> str:
    return f"; it holds {told.cache_tokens:,} tokens" if told and told.cache_tokens else ""
