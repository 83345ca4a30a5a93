"""What a model that scores is asked: the user's message and the response, as one request."""

from pairwright.dataset.message import user_message
from pairwright.evaluate.shown import Shown
from pairwright.models import Request
from pairwright.settings.prompt import Message


def conversation(
    model: str, revision: str | None, settings: str, shown: Shown, response: str, purpose: str
) -> Request:
    """`settings` is canonical JSON of what decides the reply beside the model."""
    asked = user_message(shown.question, shown.posts, shown.aspects)
    return Request(
        model=model,
        revision=revision,
        messages=(Message("user", asked), Message("assistant", response)),
        max_tokens=1,
        extra=settings,
        purpose=purpose,
    )
