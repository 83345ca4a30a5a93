"""A conversation as a model reads it: through its tokenizer's chat template.

The template alone says which tokens a conversation has: the tokenizer adds none to what it wrote,
so that a beginning-of-text token is there once or not at all, as in transformers' own
`apply_chat_template` and in vLLM.
"""

from typing import Any, NamedTuple

import jinja2

from pairwright.errors import ConfigError
from pairwright.evaluate.local.batches import Text
from pairwright.settings.prompt import Message


class Words(NamedTuple):
    """One model's tokenizer."""

    tokenizer: Any
    """As transformers has them."""
    model: str
    where: str
    """For messages."""

    def whole(self, messages: tuple[Message, ...]) -> Text:
        """All of it. Raises ConfigError for a template that cannot be used."""
        rendered = self._rendered(messages)
        return Text(self._ids(rendered), 0)

    def after_prompt(self, messages: tuple[Message, ...]) -> Text:
        """As a policy writes the last message: the prompt's tokens, then those of the response and
        its end. Raises ConfigError for a template that cannot be used."""
        prompt = self._rendered(messages[:-1], add_generation_prompt=True)
        rendered = self._rendered(messages)
        if not rendered.startswith(prompt):
            raise wrong(
                self.where,
                self.model,
                "its chat template does not put a response after what asks for it",
            )
        opening = self._ids(prompt)
        return Text(opening + self._ids(rendered[len(prompt) :]), len(opening))

    def response_apart(self, messages: tuple[Message, ...]) -> Text:
        """As a policy begins the last message: the prompt's tokens and those of the response as it
        is, without its end. `client.prompt_logprobs` puts the same together. Raises ConfigError for
        a template that cannot be used."""
        opening = self._ids(self._rendered(messages[:-1], add_generation_prompt=True))
        return Text(opening + self._ids(messages[-1].content), len(opening))

    def check(self) -> None:
        """Raises ConfigError where a conversation cannot be read whole."""
        if not self.tokenizer.chat_template:
            raise wrong(
                self.where,
                self.model,
                "it has no chat template, which says how a conversation is read",
            )
        probe = (Message("user", "asked"), Message("assistant", "answered"))
        told = self._rendered(probe)
        if not all(message.content in told for message in probe):
            raise wrong(self.where, self.model, "its chat template leaves out a message")

    def _rendered(self, messages: tuple[Message, ...], **more: bool) -> str:
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(conversation, tokenize=False, **more))
        except jinja2.TemplateError as error:
            told = f"its chat template fails: {error}"
            raise wrong(self.where, self.model, told) from None

    def _ids(self, text: str) -> tuple[int, ...]:
        # Verbose, it warns of texts over its limit, which are counted elsewhere.
        return tuple(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])


def wrong(where: str, model: str, what: str) -> ConfigError:
    """A model that cannot score."""
    fix = "Name another model; docs/scorers.md says which can be used."
    return ConfigError(f"{model}: {what}", where=where, fix=fix)
