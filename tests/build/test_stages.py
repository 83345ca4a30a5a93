"""The stages, one by one: what is asked, what is kept, what is dropped, and what is refused."""

import json
import os.path
import re
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any, get_args

import pytest

from pairwright.models import Model, Request
from pairwright.records import (
    Aspect,
    Comparison,
    Dropped,
    Post,
    Rubric,
)
from pairwright.settings.domains import Guidance
from pairwright.settings.rules import PlanRules
from pairwright.stages.infer import Histories, infer_rubric
from pairwright.stages.judges import (
    adherence,
    choose,
    compare,
    match,
    quality,
    support,
)
from pairwright.stages.planner import Plan, plan, plan_blind
from pairwright.stages.writer import Stance, write, write_from_posts
from scripted import (
    Answer,
    Canned,
    Said,
    Scripted,
    body,
    by_order,
    expect,
    found_in,
    good,
    graded,
    model,
    models,
    parts,
    pattern,
    planned,
    posts,
    question,
    refused,
    rubric,
    scored,
    verdicts,
    wait,
)

QUESTION = "How do I bake good bread during the week?"
ASKED = question(QUESTION)
BOAT, NUTS, NIGHTS, TEETH = (
    "I live on a narrowboat. There is no oven on board, only one gas burner.",
    "My son is allergic to hazelnuts, so our kitchen is free of them.",
    "I work nights at the hospital and sleep until noon.",
    "My grandmother's teeth are bad, she eats with us on Sundays.",
)
PROFILE = posts(BOAT, NUTS, NIGHTS, TEETH)
NO_OVEN = ("p1", "no oven on board", "Methods for a stove without baking chamber")
NO_NUTS = ("p2", "allergic to hazelnuts", "Recipes safe for a nut allergy")
SHIFTS = ("p3", "I work nights", "A schedule for people awake after dark")
SOFT = ("p4", "teeth are bad", "Soft crumb that is easy to chew")


GUIDANCE = Guidance(
    ("kitchen and tools",), ("Something for one flame",), ("A topic of long ago",),
    ("illness from a diet",),
)  # fmt: skip


def plan_of(llm: Scripted, profile: tuple[Post, ...] = PROFILE, **policy: Any) -> Plan | Dropped:
    asked = question(QUESTION, guidance=GUIDANCE, rules=PlanRules(**policy))
    return wait(plan(asked, profile, model(llm)))


def sifted(reply: Answer, profile: tuple[Post, ...] = PROFILE, **policy: Any) -> Plan:
    return expect(Plan, plan_of(Scripted(plan=reply), profile, **policy))


def names(aspects: tuple[Aspect, ...]) -> list[str]:
    return [aspect.aspect for aspect in aspects]


def why(found: Plan | Rubric | Dropped) -> list[tuple[str, str]]:
    """Aspects that were dropped, with the reasons."""
    return [(dropped.aspect.aspect, dropped.reason) for dropped in found.dropped]


# Plan


def test_the_planner_reads_the_posts_the_question_the_kinds_and_the_limit() -> None:
    llm = Scripted(plan=planned(NO_OVEN))
    plan_of(llm)
    (prompt,) = llm.prompts("plan")
    assert parts("post", prompt) == [BOAT, NUTS, NIGHTS, TEETH]
    for said in (
        f"<question>\n{QUESTION}\n</question>", "- kitchen and tools", "100 words",
        "- An aspect: Something for one flame", "- Not an aspect: A topic of long ago",
        "- Never infer: illness from a diet",
    ):  # fmt: skip
        assert said in prompt
    # Ids of users' posts may say who wrote them.
    assert "post-0" not in prompt


@pytest.mark.parametrize(
    "evidence",
    [
        "NO OVEN on board", '"no oven on board"', "no  oven\non board.",
        "There is no oven on board, only one gas burner.", "\u201cno oven on board\u201d",
        "\u201eno oven on board\u201c", "\u00bbno oven on board\u00ab.",
        "\u00ab\u00a0no oven on board\u00a0\u00bb", "\u2039no oven on board\u203a",
        "\u300cno oven on board\u300d\u3002",
    ],
)  # fmt: skip
def test_a_quote_may_differ_in_case_quotes_and_spaces(evidence: str) -> None:
    assert len(sifted(planned(("p1", evidence, NO_OVEN[2]))).aspects) == 1


