"""Attention checks: preference tasks that only the posts decide, and whose answers count by them.

A check is mirrored: the same two responses come with one of two people, and the posts of each ask
for another response. A fair coin draws the person. So whatever is seen without the posts (the
question, the responses, their order) says nothing about the right answer, and a reader who skips
the posts is right in each check with probability 1/2, independently of all others.

A check takes on the number of posts, the length of the question and the layout of a run's task, but
shows its own texts alone. No text of the run is ever in it: a reader would meet two people in one,
and would know a check by that. So a check is as long as its own texts allow.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations, groupby, pairwise
from math import comb, fsum
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pairwright import assets
from pairwright.errors import InputError
from pairwright.estimate import Estimate, share
from pairwright.records import Post, Record, content_id
from pairwright.settings.toml_files import read_toml, validated
from pairwright.text import word_count
from pairwright_human_eval.language import load_language
from pairwright_human_eval.records import KeyedTask, PreferenceAnswer, Verdict

SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]*_]*(?=\s|$)|[。！？]")
_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}|[-*+>]|\d+[.)])[ \t]+|[*`|#]", re.MULTILINE)
Sizes = NDArray[np.float64]
"""Shape (..., 3): characters, words, sentences."""


@lru_cache(maxsize=8192)
def size_of(text: str) -> Sizes:
    """Shape (3,), read-only, without list marks, bold marks and the like."""
    text = _MARKUP.sub("", text)
    sizes = [len(text), word_count(text), len(SENTENCE_END.findall(text))]
    found: Sizes = np.array(sizes, dtype=float)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=1024)
def sizes_of(texts: tuple[str, ...]) -> Sizes:
    """Shape (texts, 3), read-only."""
    found: Sizes = np.stack([size_of(text) for text in texts])
    found.flags.writeable = False
    return found


def distance(sizes: Sizes, target: Sizes) -> Sizes:
    """How far sizes are from a target, shape (...): Euclidean, of the logarithms of characters, of
    characters a word and, twice each, of words and of words a sentence."""
    off = np.log((sizes + 1) / (np.maximum(target, 0) + 1))
    characters, words, sentences = off[..., 0], off[..., 1], off[..., 2]
    a_word, a_sentence = characters - words, words - sentences
    found: Sizes = np.sqrt(characters**2 + 2 * words**2 + a_word**2 + 2 * a_sentence**2)
    return found


SHIPPED = assets.HUMAN_EVAL / "checks.toml"
NONREADER_PASS = 0.10
"""How often an annotator who does not read may pass the floor of a study."""


class Wording(NamedTuple):
    """What may be shown of a response."""

    text: str
    more: tuple[str, ...] = ()
    """Sentences that may follow, each or none, in this order: advice that goes with either."""
    terse: str = ""
    """The same as the text in shorter sentences of longer words."""


class AttentionCheck(NamedTuple):
    """A question, a fictional person's posts, and the response that these posts ask for."""

    domain: str
    question: str
    questions: tuple[str, ...]
    """The same question, shorter and longer."""
    posts: tuple[str, ...]
    neutral: tuple[str, ...]
    """Posts that say nothing about who wrote them, to be shown after the person's own."""
    good: Wording
    bad: Wording

    @property
    def id(self) -> str:
        return content_id("check", self.question, self.good.text, self.bad.text)


