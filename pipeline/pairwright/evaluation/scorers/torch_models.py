"""Reward models by transformers. The only file that imports torch and transformers.

Texts are padded on the right. No token of a causal model sees what comes after it, so it is given
no mask: attention then takes its fast path, and no time for what is ahead.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, overload

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from transformers.utils import logging

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import unusable_model
from pairwright.evaluation.settings import Classifier, Dpo, InProcessModel, Likelihood
from pairwright.models.local_model import ChatTokens, TokenizedText, load_weights
from pairwright.models.scores import TokenLogprobs, score_of
from pairwright.settings.prompt import Message

T = TypeVar("T")


@overload
def load(where: str, spec: Classifier | Dpo) -> "_Classifier | _Dpo": ...
@overload
def load(where: str, spec: Likelihood) -> "_LanguageModel": ...
def load(where: str, spec: Classifier | Dpo | Likelihood) -> "_Classifier | _Dpo | _LanguageModel":
    """Load a model. Raises ConfigError where the files hold no such model, and all that
    transformers raises."""
    logging.disable_progress_bar()
    with torch.inference_mode():
        match spec:
            case Classifier():
                return _Classifier(where, spec)
            case Dpo():
                return _Dpo(where, spec)
            case Likelihood():
                return _LanguageModel(where, spec)


class _Classifier:
    """A sequence-classification model. Its score is read at the last token that is not padding."""

    def __init__(self, where: str, spec: Classifier) -> None:
        self._where = where
        self._words = _words(where, spec.model, spec.revision)
        self._model = _model(
            where, AutoModelForSequenceClassification, spec.model, spec.revision, spec
        )
        try:
            score_of([0.0] * self._model.config.num_labels)
        except ValueError as error:
            raise unusable_model(where, spec.model, str(error)) from None
        _in_float32(getattr(self._model, "score", None))
        self.limit = _limit(where, self._words, spec, self._model)
        config = self._model.config.get_text_config()
        pad: int | None = config.pad_token_id
        self._pad = pad if pad is not None and 0 <= pad < config.vocab_size else None

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        return self._words.whole(messages)

    def scores(self, texts: list[TokenizedText]) -> list[float]:
        return _within_memory(self._where, self._forward, texts)

    def _forward(self, texts: list[TokenizedText]) -> list[float]:
        pad = self._padding(texts)
        self._model.config.get_text_config().pad_token_id = pad
        with torch.inference_mode():
            logits = self._model(**_inputs(texts, pad, self._model)).logits
        return [score_of(row) for row in logits.double().tolist()]

    def _padding(self, texts: list[TokenizedText]) -> int:
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
        self._words = _words(where, spec.model, spec.revision)
        base = AutoTokenizer.from_pretrained(
            spec.reference, revision=spec.reference_revision, trust_remote_code=False
        )
        own, other = self._words.tokenizer.get_vocab(), base.get_vocab()
        # One of them may have tokens that the other lacks, such as one for padding.
        if any(own.get(token, place) != place for token, place in other.items()):
            raise unusable_model(where, spec.reference, "its tokens are not those of the policy")
        self._known = frozenset(other.values())
        kind = AutoModelForCausalLM
        self._policy = _model(where, kind, spec.model, spec.revision, spec)
        self._reference = _model(where, kind, spec.reference, spec.reference_revision, spec)
        self.limit = _limit(where, self._words, spec, self._policy)

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        text = self._words.after_prompt(messages, end=True)
        if not self._known.issuperset(text.ids):
            raise self._words.unusable("it reads tokens that its reference lacks")
        return text

    def scores(self, texts: list[TokenizedText]) -> list[float]:
        return _within_memory(self._where, self._forward, texts)

    def _forward(self, texts: list[TokenizedText]) -> list[float]:
        policy, reference = (
            [math.fsum(values) for values in _log_probabilities(model, texts)]
            for model in (self._policy, self._reference)
        )
        return [self._beta * (p - r) for p, r in zip(policy, reference, strict=True)]


class _LanguageModel:
    """log pi(y|x), token by token."""

    def __init__(self, where: str, spec: Likelihood) -> None:
        self._where = where
        self._words = _words(where, spec.model, spec.revision)
        self._model = _model(where, AutoModelForCausalLM, spec.model, spec.revision, spec)
        self.limit = _limit(where, self._words, spec, self._model)

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        return self._words.after_prompt(messages, end=False)

    def scores(self, texts: list[TokenizedText]) -> list[TokenLogprobs]:
        return _within_memory(self._where, self._forward, texts)

    def _forward(self, texts: list[TokenizedText]) -> list[TokenLogprobs]:
        each = _log_probabilities(self._model, texts)
        return [
            TokenLogprobs(text.ids[text.response :], tuple(values))
            for text, values in zip(texts, each, strict=True)
        ]


def _log_probabilities(model: Any, texts: list[TokenizedText]) -> list[list[float]]:
    """The log-probability of each token of each text's response, given what comes before it."""
    inputs = _inputs(texts, 0, model)
    ids = inputs["input_ids"]
    # A token's probability is read at the place before it. No others are computed: over a whole
    # vocabulary they would take more memory than the model.
    first = min(text.response for text in texts) - 1
    places = torch.arange(first, ids.shape[1] - 1, device=model.device)
    with torch.inference_mode():
        logits = model(**inputs, logits_to_keep=places).logits
        return [_of_response(logits[row], ids[row], text, first) for row, text in enumerate(texts)]