@pytest.mark.parametrize(
    ("aspect", "reason"),
    [
        (("p1", "there is no stove at all", NO_OVEN[2]), "evidence_not_in_post"),
        (("p1", "allergic to hazelnuts", NO_NUTS[2]), "evidence_not_in_post"),
        (("p1", "no oven ... gas burner", NO_OVEN[2]), "evidence_not_in_post"),
        (("p1", "oven", NO_OVEN[2]), "evidence_not_in_post"),
        (("p1", "", NO_OVEN[2]), "evidence_not_in_post"),
        (("p1", "no oven on board!", NO_OVEN[2]), "evidence_not_in_post"),
        (("p5", "no oven on board", NO_OVEN[2]), "names_no_shown_post"),
        (("", "no oven on board", NO_OVEN[2]), "names_no_shown_post"),
        (("p1", "no oven on board", "Baking good bread"), "restates_the_question"),
        (("p1", "no oven on board", "A concise explanation of pans"), "not_about_content"),
        (("p1", "no oven on board", "Steps as a numbered list"), "not_about_content"),
        (("p1", "no oven on board", "Pans explained in a friendly tone"), "not_about_content"),
    ],
)
def test_unfit_aspects_are_dropped_with_reasons(aspect: tuple[str, str, str], reason: str) -> None:
    found = sifted(planned(aspect, NO_NUTS))
    assert names(found.aspects) == [NO_NUTS[2]]
    assert why(found) == [(aspect[2], reason)]


# Histories and the context of a model


def over(most: int) -> Any:
    """A planner whose context holds so many posts."""

    def reply(request: Request) -> Canned:
        if len(parts("post", body(request))) > most:
            return Said("maximum context length is 4096 tokens", "context_length")
        return planned()

    return reply


def test_a_refusal_that_fewer_posts_cannot_mend_is_final() -> None:
    filtered = Said("filtered", "content_filter")
    for reply, reason, shown in (
        (over(0), "context_length", [4, 3, 2, 1]),
        (filtered, "content_filter", [4]),
    ):
        llm = Scripted(plan=reply)
        rejected = expect(Dropped, plan_of(llm))
        assert (rejected.stage, rejected.reason) == ("plan", reason)
        assert [len(parts("post", prompt)) for prompt in llm.prompts("plan")] == shown


# Support


def renumbered(reply: dict[str, Any], *numbers: object) -> dict[str, Any]:
    """The same reply whose entries name these numbers."""
    ((field, entries),) = reply.items()
    return {field: [e | {"number": n} for e, n in zip(entries, numbers, strict=True)]}


CASES = [
    (Aspect(aspect=NO_OVEN[2], reason="", evidence=""), (PROFILE[0],)),
    (Aspect(aspect=NO_NUTS[2], reason="", evidence=""), (PROFILE[1], PROFILE[3])),
]


# Match

LISTS = [("Crust", "Timing"), (), ("Nut-free recipes",)]


# Judges

RUBRIC = rubric(NO_OVEN[2], NO_NUTS[2], SHIFTS[2])
RESPONSE = "Use a heavy covered pan."


def test_adherence_has_one_score_an_aspect_in_order_and_the_judge_reads_names_alone() -> None:
    secret = {"reason": "SECRET", "evidence": "SECRET"}
    aspects = tuple(a.model_copy(update=secret) for a in RUBRIC.aspects)
    llm = Scripted(adherence=scored(2, 0, 1))
    found = good(adherence(ASKED, RESPONSE, aspects, model(llm)))
    assert ([s.score for s in found.scores], found.share) == ([2, 0, 1], 0.5)
    (prompt,) = llm.prompts("adherence")
    assert parts("aspect", prompt) == [NO_OVEN[2], NO_NUTS[2], SHIFTS[2]]
    assert (parts("response", prompt), "SECRET" in prompt) == ([RESPONSE], False)


STABLE = {
    ("A", "B"): Comparison.FIRST,
    ("B", "A"): Comparison.SECOND,
    **{("tie", swapped): Comparison.TIE for swapped in ("A", "B", "tie")},
}


