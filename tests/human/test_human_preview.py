"""The tasks as pages: everything an annotator sees, nothing that runs, nothing that unblinds."""

import re
from html.parser import HTMLParser

import pytest

from label_studio_server import controls
from live_study import LiveStudy
from pairwright_human_eval.form import marks
from pairwright_human_eval.records import KINDS
from pairwright_human_eval.study_files import read_study
from released import PAIRS, run_of

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
def pages(tmp_path_factory: pytest.TempPathFactory) -> LiveStudy:
    """A study with hostile texts, previewed. Not to be changed."""
    pairs = [
        pair.model_copy(update={"question": f"{pair.question} {HOSTILE}"}) for pair in PAIRS[:6]
    ]
    study = LiveStudy(run_of(tmp_path_factory.mktemp("preview") / "run", pairs, study=False))
    assert "human export" in study.refused("preview")
    study.do("export", "--seed", 2)
    assert "11 people" in study.do("preview")
    return study


def test_a_page_has_every_question_and_nothing_that_runs_loads_or_unblinds(
    pages: LiveStudy,
) -> None:
    study, key = read_study(pages.folder)
    for who in study.annotators:
        page = (pages.folder.preview / f"{who}.html").read_text("utf-8")
        found = Elements(page).found
        own = [k for kind in KINDS for k in pages.own(who) if k.kind == kind]
        assert re.findall(r'id="(task-[0-9a-f]+)"', page) == [keyed.task for keyed in own]
        asked = [attributes.get("name") for tag, attributes in found if tag == "input"]
        expected = [
            name
            for keyed in own
            for name, choices in controls(keyed.kind, study.scales, len(keyed.aspects)).items()
            for _ in choices
        ]
        expected += [mark for keyed in own for mark in marks(keyed.kind)]
        assert sorted(map(str, asked)) == sorted(expected)
        assert "&lt;script&gt;alert(1)" in page
        assert "default-src 'none'" in page
        for tag, attributes in found:
            assert tag not in ("script", "img", "iframe", "link", "object")
            assert not {"src", "action", "onerror", "onload", "onclick"} & attributes.keys()
        said = " ".join(f"{tag} {attributes}" for tag, attributes in found)
        assert not re.search(r"chosen|rejected|attention|wrong_profile|expected|vote", said)
    assert len(key) == sum(len(pages.own(who)) for who in study.annotators)


def test_the_first_page_has_the_guidelines_and_links_to_the_others(pages: LiveStudy) -> None:
    index = (pages.folder.preview / "index.html").read_text("utf-8")
    links = [a["href"] for tag, a in Elements(index).found if tag == "a"]
    assert links == [f"annotator-{n:02}.html" for n in range(1, 12)]
    assert "<h1>Guidelines for annotators</h1>" in index
