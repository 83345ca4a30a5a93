"""Reward models by transformers. The only file that imports torch and transformers.

The chat template alone says which tokens a conversation has: the tokenizer adds none to what it
wrote, so that a beginning-of-text token is there once or not at all, as in transformers' own
`apply_chat_template` and in vLLM. Texts are padded on the right, where no token sees it.
"""

from collections.abc import Callable
from typing import Any

import jinja2
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from transformers.utils import logging

from pairwright.client.score import score_of
from pairwright.errors import ConfigError
from pairwright.evaluate.local.batches import Text
from pairwright.evaluate.scorers.spec import Classifier, Dpo, Local
from pairwright.prompt import Message


def load(where: str, spec: Classifier | Dpo) -> "_Classifier | _Dpo":
    """Raises ConfigError where the files hold no such model, and whatever transformers raises."""
    logging.disable_progress_bar()
    with torch.inference_mode():
        return _Dpo(where, spec) if isinstance(spec, Dpo) else _Classifier(where, spec)


class _Classifier:
    """A sequence-classification model. Its score is read at the last token that is no padding."""

    def __init__(self, where: str, spec: Classifier) -> None:
        self._where = where
        self._words = _tokenizer(where, spec.model, spec.revision)
        self._model = _model(
            where, AutoModelForSequenceClassification, spec.model, spec.revision, spec
        )
        try:
            score_of([0.0] * self._model.config.num_labels)
        except ValueError as error:
            raise _wrong(where, spec.model, str(error)) from None
        self.limit = _limit(where, spec, self._model, self._words)
        config = self._model.config.get_text_config()
        pad = config.pad_token_id
        self._pad = pad if pad is not None and 0 <= pad < config.vocab_size else None

    def read(self, messages: tuple[Message, ...]) -> Text:
        ids = _ids(self._words, _rendered(self._where, self._words, messages))
        return Text(ids, len(ids))

    def scores(self, texts: list[Text]) -> list[float]:
        return _within_memory(self._where, self._forward, texts)

    def _forward(self, texts: list[Text]) -> list[float]:
        pad = self._padding(texts)
        self._model.config.get_text_config().pad_token_id = pad
        ids, mask = _padded(texts, pad, self._model.device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask).logits
        return [score_of(row) for row in logits.double().tolist()]

    def _padding(self, texts: list[Text]) -> int:
        """The model's own padding token, by which it finds the last token of a text. Where it has
        none, any that ends no text of the batch."""
        if self._pad is not None:
            return self._pad
        ends = {text.ids[-1] for text in texts}
        return next(token for token in range(len(ends) + 1) if token not in ends)


class _Dpo:
    """beta (log pi(y|x) - log pi_ref(y|x)), summed over the response's tokens: the implicit reward
    up to a term that only the prompt decides (Rafailov et al. 2023, eq. 5)."""

    def __init__(self, where: str, spec: Dpo) -> None:
        self._where = where
        self._beta = spec.beta
        self._words = _tokenizer(where, spec.model, spec.revision)
        base = AutoTokenizer.from_pretrained(
            spec.reference, revision=spec.reference_revision, trust_remote_code=False
        )
        own, other = self._words.get_vocab(), base.get_vocab()
        # One of them may have tokens for padding that the other lacks.
        if any(own.get(token, place) != place for token, place in other.items()):
            raise _wrong(where, spec.reference, "its tokens are not those of the policy")
        kind = AutoModelForCausalLM
        self._policy = _model(where, kind, spec.model, spec.revision, spec)
        self._reference = _model(where, kind, spec.reference, spec.reference_revision, spec)
        self.limit = _limit(where, spec, self._policy, self._words)

    def read(self, messages: tuple[Message, ...]) -> Text:
        """As the policy wrote it: the prompt's tokens, then those of the response and its end."""
        prompt = _rendered(self._where, self._words, messages[:-1], add_generation_prompt=True)
        whole = _rendered(self._where, self._words, messages)
        if not whole.startswith(prompt):
            raise _wrong(
                self._where, "the policy",
                "its chat template does not put a response after what asks for it",
            )  # fmt: skip
        opening = _ids(self._words, prompt)
        return Text(opening + _ids(self._words, whole[len(prompt) :]), len(opening))

    def scores(self, texts: list[Text]) -> list[float]:
        return _within_memory(self._where, self._forward, texts)

    def _forward(self, texts: list[Text]) -> list[float]:
        policy, reference = (_log_probability(m, texts) for m in (self._policy, self._reference))
        return [self._beta * (p - r) for p, r in zip(policy, reference, strict=True)]