@pytest.mark.parametrize(("straight", "swapped"), list(product(("A", "B", "tie"), repeat=2)))
def test_a_verdict_that_changes_with_the_order_is_undecided(straight: str, swapped: str) -> None:
    llm = Scripted(compare=by_order("verdict", "one", straight, swapped))
    found, reason = good(compare(ASKED, "one", "two", model(llm)))
    assert reason == "r"
    assert found is STABLE.get((straight, swapped), Comparison.UNDECIDED)
    # The other order is asked for only where the first named a better response.
    orders = [["one", "two"], ["two", "one"]]
    asked = [parts("response", p) for p in llm.prompts("compare")]
    assert asked == (orders[:1] if straight == "tie" else orders)


def test_a_forced_choice_counts_both_orders() -> None:
    for straight, swapped, taken in (("A", "B", 2), ("A", "A", 1), ("B", "B", 1), ("B", "A", 0)):
        llm = Scripted(choose=by_order("choice", "one", straight, swapped))
        assert good(choose(ASKED, "one", "two", model(llm))) == taken
        orders = [["one", "two"], ["two", "one"]]
        assert sorted(parts("response", p) for p in llm.prompts("choose")) == orders


# Replies that cannot be read


ASKS: dict[str, Callable[[Model], Awaitable[Any]]] = {
    "plan": lambda of: plan(ASKED, PROFILE, of),
    "plan_blind": lambda of: plan_blind(ASKED, of),
    "support": lambda of: support(ASKED, CASES, of),
    "match": lambda of: match(ASKED, [NO_OVEN[2], NO_NUTS[2]], LISTS, of),
    "adherence": lambda of: adherence(ASKED, RESPONSE, RUBRIC.aspects, of),
    "quality": lambda of: quality(ASKED, RESPONSE, of),
}
READABLE: dict[str, Canned] = {
    "plan": planned(NO_OVEN),
    "plan_blind": {"aspects": ["Crust"]},
    "support": verdicts("carried", "carried"),
    "match": found_in([], []),
    "adherence": scored(0, 0, 0),
    "quality": graded(1),
}


@pytest.mark.parametrize(
    ("stage", "reply", "complaint"),
    [
        ("plan", planned(NO_OVEN, NO_NUTS, SHIFTS, SOFT, NO_OVEN), "5 aspects, at most 4"),
        ("plan", {"aspects": [pattern("Doughs")]}, "0 passages for an aspect, 1 to 4 were due"),
        ("plan", {"aspects": [pattern("Doughs", *[("p1", "no oven on board")] * 5)]},
         "5 passages for an aspect, 1 to 4 were due"),
        ("plan", json.dumps(planned(NO_OVEN)).replace("stated", "certain"), "aspects.0.follows"),
        ("plan", json.dumps(planned(NO_OVEN)).replace("stated", 'stated","confidence":"1'),
         "confidence"),
        ("plan", "Here are the aspects: ...", "not JSON"),
        ("plan_blind", "Crust", "not JSON"),
        ("support", verdicts("carried"), "numbers [1], and each of 1 to 2"),
        ("support", verdicts(*["carried"] * 3), "numbers [1, 2, 3], and each of 1 to 2"),
        ("support", renumbered(verdicts("carried", "carried"), 1, 1),
         "numbers [1, 1], and each"),
        ("support", verdicts("carried", "maybe"), "cases.1.verdict"),
        ("match", found_in([]), "numbers [1], and each of 1 to 2"),
        ("match", found_in([], [4]), "list 4 does not exist"),
        ("adherence", scored(2, 2), "numbers [1, 2], and each of 1 to 3"),
        ("adherence", scored(2, 2, 3), "scores.2.score"),
        ("quality", graded(3) | {"relevance": {"reason": "r", "score": 6}},
         "relevance 6 is not between 1 and 5"),
        ("quality", graded(3) | {"helpfulness": {"reason": "r", "score": 3.5}},
         "helpfulness.score"),
        ("quality", {"helpfulness": graded(3)["helpfulness"]}, "correctness: Field required"),
    ],
)  # fmt: skip
def test_a_reply_that_breaks_the_rules_is_drawn_again_then_refused_and_never_filled_up(
    stage: str, reply: Canned, complaint: str
) -> None:
    fine, ask = READABLE[stage], ASKS[stage]
    llm, plain, broken = (Scripted(**{stage: of}) for of in ([reply, fine], fine, reply))
    assert good(ask(model(llm))) == good(ask(model(plain)))
    assert [request.draw for request in llm.requests] == [0, 1]
    rejected = refused(ask(model(broken)))
    assert (rejected.stage, rejected.reason) == (stage, "unparseable")
    assert complaint in rejected.detail
    assert len(broken.requests) == 3


