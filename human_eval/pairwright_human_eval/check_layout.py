"""Attention checks as long, and laid out, as the tasks of a run.

An annotator who could tell a check by how it looks would have to read the checks alone. So a check
has the number of posts and about the characters, words and sentences of a task of the run. Its text
takes the place of the beginning of a real one: what follows of the real text gives it its size, and
the lines that it replaces give it their list marks, headings and bold words. Of a check's own two
wordings, and of some real texts, those are taken that together come nearest.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import NamedTuple

from pairwright.records import Post
from pairwright_human_eval.attention import AttentionCheck
from pairwright_human_eval.text_size import (
    SENTENCE_END,
    NearestEnds,
    Sizes,
    distance,
    nearest,
    size_of,
)

KEPT_POSTS = 2
"""The first posts of a check are never shortened: what decides it is in both."""
KEPT_SENTENCES = 3
"""Of a response: the first of its sentences may be common to both."""
TRIED = 12
"""Sources whose ends are set in full: marks and headings add to what was estimated."""
_MARK = re.compile(r"(?P<heading>#{1,6}\s+)|\s*(?:[-*+]|\d+[.)])\s+|>\s+")
_FENCE = ("```", "~~~")


class Example(NamedTuple):
    """A preference task of the run, whose length and layout a check takes on."""

    subject: str
    question: str
    posts: tuple[Post, ...]
    """As they are shown."""
    responses: tuple[str, str]


def laid_out(
    check: AttentionCheck, example: Example, sources: Sequence[Example], swap: bool
) -> AttentionCheck:
    """The check with as many posts as `example`, one at least, and with question, posts and
    responses of about its sizes; `swap`: the good response has the size of its second one. The ends
    of posts and responses are those of one of the `sources`, which is another for posts."""
    question = question_like((check.question, *check.questions), example.question)
    good, bad = _responses(check, question, example, sources, swap)
    posts = tuple(post.text for post in example.posts)
    return check.model_copy(
        update={
            "question": question,
            "posts": _posts(check.posts, posts, sources),
            "good": good,
            "bad": bad,
        }
    )


def question_like(wordings: Sequence[str], question: str) -> str:
    """The wording of a check's question whose size is nearest."""
    target = size_of(question)
    return min(wordings, key=lambda own: float(distance(size_of(own), target)))


def _responses(
    check: AttentionCheck, title: str, example: Example, sources: Sequence[Example], swap: bool
) -> tuple[str, str]:
    """The good and the bad one."""
    first, second = example.responses
    wanted = (second, first) if swap else (first, second)
    targets = [size_of(text) for text in wanted]
    wordings = [
        list(_wordings(check.good, check.good_terse)),
        list(_wordings(check.bad, check.bad_terse)),
    ]
    sizes = [[size_of(text) for text in wording] for wording in wordings]
    found: list[tuple[float, str, str, list[NearestEnds]]] = []
    for source in sources:
        for first, second in (source.responses, source.responses[::-1]):
            parts = [
                nearest(own, _tails(model), target)
                for own, model, target in zip(sizes, (first, second), targets, strict=True)
            ]
            found.append((sum(part.distance for part in parts), first, second, parts))
    found.sort(key=lambda candidate: candidate[0])
    wholes = [
        tuple(
            _set_like(own[part.beginning], model[: (cut := _cuts(model)[part.end])], title)
            + model[cut:]
            for own, model, part in zip(wordings, (first, second), parts, strict=True)
        )
        for _, first, second, parts in found[:TRIED]
    ]
    good, bad = min(wholes, key=lambda pair: _apart(pair, wanted))
    return good, bad


def _apart(pair: tuple[str, ...], like: tuple[str, str]) -> float:
    """How far two responses are from two others, each and together, and in their lines."""
    sizes, targets = ([*map(size_of, texts), size_of(" ".join(texts))] for texts in (pair, like))
    of_sizes = sum(float(distance(*size)) for size in zip(sizes, targets, strict=True))
    lines, wanted = (sum(map(_lines, texts)) for texts in (pair, like))
    return of_sizes + 3 * abs(log(lines / wanted))


