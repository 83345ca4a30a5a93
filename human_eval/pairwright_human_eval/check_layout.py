"""Attention checks with the number of posts, the question and the layout of a run's tasks.

A check shows its own texts alone. No text of the run is ever in it: a reader would meet two people
in one, and would know a check by that. So a check is as long as its own texts allow.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, groupby, pairwise
from typing import NamedTuple

import numpy as np

from pairwright.records import Post
from pairwright_human_eval.attention import AttentionCheck
from pairwright_human_eval.text_size import SENTENCE_END, Sizes, distance, size_of

KEPT_SENTENCES = 3
"""Of a response: the first of its sentences may be common to both."""
_NO_TEXT = re.compile(r"(?ms)^\s*(```|~~~).*?^\s*\1|^\s*(?:\||#{1,6}\s)[^\n]*")
"""Code, rows of tables and headings."""
_MARK = re.compile(r"\s*(?:(?P<bullet>[-*+])|\d+[.)])\s+")


class Example(NamedTuple):
    """A preference task of the run, whose number of posts and layout a check takes on."""

    question: str
    posts: tuple[Post, ...]
    """As they are shown."""
    responses: tuple[str, str]


def median_size(examples: Sequence[Example]) -> Sizes:
    """The median response of a run, shape (3,)."""
    sizes = [size_of(response) for example in examples for response in example.responses]
    median: Sizes = np.median(np.stack(sizes), axis=0)
    return median


def laid_out(
    check: AttentionCheck, example: Example, response: Sizes, swap: bool
) -> AttentionCheck:
    """The check with at most as many posts as `example`, one at least, and of its own wordings
    those whose sizes are nearest: of the question to that of `example`, of both responses to
    `response`. `swap`: the good response has the layout of the second one of `example`."""
    first, second = example.responses[::-1] if swap else example.responses
    good = _nearest(_wordings(check.good, check.good_more, check.good_terse), response)
    bad = _nearest(_wordings(check.bad, check.bad_more, check.bad_terse), response)
    return check.model_copy(
        update={
            "question": question_like((check.question, *check.questions), example.question),
            "posts": _posts(check, [post.text for post in example.posts]),
            "good": _set_like(good, first),
            "bad": _set_like(bad, second),
        }
    )


def question_like(wordings: Sequence[str], question: str) -> str:
    """The wording of a check's question whose size is nearest."""
    return _nearest(wordings, size_of(question))


def _nearest(wordings: Sequence[str], target: Sizes) -> str:
    return min(wordings, key=lambda own: float(distance(size_of(own), target)))


def _wordings(full: str, more: Sequence[str], terse: str) -> list[str]:
    """What may be shown of a response: the first sentences of one wording, KEPT_SENTENCES at least,
    or the whole full one and some sentences more. Never of both wordings, which say the same."""
    found = [full]
    for sentences in (_sentences(full), _sentences(terse)):
        fewest = min(KEPT_SENTENCES, len(sentences))
        found += [" ".join(sentences[:n]) for n in range(fewest, len(sentences) + 1) if n]
    for n in range(1, len(more) + 1):
        found += [" ".join((full, *some)) for some in combinations(more, n)]
    return found


def _posts(check: AttentionCheck, models: list[str]) -> tuple[str, ...]:
    """The first of the person's own posts, and neutral ones where the models are more, each in the
    lines of the model at its place."""
    own = check.posts[: max(1, len(models))]
    wanted = min(len(check.neutral), max(0, len(models) - len(own)))
    target = size_of(" ".join(models))
    shown = min(
        ((*own, *neutral) for neutral in combinations(check.neutral, wanted)),
        key=lambda posts: float(distance(size_of(" ".join(posts)), target)),
    )
    return tuple(map(_in_lines, shown, models or shown))


def _in_lines(text: str, model: str) -> str:
    """The sentences of a post in as many lines as `model` has, as far as there are enough: a title
    is a line of its own, and every line has a sentence."""
    lines = [line for line in model.split("\n") if line.strip()]
    sentences = _sentences(text)
    count = min(len(lines), len(sentences))
    if count < 2:
        return text
    ends = list(accumulate(map(len, lines)))
    cuts = [0]
    for n in range(1, count):
        share = round(ends[n - 1] / ends[-1] * len(sentences))
        cuts.append(max(cuts[-1] + 1, min(share, len(sentences) - count + n)))
    parts = [" ".join(sentences[a:b]) for a, b in pairwise([*cuts, len(sentences)])]
    return ("\n\n" if "\n\n" in model else "\n").join(parts)


def _set_like(text: str, model: str) -> str:
    """The sentences of `text` in paragraphs and list items like those that are at the same place
    of `model`."""
    lines = [line for line in _NO_TEXT.sub("", model).split("\n") if line.strip()]
    if len(lines) < 2:
        return text
    ends = list(accumulate(map(len, lines)))
    sentences = _sentences(text)
    places = [bisect(ends, (n + 0.5) / len(sentences) * ends[-1]) for n in range(len(sentences))]
    found, before, number = "", "", 0
    for place, there in groupby(zip(places, sentences, strict=True), lambda part: part[0]):
        mark = _mark(lines[place])
        follows = mark != "" and mark == before
        before, number = mark, number + 1 if follows else 1
        found += "\n" if follows else "\n\n"
        found += mark.replace("1", str(number)) + " ".join(sentence for _, sentence in there)
    return found.strip()


def _mark(line: str) -> str:
    """How a line of a list begins, without its depth and number."""
    found = _MARK.match(line)
    if not found:
        return ""
    return f"{found['bullet']} " if found["bullet"] else "1. "


def _sentences(text: str) -> list[str]:
    ends = [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    found: Iterator[str] = (text[start:end].strip() for start, end in pairwise([0, *ends]))
    return [sentence for sentence in found if sentence]
