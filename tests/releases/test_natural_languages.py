"""Natural twins in German and in Chinese, from choices to results: 24 made-up people each."""

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from choosers import write_csv
from pairwright import assets, build, evaluate, load_release, release, text, verify
from pairwright.audits.records import Audit, Check
from pairwright.construct.run_pairs import iterate_pairs
from pairwright.dataset import Row
from pairwright.evaluation.scorers.scorer import BASELINES, PromptContent
from pairwright.records import Pair
from pairwright.settings.config import Config

DATA = Path(__file__).parents[1] / "data" / "natural"


class Made(NamedTuple):
    run: Path
    release: Path

    @property
    def pairs(self) -> list[Pair]:
        return list(iterate_pairs(self.run))

    @property
    def rows(self) -> list[Row]:
        return [row for row in load_release(self.release) if isinstance(row, Row)]


def made_of(folder: Path, code: str, more_texts: tuple[tuple[str, str], ...] = ()) -> Made:
    told = tomllib.loads((DATA / f"{code}.toml").read_text(encoding="utf-8"))
    chosen = [
        (user["name"], asked["question"], asked["a"], asked["b"], choice)
        for user in told["user"]
        for asked, choice in zip(told["question"], user["choices"], strict=True)
    ]
    head = ("user", "question", "option_a", "option_b", "choice")
    write_csv(folder / "choices.csv", head, chosen)
    texts = [(user["name"], said) for user in told["user"] for said in user["texts"]]
    write_csv(folder / "texts.csv", ("user", "text"), [*texts, *more_texts])
    (folder / "rubrics").mkdir()
    shutil.copy(assets.RUBRICS / "quality.toml", folder / "rubrics")
    (folder / "rubrics" / "Home.toml").write_text(
        f'name = "Home"\nlanguage = "{code}"\nsubcategories = ["home"]\nkinds = ["household"]\n'
    )
    config = {
        "modes": ["natural"],
        "rubrics": "rubrics",
        "source": {
            "path": "choices.csv", "format": "choices", "texts": "texts.csv",
            "default_category": "home",
        },
        "release": {"name": "neighbours", "licence": "CC0-1.0", "languages": [code]},
    }  # fmt: skip
    build(Config.model_validate(config), folder / "run", folder=folder)
    release(folder / "run", folder / "release", "1.0.0")
    return Made(folder / "run", folder / "release")


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("german"), "de")


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("chinese"), "zh")


class Right(NamedTuple):
    """How often a scorer is right on halves, where it decides at all."""

    right: int
    decided: int
    halves: int

    @property
    def accuracy(self) -> float:
        return (self.right + (self.halves - self.decided) / 2) / self.halves


def right(score: Callable[[PromptContent, str], float], pairs: list[Pair]) -> Right:
    differences = []
    for pair in pairs:
        shown = PromptContent(pair.question, pair.profile)
        differences.append(score(shown, pair.chosen) - score(shown, pair.rejected))
    return Right(
        sum(by > 0 for by in differences), sum(by != 0 for by in differences), len(differences)
    )


def by_spaces(shown: PromptContent, response: str) -> float:
    known = {word for post in shown.posts for word in post.text.lower().split()}
    return float(len(known & {*response.lower().split()}))


def in_english(shown: PromptContent, response: str) -> float:
    return float(len(text.terms(response) & text.terms_of(post.text for post in shown.posts)))


def test_twins_of_both_languages_are_released_and_verify(german: Made, chinese: Made) -> None:
    for made, code, halves in ((german, "de", 130), (chinese, "zh", 138)):
        assert verify(made.release).kind == "release"
        assert len(made.rows) == halves
        assert len({row.user for row in made.rows}) == 24
        assert {row.language for row in made.rows} == {code}
        assert f'language: ["{code}"]\n' in (made.release / "README.md").read_text()


def test_both_halves_of_a_twin_are_in_one_language(german: Made) -> None:
    for row in german.rows:
        other = row.model_copy(update={"chosen": row.rejected, "rejected": row.chosen})
        assert other.language == row.language


def test_words_of_chinese_decide_where_spaces_decide_nothing(chinese: Made) -> None:
    spaces, words = (right(score, chinese.pairs) for score in (by_spaces, BASELINES["overlap"]))
    assert spaces.decided == 0
    assert words == Right(right=35, decided=46, halves=138)
    assert right(BASELINES["longer"], chinese.pairs).accuracy == 0.5


def test_function_words_of_german_decide_nothing(german: Made) -> None:
    english, words = (right(score, german.pairs) for score in (in_english, BASELINES["overlap"]))
    assert words == Right(right=24, decided=43, halves=130)
    assert english == Right(right=54, decided=96, halves=130)
    assert right(BASELINES["longer"], german.pairs).accuracy == 0.5


def test_an_evaluation_shows_these_figures(chinese: Made, tmp_path: Path) -> None:
    done = evaluate(
        chinese.release, None, tmp_path, names=["overlap", "longer"], conditions=["profile"]
    )
    found = {one.about.scorer.name: one for one in done.results}
    points = [one.points or 0 for one in found["overlap"].decisions()]
    assert sum(points) / len(points) == pytest.approx(81 / 138)
    assert points.count(0.5) == 92


def checks_of(release: Path) -> dict[str, Check]:
    """Of the audit that it holds."""
    audit = Audit.model_validate_json((release / "audit" / "audit.json").read_bytes())
    return {check.name: check for check in audit.checks}


def test_an_audit_of_both_finds_nothing_of_another_language(german: Made, chinese: Made) -> None:
    for made in (german, chinese):
        checks = checks_of(made.release)
        for name in ("other_language", "near_duplicate_posts"):
            assert checks[name].count == 0
        assert checks["response_in_profile"].status == "pass"


def test_what_a_chinese_post_copies_of_a_response_is_in_no_history(tmp_path: Path) -> None:
    copied = "我早就说过，小区里应该划一块草地，让狗在里面自由跑，大家都高兴。"
    twice = "我家的金毛十岁了；腿脚不好……只想让它在草地上晒晒太阳！"
    made = made_of(tmp_path, "zh", (("子轩", copied), ("子轩", twice)))
    told = "划一块草地，让狗在里面自由跑，主人自己收拾干净。"
    about_dogs = [pair for pair in made.pairs if told in (pair.chosen, pair.rejected)]
    own = [pair for pair in made.pairs if copied in [post.text for post in pair.profile]]
    assert about_dogs
    assert own
    assert not any(pair in own for pair in about_dogs)
    # Two people's posts that are nearly the same are found by an audit, too.
    assert checks_of(made.release)["near_duplicate_posts"].count
