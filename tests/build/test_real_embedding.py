"""The embedding floor for real: sentence-transformers with a model whose cosines are known, from
`evaluate` to the leaderboard's second floor, and the ranking of posts by it.
"""

import json
import re
import subprocess
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from choosers import built_conversation
from engines.fixtures import HERE, engines, environment
from pairwright import leaderboard, load_release, release

pytestmark = pytest.mark.real
__all__ = ["engines"]

SCORERS = """
[scorers.near]
kind = "embedding"
model = "{model}"
"""
RANK = """
import json, sys
from pairwright.records import Post
from pairwright.retrieve import dense
model, question, *texts = json.loads(sys.stdin.read())
posts = tuple(Post(id=str(n), text=text, category="c") for n, text in enumerate(texts))
print(json.dumps([post.id for post in dense.by_similarity(question, posts, model)]))
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


def cosine(one: str, other: str) -> float:
    """The cosine of the word counts of two texts."""
    a, b = (Counter(re.findall(r"\w+|[^\w\s]+", text.lower())) for text in (one, other))
    product = sum(n * b[word] for word, n in a.items())
    return product / sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


def evaluated(engines: str, release: Path, folder: Path, *options: str) -> Any:
    """`pairwright evaluate` by the scorer `near` of a folder, in the engines' environment."""
    command = (
        "evaluate", release, "--scorers", folder / "scorers.toml", "--scorer", "near",
        "--condition", "profile", "--out", folder / "results", *options,
    )  # fmt: skip
    return subprocess.run(
        [engines, "-c", "from pairwright.cli import main; main()", *map(str, command)],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_score_is_the_cosine_with_the_nearest_post_and_a_second_floor_of_the_board(
    engines: str, natural: Path, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "scorers.toml").write_text(SCORERS.format(model=model), encoding="utf-8")
    done = evaluated(engines, natural, tmp_path, "--scorer", "overlap")
    assert done.returncode == 0, done.stderr
    rows = {row.id: row for row in load_release(natural)}
    lines = (tmp_path / "results" / "near.profile.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(rows) > 100
    right = 0.0
    for line in map(json.loads, lines):
        row = rows[line["id"]]
        # The release shows fewer posts than a scorer may see, so that all are shown.
        expected = [
            max(cosine(response, post.text) for post in row.profile)
            for response in (row.chosen, row.rejected)
        ]
        assert [line["chosen"], line["rejected"]] == pytest.approx(expected, abs=1e-5)
        apart = round(expected[0] - expected[1], 5)
        right += 0.5 if apart == 0 else float(apart > 0)
    board = leaderboard([tmp_path / "results"])
    accuracy = board.entries["near.profile"].figure("accuracy", "natural")
    assert accuracy
    assert accuracy.value == pytest.approx(right / len(rows), abs=1e-6)
    assert accuracy.n == len(rows)


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


def test_a_folder_without_a_model_is_named(engines: str, natural: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "scorers.toml").write_text(
        SCORERS.format(model=tmp_path / "none"), encoding="utf-8"
    )
    done = evaluated(engines, natural, tmp_path)
    assert done.returncode != 0
    assert "cannot be loaded" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
