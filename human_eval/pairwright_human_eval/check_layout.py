"""Attention checks as long, and laid out, as the tasks of a run.

An annotator who could tell a check by its length would have to read the checks alone. So a check's
text takes the place of the beginning of a real one: what follows of the real text gives it its
length, and the lines that it replaces give it their list marks, headings and bold words.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pairwright.records import Post
from pairwright_human_eval.checks import Check

KEPT_POSTS = 2
"""The first posts of a check are never shortened: the need that makes it plain is in both."""
KEPT_SENTENCES = 3
"""Of a response: the first of its sentences may be common to both."""
_END = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s)|[。！？]")
_MARK = re.compile(r"(?P<heading>#{1,6}\s+)|\s*(?:[-*+]|\d+[.)])\s+|>\s+")
_FENCE = ("```", "~~~")


class Example(NamedTuple):
    """A preference task of the run, whose length and layout a check takes on."""

    subject: str
    posts: tuple[Post, ...]
    """As they are shown."""
    responses: tuple[str, str]


def laid_out(check: Check, posts: tuple[str, ...], good: str, bad: str) -> Check:
    """The check with as many posts as `posts`, as long as these, and with responses as long as
    `good` and `bad` and laid out like them. One post is shown at least."""
    return check.model_copy(
        update={
            "posts": tuple(_posts(check.posts, posts)),
            "good": _alike(_shortened(check.good, len(good)), good, len(good), check.question),
            "bad": _alike(_shortened(check.bad, len(bad)), bad, len(bad), check.question),
        }
    )


def _posts(own: tuple[str, ...], models: tuple[str, ...]) -> Iterator[str]:
    over = 0
    for n, text in enumerate(own[: max(1, len(models))]):
        model = models[n] if models else text
        # What one post has too much, the next has less.
        length = max(0, len(model) - over)
        if n >= KEPT_POSTS:
            text = _shortened(text, length, keep=1)
        post = _alike(text, model, length)
        over += len(post) - len(model)
        yield post
    yield from models[len(own) :]


def _alike(text: str, model: str, length: int, title: str = "") -> str:
    """`text` and the end of `model`, as near to `length` characters as the ends of its sentences
    allow. A heading among the lines that `text` replaces becomes `title`."""
    wholes = (
        _set_like(text, model[:end], title) + model[end:] for end in (*_ends(model), len(model))
    )
    return min(wholes, key=lambda whole: abs(len(whole) - length))


def _shortened(text: str, length: int, keep: int = KEPT_SENTENCES) -> str:
    """The first sentences of a text, as near to `length` characters as can be; `keep` at least."""
    ends = [*(match.end() for match in _END.finditer(text)), len(text)]
    return text[: min(ends[keep - 1 :] or ends[-1:], key=lambda end: abs(end - length))]


def _ends(model: str) -> Iterator[int]:
    """Where a sentence or a line ends, and neither a table nor a block of code is torn apart."""
    at, inside = 0, False
    lines = model.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        fence = line.lstrip().startswith(_FENCE)
        inside ^= fence
        if not inside and not _is_row(following):
            if not fence and not _is_row(line):
                yield from (at + match.end() for match in _END.finditer(line))
            if line.strip():
                yield at + len(line)
        at += len(line) + 1


def _set_like(text: str, replaced: str, title: str) -> str:
    """The sentences of `text` in the lines of what they replace, each as full as it was there."""
    if "\n" not in replaced.strip() and not _MARK.match(replaced):
        return text
    sentences = [text[a:b].strip() for a, b in _spans(text)]
    lines = [line for line in replaced.split("\n") if not _is_row(line) and "`" not in line]
    full = sum(len(line) for line in lines if not _heading(line)) or 1
    share = len(text) / full
    found: list[str] = []
    owed = 0.0
    for line in lines:
        if not line.strip():
            found.append("")
        elif _heading(line):
            if title and not any(_heading(there) for there in found):
                found.append(f"{_mark(line)}{title}")
        else:
            owed += share * len(line)
            taken: list[str] = []
            while sentences and (not taken or owed >= len(sentences[0]) / 2):
                owed -= len(sentences[0])
                taken.append(sentences.pop(0))
            if taken:
                found.append(_mark(line) + _bold(" ".join(taken), line))
    body = "\n".join(found).rstrip()
    left = " ".join(sentences)
    between = "\n\n" if _heading(body.rpartition("\n")[2]) else " "
    return f"{body}{between}{left}".strip() if left else body


def _bold(text: str, line: str) -> str:
    """With its first three words in bold type where the line begins so."""
    if not line[len(_mark(line)) :].startswith("**"):
        return text
    words = text.split(" ")
    return " ".join([f"**{' '.join(words[:3])}**", *words[3:]])


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        if text[start:end].strip():
            yield start, end
        start = end


def _mark(line: str) -> str:
    found = _MARK.match(line)
    return found.group() if found else ""


def _heading(line: str) -> bool:
    found = _MARK.match(line)
    return found is not None and found["heading"] is not None


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
