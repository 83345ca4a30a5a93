"""The tokens of conversations, as a model of transformers in this process reads them."""

from typing import Any

import jinja2
import pytest

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import ChatTokens
from pairwright.settings.prompt import Message


class Tokenizer:
    """Stands in for one of transformers: a token is a character."""

    def __init__(self, template: str | None) -> None:
        self.chat_template = template

    def apply_chat_template(self, conversation: Any, tokenize: bool) -> str:
        assert not tokenize
        assert self.chat_template
        found = jinja2.Template(self.chat_template, undefined=jinja2.StrictUndefined)
        return str(found.render(messages=conversation))

    def __call__(self, text: str, add_special_tokens: bool, verbose: bool) -> Any:
        assert not add_special_tokens
        return {"input_ids": [ord(character) for character in text]}


TEMPLATE = "^{% for m in messages %}[{{ m.role }}]{{ m.content }};{% endfor %}"
ASKED = (Message("user", "Why?"), Message("assistant", "So."))


def read(template: str | None) -> ChatTokens:
    return ChatTokens(Tokenizer(template), "[scorers.mine]", "org/model")


def text(ids: tuple[int, ...]) -> str:
    return "".join(map(chr, ids))


def test_the_template_alone_says_which_tokens_there_are() -> None:
    words = read(TEMPLATE)
    words.check()
    assert text(words.whole(ASKED)) == "^[user]Why?;[assistant]So.;"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        pytest.param(None, "no chat template", id="none"),
        pytest.param("", "no chat template", id="empty"),
        pytest.param("{{ messages[0].content }}", "leaves out a message", id="half"),
        pytest.param("{{ messages[0].tools }}", "chat template fails", id="undefined"),
        pytest.param("{% for", "chat template fails", id="no template"),
    ],
)
def test_a_template_without_a_conversation_is_refused(template: str | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read(template).check()
    assert caught.value.where == "[scorers.mine]"