# Writers


def test_a_writer_reads_question_aspects_and_word_limit() -> None:
    for stance in get_args(Stance):
        name = f"write_{stance}"
        llm = Scripted(**{name: "Bread."})
        asked = question(QUESTION, words=80)
        assert good(write(asked, RUBRIC, stance, model(llm), draw=2)) == "Bread."
        (request,) = llm.asked(name)
        assert (request.draw, request.schema_json) == (2, None)
        assert parts("aspect", body(request)) == [NO_OVEN[2], NO_NUTS[2], SHIFTS[2]]
        # Below what is accepted: models count badly.
        assert "64 to 76 words" in body(request)
        assert "80" not in body(request)


@pytest.mark.parametrize(
    ("code", "language", "length"),
    [("zh", "Chinese", "128 to 152 characters"), ("de", "German", ""), ("en", "", "")],
)
def test_all_who_write_are_asked_for_the_language(code: str, language: str, length: str) -> None:
    llm, asked = script(write_adhering="Brot."), question(QUESTION, language=code)
    good(infer_rubric(asked, "una", PROFILE, STRANGERS, models(llm)))
    good(write(asked, RUBRIC, "adhering", model(llm), draw=0))
    writers = {"plan", "plan_blind", "write_plain", "write_adhering"}
    for request in llm.requests:
        named = f"in {language}" in body(request) if language else "respond in" in body(request)
        assert named == bool(language and request.purpose in writers), request.purpose
    for prompt in llm.prompts("write_adhering", "write_plain"):
        assert ("characters" in prompt, length in prompt) == (bool(length), True)


def test_prompts_with_a_history_share_all_bytes_up_to_the_question() -> None:
    llm = Scripted(plan={"aspects": []}, paper_expected="Yes.")
    for asked in map(question, ("Which flour for rye?", "How do I keep the bread?")):
        good(plan(asked, PROFILE, model(llm)))
        good(write_from_posts(asked, PROFILE, RUBRIC, "expected", model(llm), 0))
    for name in ("plan", "paper_expected"):
        read = ["".join(m.content for m in request.messages) for request in llm.asked(name)]
        shared = os.path.commonprefix(read)  # noqa: RUF071 - character by character is meant
        assert shared.endswith("</post>\n</history>\n\n<question>\n")
        assert all(one.text in shared for one in PROFILE)


# Infer: what is this user's own

STRANGERS = tuple(
    posts(f"Stranger {n} keeps bees and sells honey.", prefix=f"s{n}") for n in range(5)
)
CARRIED = ("carried",) * 3
THEIRS = planned(("p1", "keeps bees", "Honey as a sweetener"), ("p1", "sells honey", "Jars"))


def of_user(mine: Canned, theirs: Canned = THEIRS) -> Any:
    """A planner's replies: `mine` for the profile, `theirs` for everybody else's."""
    return lambda request: mine if "narrowboat" in body(request) else theirs


def script(mine: Canned | None = None, **changes: Answer) -> Scripted:
    """All models of an inference that finds three aspects the user's own."""
    answers: dict[str, Answer] = {
        "plan": of_user(mine or planned(NO_OVEN, NO_NUTS, SHIFTS)),
        "plan_blind": {"aspects": ["Crust", "Timing"]},
        "write_plain": "Plan ahead and use a hot oven.",
        "support": verdicts(*CARRIED),
        "support_control": verdicts("far_fetched", "far_fetched", "carried"),
        "match": found_in([], [], []),
        "adherence": scored(0, 0, 1),
    }
    return Scripted(**(answers | changes))


def inferred(
    llm: Scripted, others: Histories = STRANGERS, words: int = 100, **policy: Any
) -> Rubric:
    rules = PlanRules(**{"support_control": 0.0, **policy})
    asked = question(QUESTION, words=words, rules=rules)
    return expect(Rubric, wait(infer_rubric(asked, "una", PROFILE, others, models(llm))))


