"""Domains and quality scales: what ships is valid, and what is wrong is named with its file."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pairwright import assets
from pairwright.errors import InputError
from pairwright.settings.domains import Domains, Guidance, load_scales

SHIPPED = sorted(assets.RUBRICS.glob("*.toml"))
GARDEN = """
name = "Garden"
subcategories = ["roses", "herbs"]
kinds = ["soil and climate", "space"]
"""
SCALE = """
[[scale]]
name = "correctness"
question = "Is it correct?"
anchors = [{ score = 1, text = "wrong" }, { score = 5, text = "right" }]
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write files into one folder of rubrics: write(garden=..., quality=...)."""

    def written(**files: str) -> Path:
        for name, content in files.items():
            (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
        return tmp_path

    return written


def error_of(load: Callable[[Path], object], folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        load(folder)
    assert caught.value.fix
    return str(caught.value)


# What ships


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_file_is_valid_on_its_own(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path)
    if path.name == "quality.toml":
        scales = {scale.name: scale.anchors for scale in load_scales(tmp_path)}
        assert list(scales) == ["correctness", "relevance", "helpfulness"]
        assert all([one.score for one in of] == [1, 2, 3, 4, 5] for of in scales.values())
        return
    domain = Domains.load(tmp_path).by_key[path.stem]
    assert domain.name
    assert len(domain.kinds) >= 3
    assert all(2 <= len(examples) <= 4 for examples in domain.guidance[1:])
    for lines in domain.guidance:
        assert all(line == line.strip() for line in lines)


def test_the_47_subcategories_of_lamp_qa_ship_in_three_domains() -> None:
    domains = Domains.load(assets.RUBRICS)
    names = [name for domain in domains.by_key.values() for name in domain.subcategories]
    assert (len(domains.by_key), len(names), len(set(names))) == (3, 47, 47)


# A domain of one's own


def test_a_new_domain_is_one_file_named_by_its_key(write: Callable[..., Path]) -> None:
    domains = Domains.load(write(garden=GARDEN + 'also = ["compost"]\n', quality=SCALE))
    assert list(domains.by_key) == ["garden"]
    for category in ("roses", "ROSES", "Herbs", "compost"):
        assert domains.of(category) is domains.by_key["garden"]
    assert (domains.of("rose"), domains.of("")) == (None, None)
    assert domains.guidance("garden") == Guidance(("soil and climate", "space"))
    assert domains.guidance("nowhere") == Guidance()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('name = "Garden"', ""), ["[name]", "required"]),
        (('kinds = ["soil and climate", "space"]', "kinds = []"), ["[kinds]", "at least 1"]),
        (('"space"', '"soil and climate"'), ["[kinds]", "'soil and climate' is there twice"]),
        (('name = "Garden"', 'name = "Garden"\naspects = []'), ["[aspects]"]),
        (('name = "Garden"', 'name = "Garden"\ngood = "Roses"'), ["[good]", "list"]),
        (('name = "Garden"', 'name = "Garden"\nnot_inferred = [" "]'), ["[not_inferred]", "text"]),
    ],
)
def test_a_bad_domain_is_named(
    write: Callable[..., Path], change: tuple[str, str], told: list[str]
) -> None:
    message = error_of(Domains.load, write(garden=GARDEN.replace(*change)))
    for words in ("garden.toml", *told):
        assert words in message


def test_a_category_in_two_domains_is_refused(write: Callable[..., Path]) -> None:
    park = 'name = "Park"\nsubcategories = ["trees"]\nkinds = ["shade"]\nalso = ["Roses"]\n'
    message = error_of(Domains.load, write(garden=GARDEN, park=park))
    for words in ("park.toml", "garden.toml", "Roses"):
        assert words in message


def test_categories_of_no_file_have_general_rules_that_a_file_replaces(
    write: Callable[..., Path],
) -> None:
    domains = Domains.load(write(garden=GARDEN))
    assert (domains.of("other"), domains.general.key) == (domains.general, "Other")
    assert domains.guidance("Other").kinds == domains.general.kinds
    domains = Domains.load(write(Other=GARDEN.replace("roses", "shrubs").replace("herbs", "grass")))
    assert domains.guidance("Other").kinds == ("soil and climate", "space")


# Scales


def test_a_missing_file_is_named_with_what_to_do(write: Callable[..., Path]) -> None:
    folder = write(other=GARDEN)
    for words in ("quality.toml", "no such file", "pairwright init"):
        assert words in error_of(load_scales, folder)
    (folder / "other.toml").unlink()
    assert f"{folder}: no domain file" in error_of(Domains.load, folder)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ((SCALE, ""), "[scale]"),
        ((SCALE, SCALE + SCALE), "'correctness' is there twice"),
        ((', { score = 5, text = "right" }', ""), "anchors"),
        (("score = 5", "score = 1"), "1 is there twice"),
        (('name = "correctness"', 'name = "_hidden"'), "name"),
    ],
)
def test_a_bad_scale_is_named(
    write: Callable[..., Path], change: tuple[str, str], told: str
) -> None:
    message = error_of(load_scales, write(quality=SCALE.replace(*change)))
    assert "quality.toml" in message
    assert told in message
