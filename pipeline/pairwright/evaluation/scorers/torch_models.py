"""Reward models by transformers. The only file that imports torch and transformers.

Texts are padded on the right. No token of a causal model sees later tokens, so the model gets
no mask: attention then takes its fast path, and skips later tokens.
"""

from typing import Any

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from transformers.utils import logging

from pairwright.errors import ConfigError
from pairwright.evaluation.scorers.in_process import (
    ChatTokens,
    Classifier,
    TokenizedText,
    unusable_model,
)
from pairwright.models.scores import score_of
from pairwright.settings.prompt import Message


def load(where: str, spec: Classifier) -> "LoadedClassifier":
    """Load a model. Raises ConfigError where the files hold no such model, and all that
    transformers raises."""
    logging.disable_progress_bar()
    with torch.inference_mode():
        return LoadedClassifier(where, spec)


class LoadedClassifier:
    """A sequence-classification model. Its score is read at the last token that is not padding."""

    def __init__(self, where: str, spec: Classifier) -> None:
        self._where = where
        tokenizer = AutoTokenizer.from_pretrained(
            spec.model, revision=spec.revision, trust_remote_code=False
        )
        self._words = ChatTokens(tokenizer, where, spec.model)
        self._words.check()
        self._model = _model(where, spec)
        config = self._model.config.get_text_config()
        try:
            score_of([0.0] * self._model.config.num_labels)
        except ValueError as error:
            raise unusable_model(where, spec.model, str(error)) from None
        if (head := getattr(self._model, "score", None)) is not None:
            # In float32, as vLLM: in bfloat16 scores from 4 to 8 would be multiples of 1/32, and
            # tie.
            head.float().register_forward_pre_hook(lambda _, given: (given[0].float(),))
        # A tokenizer without a limit says a number that no text reaches.
        most: int = tokenizer.model_max_length
        self.limit = min(getattr(config, "max_position_embeddings", None) or most, most)
        pad: int | None = config.pad_token_id
        self._pad = pad if pad is not None and 0 <= pad < config.vocab_size else None

    def read(self, messages: tuple[Message, ...]) -> TokenizedText:
        return self._words.whole(messages)

    def scores(self, texts: list[TokenizedText]) -> list[float]:
        """Score texts of about one length. Raises ConfigError if a GPU has no room for them."""
        pad = self._padding(texts)
        self._model.config.get_text_config().pad_token_id = pad
        try:
            with torch.inference_mode():
                logits = self._model(**_inputs(texts, pad, self._model)).logits
        except torch.OutOfMemoryError:
            raise ConfigError(
                f"{len(texts)} texts of up to {len(texts[0])} tokens do not fit into the GPU's"
                " memory",
                where=self._where,
                fix="Set a smaller batch_tokens; or [history], which shows fewer posts.",
            ) from None
        return [score_of(row) for row in logits.double().tolist()]

    def _padding(self, texts: list[TokenizedText]) -> int:
        """The model's own padding token, by which it finds the last token of a text. Where it has
        none, any that ends no text of the batch."""
        if self._pad is not None:
            return self._pad
        ends = {text[-1] for text in texts}
        return next(token for token in range(len(ends) + 1) if token not in ends)


def _inputs(texts: list[TokenizedText], pad: int, model: Any) -> dict[str, Any]:
    """Token ids, and the mask where the model needs one, each of shape (texts, longest)."""
    longest = max(len(text) for text in texts)
    room = [longest - len(text) for text in texts]
    ids = [[*text, *[pad] * more] for text, more in zip(texts, room, strict=True)]
    inputs = {"input_ids": torch.tensor(ids, device=model.device)}
    # Of a model whose parts do not say so nothing is assumed.
    causal = {part.is_causal for part in model.modules() if hasattr(part, "is_causal")}
    if causal != {True}:
        mask = [[1] * (longest - more) + [0] * more for more in room]
        inputs["attention_mask"] = torch.tensor(mask, device=model.device)
    return inputs


def _model(where: str, spec: Classifier) -> Any:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    auto = "bfloat16" if device == "cuda" else "float32"
    model, loaded = AutoModelForSequenceClassification.from_pretrained(
        spec.model, revision=spec.revision, dtype=auto if spec.dtype == "auto" else spec.dtype,
        trust_remote_code=False, output_loading_info=True,
    )  # fmt: skip
    # Weights that are not in the files would be random, and so would the scores be.
    if missing := sorted(loaded["missing_keys"]):
        why = f"its files lack weights of such a model: {missing[0]}"
        raise unusable_model(where, spec.model, why)
    model.config.use_cache = False
    return model.to(device).eval()
