"""A sentence-transformers model whose vectors are word counts: tiny_embedding.py FOLDER TEXTS.

Run by the engines' environment. TEXTS is a JSON list; each of their words, in lower case, is a
dimension of its own. The model gives the mean of its words' vectors, so that the cosine of two
texts is that of their word counts.
"""

import json
import re
import sys
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel


def main(folder: Path, texts: list[str]) -> None:
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text.lower())})
    places = {word: place for place, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(WordLevel(places, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    model = StaticEmbedding(tokenizer, embedding_weights=torch.eye(len(places)))
    SentenceTransformer(modules=[model]).save(str(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_bytes()))
