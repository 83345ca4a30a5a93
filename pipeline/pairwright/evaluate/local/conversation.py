"""A conversation as a model reads it, and which conversations go through a model together.

The chat template alone says which tokens a conversation has: the tokenizer adds none to what it
wrote, so that a beginning-of-text token is there once or not at all, as in transformers' own
`apply_chat_template` and in vLLM.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jinja2

from pairwright.assets import DOCS
from pairwright.errors import ConfigError
from pairwright.settings.prompt_variables import Message

SHORTEST = 0.8
"""The least length in a batch, as a share of its longest: no more than a fifth of what is computed
is padding."""


class TokenizedText(NamedTuple):
    """A conversation as the model reads it."""

    ids: tuple[int, ...]
    """Tokens, chat template and all."""
    response: int
    """The place of the response's first token, where the model distinguishes them."""


def batch_places(texts: list[TokenizedText], tokens: int) -> Iterator[list[int]]:
    """Places of all texts, in groups of at most `tokens` tokens, padding included.

    The longest come first: what does not fit into memory is known at once. A text that is longer
    than `tokens` goes alone.
    """
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place].ids))
    batch: list[int] = []
    for place in order:
        longest = len(texts[batch[0]].ids) if batch else 0
        full = (len(batch) + 1) * longest > tokens
        if batch and (full or len(texts[place].ids) < SHORTEST * longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class ModelTokenizer(NamedTuple):
    """One model's tokenizer."""

    tokenizer: Any
    """The tokenizer of transformers."""
    model: str
    where: str
    """The scorer's place in the file of scorers; for messages."""

    def whole(self, messages: tuple[Message, ...]) -> TokenizedText:
        """The tokens of a whole conversation. Raises ConfigError for a template that cannot be
        used."""
        rendered = self._rendered(messages)
        return TokenizedText(self._ids(rendered), 0)

    def after_prompt(self, messages: tuple[Message, ...]) -> TokenizedText:
        """The conversation as a policy writes the last message: the prompt's tokens, then those of
        the response and its end. Raises ConfigError for a template that cannot be used."""
        prompt = self._rendered(messages[:-1], add_generation_prompt=True)
        rendered = self._rendered(messages)
        if not rendered.startswith(prompt):
            raise unusable_model(
                self.where,
                self.model,
                "its chat template does not put a response after what asks for it",
            )
        opening = self._ids(prompt)
        return TokenizedText(opening + self._ids(rendered[len(prompt) :]), len(opening))

    def response_apart(self, messages: tuple[Message, ...]) -> TokenizedText:
        """The conversation as a policy begins the last message: the prompt's tokens and those of
        the response as it is, without its end. `client.prompt_logprobs` puts the same together.
        Raises ConfigError for a template that cannot be used."""
        opening = self._ids(self._rendered(messages[:-1], add_generation_prompt=True))
        return TokenizedText(opening + self._ids(messages[-1].content), len(opening))

    def check(self) -> None:
        """Check the template. Raises ConfigError where a conversation cannot be read whole."""
        if not self.tokenizer.chat_template:
            raise unusable_model(
                self.where,
                self.model,
                "it has no chat template, which says how a conversation is read",
            )
        probe = (Message("user", "asked"), Message("assistant", "answered"))
        rendered = self._rendered(probe)
        if not all(message.content in rendered for message in probe):
            raise unusable_model(self.where, self.model, "its chat template leaves out a message")

    def _rendered(self, messages: tuple[Message, ...], **more: bool) -> str:
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(conversation, tokenize=False, **more))
        except jinja2.TemplateError as error:
            problem = f"its chat template fails: {error}"
            raise unusable_model(self.where, self.model, problem) from None

    def _ids(self, text: str) -> tuple[int, ...]:
        # Verbose, it warns of texts over its limit, which are counted elsewhere.
        return tuple(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def unusable_model(where: str, model: str, what: str) -> ConfigError:
    """The error for a model that cannot score."""
    fix = f"Name another model; {DOCS / 'scorers.md'} says which can be used."
    return ConfigError(f"{model}: {what}", where=where, fix=fix)