def _log_probability(model: Any, texts: list[Text]) -> list[float]:
    """Of each text's response, given what comes before it."""
    ids, mask = _padded(texts, 0, model.device)
    # A token's probability is told at the place before it. No others are computed: over a whole
    # vocabulary they would take more memory than the model.
    first = min(text.response for text in texts) - 1
    places = torch.arange(first, ids.shape[1] - 1, device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=mask, logits_to_keep=places).logits
        return [
            _summed(logits[row], ids[row], text, first) for row, text in enumerate(texts)
        ]  # fmt: skip


def _summed(logits: Any, ids: Any, text: Text, first: int) -> float:
    start, end = text.response, len(text.ids)
    told = logits[start - 1 - first : end - 1 - first].float().log_softmax(-1)
    return float(told.gather(-1, ids[start:end, None]).double().sum())


def _within_memory(
    where: str, forward: Callable[[list[Text]], list[float]], texts: list[Text]
) -> list[float]:
    """`forward` on all texts, or on halves where a GPU has no room for all."""
    try:
        return forward(texts)
    except torch.OutOfMemoryError:
        if len(texts) == 1:
            raise ConfigError(
                f"a text of {len(texts[0].ids)} tokens does not fit into the GPU's memory",
                where=where,
                fix="Set max_length: then fewer posts are shown where a text is longer.",
            ) from None
    torch.cuda.empty_cache()
    half = len(texts) // 2
    return [
        score
        for part in (texts[:half], texts[half:])
        for score in _within_memory(where, forward, part)
    ]


def _padded(texts: list[Text], pad: int, device: Any) -> tuple[Any, Any]:
    """Tokens and mask, each of shape (texts, longest)."""
    longest = max(len(text.ids) for text in texts)
    room = [longest - len(text.ids) for text in texts]
    ids = [[*text.ids, *[pad] * more] for text, more in zip(texts, room, strict=True)]
    mask = [[1] * (longest - more) + [0] * more for more in room]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def _rendered(where: str, words: Any, messages: tuple[Message, ...], **more: bool) -> str:
    conversation = [{"role": message.role, "content": message.content} for message in messages]
    try:
        return str(words.apply_chat_template(conversation, tokenize=False, **more))
    except jinja2.TemplateError as error:
        raise _wrong(where, "the model", f"its chat template fails: {error}") from None


def _ids(words: Any, text: str) -> tuple[int, ...]:
    return tuple(words(text, add_special_tokens=False, verbose=False)["input_ids"])


def _tokenizer(where: str, name: str, revision: str | None) -> Any:
    words = AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
    if not words.chat_template:
        raise _wrong(where, name, "it has no chat template, which says how a conversation is read")
    probe = (Message("user", "asked"), Message("assistant", "answered"))
    told = _rendered(where, words, probe)
    if not all(message.content in told for message in probe):
        raise _wrong(where, name, "its chat template leaves out a message")
    return words


def _model(where: str, kind: Any, name: str, revision: str | None, spec: Local) -> Any:
    found = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(found if spec.device == "auto" else spec.device)
    auto = "bfloat16" if device.type == "cuda" else "float32"
    model, loaded = kind.from_pretrained(
        name, revision=revision, dtype=getattr(torch, auto if spec.dtype == "auto" else spec.dtype),
        trust_remote_code=False, output_loading_info=True,
    )  # fmt: skip
    # Weights that are not in the files would be random, and so would be the scores.
    if missing := sorted(loaded["missing_keys"]):
        raise _wrong(where, name, f"its files lack weights of such a model: {missing[0]}")
    model.config.use_cache = False
    return model.to(device).eval()


def _limit(where: str, spec: Local, model: Any, words: Any) -> int | None:
    """Tokens of the longest text; None where neither the file nor the model sets a limit."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if spec.max_length is None:
        # A tokenizer without a limit says a number that no text reaches.
        return min(most or words.model_max_length, words.model_max_length)
    if most is not None and spec.max_length > most:
        raise ConfigError(
            f"{spec.max_length} is more than the {most} tokens that the model reads",
            where=f"{where} max_length", fix="Give a smaller number, or leave it out.",
        )  # fmt: skip
    return spec.max_length


def _wrong(where: str, model: str, what: str) -> ConfigError:
    fix = "Name another model; docs/evaluate.md says which can be used."
    return ConfigError(f"{model}: {what}", where=where, fix=fix)