def _lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip()) or 1


def _wordings(full: str, terse: str) -> Iterator[str]:
    """What may be shown of a response: the first sentences of one wording, or the first of the full
    one and then those of the terse one that go on from there. KEPT_SENTENCES at least."""
    one, other = _sentences(full), _sentences(terse)
    for n in range(len(one) + 1):
        # Both say the same in the same order, so nothing is said twice.
        start = -(-n * len(other) // len(one))
        for end in range(start, len(other) + 1):
            taken = [*one[:n], *other[start:end]]
            if len(taken) >= min(KEPT_SENTENCES, len(one)):
                yield " ".join(taken)


def _posts(
    own: tuple[str, ...], models: tuple[str, ...], sources: Sequence[Example]
) -> tuple[str, ...]:
    """Posts of the sizes of `models`, all together and the first, that end like those of one
    source. Posts beyond the check's own are the model's."""

    def apart(posts: tuple[str, ...]) -> float:
        whole, wanted = (size_of(" ".join(texts)) for texts in (posts, models))
        first, its = size_of(posts[0]), size_of("".join(models[:1]))
        return float(distance(whole, wanted) + distance(first, its))

    made = [_posts_of(own, models, [post.text for post in source.posts]) for source in sources]
    return min(made, key=apart)


def _posts_of(own: tuple[str, ...], models: tuple[str, ...], ends: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    over = size_of("")
    for n, text in enumerate(own[: max(1, len(models))]):
        model = models[n] if models else text
        end = ends[n] if n < len(ends) else ""
        # What one post has too much, the next has less.
        target = size_of(model) - over
        beginnings = [text] if n < KEPT_POSTS else list(_beginnings(text))
        part = nearest([size_of(beginning) for beginning in beginnings], _tails(end), target)
        cut = _cuts(end)[part.end]
        post = _set_like(beginnings[part.beginning], end[:cut], "") + end[cut:]
        over = over + size_of(post) - size_of(model)
        found.append(post)
    return (*found, *models[len(own) :])


def _beginnings(text: str) -> Iterator[str]:
    sentences = _sentences(text)
    for n in range(1, len(sentences) + 1):
        yield " ".join(sentences[:n])


@lru_cache(maxsize=8192)
def _tails(model: str) -> list[Sizes]:
    return [size_of(model[cut:]) for cut in _cuts(model)]


@lru_cache(maxsize=8192)
def _cuts(model: str) -> list[int]:
    return [*_ends(model), len(model)]


def _ends(model: str) -> Iterator[int]:
    """Where a sentence or a line ends, and neither a table nor a block of code is torn apart."""
    at, inside = 0, False
    lines = model.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        fence = line.lstrip().startswith(_FENCE)
        inside ^= fence
        if not inside and not _is_row(following):
            if not fence and not _is_row(line):
                yield from (at + match.end() for match in SENTENCE_END.finditer(line))
            if line.strip():
                yield at + len(line)
        at += len(line) + 1


def _set_like(text: str, replaced: str, title: str) -> str:
    """The sentences of `text` in the lines of what they replace, each as full as it was there."""
    if "\n" not in replaced.strip() and not _MARK.match(replaced):
        return text
    sentences = _sentences(text)
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
                # A heading ends no sentence.
                found.append(f"{_mark(line)}{title.rstrip('?.! ')}")
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


def _sentences(text: str) -> list[str]:
    ends = [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    found = (text[start:end].strip() for start, end in pairwise([0, *ends]))
    return [sentence for sentence in found if sentence]


def _mark(line: str) -> str:
    found = _MARK.match(line)
    return found.group() if found else ""


def _heading(line: str) -> bool:
    found = _MARK.match(line)
    return found is not None and found["heading"] is not None


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")