def _of_response(logits: Any, ids: Any, text: TokenizedText, first: int) -> list[float]:
    start, end = text.response, len(text.ids)
    values = logits[start - 1 - first : end - 1 - first].float().log_softmax(-1)
    log_probabilities: list[float] = values.gather(-1, ids[start:end, None])[:, 0].double().tolist()
    return log_probabilities


def _within_memory(
    where: str, forward: Callable[[list[TokenizedText]], list[T]], texts: list[TokenizedText]
) -> list[T]:
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


def _inputs(texts: list[TokenizedText], pad: int, model: Any) -> dict[str, Any]:
    """TokenLogprobs, and the mask where the model needs one, each of shape (texts, longest)."""
    longest = max(len(text.ids) for text in texts)
    room = [longest - len(text.ids) for text in texts]
    ids = [[*text.ids, *[pad] * more] for text, more in zip(texts, room, strict=True)]
    inputs = {"input_ids": torch.tensor(ids, device=model.device)}
    # Of a model whose parts do not say so nothing is assumed.
    causal = {part.is_causal for part in model.modules() if hasattr(part, "is_causal")}
    if causal != {True}:
        mask = [[1] * (longest - more) + [0] * more for more in room]
        inputs["attention_mask"] = torch.tensor(mask, device=model.device)
    return inputs


def _words(where: str, name: str, revision: str | None) -> ChatTokens:
    tokenizer = AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
    words = ChatTokens(tokenizer, partial(unusable_model, where, name))
    words.check()
    return words


def _model(where: str, kind: Any, name: str, revision: str | None, spec: InProcessModel) -> Any:
    default = "cuda" if torch.cuda.is_available() else "cpu"
    model = load_weights(
        kind, name, revision, dtype=spec.dtype,
        device=default if spec.device == "auto" else spec.device,
        unusable=partial(unusable_model, where, name),
    )  # fmt: skip
    model.config.use_cache = False
    return model.eval()


def _in_float32(head: Any) -> None:
    """Compute the head in float32, as vLLM does: in bfloat16 scores between 4 and 8 would be
    multiples of 1/32, and tie."""
    if head is not None:
        head.float().register_forward_pre_hook(lambda _, given: (given[0].float(),))


def _limit(where: str, words: ChatTokens, spec: InProcessModel, model: Any) -> int:
    """Tokens of the longest text."""
    most: int | None = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if spec.max_length is None:
        # A tokenizer without a limit says a number that no text reaches.
        own: int = words.tokenizer.model_max_length
        return min(most or own, own)
    if most is not None and spec.max_length > most:
        raise ConfigError(
            f"{spec.max_length} is more than the {most} tokens that the model reads",
            where=f"{where} max_length", fix="Give a smaller number, or leave it out.",
        )  # fmt: skip
    return spec.max_length
