"""Posts ranked by embeddings for real: sentence-transformers with a model of word counts."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from choosers import built_conversation
from engines.fixtures import HERE, engines, environment
from pairwright import load_release, release

pytestmark = pytest.mark.real
__all__ = ["engines"]

RANK = """
import json, sys
from pairwright.records import Post
from pairwright.retrieve import by_similarity
model, question, *texts = json.loads(sys.stdin.read())
posts = tuple(Post(id=str(n), text=text, category="c") for n, text in enumerate(texts))
print(json.dumps([post.id for post in by_similarity(question, posts, model)]))
"""


@pytest.fixture(scope="module")
def natural(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of natural twins."""
    folder = tmp_path_factory.mktemp("natural")
    release(built_conversation(folder), folder / "release", "1.0.0")
    return folder / "release"


@pytest.fixture(scope="module")
def model(engines: str, natural: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model of word counts that knows every word of the release."""
    folder = tmp_path_factory.mktemp("embedding")
    texts = [
        text
        for row in load_release(natural)
        for text in (row.chosen, row.rejected, *(post.text for post in row.profile))
    ]
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    command = [engines, HERE / "tiny_embedding.py", folder / "model", folder / "texts.json"]
    subprocess.run([str(one) for one in command], check=True, env=environment())
    return folder / "model"


def test_posts_are_ranked_by_their_inner_product(engines: str, natural: Path, model: Path) -> None:
    row, *_ = load_release(natural)
    texts = [post.text for post in row.profile]
    done = subprocess.run(
        [engines, "-c", RANK], input=json.dumps([str(model), row.chosen, *texts]),
        env=environment(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    first = int(json.loads(done.stdout)[0])

    # The model gives means, so that a text's product is its common words by its length.
    def product(text: str) -> float:
        found = re.findall(r"\w+|[^\w\s]+", text.lower())
        own = Counter(re.findall(r"\w+|[^\w\s]+", row.chosen.lower()))
        return sum(own[word] for word in found) / len(found)

    assert product(texts[first]) == pytest.approx(max(map(product, texts)))