def test_aspects_that_are_the_users_own_make_a_rubric() -> None:
    llm = script()
    found = inferred(llm)
    assert names(found.aspects) == [NO_OVEN[2], NO_NUTS[2], SHIFTS[2]]
    assert (found.question_id, found.user, found.origin) == ("item-1", "una", "planner")
    assert found.inferable
    assert found.shown == ("post-0", "post-1", "post-2", "post-3")
    assert found.dropped == ()
    # Each role is played by its own model.
    asked = [("plan", "the-planner")] * 3 + [
        ("plan_blind", "the-planner"), ("write_plain", "the-generator"),
        ("support", "the-judge"), ("match", "the-judge"), ("adherence", "the-judge"),
    ]  # fmt: skip
    assert sorted((r.purpose, r.model) for r in llm.requests) == sorted(asked)
    # The aspects are held against the blind rubric and each other user's.
    (prompt,) = llm.prompts("match")
    lists = [parts("aspect", text) for text in parts("list", prompt)]
    assert lists == [["Crust", "Timing"], *[["Honey as a sweetener", "Jars"]] * 2]


@pytest.mark.parametrize(
    ("changes", "others", "dropped"),
    [
        ({"match": found_in([], [1], [])}, 2, (NO_NUTS, "expected_without_history", "")),
        ({"match": found_in([], [1], [])}, 0, (NO_NUTS, "expected_without_history", "")),
        # More than one in five.
        ({"match": found_in([], [3], [])}, 2,
         (NO_NUTS, "expected_by_others", "1 of 2 other users' rubrics contain it")),
        ({"adherence": scored(1, 2, 0)}, 2, (NO_NUTS, "generic_answer_meets_it", "")),
        ({"support": verdicts("carried", "carried", "stands_without")}, 2,
         (SHIFTS, "support_stands_without", "reason 3")),
        ({"support": verdicts("carried", "carried", "far_fetched")}, 2,
         (SHIFTS, "support_far_fetched", "reason 3")),
    ],
)  # fmt: skip
def test_an_aspect_that_is_generic_or_not_carried_is_dropped_with_its_reason(
    changes: dict[str, Answer], others: int, dropped: tuple[tuple[str, str, str], str, str]
) -> None:
    llm = script(None, **changes)
    found = inferred(llm, others=STRANGERS[:others])
    aspect, reason, detail = dropped
    assert names(found.aspects) == [a[2] for a in (NO_OVEN, NO_NUTS, SHIFTS) if a != aspect]
    assert why(found) == [(aspect[2], reason)]
    assert detail in found.dropped[0].detail
    (prompt,) = llm.prompts("adherence")
    assert parts("response", prompt) == ["Plan ahead and use a hot oven."]


def test_support_is_judged_on_all_posts_of_an_aspect_and_the_control_on_as_many() -> None:
    reply = planned(NO_OVEN, NO_NUTS, SHIFTS)
    reply["aspects"][1] = pattern(
        "Loaves to share", ("p4", "she eats with us"), ("p2", "allergic to hazelnuts")
    )
    llm = script(reply)
    inferred(llm, support_control=1.0)
    judged, controlled = (llm.prompts(name)[0] for name in ("support", "support_control"))
    for prompt in (judged, controlled):
        assert parts("aspect", prompt) == [NO_OVEN[2], "Loaves to share", SHIFTS[2]]
        rests_on = re.findall(r'posts="(.*)"', prompt)
        assert [len(posts.split(", ")) for posts in rests_on] == [1, 2, 1]
    assert parts("post", judged) == [BOAT, TEETH, NUTS, NIGHTS]
    assert re.findall(r'posts="(.*)"', judged) == ["1", "2, 3", "4"]
    assert all(post.startswith("Stranger") for post in parts("post", controlled))


def test_no_more_aspects_are_used_than_the_words_can_carry() -> None:
    every = [NO_OVEN, NO_NUTS, SHIFTS, SOFT]
    for generic, words, kept, reason in (
        ([], 100, every[:3], "over_the_word_limit"), ([], 67, every[:2], "over_the_word_limit"),
        ([], 134, every, None),
        # One that is dropped leaves its room to the next.
        ([1], 100, every[1:], "expected_without_history"),
    ):  # fmt: skip
        llm = script(
            planned(*every),
            support=verdicts(*["carried"] * 4),
            match=found_in(*([1] if n in generic else [] for n in (1, 2, 3, 4))),
            adherence=scored(0, 0, 0, 0),
        )
        found = inferred(llm, words=words)
        assert names(found.aspects) == [aspect[2] for aspect in kept]
        assert {one.reason for one in found.dropped} == ({reason} if reason else set())
