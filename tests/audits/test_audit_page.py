"""The audit's page: what it says, what it holds, and that data in it is nothing but data."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser
from test_pages import HOSTILE

from audited import accuracy, audit_of, check, halves, row, source_of
from pairwright.audits.checks import DEFINITIONS
from pairwright.audits.page import HERE, MOST_PAIRS, write_page
from pairwright.audits.page.verdict import audit_verdict, guess_table, warnings
from pairwright.audits.records import Audit, AuditSource, Flag, Status
from pairwright.pairs import Row

NEVER = "innerHTML outerHTML insertAdjacentHTML document.write eval( Function( srcdoc DOMParser"


class Page:
    """The elements, attributes, texts and pairs of a page."""

    def __init__(self, folder: Path, audit: Audit, rows: Iterable[Row], most: int = MOST_PAIRS):
        file = folder / "report.html"
        write_page(file, audit, source_of(rows), most=most)
        tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
        nodes = tree.css("*")
        self.tags = {node.tag or "" for node in nodes}
        self.attributes = [(k, v or "") for node in nodes for k, v in node.attributes.items()]
        found = {name: tree.css(name) for name in ("style", "script")}
        held = [one for one in found["script"] if one.attributes.get("type") == "text/plain"]
        self.scripts = [one.text() for one in found["script"] if one not in held]
        blocks: dict[str, Any] = {
            one.attributes["id"] or "": json.loads(
                zlib.decompress(base64.b64decode(one.text()), wbits=-15)
            )
            for one in held
        }
        self.index = blocks.pop("index")
        self.ids: list[str] = self.index["ids"]
        self.pairs = [pair for block in blocks.values() for pair in block]
        for one in (*found["style"], *found["script"]):
            one.decompose()
        self.text = tree.root.text(separator="\n") if tree.root else ""

    def flags(self, row: str) -> list[tuple[str, bool, str]]:
        """Title, whether it failed, and detail of each check that names a row."""
        (pair,) = (pair for pair in self.pairs if pair["id"] == row)
        assert {n for n, _ in pair["flags"]} == set(self.index["flags"][self.ids.index(row)])
        return [(*self.index["checks"][n], detail) for n, detail in pair["flags"]]


def some_rows(n: int = 4) -> list[Row]:
    return [*(row(k) for k in range(n)), *halves(n)]


# What it loads and runs


@pytest.mark.usefixtures("drawn")
def test_the_page_loads_nothing_and_runs_one_script_that_its_policy_names(tmp_path: Path) -> None:
    rows = some_rows()
    checks = accuracy("length", 0.7, "fail"), check("rubric_leak", "fail", rows=[rows[0].id])
    page = Page(tmp_path, audit_of(rows, *checks), rows)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & page.tags
    policy = next(value for _, value in page.attributes if value.startswith("default-src"))
    assert policy.startswith("default-src 'none'; ")
    (text,) = page.scripts
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "xlink:href", "src") or value.startswith("#")


def test_the_script_hands_nothing_to_a_parser_and_does_not_end_its_element() -> None:
    source = (HERE / "pairs.js").read_text(encoding="utf-8")
    assert not [name for name in NEVER.split() if name in source]
    assert not re.search(r"</|<!--", source)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(tmp_path_factory.mktemp("plain"), *everywhere("x"))


@pytest.mark.parametrize("text", [of for of in HOSTILE if re.search("[<&{]", of)])
def test_hostile_texts_add_no_element_or_attribute(text: str, plain: Page, tmp_path: Path) -> None:
    page = Page(tmp_path, *everywhere(text))
    assert page.tags == plain.tags
    assert {name for name, _ in page.attributes} == {name for name, _ in plain.attributes}
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")
    assert page.text.count(" ".join(text.split())) >= 6


def everywhere(text: str) -> tuple[Audit, list[Row]]:
    """A text wherever the report above the pairs shows one."""
    rows = [row(0, id=text, domain=text, mode=None)]
    leak = check(
        "rubric_leak", "fail", config=text, detail=text, flags=(Flag(row=text, detail=text),)
    )
    audit = audit_of(rows, accuracy("length", 0.7, "fail", text), leak, name=text, version=text)
    source = AuditSource(**dict(audit.source) | {"problems": {text: 1}})
    return Audit(**dict(audit) | {"source": source}), rows


# What it says


def test_the_verdict_says_what_failed_where_why_and_what_to_do(tmp_path: Path) -> None:
    rows = some_rows()
    named = ["pair-0000", *(f"pair-{n:04}" for n in range(7))]
    checks = (
        accuracy("length", 0.7, "fail"),
        accuracy("length", 0.8, "fail", "Garden-violate"),
        accuracy("markup", 0.55, "too_few"),
        check("rubric_leak", "fail", rows=named),
        check("target_in_profile", "pass"),
        check("ties", "note", family="integrity"),
    )
    audit = audit_of(rows, *checks)
    found = audit_verdict(audit)
    assert (found.status, found.headline) == ("fail", "3 of 5 checks fail (1 needs more pairs)")
    assert (
        found.guess == "Yes, by 1 of 2 ways; the worst is the longer response, 0.80 (0.75 to 0.85)."
    )
    (length, lines, _), (_, leaks, leaking) = found.findings
    assert length == DEFINITIONS["length"]
    assert lines[0] == (
        "Home-violate: 0.700 (0.650 to 0.750), n = 400 in 390 clusters; limit 0.42 to 0.58."
    )
    assert leaks == ["all: 8 of 100; limit 0."]
    # A row that a check names twice is one example.
    assert [example.row for example in leaking] == named[1:]
    table = guess_table(audit).rows
    assert [line[2:5] for line in table] == [
        ("fails", "0.42 to 0.58", "Garden-violate"),
        ("needs more pairs", "0.42 to 0.58", "Home-violate"),
    ]
    text = Page(tmp_path, audit, rows).text
    for said in (length.why, length.todo, "and 2 more"):
        assert said in text
    for one in checks:
        assert DEFINITIONS[one.name].title in text


@pytest.mark.parametrize(
    ("statuses", "status", "headline", "guess"),
    [
        (["pass", "note"], "pass", "No fault found in 1 check", "No: none of 1 way is right"),
        (["pass", "too_few"], "open", "No fault found in 2 checks (1 needs more pairs)",
         "Not decided: 1 of 1 way needs more pairs."),
        ([], "pass", "No fault found in 0 checks", "Not measured."),
    ],
)  # fmt: skip
def test_undecided_is_neither_pass_nor_fail(
    statuses: list[Status], status: str, headline: str, guess: str
) -> None:
    checks = [accuracy("length", 0.5, one, f"C{n}") for n, one in enumerate(statuses)]
    audit = audit_of(some_rows(), *checks)
    found = audit_verdict(audit)
    assert (found.status, found.headline) == (status, headline)
    assert found.guess.startswith(guess)


def test_nothing_that_lessens_the_verdict_goes_unsaid() -> None:
    rows = some_rows()
    said = [*warnings(audit_of(rows, simulated=True, version="1.0.0-trial"))]
    assert said[0].startswith("SIMULATED TRIAL, version 1.0.0-trial: ")
    (trial,) = warnings(audit_of(rows, version="1.0.0-trial"))
    assert trial.startswith("A TRIAL")
    (unread,) = warnings(audit_of(rows, problems={"bad_json": 2}))
    assert unread.startswith("2 rows could not be read")
    assert not [*warnings(audit_of(rows))]


# The pairs that it holds


def test_pairs_come_out_as_they_went_in(tmp_path: Path) -> None:
    rows = [row(n, chosen=f"{HOSTILE[n % len(HOSTILE)]} \u202e {n}") for n in range(60)]
    held = Page(tmp_path, audit_of(rows), rows)
    assert held.ids == [of.id for of in rows]
    for of, pair in zip(rows, held.pairs, strict=True):
        for name in ("id", "config", "question", "rejected"):
            assert pair[name] == getattr(of, name)
        assert pair["chosen"] == of.chosen.encode(errors="replace").decode()
        assert [text for _, text in pair["posts"]] == [post.text for post in of.profile]
        assert pair["votes"] == [2, 1, 0, 0]


def test_flags_stand_with_the_rows_they_name_and_failed_ones_apart(tmp_path: Path) -> None:
    rows = some_rows()
    checks = (
        check("target_in_profile", "note", rows=[rows[1].id, rows[2].id]),
        check("rubric_leak", "fail", rows=[rows[2].id], config="Home-violate"),
        check("rubric_leak", "pass", rows=[rows[0].id], config="Home-twin"),
    )
    held = Page(tmp_path, audit_of(rows, *checks), rows)
    leak, target = (DEFINITIONS[name].title for name in ("rubric_leak", "target_in_profile"))
    assert held.flags(rows[0].id) == [(leak, False, f"detail of {rows[0].id}")]
    assert held.flags(rows[2].id) == [
        (leak, True, f"detail of {rows[2].id}"), (target, False, f"detail of {rows[2].id}")
    ]  # fmt: skip
    assert held.flags(rows[3].id) == []


def test_too_many_pairs_leave_failed_ones_and_a_sample_of_whole_twins(tmp_path: Path) -> None:
    rows = [half for n in range(200) for half in halves(n)]
    named = [rows[n].id for n in range(0, 400, 40)]
    held = Page(tmp_path, audit_of(rows, check("rubric_leak", "fail", rows=named)), rows, 100)
    assert set(named) <= set(held.ids)
    assert 60 < len(held.ids) < 150
    sampled = {of.twin_id for of in rows if of.id in set(held.ids) - set(named)}
    alone = [of for of in rows if of.twin_id in sampled and of.id not in held.ids]
    assert len(alone) <= len(named)
    assert f"This file holds {len(held.ids)} of 400 pairs" in held.text
