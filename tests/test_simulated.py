"""The embedded model: what it plans, writes and judges, and the defects it plants."""

import asyncio
import io
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
import pytest

from pairwright import text
from pairwright.errors import ConfigError
from pairwright.evaluate.scorers.judges import ComparingJudge, RatingJudge
from pairwright.evaluate.scorers.scorer import (
    Preference,
    PromptContent,
    ResponseScore,
    Unscored,
)
from pairwright.models import SIMULATED, Completion, Model, Request
from pairwright.models.simulated import Defects, serve
from pairwright.models.simulated.frames import FRAMES
from pairwright.models.simulated.model import reply
from pairwright.models.simulated.planting import REFUSAL, Memory
from pairwright.models.simulated.statements import subject
from pairwright.records import Aspect, Comparison, Post, Rejected, Rubric
from pairwright.settings.domains import Guidance, load_scales
from pairwright.settings.prompt import Prompts
from pairwright.settings.prompt_variables import VARIABLES, Ask
from pairwright.settings.rules import PlanRules
from pairwright.stages import judges
from pairwright.stages.aspect_match import match
from pairwright.stages.narrative_aspects import aspects_of_narrative
from pairwright.stages.planner import Plan, plan, plan_blind
from pairwright.stages.support_check import support
from pairwright.stages.writer import PAPER_STANCES, Stance, write, write_paper, write_plain

ROOT = Path(__file__).parents[1]
PROMPTS = Prompts.load(ROOT / "prompts")
SCALES = load_scales(ROOT / "rubrics")
QUESTION = "How do I bake a good loaf of bread during the week?"
NONE = Defects()
T = TypeVar("T")

BOAT = (
    "I live on a houseboat and the only oven is a toaster oven. Bread comes out pale on one side.",
    "Is there a flour that keeps in damp air? Our houseboat is never dry, so bags go hard.",
    "I have no freezer, so a loaf has to last. I teach evening classes and bake after ten.",
    "My brother Tam is coeliac. He visits the houseboat on Sundays and I can't bake two loaves.",
)
FARM = (
    "I'm a beekeeper and we run a stall at the market. Honey goes into every loaf I sell.",
    "I bake with a wood stove. How do I know that it is hot enough for bread?",
    "We have no mixer on the farm. My daughter kneads, and she is allergic to sesame.",
)


class Direct:
    """Answers requests with `reply`, without a port; keeps them and what was planted."""

    def __init__(self, defects: Defects = NONE) -> None:
        self.defects, self.memory = defects, Memory()
        self.planted: list[str] = []
        self.bodies: list[dict[str, Any]] = []

    async def complete(self, request: Request) -> Completion:
        self.bodies.append(body_of(request))
        answer = reply(self.bodies[-1], self.defects, self.memory)
        self.planted += answer["pairwright"]["planted"]
        message = answer["choices"][0]["message"]["content"]
        return Completion(request.key, message, answer["choices"][0]["finish_reason"])


def body_of(request: Request) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.schema_json is not None:
        schema = {"name": request.schema_name, "schema": json.loads(request.schema_json)}
        body["response_format"] = {"type": "json_schema", "json_schema": {**schema, "strict": True}}
    return body


def model(llm: Direct | None = None, seed: int | None = None) -> Model:
    return Model(llm or Direct(), SIMULATED, seed=seed)


def wait(call: Awaitable[T | Rejected]) -> T:
    async def awaited() -> T | Rejected:
        return await call

    answer = asyncio.run(awaited())
    assert not isinstance(answer, Rejected), answer
    return answer


def history(texts: tuple[str, ...]) -> tuple[Post, ...]:
    return tuple(Post(id=f"post-{n}", text=t, created=f"202{n}") for n, t in enumerate(texts))


def planned(texts: tuple[str, ...], llm: Direct | None = None) -> Plan:
    call = plan(
        QUESTION,
        history(texts),
        model(llm),
        PROMPTS,
        PlanRules(),
        guidance=Guidance(("place",)),
        words=100,
    )
    return wait(call)


def rubric(texts: tuple[str, ...]) -> Rubric:
    aspects = planned(texts).aspects
    return Rubric(question_id="q", user="u", origin="planner", aspects=aspects)


def written(
    of: Rubric, stance: Stance = "adhering", llm: Direct | None = None, words: int = 100
) -> str:
    call = write(QUESTION, of, stance, model(llm), PROMPTS, words=words, draw=0)
    return wait(call)


