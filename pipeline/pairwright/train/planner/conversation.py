"""Where a prompt ends and what is to be learned begins, in the text that a chat template writes."""

from pairwright.errors import ConfigError

IGNORED = -100
"""The label of a token that the loss does not count, as PyTorch's cross entropy has it."""


def split(prompt: str, whole: str, end: str, where: str) -> tuple[str, str]:
    """What is read, and what is written after it: the target and the token that ends it.

    `prompt` is the template's text up to where the model begins, `whole` the same with the target
    in its place, `end` the token at which a model stops. What a template writes after that token
    is nothing that a model says. Raises ConfigError for a template that cannot be used.
    """
    if not whole.startswith(prompt):
        raise ConfigError(
            "its chat template does not put an answer after what asks for it",
            where=where,
            fix="Name the instruction-tuned model of the family.",
        )
    written = whole[len(prompt) :]
    before, ends, _ = written.rpartition(end)
    # Where the template ends no answer, the model still has to learn to stop.
    return prompt, before + end if ends else written + end


def labels(prompt: tuple[int, ...], completion: tuple[int, ...]) -> list[int]:
    """A label for every token of both: the loss counts those of the completion alone."""
    return [IGNORED] * len(prompt) + list(completion)
