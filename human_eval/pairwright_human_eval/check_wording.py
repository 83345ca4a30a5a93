"""How an attention check is made like a task of the run: its posts, and the wordings of its
question and responses.

A check takes the layout of a task. Its person's posts take the places of two of that task's posts
that are about as long. Of its question and responses those wordings are shown that are nearest to
the task's by length, and by the words they have in common with each other and with these posts.
Which of the two people the coin draws has no part in that.
"""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations, compress, groupby, pairwise, permutations
from math import fsum, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.records import Post
from pairwright.text import word_count
from pairwright_human_eval.attention import AttentionCheck, Wording

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
    signs: Sizes
    """`signs_of` it."""


def check_like(
    check: AttentionCheck, example: Example, lacking: Sizes, spread: Sizes, swap: bool
) -> AttentionCheck:
    """The check like `example`, with as many posts. `lacking` is what earlier checks had too little
    of, by sign, and `spread` how much tasks of the run differ in it; `swap`: the good response is
    like the second one of `example`."""
    question, _ = nearest((check.question, *check.questions), example.question)
    shown = [post.text for post in example.posts]
    posts, other_posts = (
        _with_own_posts(own, shown) if shown else own for own in (check.posts, check.other_posts)
    )
    # As they are shown, A and B: which of them is good has no part in it.
    a, b = _nearest_pair(
        _wordings(check.bad if swap else check.good),
        _wordings(check.good if swap else check.bad),
        (size_of(example.responses[0]), size_of(example.responses[1])),
        _surroundings(question, posts, other_posts),
        example.signs + lacking,
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
    seen = np.stack([example.signs for example in examples])
    low, high = np.quantile(seen, (0.25, 0.75), axis=0)
    found: Sizes = np.maximum((high - low) / 1.35, abs(seen).mean(axis=0) / 100) + 1e-3
    return found


# The questions of all checks are held against those of few tasks.
@lru_cache(maxsize=65536)
def nearest(wordings: tuple[str, ...], model: str) -> tuple[str, float]:
    """The wording whose size is nearest to that of the model, and how far it is."""
    apart = distance(_sizes_of(wordings), size_of(model))
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


class _Surroundings(NamedTuple):
    """The words of what is beside the responses."""

    question: Mapping[str, float]
    posts: Mapping[str, float]
    """How probably the posts have it: of a check, either person's are shown."""


def _surroundings(question: str, *posts: Sequence[str]) -> _Surroundings:
    words = Counter(word for own in posts for word in words_of(" ".join(own)))
    shares = {word: n / len(posts) for word, n in words.items()}
    return _Surroundings(dict.fromkeys(words_of(question), 1.0), shares)


class _Responses(NamedTuple):
    """Wordings of two responses and their words, in one order of words."""

    one: _Wordings
    other: _Wordings
    has: tuple[Sizes, Sizes]
    """Which wording of each has which word, 0 or 1: shape (wordings, words)."""
    again: NDArray[np.bool_]
    """Which sentence of the one says which of the other again."""
    kinds: Sizes
    """Shape (4, words): 1 for a short word; for a long one; how probably the posts have a long one;
    and 1 for a long one of the question."""
    counts: tuple[Sizes, Sizes]
    """How many words of each kind has which wording of each: shape (wordings, 4)."""
    said: tuple[float, float, float]
    """The long words of the posts and of the question, and the share of these in the posts."""

    def some(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> "_Responses":
        return self._replace(
            one=self.one.some(one),
            other=self.other.some(other),
            has=(self.has[0][one], self.has[1][other]),
            counts=(self.counts[0][one], self.counts[1][other]),
        )


def _responses(one: _Wordings, other: _Wordings, beside: _Surroundings) -> _Responses:
    words, parts, again, long = _words_in(one.sentences, other.sentences)
    in_posts, asked = (
        long * [text.get(word, 0) for word in words] for text in (beside.posts, beside.question)
    )
    in_all, asked_in_all = (
        sum(n for word, n in text.items() if len(word) > SHORT_WORD)
        for text in (beside.posts, beside.question)
    )
    kinds = np.stack([1 - long, long, in_posts, asked])
    has = np.minimum(1, one.shown @ parts[0]), np.minimum(1, other.shown @ parts[1])
    return _Responses(
        one,
        other,
        has,
        again,
        kinds,
        (has[0] @ kinds.T, has[1] @ kinds.T),
        (in_all, asked_in_all, _share_of_long(beside.question, beside.posts)),
    )


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
        (one, [*_subsets([*more, *common])]),
        (one, [(*end, *own) for end in ends for own in _subsets([*common])]),
        (other, [*_subsets([*common])]),
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


def _subsets(sentences: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Each or none of them, in this order."""
    return (some for n in range(len(sentences) + 1) for some in combinations(sentences, n))


def _nearest_pair(
    a: _Wordings,
    b: _Wordings,
    models: tuple[Sizes, Sizes],
    beside: _Surroundings,
    target: Sizes,
    spread: Sizes,
) -> tuple[str, str]:
    """Two wordings about as long as the models that together are near to the target."""
    nearest_a, nearest_b = (
        np.argsort(distance(own.sizes, model), kind="stable")[:TRIED]
        for own, model in zip((a, b), models, strict=True)
    )
    tried = _responses(a.some(nearest_a), b.some(nearest_b), beside)

    def best(one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[np.intp, np.intp]:
        """The best two of these wordings, by their places."""
        signs = zip(
            _pair_signs(tried.some(one, other)), target, spread, SIGN_WEIGHTS.values(), strict=True
        )
        apart = sum(
            (weight * ((sign - due) / usual) ** 2 for sign, due, usual, weight in signs),
            np.zeros(()),
        )
        n, k = np.unravel_index(int(np.argmin(apart)), apart.shape)
        return one[n], other[k]

    all_a, all_b = np.arange(len(nearest_a)), np.arange(len(nearest_b))
    n, k = best(all_a[:FIRST], all_b[:FIRST])
    for turn in range(TURNS):
        before = n, k
        n, k = best(np.array([n]), all_b) if turn % 2 else best(all_a, np.array([k]))
        if turn and (n, k) == before:
            break  # Each is the best beside the other.
    return tried.one.text(int(n)), tried.other.text(int(k))


SIGN_WEIGHTS = {
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
def signs_of(responses: tuple[str, str], question: str, *posts: tuple[str, ...]) -> Sizes:
    """The signs (`SIGN_WEIGHTS`) of the responses of a task with these posts, or on average of a
    task with the posts of one of several people; read-only."""
    one, other = (
        _Wordings(tuple(sentences), np.ones((1, len(sentences))), size_of(text)[None])
        for text in responses
        for sentences in [sentences_of(text)]
    )
    found = np.array(
        [
            sign[0, 0]
            for sign in _pair_signs(_responses(one, other, _surroundings(question, *posts)))
        ]
    )
    found.flags.writeable = False
    return found


def _pair_signs(of: _Responses) -> tuple[Sizes, ...]:
    """Of each wording of one response with each of the other: an array of shape (n, m) for each
    sign, or one that is as good, with an axis of length 1."""
    one, other, (mine, theirs) = of.one, of.other, of.counts
    # How many words of each kind both have, and how many either.
    both = _both(*of.has, of.kinds)
    either = mine.T[:, :, None] + theirs.T[:, None] - both
    characters, count, sentences = (
        one.sizes[:, None, k] + other.sizes[None, :, k] for k in range(3)
    )
    in_all, asked_in_all, asked_in_posts = of.said
    return (
        count,
        characters,
        _ratio(count, sentences),
        _ratio(abs(one.sizes[:, None, 1] - other.sizes[None, :, 1]), count),
        _ratio(both[0] + both[1], either[0] + either[1]),
        _ratio(both[1], either[1]),
        _ratio(one.shown @ ((of.again @ other.shown.T) > 0), one.shown.sum(axis=1)[:, None]),
        _ratio(mine[:, 2], mine[:, 1])[:, None] + _ratio(theirs[:, 2], theirs[:, 1]),
        either[2] / max(1, in_all),
        either[3] / max(1, asked_in_all),
        np.full((1, 1), asked_in_posts),
    )


def _both(has: Sizes, other_has: Sizes, kinds: Sizes) -> Sizes:
    """How many words of each kind each wording of the one has with each of the other: shape
    (kinds, n, m)."""
    if len(has) < len(other_has):
        return _both(other_has, has, kinds).swapaxes(1, 2)
    weighted = (kinds[:, None] * other_has).reshape(-1, has.shape[1])
    return (has @ weighted.T).reshape(len(has), len(kinds), -1).swapaxes(0, 1)


@lru_cache(maxsize=256)
def _words_in(
    one: tuple[str, ...], other: tuple[str, ...]
) -> tuple[list[str], tuple[Sizes, Sizes], NDArray[np.bool_], Sizes]:
    """The words of the sentences of two responses; which sentence has which, 0 or 1; which
    sentence of the one has half of its long words in which of the other; and 1 for a long word."""
    own = [[words_of(sentence) for sentence in sentences] for sentences in (one, other)]
    words = sorted(frozenset[str]().union(*own[0], *own[1]))
    place = {word: n for n, word in enumerate(words)}
    first, second = (np.zeros((len(each), len(words))) for each in own)
    for each, part in zip(own, (first, second), strict=True):
        for row, sentence in zip(part, each, strict=True):
            row[[place[word] for word in sentence]] = 1
    long = np.array([float(len(word) > SHORT_WORD) for word in words])
    again = _ratio(first * long @ second.T, (first @ long)[:, None]) >= SAID_AGAIN
    return words, (first, second), again, long


def _ratio(part: Sizes, whole: Sizes) -> Sizes:
    found: Sizes = part / np.maximum(whole, 1)
    return found


def _share_of_long(words: Iterable[str], shown: Mapping[str, float]) -> float:
    """The share of the long words that are shown."""
    long = [shown.get(word, 0) for word in words if len(word) > SHORT_WORD]
    return fsum(long) / max(1, len(long))


def share_in(shown: frozenset[str], text: str) -> float:
    """The share of the long words of a text that are shown."""
    long = [word for word in words_of(text) if len(word) > SHORT_WORD]
    return sum(word in shown for word in long) / max(1, len(long))


@lru_cache(maxsize=8192)
def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _with_own_posts(own: tuple[str, ...], models: list[str]) -> tuple[str, ...]:
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