def only(kind: str) -> Direct:
    return Direct(Defects.parse([f"{kind}=1"]))


# Planning


def test_the_planner_names_what_posts_say_about_their_author() -> None:
    found = planned(BOAT)
    assert len(found.aspects) >= 3
    assert not found.dropped
    about = {subject(a.aspect).phrase for a in found.aspects}
    assert "on a houseboat" in about
    assert "coeliac brother" in about


def test_an_aspect_is_short_and_copies_no_five_words_of_its_post() -> None:
    for texts in (BOAT, FARM):
        for aspect in planned(texts).aspects:
            assert len(aspect.aspect.split()) <= 15
            assert text.shared_span(aspect.aspect, texts, "") is None
            passages = text.passages(aspect.evidence)
            assert all(4 <= len(passage.split()) <= 25 for passage in passages)
            assert len(passages) == len(aspect.post_ids)
            assert (aspect.follows == "pattern") == (len(passages) > 1)


def test_what_two_posts_say_is_a_pattern_with_a_passage_of_each() -> None:
    (found,) = [a for a in planned(BOAT).aspects if "houseboat" in a.aspect]
    assert found.follows == "pattern"
    assert len(found.post_ids) == 2
    assert all("houseboat" in passage for passage in text.passages(found.evidence))


def test_posts_that_say_nothing_personal_give_no_aspects() -> None:
    plots = ("Why did the captain leave the island at the end?", "What does the ring stand for?")
    assert planned(plots).aspects == ()


@pytest.mark.parametrize(
    "odd", ["", "my my my", "I have no", "I live on the", "\U0001f35e\u2019s ?!", "I " * 500]
)
def test_odd_posts_are_read_without_harm(odd: str) -> None:
    assert planned((odd, odd)).aspects == ()


def test_two_people_get_different_rubrics_for_one_question() -> None:
    first, second = (
        text.terms(" ".join(subject(a.aspect).phrase for a in planned(texts).aspects))
        for texts in (BOAT, FARM)
    )
    assert text.jaccard(first, second) < 0.2


def test_the_blind_plan_lists_what_anyone_would_expect() -> None:
    found = wait(plan_blind(QUESTION, model(), PROMPTS))
    assert 3 <= len(found) <= 6
    assert all("loaf" in aspect or "basics" in aspect for aspect in found)


def test_aspects_of_a_narrative_quote_the_narrative() -> None:
    narrative = (
        "I own a cast iron pot and two tins. Which sort of crust does a covered pot give? "
        "I would also like to know about a slow rise overnight."
    )
    stand, dropped = wait(aspects_of_narrative(QUESTION, narrative, model(), PROMPTS))
    assert len(stand) >= 2
    assert not dropped


# Writing


def test_an_adhering_answer_serves_its_own_rubric_and_not_another() -> None:
    boat, farm = rubric(BOAT), rubric(FARM)
    for own, other in ((boat, farm), (farm, boat)):
        answer = written(own)
        shares = [
            wait(judges.adherence(QUESTION, answer, held, model(), PROMPTS)).share
            for held in (own, other)
        ]
        assert shares[0] >= 0.6
        assert shares[1] <= shares[0] - 0.3


def test_answers_are_of_one_length_and_clearly_different() -> None:
    boat, farm = rubric(BOAT), rubric(FARM)
    first = written(boat)
    stances: tuple[Stance, ...] = ("omitting", "contradicting")
    for second in (written(farm), *(written(boat, stance) for stance in stances)):
        lengths = sorted(text.word_count(answer) for answer in (first, second))
        assert lengths[0] >= 70
        assert lengths[1] <= 98
        assert lengths[1] / lengths[0] < 1.3
        assert not text.near_duplicate(first, second, 0.6)


def test_an_answer_copies_no_five_words_of_its_rubric() -> None:
    for texts in (BOAT, FARM):
        of = rubric(texts)
        sources = [part for a in of.aspects for part in (a.aspect, a.reason, a.evidence)]
        assert text.shared_span(written(of), sources, QUESTION) is None


def test_no_wording_of_an_answer_shares_five_words_with_the_wording_of_an_aspect() -> None:
    for kind, frame in FRAMES.items():
        phrase = "one two three" if kind in ("lack", "family", "theme") else "one two three four"
        sources = [frame.aspect(phrase, n) for n in range(len(frame.aspects))]
        sources.append(frame.because(phrase, "post"))
        for n in range(len(frame.lines)):
            assert text.shared_span(frame.line(phrase, n), sources, "") is None, kind