class MirroredCheck(Record):
    """Two responses that sound equally good to a stranger, and two people: the posts of one ask
    for the first response, and those of the other ask for the second."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    first: str
    first_more: tuple[str, ...] = ()
    first_terse: str = ""
    second: str
    second_more: tuple[str, ...] = ()
    second_terse: str = ""
    posts_for_first: tuple[str, ...] = Field(min_length=1)
    posts_for_second: tuple[str, ...] = Field(min_length=1)
    neutral: tuple[str, ...] = ()
    """Posts that either person may have written."""

    @property
    def halves(self) -> tuple[AttentionCheck, AttentionCheck]:
        """The check of either person. One annotator gets one of them, drawn by a fair coin."""
        first = Wording(self.first, self.first_more, self.first_terse)
        second = Wording(self.second, self.second_more, self.second_terse)
        common = self.domain, self.question, self.questions
        return (
            AttentionCheck(*common, self.posts_for_first, self.neutral, first, second),
            AttentionCheck(*common, self.posts_for_second, self.neutral, second, first),
        )


class _CheckFile(Record):
    check: tuple[MirroredCheck, ...] = Field(min_length=1)


def checks_in(language: str) -> tuple[MirroredCheck, ...]:
    """The checks that ship in a language, by its code; raises InputError where there are none."""
    code = load_language(language).code
    path = SHIPPED if code == "en" else SHIPPED.with_name(f"checks.{code}.toml")
    if not path.exists():
        raise InputError(
            "there are no attention checks in this language",
            where=path,
            fix="Write some there, like those of checks.de.toml, or export with --checks 0.",
        )
    return load_checks(path)


def load_checks(path: Path) -> tuple[MirroredCheck, ...]:
    """The checks of a TOML file; raises InputError."""
    tables = read_toml(path, "Restore the file that ships.", InputError)
    return validated(_CheckFile, tables, path, docs=SHIPPED, error=InputError).check


def checks_passed(verdicts: Iterable[Verdict], key: Mapping[str, KeyedTask]) -> dict[str, Estimate]:
    """By annotator: attention checks answered right, of those met.

    A check is met if it is answered, or if something behind it is: skipping one is missing it.
    """
    answers = {
        verdict.task: verdict
        for verdict in verdicts
        if verdict.kind == "preference" and verdict.round == 1
    }
    passed: dict[str, list[bool]] = {}
    waiting: dict[str, int] = {}
    for keyed in key.values():  # In the order of each annotator's work.
        if keyed.kind != "preference" or keyed.round != 1:
            continue
        who, verdict = keyed.annotator, answers.get(keyed.task)
        if verdict is None:
            waiting[who] = waiting.get(who, 0) + (keyed.purpose == "attention")
            continue
        found = passed.setdefault(who, [])
        found += [False] * waiting.pop(who, 0)
        if keyed.purpose == "attention" and isinstance(verdict.answers, PreferenceAnswer):
            expected = keyed.a if keyed.expected == "A" else keyed.b
            found.append(verdict.answers.choice == expected)
    return {who: share(sum(found), len(found)) for who, found in sorted(passed.items()) if found}


def excluded_by(passed: Mapping[str, Estimate], floor: float) -> frozenset[str]:
    """Annotators who passed a smaller share than `floor`: none of their answers counts."""
    return frozenset(
        who for who, found in passed.items() if found.n and not _passes(found.k, found.n, floor)
    )


def pass_rate(checks: int, floor: float, right: float) -> float:
    """The probability to pass `floor` with so many checks, each answered right with probability
    `right`, independently: the exact upper tail of the binomial distribution. 1 without a check."""
    return fsum(
        comb(checks, k) * right**k * (1 - right) ** (checks - k)
        for k in range(checks + 1)
        if not checks or _passes(k, checks, floor)
    )


def nonreader_pass(checks: int, floor: float) -> float:
    """The probability that an annotator who does not read the posts passes `floor` in so many
    mirrored checks. It holds for whoever answers by a coin, or by the responses alone. Whoever
    always takes the same side passes less often: each side is right in half of the checks."""
    return pass_rate(checks, floor, 0.5)


def enough_checks(wanted: int, floor: float, most: int) -> int:
    """The fewest mirrored checks, `wanted` or more and `most` or fewer, at which an annotator who
    does not read passes in at most `NONREADER_PASS`. Where no number will do, the one at which that
    is least probable."""
    rates = {n: nonreader_pass(n, floor) for n in range(min(wanted, most), most + 1)}
    noticed = (n for n, rate in rates.items() if rate <= NONREADER_PASS)
    return next(noticed, min(rates, key=lambda n: rates[n]))


def _passes(right: int, checks: int, floor: float) -> bool:
    return right / checks >= floor


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
    question = nearest((check.question, *check.questions), size_of(example.question))
    return check._replace(
        question=question,
        posts=_posts(check, [post.text for post in example.posts]),
        good=Wording(_set_like(nearest(_wordings(check.good), response), first)),
        bad=Wording(_set_like(nearest(_wordings(check.bad), response), second)),
    )


def nearest(wordings: tuple[str, ...], target: Sizes) -> str:
    """The wording whose size is nearest."""
    return wordings[int(np.argmin(distance(sizes_of(wordings), target)))]


@cache
def _wordings(response: Wording) -> tuple[str, ...]:
    """What may be shown of a response: the first sentences of one wording, KEPT_SENTENCES at least,
    or the whole full one and some sentences more. Never of both wordings, which say the same."""
    found = [response.text]
    for sentences in (_sentences(response.text), _sentences(response.terse)):
        fewest = min(KEPT_SENTENCES, len(sentences))
        found += [" ".join(sentences[:n]) for n in range(fewest, len(sentences) + 1) if n]
    for n in range(1, len(response.more) + 1):
        found += [" ".join((response.text, *some)) for some in combinations(response.more, n)]
    return tuple(found)


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
    laid, before, number = "", "", 0
    for place, there in groupby(zip(places, sentences, strict=True), lambda part: part[0]):
        # How a line of a list begins, without its depth and number.
        found = _MARK.match(lines[place])
        mark = "" if not found else f"{found['bullet']} " if found["bullet"] else "1. "
        follows = mark != "" and mark == before
        before, number = mark, number + 1 if follows else 1
        laid += "\n" if follows else "\n\n"
        laid += mark.replace("1", str(number)) + " ".join(sentence for _, sentence in there)
    return laid.strip()


def _sentences(text: str) -> list[str]:
    ends = [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    found = [text[start:end].strip() for start, end in pairwise([0, *ends])]
    return [sentence for sentence in found if sentence]
