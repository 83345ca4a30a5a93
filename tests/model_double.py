"""A scripted double of a language model: it plans, writes and judges by words that texts share.

    ModelDouble().reply(body)                        # the body of a chat completion
    ModelDouble(unparseable_json=0.2).reply(body)    # with defects planted at a rate, and named

A reply is a function of the request: the task that its prompt names and the prompt's tagged texts.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pairwright.records import FULL_ADHERENCE
from pairwright.text import STOPWORDS, jaccard, stemmer, terms, word_count, words

Body = dict[str, Any]
DOUBLE = "pairwright-double"
"""The name of the model."""
REFUSAL = "I'm sorry, but I can't help with that."
CHOSEN = ("write_adhering", "paper_expected", "sample", "complete")
REJECTED = ("write_omitting", "write_contradicting", "paper_avoided", "write_plain")
FRAMES = ("Advice that fits {} and {}", "What {} asks for beside {}")
"""How an aspect is said of two words of a post."""
PERSONAL = re.compile(r"\b(?:I|I'm|I've|my|we|our)\b")
SENTENCE = re.compile(r"[^.!?\n]+")
_OF_FRAMES = terms(" ".join(FRAMES))

stem = stemmer("en")


def share(*parts: object) -> float:
    """A number from 0 to 1 that depends on the parts alone."""
    digest = hashlib.blake2b("\0".join(map(str, parts)).encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest()) / 2**64


def pick(options: Sequence[Any], *parts: object) -> Any:
    return options[int(share(*parts) * len(options))]


def said(body: Body) -> str:
    """What the user messages of a request say."""
    return "\n\n".join(str(m["content"]) for m in body["messages"] if m["role"] == "user")


def task_of(body: Body) -> str:
    """The task that a request's prompt names last."""
    return str(re.findall(r"<task>\s*(\w+)\s*</task>", said(body))[-1])


CASE = re.compile(r'<case number="(\d+)" posts="(.*?)">\s*<aspect>(.*?)</aspect>')


def tagged(text: str, tag: str) -> list[tuple[str, str]]:
    """Attribute value and text of the elements of a prompt."""
    found = re.finditer(rf'<{tag}(?: \w+="([^"]*)")?>(.*?)</{tag}>', text, re.DOTALL)
    return [(match[1] or "", match[2].strip()) for match in found]


def content(aspect: str) -> frozenset[str]:
    """The stems that an answer has to hold to serve an aspect."""
    return frozenset((terms(aspect) - _OF_FRAMES) or map(stem, words(aspect)))