def test_every_aspect_can_be_read_back() -> None:
    for kind, frame in FRAMES.items():
        for n in range(len(frame.aspects)):
            assert subject(frame.aspect("old kettle", n)) == (kind, "old kettle")


def test_an_answer_speaks_neither_of_its_reader_nor_of_its_task() -> None:
    talk = ("as someone who", "since you", "given your", "you mentioned", "aspect", "rubric")
    for stance in ("adhering", "omitting", "contradicting"):
        answer = written(rubric(BOAT), stance).lower()
        assert not [words for words in talk if words in answer]


def test_an_answer_keeps_to_the_word_limit_it_is_given() -> None:
    for words in (60, 75, 100, 300):
        assert 20 <= text.word_count(written(rubric(FARM), words=words)) <= min(words, 98)


def test_more_aspects_than_fit_still_keep_to_the_word_limit() -> None:
    aspects = tuple(
        Aspect(aspect=FRAMES["lack"].aspect(f"kettle{n}", n), reason="", evidence="")
        for n in range(9)
    )
    of = Rubric(question_id="q", user="u", origin="gold", aspects=aspects)
    assert 70 <= text.word_count(written(of)) <= 100


def test_the_other_writing_tasks_give_an_answer_too() -> None:
    plain = wait(write_plain(QUESTION, model(), PROMPTS, words=100))
    paper = [
        wait(
            write_paper(
                QUESTION,
                history(BOAT),
                rubric(BOAT),
                stance,
                model(),
                PROMPTS,
                PlanRules(),
                words=100,
                draw=0,
            )
        )[0]
        for stance in PAPER_STANCES
    ]
    for answer in (plain, *paper):
        assert isinstance(answer, str)
        assert 70 <= text.word_count(answer) <= 98
        assert ("houseboat" in answer) == (answer == paper[0])


def test_gold_aspects_that_the_planner_never_made_are_served_in_other_words() -> None:
    gold = ("Practical steps for managing stress", "Comparison of yeast, sourdough and soda")
    aspects = tuple(Aspect(aspect=a, reason="", evidence="") for a in gold)
    of = Rubric(question_id="q", user="u", origin="gold", aspects=aspects)
    answer = written(of)
    assert wait(judges.adherence(QUESTION, answer, of, model(), PROMPTS)).share >= 0.6
    assert text.shared_span(answer, gold, QUESTION) is None


# Judging


def test_the_adherence_judge_names_the_words_it_found() -> None:
    of = rubric(BOAT)
    verdict = wait(judges.adherence(QUESTION, written(of), of, model(), PROMPTS))
    assert "houseboat" in " ".join(score.reason for score in verdict.scores)


def test_the_quality_judge_tells_an_answer_from_a_refusal() -> None:
    good, bad = (
        wait(judges.quality(QUESTION, answer, SCALES, model(), PROMPTS))
        for answer in (written(rubric(BOAT)), REFUSAL)
    )
    assert good.mean >= 4
    assert bad.mean == 1
    assert set(good.scores) == {scale.name for scale in SCALES}


def test_the_comparing_judge_says_tie_unless_one_side_is_clearly_worse() -> None:
    first, second = written(rubric(BOAT)), written(rubric(FARM))
    for other, verdict in ((second, Comparison.TIE), (REFUSAL, Comparison.FIRST)):
        call = judges.compare(QUESTION, first, other, SCALES, model(), PROMPTS)
        assert wait(call) is verdict


def test_the_support_judge_carries_what_the_post_says() -> None:
    aspects, posts = planned(BOAT).aspects, {p.id: p for p in history(BOAT)}
    cases = [(a, tuple(posts[id] for id in a.post_ids)) for a in aspects]
    foreign = [(a, tuple(history(FARM)[1:2])) for a in aspects]
    verdicts = wait(support(QUESTION, cases + foreign, model(), PROMPTS))
    assert [v.verdict for v in verdicts[: len(cases)]] == ["carried"] * len(cases)
    assert {v.verdict for v in verdicts[len(cases) :]} == {"far_fetched"}


