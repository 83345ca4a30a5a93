"""Attention checks: preference tasks that only the posts decide, and whose answers count by them.

A check is mirrored: the same two responses come with one of two people, and the posts of each ask
for another response. A fair coin draws the person. So whatever is seen without the posts (the
question, the responses, their order) says nothing about the right answer, and a reader who skips
the posts is right in each check with probability 1/2, independently of all others.

A check is made like a task of the run. Its person's posts stand among those of that task's user, in
the places of two that are about as long. Its question and responses are its own, in those wordings
that are nearest to the task's by length and by the words they have in common with each other and
with these posts. The coin has no part in that.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations, compress, groupby, pairwise, permutations
from math import comb, fsum, log
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
    common: tuple[str, ...] = ()
    """Sentences that may follow either, and that the other response has in other words."""


class AttentionCheck(NamedTuple):
    """A question, a fictional person's posts, and the response that these posts ask for. The first
    two posts decide, each alone."""

    domain: str
    question: str
    questions: tuple[str, ...]
    """The same question, shorter and longer."""
    posts: tuple[str, ...]
    other_posts: tuple[str, ...]
    """The posts of the other person, who asks for the other response."""
    good: Wording
    bad: Wording
    id: str


class MirroredCheck(Record):
    """Two responses that sound equally good to a stranger, and two people: the posts of one ask
    for the first response, and those of the other ask for the second."""

    domain: str
    question: str
    questions: tuple[str, ...] = ()
    first: str
    first_more: tuple[str, ...] = ()
    first_terse: str = ""
    first_common: tuple[str, ...] = ()
    second: str
    second_more: tuple[str, ...] = ()
    second_terse: str = ""
    second_common: tuple[str, ...] = ()
    posts_for_first: tuple[str, ...] = Field(min_length=1)
    posts_for_second: tuple[str, ...] = Field(min_length=1)

    @property
    def halves(self) -> tuple[AttentionCheck, ...]:
        """The check of either person. One annotator gets one of them, drawn by a fair coin."""
        first, second = (
            Wording(*(getattr(self, side + part) for part in ("", "_more", "_terse", "_common")))
            for side in ("first", "second")
        )
        common = self.domain, self.question, self.questions
        return tuple(
            AttentionCheck(
                *common, *posts, good, bad, content_id("check", self.question, good.text, bad.text)
            )
            for posts, good, bad in (
                ((self.posts_for_first, self.posts_for_second), first, second),
                ((self.posts_for_second, self.posts_for_first), second, first),
            )
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
LAST = 8
"""Sentences of a terse wording, of its end, that may follow the full one."""
TRIED = 300
"""Wordings of each response: those nearest in size."""
FIRST = 40
"""So many of them, the nearest, are tried with each other. Of the best two each in turn is replaced
by what is best beside the other one."""
TURNS = 4
SAID_AGAIN = 0.5
"""A sentence is said again in other words if the other one has so many of its long words."""
SHORT_WORD = 3
"""Letters of a word that most texts have."""
_NO_TEXT = re.compile(r"(?ms)^\s*(```|~~~).*?^\s*\1|^\s*(?:\||#{1,6}\s)[^\n]*")
"""Code, rows of tables and headings."""
_MARK = re.compile(r"\s*(?:(?P<bullet>[-*+])|\d+[.)])\s+")


class Example(NamedTuple):
    """A preference task of the run, which a check is made like."""

    user: str
    question: str
    posts: tuple[Post, ...]
    """As they are shown."""
    responses: tuple[str, str]
    seen: Sizes
    """`seen_of` it."""


def laid_out(
    check: AttentionCheck, example: Example, owed: Sizes, spread: Sizes, swap: bool
) -> AttentionCheck:
    """The check like `example`, with as many posts. `owed` is what earlier checks had too little of
    (`SEEN`), and `spread` how much tasks of the run differ in it; `swap`: the good response is like
    the second one of `example`."""
    question, _ = nearest((check.question, *check.questions), size_of(example.question))
    shown = [post.text for post in example.posts]
    posts, other_posts = (
        _among(own, shown) if shown else own for own in (check.posts, check.other_posts)
    )
    # As they are shown, A and B: which of them is good has no part in it.
    a, b = _nearest_pair(
        _wordings(check.bad if swap else check.good),
        _wordings(check.good if swap else check.bad),
        (size_of(example.responses[0]), size_of(example.responses[1])),
        _read(question, posts, other_posts),
        example.seen + owed,
        spread,
    )
    a, b = _set_like(a, example.responses[0]), _set_like(b, example.responses[1])
    return check._replace(
        question=question,
        posts=posts,
        other_posts=other_posts,
        good=Wording(b if swap else a),
        bad=Wording(a if swap else b),
    )


def spread_of(examples: Sequence[Example]) -> Sizes:
    """How much a run's tasks differ in what is seen of them: what would be the standard deviation
    of a normal distribution with these quartiles, and a hundredth of the mean at least."""
    seen = np.stack([example.seen for example in examples])
    low, high = np.quantile(seen, (0.25, 0.75), axis=0)
    found: Sizes = np.maximum((high - low) / 1.35, abs(seen).mean(axis=0) / 100) + 1e-3
    return found


def nearest(wordings: tuple[str, ...], target: Sizes) -> tuple[str, float]:
    """The wording whose size is nearest, and how far it is."""
    apart = distance(_sizes_of(wordings), target)
    n = int(np.argmin(apart))
    return wordings[n], float(apart[n])


@lru_cache(maxsize=1024)
def _sizes_of(texts: tuple[str, ...]) -> Sizes:
    return np.stack([size_of(text) for text in texts])


class _Wordings(NamedTuple):
    """Sentences, in the order in which they may be shown, and which of them are shown together."""

    sentences: tuple[str, ...]
    shown: NDArray[np.float64]
    """Shape (wordings, sentences), 0 or 1."""
    sizes: Sizes

    def text(self, n: int) -> str:
        return " ".join(compress(self.sentences, self.shown[n]))

    def some(self, wordings: NDArray[np.int64]) -> "_Wordings":
        return self._replace(shown=self.shown[wordings], sizes=self.sizes[wordings])


class _Read(NamedTuple):
    """The words of what is beside the responses."""

    question: Mapping[str, float]
    posts: Mapping[str, float]
    """How probably the posts have it: of a check, either person's are shown."""


