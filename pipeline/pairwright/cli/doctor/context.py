"""Is the context long enough for what the config asks for?"""

from pairwright.cli.doctor.finding import Finding
from pairwright.settings.config import Config

INSTRUCTIONS = 1000
"""Tokens of a prompt beside a history: system text, question and what is asked."""


def needed(config: Config, name: str) -> int:
    """Tokens of the longest prompt with its reply that an endpoint gets, by the config.

    Histories are measured at four characters a token, as the build measures them; a reply that
    is cut short is asked for again with twice the room.
    """
    endpoint, roles, sampling = config.endpoints[name], config.roles, config.sampling
    rooms = [INSTRUCTIONS + 2 * room for room in _rooms(config, name)]
    reads = name == roles.planner and config.aspects == "planner"
    if reads or (name in roles.generator and config.paper_writers):
        history = min(
            config.planner.history_tokens, endpoint.history_tokens or config.planner.history_tokens
        )
        reader = sampling.planner if reads else sampling.generator
        rooms.append(history + INSTRUCTIONS + 2 * reader.max_tokens)
    return max(rooms)


def _rooms(config: Config, name: str) -> list[int]:
    roles, sampling = config.roles, config.sampling
    played = [
        (roles.planner == name, sampling.planner),
        (name in roles.generator, sampling.generator),
        (roles.judge == name, sampling.judge),
    ]
    return [role.max_tokens for plays, role in played if plays]


def context(told: int | None, need: int) -> Finding:
    """Whether the longest prompt fits."""
    about = f"this config needs about {need:,}"
    if told is None:
        return Finding(
            "ok", "context", f"length not told; {about}",
            "A prompt that turns out too long is asked again with fewer posts.",
        )  # fmt: skip
    if told < need:
        return Finding(
            "note", "context", f"{told:,} tokens; {about}",
            "Long histories will lose posts, and what fits even so is refused as context_length."
            f" Start vLLM with --max-model-len {need} or more, or set history_tokens or max_tokens"
            " lower.",
        )  # fmt: skip
    return Finding("ok", "context", f"{told:,} tokens; {about}")
