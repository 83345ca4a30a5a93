"""Where a prompt ends and what is to be learned begins, in the text that a chat template writes."""

from typing import NamedTuple, Protocol

from pairwright.errors import ConfigError
from pairwright.settings.prompt import Ask

IGNORED = -100
"""The label of a token that the loss does not count, as PyTorch's cross entropy has it."""


class Tokens(NamedTuple):
    """What is read, and what is learned."""

    prompt: tuple[int, ...]
    completion: tuple[int, ...]

    @property
    def labels(self) -> list[int]:
        """One for every token: the loss counts those of the completion alone."""
        return [IGNORED] * len(self.prompt) + list(self.completion)


class Tokenizer(Protocol):
    """A model's tokens of a prompt and of the target after it."""

    def tokens(self, ask: Ask, target: str) -> Tokens:
        """Raises ConfigError for a chat template that cannot be used."""
        ...


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