def _read(question: str, *posts: Sequence[str]) -> _Read:
    words = Counter(word for own in posts for word in words_of(" ".join(own)))
    shares = {word: n / len(posts) for word, n in words.items()}
    return _Read(dict.fromkeys(words_of(question), 1.0), shares)


@cache
def _wordings(response: Wording) -> _Wordings:
    """What may be shown of a response: the first sentences of one wording, KEPT_SENTENCES at least,
    and some that may follow it; behind the full one also the last of the terse one, in place of
    those with the same advice. Nothing is said twice."""
    full, terse = sentences_of(response.text), sentences_of(response.terse)
    parts = (len(full), len(response.more), len(terse), len(response.common))
    one, more, other, common = np.split(np.arange(sum(parts)), np.cumsum(parts)[:-1])
    ends = [other[n:] for n in range(max(KEPT_SENTENCES, len(other) - LAST), len(other))]
    found: dict[tuple[int, ...], None] = {}
    for sentences, follow in (
        (one, [*_some([*more, *common])]),
        (one, [(*end, *own) for end in ends for own in _some([*common])]),
        (other, [*_some([*common])]),
    ):
        for n in range(len(sentences), min(KEPT_SENTENCES, len(sentences)) - 1, -1):
            found |= dict.fromkeys((*sentences[:n], *own) for own in follow if n)
    shown = np.zeros((len(found), sum(parts)))
    for n, own in enumerate(found):
        shown[n, [*own]] = 1
    texts = (*full, *response.more, *terse, *response.common)
    sizes = shown @ np.stack([size_of(text) for text in texts])
    sizes[:, 0] += shown.sum(axis=1) - 1  # Between sentences is a space.
    return _Wordings(texts, shown, sizes)


