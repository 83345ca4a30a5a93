"""The tasks as pages: everything an annotator sees, nothing that runs, nothing that unblinds."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pairwright_human_eval.folder import HumanFolder
from pairwright_human_eval.form import controls
from pairwright_human_eval.study_files import read_study
from released import PAIRS, run_of
from study import pairwright

HOSTILE = '<script>alert(1)</script><img src="https://x.example/a.png" onerror=alert(2)>'


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with hostile texts, previewed. Not to be changed."""
    pairs = [
        pair.model_copy(update={"question": f"{pair.question} {HOSTILE}"}) for pair in PAIRS[:6]
    ]
    run = run_of(tmp_path_factory.mktemp("preview") / "run", pairs, study=False)
    assert pairwright("human", "export", run, "--seed", 2).code == 0
    done = pairwright("human", "preview", run)
    assert done.code == 0, done.said
    assert "11 people" in done.out
    return run


def pages(run: Path) -> dict[str, str]:
    return {p.stem: p.read_text("utf-8") for p in HumanFolder(run).preview.glob("annotator-*")}


def test_a_page_has_every_task_of_its_person_and_every_question(run: Path) -> None:
    study, key = read_study(HumanFolder(run))
    for name, page in pages(run).items():
        own = [keyed for keyed in key.values() if keyed.annotator == name]
        assert re.findall(r'id="(task-[0-9a-f]+)"', page) == [
            keyed.task
            for kind in ("quality", "preference", "rubric")
            for keyed in own
            if keyed.kind == kind
        ]
        asked = [a.get("name") for tag, a in Elements(page).found if tag == "input"]
        expected = [
            name
            for keyed in own
            for name, choices in controls(keyed.kind, study.scales, len(keyed.aspects)).items()
            for _ in choices
        ]
        assert sorted(map(str, asked)) == sorted(expected)


def test_nothing_on_a_page_runs_or_loads(run: Path) -> None:
    for page in pages(run).values():
        assert "&lt;script&gt;alert(1)" in page
        for tag, attributes in Elements(page).found:
            assert tag not in ("script", "img", "iframe", "link", "object")
            assert not {"src", "action", "onerror", "onload", "onclick"} & attributes.keys()
        assert "default-src 'none'" in page


def test_a_page_does_not_say_which_response_is_which(run: Path) -> None:
    for page in pages(run).values():
        said = " ".join(f"{tag} {attributes}" for tag, attributes in Elements(page).found)
        assert not re.search(r"chosen|rejected|attention|wrong_profile|expected|vote", said)


def test_the_first_page_has_the_guidelines_and_links_to_the_others(run: Path) -> None:
    index = (HumanFolder(run).preview / "index.html").read_text("utf-8")
    links = [a["href"] for tag, a in Elements(index).found if tag == "a"]
    assert links == [f"annotator-{n:02}.html" for n in range(1, 12)]
    assert "<h1>Guidelines for annotators</h1>" in index


def test_without_a_study_it_says_so(tmp_path: Path) -> None:
    done = pairwright("human", "preview", run_of(tmp_path / "run", PAIRS[:2], study=False))
    assert done.code == 2
    assert "human export" in done.err