def test_the_matching_judge_finds_an_aspect_in_other_words() -> None:
    frame = FRAMES["lack"]
    asked = [frame.aspect("freezer", 0), frame.aspect("mixer", 0)]
    lists: list[tuple[str, ...]] = [(frame.aspect("freezer", 1),), ("What the weather does",)]
    found = wait(match(QUESTION, asked, lists, model(), PROMPTS))
    assert found == (frozenset({0}), frozenset())


# Determinism


def test_the_same_request_gets_the_same_reply_and_another_seed_another_answer() -> None:
    of = rubric(BOAT)
    calls = [
        wait(write(QUESTION, of, "adhering", model(seed=seed), PROMPTS, words=100, draw=0))
        for seed in (1, 1, 2)
    ]
    assert calls[0] == calls[1] != calls[2]


def test_a_reply_takes_about_a_millisecond_at_most() -> None:
    llm = Direct()
    of = rubric(BOAT)
    for size in range(2, 8):
        planned((BOAT + FARM)[:size], llm)
        wait(judges.adherence(QUESTION, written(of, "adhering", llm), of, model(llm), PROMPTS))
    bodies = llm.bodies
    started = time.perf_counter()
    for body in bodies * 5:
        reply(body, NONE, Memory())
    # Five times what it takes, for machines that are busy.
    assert (time.perf_counter() - started) / len(bodies * 5) < 0.005


# Content defects


def test_a_reply_without_defects_says_so() -> None:
    llm = Direct()
    written(rubric(BOAT), llm=llm)
    planned(BOAT, llm)
    assert llm.planted == []


def test_unparseable_json_breaks_off() -> None:
    llm = only("unparseable_json")
    answer = asyncio.run(plan_blind(QUESTION, model(llm), PROMPTS))
    assert isinstance(answer, Rejected)
    assert answer.reason == "unparseable"
    assert llm.planted == ["unparseable_json"] * 3


def test_a_wrong_number_of_scores_is_refused() -> None:
    llm, of = only("wrong_number_of_scores"), rubric(BOAT)
    answer = asyncio.run(judges.adherence(QUESTION, written(of), of, model(llm), PROMPTS))
    assert isinstance(answer, Rejected)
    assert "more than one entry" in answer.detail
    assert set(llm.planted) == {"wrong_number_of_scores"}


def test_an_aspect_without_evidence_is_dropped_by_the_sift() -> None:
    llm = only("aspect_without_evidence")
    assert [d.reason for d in planned(BOAT, llm).dropped] == ["evidence_not_in_post"]
    assert llm.planted == ["aspect_without_evidence"]


def test_a_generic_aspect_is_one_of_the_blind_plan() -> None:
    llm = only("generic_aspect")
    aspects = [a.aspect for a in planned(BOAT, llm).aspects]
    blind = wait(plan_blind(QUESTION, model(), PROMPTS))
    assert set(blind) & set(aspects)
    assert llm.planted == ["generic_aspect"]


def test_a_leaked_rubric_is_six_words_of_an_aspect() -> None:
    llm, of = only("leaked_rubric"), rubric(BOAT)
    answer = written(of, llm=llm)
    assert text.shared_span(answer, [a.aspect for a in of.aspects], QUESTION, 6)
    assert llm.planted == ["leaked_rubric"]


def test_repeated_aspects_are_all_words_of_the_aspects_in_no_run() -> None:
    llm, of = only("repeated_aspects"), rubric(BOAT)
    answer, aspects = written(of, llm=llm), [a.aspect for a in of.aspects]
    assert text.echo(answer, aspects, QUESTION) == 1
    assert not text.shared_span(answer, aspects, QUESTION, 4)
    assert llm.planted == ["repeated_aspects"]
    written(of, "omitting", llm)
    assert llm.planted == ["repeated_aspects"]


def test_a_copied_profile_is_eight_words_of_a_post_once_a_plan_was_made() -> None:
    llm, of = only("copied_profile"), rubric(BOAT)
    written(of, llm=llm)
    assert llm.planted == []
    planned(BOAT, llm)
    assert text.shared_span(written(of, llm=llm), BOAT, QUESTION, 8)
    assert llm.planted == ["copied_profile"]


@pytest.mark.parametrize("particular", ["jo.k@mill.example", "Upper Marlow", "61613"])
def test_a_copied_particular_is_a_name_number_or_address_of_a_post(particular: str) -> None:
    llm, of = only("copied_particular"), rubric(BOAT)
    posts = (*BOAT, f"It came by way of {particular}, in 1990 or 300 days ago.")
    assert particular not in written(of, llm=llm)
    planned(posts, llm)
    assert f" {particular} " in written(of, llm=llm)
    assert llm.planted == ["copied_particular"]


