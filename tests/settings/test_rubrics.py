"""Domains and quality scales: what ships is valid, and what a folder of one's own may hold."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Domains, Guidance, load_scales

GARDEN = """
name = "Garden"
subcategories = ["roses", "herbs"]
kinds = ["soil and climate", "space"]
"""
PARK = 'name = "Park"\nsubcategories = ["trees"]\nkinds = ["shade"]\nalso = ["Roses"]\n'
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files into one folder of rubrics: write(garden=..., quality=...)."""

    def written(**files: str) -> Path:
        for name, content in files.items():
            (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
        return tmp_path

    return written


@pytest.mark.parametrize("path", sorted(assets.RUBRICS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_file_is_valid_on_its_own(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path)
    if path.name == "quality.toml":
        scales = {scale.name: scale.anchors for scale in load_scales(tmp_path)}
        assert list(scales) == ["correctness", "relevance", "helpfulness"]
        assert all([one.score for one in of] == [1, 2, 3, 4, 5] for of in scales.values())
        return
    domains = Domains.load(tmp_path)
    assert domains.by_key[path.stem].name
    kinds, *examples = domains.guidance(path.stem)
    assert len(kinds) >= 3
    assert all(2 <= len(lines) <= 4 for lines in examples)
    assert all(line == line.strip() for lines in (kinds, *examples) for line in lines)


def test_a_new_domain_is_one_file_named_by_its_key(write: Write) -> None:
    domains = Domains.load(write(garden=GARDEN + 'also = ["compost"]\n', quality=""))
    assert list(domains.by_key) == ["garden"]
    for category in ("roses", "ROSES", "Herbs", "compost"):
        assert domains.of(category) is domains.by_key["garden"]
    assert (domains.of("rose"), domains.of("")) == (None, None)
    assert domains.guidance("garden") == Guidance(("soil and climate", "space"))
    assert domains.guidance("nowhere") == Guidance()


def test_categories_of_no_file_have_general_rules_that_a_file_replaces(write: Write) -> None:
    domains = Domains.load(write(garden=GARDEN))
    assert (domains.of("other"), domains.general.key) == (domains.general, "Other")
    assert domains.guidance("Other").kinds == domains.general.kinds
    domains = Domains.load(write(Other=GARDEN.replace("roses", "shrubs").replace("herbs", "grass")))
    assert domains.guidance("Other").kinds == ("soil and climate", "space")


@pytest.mark.parametrize(
    ("load", "files", "told"),
    [
        (Domains.load, {"garden": GARDEN, "park": PARK}, ["park.toml", "garden.toml", "Roses"]),
        (Domains.load, {"garden": 'language = "jp"' + GARDEN}, ["garden.toml", "'jp'", "ja"]),
        (Domains.load, {"quality": ""}, ["no domain file", "generate.md"]),
        (load_scales, {"a": GARDEN}, ["quality.toml", "no such file", "pairwright init"]),
    ],
    ids=("a category twice", "an unknown language", "no domain", "no scales"),
)
def test_a_folder_that_cannot_be_used_is_named_with_what_to_do(
    write: Write, load: Callable[[Path], object], files: dict[str, str], told: list[str]
) -> None:
    folder = write(**files)
    with pytest.raises(InputError) as caught:
        load(folder)
    assert all(words in str(caught.value) for words in (str(folder), *told))