def _some(sentences: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Each or none of them, in this order."""
    return (some for n in range(len(sentences) + 1) for some in combinations(sentences, n))


def _nearest_pair(
    a: _Wordings,
    b: _Wordings,
    models: tuple[Sizes, Sizes],
    read: _Read,
    target: Sizes,
    spread: Sizes,
) -> tuple[str, str]:
    """Two wordings about as long as the models that together are near to the target."""

    def best(one: _Wordings, other: _Wordings) -> tuple[_Wordings, _Wordings]:
        signs = zip(_seen(one, other, read), target, spread, SEEN.values(), strict=True)
        apart = sum(
            (weight * ((sign - due) / usual) ** 2 for sign, due, usual, weight in signs),
            np.zeros(()),
        )
        n, k = np.unravel_index(int(np.argmin(apart)), apart.shape)
        return one.some(np.array([n])), other.some(np.array([k]))

    nearest_a, nearest_b = (
        np.argsort(distance(own.sizes, model), kind="stable")[:TRIED]
        for own, model in zip((a, b), models, strict=True)
    )
    one, other = best(a.some(nearest_a[:FIRST]), b.some(nearest_b[:FIRST]))
    a, b = a.some(nearest_a), b.some(nearest_b)
    for turn in range(TURNS):
        one, other = best(one, b) if turn % 2 else best(a, other)
    return one.text(0), other.text(0)


SEEN = {
    "words of both responses": 1,
    "characters of both responses": 1,
    "words a sentence of the responses": 1,
    "difference between the lengths of the responses": 1,
    "share of words that both responses have": 1,
    "share of long words that both responses have": 1,
    "share of sentences that both responses have in other words": 1,
    "share of the long words of responses in posts": 4,
    "share of the long words of posts in responses": 1,
    "share of the long words of the question in responses": 1,
    "share of the long words of the question in posts": 1,
}
"""What is seen of two responses without reading for the answer, and how much each weighs in the
choice of wordings. Most wordings of a check have more of the words of posts than a task's responses
have: that weighs most."""


@lru_cache(maxsize=8192)
def seen_of(responses: tuple[str, str], question: str, *posts: tuple[str, ...]) -> Sizes:
    """What is seen (`SEEN`) of the responses of a task with these posts, or on average of a task
    with the posts of one of several people; read-only."""
    one, other = (
        _Wordings(tuple(sentences), np.ones((1, len(sentences))), size_of(text)[None])
        for text in responses
        for sentences in [sentences_of(text)]
    )
    found = np.array([sign[0, 0] for sign in _seen(one, other, _read(question, *posts))])
    found.flags.writeable = False
    return found


def _seen(one: _Wordings, other: _Wordings, read: _Read) -> tuple[Sizes, ...]:
    """Of each wording of one response with each of the other: an array of shape (n, m) for each
    sign, or one that is as good, with an axis of length 1."""
    words, parts, again = _words_in(one.sentences, other.sentences)
    has, has_other = (
        np.minimum(1, each.shown @ part) for each, part in zip((one, other), parts, strict=True)
    )
    long = np.array([float(len(word) > SHORT_WORD) for word in words])
    asked, in_posts = (long * [text.get(word, 0) for word in words] for text in read)

    def shared(weights: Sizes) -> tuple[Sizes, Sizes]:
        """How many of these words both have, and how many either."""
        which = weights > 0
        mine, theirs, each = has[:, which], has_other[:, which], weights[which]
        both = (mine * each) @ theirs.T
        return both, (mine @ each)[:, None] + theirs @ each - both

    (short_both, short), (long_both, either) = shared(1 - long), shared(long)
    characters, count, sentences = (
        one.sizes[:, None, k] + other.sizes[None, :, k] for k in range(3)
    )
    mine, theirs = (_of(each @ in_posts, each @ long) for each in (has, has_other))
    return (
        count,
        characters,
        _of(count, sentences),
        _of(abs(one.sizes[:, None, 1] - other.sizes[None, :, 1]), count),
        _of(short_both + long_both, short + either),
        _of(long_both, either),
        _of(one.shown @ ((again @ other.shown.T) > 0), one.shown.sum(axis=1)[:, None]),
        mine[:, None] + theirs,
        *(
            shared(said)[1] / max(1, sum(n for word, n in text.items() if len(word) > SHORT_WORD))
            for said, text in ((in_posts, read.posts), (asked, read.question))
        ),
        np.full((1, 1), _of_long(read.question, read.posts)),
    )


@lru_cache(maxsize=256)
def _words_in(
    one: tuple[str, ...], other: tuple[str, ...]
) -> tuple[list[str], tuple[Sizes, Sizes], NDArray[np.bool_]]:
    """The words of the sentences of two responses; which sentence has which, 0 or 1; and which
    sentence of the one has half of its long words in which of the other."""
    own = [[words_of(sentence) for sentence in sentences] for sentences in (one, other)]
    words = sorted(frozenset[str]().union(*own[0], *own[1]))
    place = {word: n for n, word in enumerate(words)}
    first, second = (np.zeros((len(each), len(words))) for each in own)
    for each, part in zip(own, (first, second), strict=True):
        for row, sentence in zip(part, each, strict=True):
            row[[place[word] for word in sentence]] = 1
    long = first * np.array([len(word) > SHORT_WORD for word in words])
    again = _of(long @ second.T, long.sum(axis=1)[:, None]) >= SAID_AGAIN
    return words, (first, second), again


def _of(part: Sizes, whole: Sizes) -> Sizes:
    found: Sizes = part / np.maximum(whole, 1)
    return found


def _of_long(words: Iterable[str], shown: Mapping[str, float]) -> float:
    """The share of the long words that are shown."""
    long = [shown.get(word, 0) for word in words if len(word) > SHORT_WORD]
    return fsum(long) / max(1, len(long))


def share_in(shown: frozenset[str], text: str) -> float:
    """The share of the long words of a text that are shown."""
    return _of_long(words_of(text), dict.fromkeys(shown, 1.0))


@lru_cache(maxsize=8192)
def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _among(own: tuple[str, ...], models: list[str]) -> tuple[str, ...]:
    """The models with a person's own posts in the places of those that are nearest in length: two,
    or one where there is one model. Own posts that follow each other may be joined in one."""
    words = [log(1 + word_count(model)) for model in models]
    ends = list(accumulate(map(word_count, own), initial=0))
    several = len(models) > 1
    _, at, there, cut, used = min(
        (
            abs(log(1 + ends[cut]) - words[at])
            + several * abs(log(1 + ends[used] - ends[cut]) - words[there]),
            at,
            there,
            cut,
            used,
        )
        for used in range(2, len(own) + 1)
        for cut in (range(1, used) if several else [used])
        for at, there in (permutations(range(len(models)), 2) if several else [(0, 0)])
    )
    shown = list(models)
    for place, part in ((there, own[cut:used]), (at, own[:cut])):
        shown[place] = _in_lines("\n".join(part), models[place])
    return tuple(shown)


def _in_lines(text: str, model: str) -> str:
    """The sentences of a post in as many lines as `model` has, as far as there are enough: a title
    is a line of its own, and every line has a sentence."""
    lines = [line for line in model.split("\n") if line.strip()]
    sentences = sentences_of(text)
    count = min(len(lines), len(sentences))
    if count < 2:
        return " ".join(sentences)
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
    sentences = sentences_of(text)
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


def sentences_of(text: str) -> list[str]:
    ends = [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    found = [text[start:end].strip() for start, end in pairwise([0, *ends])]
    return [sentence for sentence in found if sentence]