def test_the_memory_of_posts_is_bounded() -> None:
    memory = Memory(questions=2)
    for question in "abc":
        memory.note(question, ["a post"])
    assert [memory.posts(question) for question in "abc"] == [(), ("a post",), ("a post",)]


def test_a_violated_chosen_serves_nothing() -> None:
    llm, of = only("violated_chosen"), rubric(BOAT)
    answer = written(of, llm=llm)
    assert wait(judges.adherence(QUESTION, answer, of, model(), PROMPTS)).share <= 0.2
    assert llm.planted == ["violated_chosen"]


@pytest.mark.parametrize("stance", ["omitting", "contradicting"])
def test_an_adhering_rejected_serves_everything(stance: Stance) -> None:
    llm, of = only("adhering_rejected"), rubric(BOAT)
    answer = written(of, stance, llm)
    assert wait(judges.adherence(QUESTION, answer, of, model(), PROMPTS)).share >= 0.6
    assert llm.planted == ["adhering_rejected"]
    assert written(of, "adhering", llm)
    assert llm.planted == ["adhering_rejected"]


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("over_long", lambda answer: text.word_count(answer) > 1.5 * 95),
        ("persona_talk", lambda answer: "As someone who" in answer or "Given your" in answer),
        ("refusal", lambda answer: answer == REFUSAL),
    ],
)
def test_other_defects_of_answers_are_planted(kind: str, holds: Callable[[str], bool]) -> None:
    llm = only(kind)
    assert holds(written(rubric(BOAT), llm=llm))
    assert llm.planted == [kind]


def test_a_first_preferring_judge_is_undecided_over_both_orders() -> None:
    llm = only("first_preferring_judge")
    first, second = written(rubric(BOAT)), written(rubric(FARM))
    call = judges.compare(QUESTION, first, second, SCALES, model(llm), PROMPTS)
    assert wait(call) is Comparison.UNDECIDED
    assert llm.planted == ["first_preferring_judge"] * 2


def test_a_rate_is_the_share_of_requests_that_are_struck() -> None:
    defects = Defects(refusal=0.2)
    struck = sum(defects.strikes("refusal", str(n)) for n in range(2000))
    assert 0.15 < struck / 2000 < 0.25


@pytest.mark.parametrize("setting", ["leaked=0.2", "refusal", "refusal=2", "refusal=often"])
def test_a_wrong_setting_names_the_defect_and_what_to_write(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Defects.parse([setting])
    assert setting.partition("=")[0] in caught.value.what
    assert "leaked_rubric" in caught.value.fix or "0 to 1" in caught.value.fix


# Over HTTP


def asked(prompt: Ask | None = None, name: str = SIMULATED) -> dict[str, Any]:
    prompt = prompt or PROMPTS.ask("write_plain", question=QUESTION, words=100)
    return body_of(Request(name, prompt.messages, 400))


async def post(url: str, body: dict[str, Any], limit_s: float = 5) -> tuple[int, Any]:
    """One request on a connection of its own: the status and the JSON."""
    timeout = aiohttp.ClientTimeout(total=limit_s)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.post(f"{url}/chat/completions", json=body) as response,
    ):
        return response.status, await response.json()


def over_http(body: dict[str, Any], *settings: str, times: int = 1) -> list[tuple[int, Any]]:
    async def run() -> list[tuple[int, Any]]:
        async with serve(defects=Defects.parse(settings)) as url:
            return [await post(url, body) for _ in range(times)]

    return asyncio.run(run())


