"""A model of transformers in this process: its tokens and its weights.

The chat template alone says which tokens a conversation has: the tokenizer adds none to what it
wrote, so that a beginning-of-text token is there once or not at all, as in transformers' own
`apply_chat_template` and in vLLM.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jinja2

from pairwright.errors import ConfigError
from pairwright.settings.prompt import Message

Unusable = Callable[[str], ConfigError]
"""Makes the error of a model of what is wrong with it."""


TokenizedText = tuple[int, ...]
"""The tokens of a conversation as the model reads it, chat template and all."""


class ChatTokens(NamedTuple):
    """The tokens of conversations. Raises what `unusable` makes for a template that cannot be
    used."""

    tokenizer: Any
    """The tokenizer of transformers."""
    unusable: Unusable

    def check(self) -> None:
        """Check that a conversation can be read whole."""
        if not self.tokenizer.chat_template:
            raise self.unusable("it has no chat template, which says how a conversation is read")
        probe = (Message("user", "asked"), Message("assistant", "answered"))
        if not all(message.content in self._text(probe) for message in probe):
            raise self.unusable("its chat template leaves out a message")

    def whole(self, messages: Sequence[Message]) -> TokenizedText:
        """The tokens of a whole conversation."""
        # Verbose, it warns of texts over its limit, which are counted elsewhere.
        whole = self._text(messages)
        return tuple(self.tokenizer(whole, add_special_tokens=False, verbose=False)["input_ids"])

    def _text(self, messages: Sequence[Message]) -> str:
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(self.tokenizer.apply_chat_template(conversation, tokenize=False))
        except jinja2.TemplateError as error:
            raise self.unusable(f"its chat template fails: {error}") from None


def load_weights(
    kind: Any, name: str, revision: str | None, *, dtype: str, device: str, unusable: Unusable
) -> Any:
    """A model of this class of transformers. Raises what `unusable` makes where its files lack
    weights, and all that transformers raises."""
    auto = "bfloat16" if device.startswith("cuda") else "float32"
    model, loaded = kind.from_pretrained(
        name, revision=revision, dtype=auto if dtype == "auto" else dtype,
        trust_remote_code=False, output_loading_info=True,
    )  # fmt: skip
    # Weights that are not in the files would be random, and so would be what comes of them.
    if missing := sorted(loaded["missing_keys"]):
        raise unusable(f"its files lack weights of such a model: {missing[0]}")
    return model.to(device)
