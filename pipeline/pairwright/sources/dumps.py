"""Dumps of Stack Exchange's sites: each user's questions, with what the user wrote before them.

All posts of the site are in memory. A line that declares a document type is harmless: nothing
outside the file is ever read; a declared entity is refused. The only file that imports
`defusedxml`.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml import sax
from defusedxml.common import DefusedXmlException

from pairwright import text
from pairwright.errors import SourceError
from pairwright.records import Item
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import clean_text, html_text, time_of
from pairwright.sources.items import Source, SourcePost, user_items
from pairwright.sources.problems import Repairs, SourceRefusal, excerpt, refuse

HOST = re.compile(r"(.+\.)?((stack(exchange|overflow|apps)|superuser|serverfault|askubuntu)\.com"
                  r"|mathoverflow\.(com|net))")  # fmt: skip
_HOST_END = re.compile(r"\.stackexchange\.com$|\.\w+$")
POSTS = "Posts.xml"
_KINDS = {"1": "question", "2": "answer"}
_COMMUNITY = "-1"
_NUMBER = re.compile(r"\d{1,18}")
_FOLDER = f"Name the folder that a site's archive was unpacked to (7z x), or its {POSTS}."


def locate_dump(rules: SourceRules, folder: Path) -> tuple[Path, str]:
    """The posts of the dump that the rules name, and the host of its site, such as
    `cooking.stackexchange.com`. Raises SourceError if the file or the site is missing."""
    path = folder / Path(rules.path).expanduser()
    posts = path if path.suffix.lower() == ".xml" else path / POSTS
    if not posts.is_file():
        fix = f"{_FOLDER} `path` is relative to {folder}."
        raise SourceError("no such file", where=posts, fix=fix)
    site = posts.resolve().parent.name.lower()
    if not HOST.fullmatch(site) or site == "stackexchange.com":
        raise SourceError(
            f"{site!r} is not the host of a Stack Exchange site",
            where=posts,
            fix="Name the folder after the host that a browser shows, such as"
            " cooking.stackexchange.com: each post's address, and its licence, follow from it.",
        )
    return posts, site


def read_dump(source: Source) -> Iterator[Item]:
    """The items of each user in time order, users by number. Raises SourceError."""
    path, site = locate_dump(source.rules, source.folder)
    rows = _read_rows(path)
    titles = {row.get("Id"): row.get("Title", "") for _, row in rows}
    by_user: dict[int, dict[int, SourcePost]] = {}
    ids = set[str]()
    for line, row in rows:
        where, id, user = f"{POSTS}:{line}", row.get("Id", ""), row.get("OwnerUserId", "")
        known = {"id": id}
        with source.problems.row(where, known):
            type = row.get("PostTypeId", "")
            kind = _KINDS.get(type) or refuse("not_a_post", f"its PostTypeId is {excerpt(type)}")
            if not _NUMBER.fullmatch(id):
                refuse("missing_id", f"Id is {excerpt(id)}")
            if user == _COMMUNITY or "CommunityOwnedDate" in row:
                refuse("community_owned", f"the {kind} belongs to the community")
            if not _NUMBER.fullmatch(user):
                refuse("deleted_user", f"the {kind} names no account")
            if id in ids:
                refuse("duplicate_id", "a post before it has its Id")
            ids.add(id)
            known["id"] = f"{kind[0]}{id}"
            title = row.get("Title") or titles.get(row.get("ParentId"), "")
            post = _post(source, site, kind, row, title, where)
            by_user.setdefault(int(user), {})[int(id)] = post
    for number, own in sorted(by_user.items()):
        posts = [own[id] for id in sorted(own, key=lambda id: (own[id].created, id))]
        yield from user_items(source, f"{site}/users/{number}", posts)


def _post(
    source: Source, site: str, kind: str, row: dict[str, str], full_title: str, where: str
) -> SourcePost:
    """A post that can be read alone; `full_title` is the question's. Raises SourceRefusal."""
    repairs, id, is_answer = Repairs(), row["Id"], kind == "answer"
    created = time_of(row.get("CreationDate"), "CreationDate") or refuse("bad_time", "no date")
    title = " ".join(clean_text(full_title, "title", repairs).split())
    body = clean_text(html_text(row.get("Body", "")), "body", repairs)
    if not body and (is_answer or not title):
        refuse("empty_text", f"the {kind} has no text")
    words = f'Answer to "{title}":\n{body}' if is_answer and title else f"{title}\n{body}"
    name, refusal = _HOST_END.sub("", site), None  # The site in lists of categories: `cooking`.
    known = source.domains.of(name)
    if not is_answer and "ClosedDate" in row:
        refusal = SourceRefusal("closed_question", f"{excerpt(title)} was closed")
    elif not is_answer and (why := why_unanswerable(title)):
        refusal = SourceRefusal("unanswerable_title", f"{excerpt(title)}: {why}")
    return SourcePost(
        where=where, id=f"{kind[0]}{id}", item=f"{name}_{id}", text=words.strip(),
        created=created, kind=kind, question=title, narrative=body,
        category=name if known else source.rules.default_category or name,
        url=f"https://{site}/{kind[0]}/{id}", repairs=repairs, refusal=refusal,
    )  # fmt: skip


# The XML


class _Rows(ContentHandler):
    """The rows that the parser meets, each with its line."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, dict[str, str]]] = []
        self._locator: Any = None

    def startElement(self, name: str, attributes: Any) -> None:
        if name == "row":
            self.found.append((self._locator.getLineNumber(), dict(attributes)))


def _read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Line and attributes of each row. Raises SourceError for what is not XML."""
    rows, fix = _Rows(), _FOLDER
    try:
        with path.open("rb") as file:
            sax.parse(file, rows, forbid_external=False)
        return rows.found
    except SAXParseException as error:
        line, what = error.getLineNumber(), f"not XML: {error.getMessage()}"
    except DefusedXmlException:
        line, what = rows._locator.getLineNumber(), "declares an entity, which no dump does"
        fix = "Do not use this file; download the dump from where it is published."
    raise SourceError(what, where=f"{path}:{line}", fix=fix)


# Titles that can be answered without the text below them; the rules are for English.

_TITLES = tomllib.loads(Path(__file__).with_name("titles.toml").read_text(encoding="utf-8"))
_POINTERS = tuple(
    re.compile(pattern.format(**_TITLES["words"]), re.IGNORECASE) for pattern in _TITLES["pointers"]
)
_GENERAL = re.compile(_TITLES["general"], re.IGNORECASE)
_OF_ANY_QUESTION = text.terms(_TITLES["of_any_question"])
MIN_TERMS = 2
"""Words with content that a title needs; one is enough for `What is a doppio?`."""


def why_unanswerable(title: str) -> str | None:
    """Reason why a title cannot be answered, in words; None for one that can, as it is."""
    plain = title.replace("\u2019", "'")
    for match in filter(None, (pointer.search(plain) for pointer in _POINTERS)):
        return f"{match.group().strip()!r} points at what the title does not say"
    terms = len(text.terms(plain) - _OF_ANY_QUESTION)
    if terms < MIN_TERMS and not (terms and _GENERAL.match(plain)):
        return f"{text.number_of(terms, 'word')} with content, not {MIN_TERMS}"
    return None