def test_a_reply_has_the_openai_shape() -> None:
    [(status, answer)] = over_http(asked())
    assert status == 200
    assert answer["model"] == answer["system_fingerprint"] == SIMULATED
    assert answer["created"] == 0
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "stop"
    usage, content = answer["usage"], choice["message"]["content"]
    assert usage["completion_tokens"] == -(-len(content) // 4)
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert answer["pairwright"] == {"planted": []}


def test_a_reply_over_http_is_the_same_every_time() -> None:
    first, second = over_http(asked(), times=2)
    assert first == second == over_http(asked())[0]


def test_the_models_route_names_the_model_and_its_context() -> None:
    async def run() -> Any:
        async with (
            serve(max_model_len=999) as url,
            aiohttp.ClientSession() as session,
            session.get(f"{url}/models") as response,
        ):
            return await response.json()

    [listed] = asyncio.run(run())["data"]
    assert listed["id"] == SIMULATED
    assert listed["max_model_len"] == 999


def test_a_wrong_model_name_is_not_found() -> None:
    [(status, answer)] = over_http(asked(name="nope"))
    assert status == 404
    assert answer["error"] == {
        "message": "The model `nope` does not exist.",
        "type": "NotFoundError",
        "param": "model",
        "code": 404,
    }


def test_a_prompt_over_the_context_is_refused_in_the_words_of_vllm() -> None:
    async def run() -> tuple[int, Any]:
        async with serve(max_model_len=100) as url:
            return await post(url, asked())

    status, answer = asyncio.run(run())
    assert status == 400
    assert answer["error"]["param"] == "input_tokens"
    assert answer["error"]["message"].startswith(
        "This model's maximum context length is 100 tokens. However, your prompt contains at least "
    )


@pytest.mark.parametrize("words", ["", "<task>dance</task>"])
def test_a_prompt_without_a_known_task_is_refused(words: str) -> None:
    body = {"model": SIMULATED, "messages": [{"role": "user", "content": words}]}
    [(status, answer)] = over_http(body)
    assert status == 400
    assert "task" in answer["error"]["message"]


@pytest.mark.parametrize("body", ["{", "[" * 100_000, '{"a":' * 100_000])
def test_a_body_that_is_not_json_is_refused(body: str) -> None:
    async def run() -> int:
        async with (
            serve() as url,
            aiohttp.ClientSession() as session,
            session.post(f"{url}/chat/completions", data=body) as response,
        ):
            return response.status

    assert asyncio.run(run()) == 400


@pytest.mark.parametrize(
    ("named", "status"),
    [
        ("rebound.example", 403), ("127.0.0.1.rebound.example:8000", 403), ("", 403),
        ("10.0.0.7:8000", 403), ("localhost", 200), ("localhost:9", 200), ("127.0.0.1", 200),
        ("[::1]:8000", 200), ("127.0.0.5:80", 200),
    ],
)  # fmt: skip
def test_a_page_of_another_name_cannot_talk_to_the_server(named: str, status: int) -> None:
    async def run() -> int:
        async with (
            serve() as url,
            aiohttp.ClientSession() as session,
            session.get(f"{url}/models", headers={"Host": named}) as response,
        ):
            return response.status

    assert asyncio.run(run()) == status


def test_a_body_that_no_prompt_is_as_long_as_is_refused() -> None:
    async def run() -> int:
        async with (
            serve() as url,
            aiohttp.ClientSession() as session,
            session.post(f"{url}/chat/completions", data=io.BytesIO(b" " * 9_000_000)) as response,
        ):
            return response.status

    assert asyncio.run(run()) == 413


# Transport faults


@pytest.mark.parametrize(
    ("kind", "status"), [("http_429", 429), ("http_500", 500), ("permanent_500", 500)]
)
def test_a_fault_with_a_status_is_seen_by_the_client(kind: str, status: int) -> None:
    [(seen, answer)] = over_http(asked(), f"{kind}=1")
    assert seen == status
    assert answer["error"]["code"] == status


def test_too_many_requests_says_when_to_come_back() -> None:
    async def run() -> str | None:
        async with (
            serve(defects=Defects(http_429=1)) as url,
            aiohttp.ClientSession() as session,
            session.post(f"{url}/chat/completions", json=asked()) as response,
        ):
            return response.headers.get("Retry-After")

    assert asyncio.run(run()) == "0.05"


def test_a_retry_usually_succeeds_but_a_permanent_fault_stays() -> None:
    passing = [status for status, _ in over_http(asked(), "http_500=0.5", times=12)]
    assert {200, 500} == set(passing)
    lasting = [status for status, _ in over_http(asked(), "permanent_500=1", times=3)]
    assert lasting == [500, 500, 500]


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("dropped_connection", aiohttp.ClientConnectionError),
        ("truncated_body", aiohttp.ClientPayloadError),
    ],
)
def test_a_broken_connection_is_seen_by_the_client(kind: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        over_http(asked(), f"{kind}=1")


def test_a_slow_reply_arrives_in_the_end() -> None:
    started = time.perf_counter()
    [(status, _)] = over_http(asked(), "slow_reply=1")
    assert status == 200
    assert time.perf_counter() - started >= 0.5


def test_a_client_gives_up_on_a_timeout_and_the_server_closes_at_once() -> None:
    async def run() -> float:
        async with serve(defects=Defects(timeout=1)) as url:
            with pytest.raises(TimeoutError):
                await post(url, asked(), limit_s=0.2)
            waiting = asyncio.create_task(post(url, asked()))
            await asyncio.sleep(0.1)
            started = time.perf_counter()
        with pytest.raises(aiohttp.ClientError):
            await waiting
        return time.perf_counter() - started

    assert asyncio.run(run()) < 2


def test_latency_is_added_to_every_reply() -> None:
    async def run() -> float:
        async with serve(latency_s=0.2) as url:
            started = time.perf_counter()
            await asyncio.gather(*(post(url, asked()) for _ in range(5)))
            return time.perf_counter() - started

    assert 0.2 <= asyncio.run(run()) < 1


# Judging as a scorer under test


SCORING = Prompts.load(ROOT / "prompts", VARIABLES)


def shown_to_judges(texts: tuple[str, ...]) -> PromptContent:
    return PromptContent(QUESTION, history(texts))


def test_the_comparing_judge_prefers_what_fits_the_posts_it_is_shown() -> None:
    responses = written(rubric(BOAT)), written(rubric(FARM))
    judge = ComparingJudge(model(), SCORING)
    for texts, fitting in ((BOAT, "first"), (FARM, "second")):
        found = asyncio.run(judge.prefer(shown_to_judges(texts), *responses))
        assert isinstance(found, Preference)
        assert (found.forward, found.backward) == (fitting, fitting)


def test_the_rating_judge_scores_higher_what_fits_the_posts_it_is_shown() -> None:
    fitting, other = written(rubric(BOAT)), written(rubric(FARM))
    judge = RatingJudge(model(), SCORING)

    async def scores(shown: PromptContent) -> list[float]:
        given = [await judge.score(shown, response) for response in (fitting, other)]
        return [score.value for score in given if isinstance(score, ResponseScore)]

    high, low = asyncio.run(scores(shown_to_judges(BOAT)))
    assert high > low
    blind = asyncio.run(scores(PromptContent(QUESTION)))
    assert blind[0] == blind[1]


def test_the_comparing_judge_reads_aspects_as_it_reads_posts() -> None:
    aspects = tuple(of.aspect for of in planned(FARM).aspects)
    responses = written(rubric(BOAT)), written(rubric(FARM))
    found = asyncio.run(
        ComparingJudge(model(), SCORING).prefer(PromptContent(QUESTION, (), aspects), *responses)
    )
    assert isinstance(found, Preference)
    assert found.forward == found.backward == "second"


def test_the_comparing_judge_likes_the_first_place_a_little() -> None:
    judge = ComparingJudge(model(), SCORING)
    pairs = [(f"Knead it {n} times.", f"Rest it {n} hours.") for n in range(60)]

    async def preferences() -> list[Preference | Unscored]:
        return [await judge.prefer(PromptContent(QUESTION), *pair) for pair in pairs]

    found = [
        (of.forward, of.backward) for of in asyncio.run(preferences()) if isinstance(of, Preference)
    ]
    assert len(found) == 60
    first = sum(of == "first" for of, _ in found) + sum(of == "second" for _, of in found)
    second = sum(of == "second" for of, _ in found) + sum(of == "first" for _, of in found)
    assert 15 < first < 65
    assert second == 0


def test_a_first_preferring_judge_also_prefers_the_first_when_it_is_under_test() -> None:
    judge = ComparingJudge(model(only("first_preferring_judge")), SCORING)
    found = asyncio.run(judge.prefer(shown_to_judges(BOAT), "Yes.", "No."))
    assert isinstance(found, Preference)
    assert (found.forward, found.backward) == ("first", "second")


def test_a_broken_reply_of_a_judge_under_test_is_no_verdict() -> None:
    llm = only("unparseable_json")
    found = asyncio.run(
        ComparingJudge(model(llm), SCORING).prefer(shown_to_judges(BOAT), "Yes.", "No.")
    )
    assert isinstance(found, Unscored)
    assert found.reason == "unparseable"
    rated = asyncio.run(RatingJudge(model(llm), SCORING).score(shown_to_judges(BOAT), "Yes."))
    assert isinstance(rated, Unscored)