class ModelDouble:
    """Replies to chat requests, with defects at rates from 0 to 1; `_object` and `_answer` name
    them. It keeps the posts of each question, for answers that copy from one."""

    def __init__(self, **rates: float) -> None:
        self._rates = rates
        self._posts: dict[str, list[str]] = {}

    def reply(self, body: Body) -> Body:
        task = _Task(body, self._rates, self._posts)
        text, planted = task.reply()
        sent = -(-sum(len(str(message["content"])) for message in body["messages"]) // 4)
        received = -(-len(text) // 4)
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": sent, "completion_tokens": received,
                 "total_tokens": sent + received}  # fmt: skip
        return {
            "id": f"chatcmpl-{task.key}", "object": "chat.completion", "created": 0,
            "model": body.get("model", DOUBLE), "usage": usage,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "pairwright": {"planted": planted},
        }  # fmt: skip


class _Task:
    """One request, taken apart."""

    def __init__(
        self, body: Body, rates: Mapping[str, float], memory: dict[str, list[str]]
    ) -> None:
        whole = json.dumps(body, sort_keys=True).encode()
        self.key = hashlib.blake2b(whole, digest_size=16).hexdigest()
        self.text, self.task = said(body), task_of(body)
        self.seed = body.get("seed")
        self.question = self._first("question")
        self.posts = tagged(self.text, "post")
        self.aspects = [text for _, text in tagged(self._first("aspects"), "aspect")]
        self._rates, self.planted = rates, list[str]()
        if self.posts:
            memory.setdefault(self.question, [text for _, text in self.posts])
        self._known = memory.get(self.question, [])

    def _first(self, tag: str) -> str:
        return next((text for _, text in tagged(self.text, tag)), "")

    def _strikes(self, kind: str) -> bool:
        """Whether a defect is planted here; if so it is named in the reply."""
        struck = share(kind, self.key) < self._rates.get(kind, 0)
        self.planted += [kind] * struck
        return struck

    def reply(self) -> tuple[str, list[str]]:
        """The text, and the defects in it."""
        if self.task in (*CHOSEN, *REJECTED):
            return self._answer(), self.planted
        text = json.dumps(self._object(), ensure_ascii=False)
        if self._strikes("unparseable_json"):
            return text[: len(text) * 2 // 3], ["unparseable_json"]
        return text, self.planted

    def _object(self) -> Body:
        why = {"reason": "By shared words."}
        match self.task:
            case "plan":
                return {"aspects": self._plan()}
            case "plan_blind":
                return {"aspects": self._blind()}
            case "quality":
                return self._quality()
            case "rate":
                response = self._first("response")
                score = self._level(response) + min(6, len(self._fitting(response)))
                return {**why, "score": score}
            case "choose":
                return {**why, "choice": "A"}
            case "compare" | "prefer":
                return {**why, "verdict": self._verdict()}
            case "adherence":
                name, verdicts = "scores", self._adherence()
            case "support":
                name, verdicts = "cases", self._support()
            case _:
                name, verdicts = "aspects", self._match()
        more = verdicts[-1:] if self._strikes("wrong_number_of_scores") else []
        return {name: verdicts + more}

    # Planning

    def _plan(self) -> list[Body]:
        """Up to three aspects, of the first posts in which the author speaks of themselves. The
        third joins two posts where there are so many."""
        found = [(label, *own) for label, text in self.posts if (own := self._personal(text))]
        aspects = []
        for n, (label, passage, one, other) in enumerate(found[:3]):
            evidence, follows = [{"post": label, "passage": passage}], "stated"
            if n == 2 and len(found) > 3:
                label, passage, other, _ = found[3]
                evidence, follows = [*evidence, {"post": label, "passage": passage}], "pattern"
            name = pick(FRAMES, one, other).format(one, other)
            reason = f"The text speaks of {one}."
            made = {"aspect": name, "reason": reason, "evidence": evidence, "follows": follows}
            aspects.append(made)
        if aspects and self._strikes("generic_aspect"):
            aspects[-1]["aspect"] = self._blind()[0]
        if aspects and self._strikes("aspect_without_evidence"):
            invented = "as was remarked elsewhere in quite other words"
            of_post = aspects[0]["evidence"]
            aspects[0]["evidence"] = [{**of_post[0], "passage": invented}]
        return aspects

    def _personal(self, post: str) -> tuple[str, str, str] | None:
        """A sentence in which the author speaks of themselves, and its two longest words."""
        for match in SENTENCE.finditer(post):
            sentence = match.group().strip(" \"'")
            own = [
                word
                for word in dict.fromkeys(re.findall(r"(?<!\S)[a-z]{5,}\b", sentence))
                if word not in STOPWORDS and stem(word) not in terms(self.question) | _OF_FRAMES
            ]
            if PERSONAL.search(sentence) and 5 <= len(sentence.split()) <= 40 and len(own) > 1:
                one, other, *_ = sorted(own, key=lambda word: (-len(word), word))
                return sentence, one, other
        return None

    def _blind(self) -> list[str]:
        first, second = self._topics()
        return [f"The main steps for {first}", f"Common mistakes with {second}",
                f"Usual cost of {first} and {second}"]  # fmt: skip

    def _topics(self) -> list[str]:
        telling = sorted(set(words(self.question)) - STOPWORDS, key=lambda word: (-len(word), word))
        return [*telling, "it", "the rest"][:2]

    # Writing

    def _answer(self) -> str:
        if self._strikes("refusal"):
            return REFUSAL
        aspects = self.aspects
        if self.task in ("sample", "complete"):
            aspects = [one["aspect"] for one in self._plan() if share(one, self.seed) < 0.5]
        serve = aspects if self.task in CHOSEN else []
        if aspects and self._strikes("violated_chosen" if serve else "adhering_rejected"):
            serve = [] if serve else aspects
        first, second = self._topics()
        middle = [*self._planted_sentences(aspects, serve), *map(self._served, serve)]
        text = [f"Whoever turns to {first} does well to settle {second} early.", *middle]
        turn = 0
        most = 200 if self._strikes("over_long") else 60 + 15 * share("length", self.key)
        while word_count(" ".join(text)) < most:
            text.append(_filler(self.question, self.task, aspects, self.seed, turn))
            turn += 1
        return " ".join(text)

    def _served(self, aspect: str) -> str:
        """A sentence with the words of the aspect in another order; of some aspects one is always
        left out."""
        wanted = [word for word in words(aspect) if stem(word) in content(aspect)][::-1]
        if len(wanted) > 1 and share("less", aspect) < 0.1:
            wanted = wanted[1:]
        return f"Some room belongs to {', then '.join(wanted)} as well."

    def _planted_sentences(self, aspects: list[str], serve: list[str]) -> list[str]:
        longest = max(aspects, key=word_count, default="")
        listed = dict.fromkeys(reversed([word for aspect in serve for word in words(aspect)]))
        fit = [s.strip() for post in self._known for s in SENTENCE.findall(post) if len(s) > 60]
        first = self._topics()[0]
        sentences = {
            "leaked_rubric": f"{longest}." if word_count(longest) >= 6 else "",
            "repeated_aspects": f"Think of {', '.join(listed)}." if listed else "",
            "copied_profile": f"{pick(fit, self.key)}." if fit else "",
            "persona_talk": f"As someone who has been busy with {first}, you will see why.",
        }
        return [said for kind, said in sentences.items() if said and self._strikes(kind)]

    # Judging

    def _adherence(self) -> list[Body]:
        """How much of each aspect the response holds; six tenths are all. Words of the question
        are in any answer, so they show nothing."""
        held, verdicts = terms(self._first("response")), []
        for number, aspect in enumerate(self.aspects, start=1):
            wanted = (content(aspect) - terms(self.question)) or content(aspect)
            part = len(wanted & held) / len(wanted) if wanted else 0
            score = min(FULL_ADHERENCE, int(part * FULL_ADHERENCE / 0.6))
            verdicts.append({"number": number, "reason": "By shared words.", "score": score})
        return verdicts

    def _support(self) -> list[Body]:
        """Whether the posts of a case hold at least half of its aspect."""
        verdicts, texts = [], dict(tagged(self.text, "post"))
        for number, posts, aspect in CASE.findall(self.text):
            wanted, held = content(aspect), terms(" ".join(texts[n] for n in posts.split(", ")))
            carried = len(wanted & held) > len(wanted) / 2
            verdict = "carried" if carried else "far_fetched"
            verdicts.append({"number": int(number), "reason": "Words.", "verdict": verdict})
        return verdicts

    def _match(self) -> list[Body]:
        """The lists of which one aspect shares half of all content."""
        lists = {
            int(number): [content(text) for _, text in tagged(block, "aspect")]
            for number, block in tagged(self.text, "list")
        }
        verdicts = []
        for number, own in enumerate(map(content, self.aspects), start=1):
            found = [n for n, of in lists.items() if any(jaccard(own, one) >= 0.5 for one in of)]
            verdicts.append({"number": number, "reason": "By shared words.", "found_in": found})
        return verdicts

    def _quality(self) -> Body:
        level, scores = self._level(self._first("response")), {}
        for name, wording in tagged(self.text, "scale"):
            anchors = [int(n) for n in re.findall(r"^(\d+) = ", wording, re.MULTILINE)] or [1, 5]
            above = round((level - 1) / 4 * (max(anchors) - min(anchors)))
            scores[name] = {"reason": "It answers.", "score": min(anchors) + above}
        return scores

    def _level(self, response: str) -> int:
        refuses = not response or response.startswith(REFUSAL[:9])
        return 1 if refuses else 2 if not terms(self.question) & terms(response) else 4

    def _verdict(self) -> str:
        """By quality, or of a scorer under test by words of what it is shown of the person."""
        if self._strikes("first_preferring_judge"):
            return "A"
        pair = dict(tagged(self.text, "response"))
        measure = self._level if self.task == "compare" else lambda r: len(self._fitting(r))
        lead = measure(pair.get("A", "")) - measure(pair.get("B", ""))
        if self.task == "prefer":  # Not all of its verdicts survive the other order.
            lead += share(*pair.values()) < 1 / 3
        return "tie" if lead == 0 else "A" if lead > 0 else "B"

    def _fitting(self, response: str) -> frozenset[str]:
        shown = [text for _, text in self.posts] + self.aspects
        return (terms(" ".join(shown)) & terms(response)) - terms(self.question) - _OF_FRAMES


_PARTS = [
    part.split(", ")
    for part in (
        "A plan, A list, A trial, A pause, A note, A change, A check, A rule, A limit, An hour",
        "saves, takes, shows, hides, earns, costs, settles, spares, brings, shapes",
        "more than talk, half the work, less than feared, many small errors, its own order",
        "as a rule, in most cases, over a month, on a bad day, with practice, at the end",
    )
]


def _filler(*parts: object) -> str:
    """A sentence that would do for any question."""
    return " ".join(pick(options, n, *parts) for n, options in enumerate(_PARTS)) + "."
