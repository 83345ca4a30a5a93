"""Calls that share a history begin with the same bytes."""

import os.path

from pairwright.records import Post
from pairwright.settings.domains import Guidance
from pairwright.settings.rules import PlanRules
from pairwright.stages.planner import plan
from pairwright.stages.writer import write_paper
from scripted import Scripted, good, model, post, prompts, rubric, wait

HISTORY = tuple(post(f"u-{n}", f"I wrote {n}.", f"{2010 + n}-01-01") for n in range(4))


def told(question: str, posts: tuple[Post, ...], *, paper: bool) -> list[str]:
    """All that the planner reads, or the writers of the paper's setting: system text first."""
    llm = Scripted(plan={"aspects": []}, paper_expected="Yes.", paper_avoided="No.")
    of, told_by, rules = model(llm), prompts(), PlanRules()
    if paper:
        own = rubric("an aspect")
        wait(write_paper(question, posts, own, "expected", of, told_by, rules, words=100, draw=0))
    else:
        guidance = Guidance(("a",))
        good(plan(question, posts, of, told_by, rules, guidance=guidance, words=100))
    return ["".join(message.content for message in request.messages) for request in llm.requests]


def test_prompts_with_a_history_share_all_bytes_up_to_the_question() -> None:
    questions = ("Which flour for rye?", "How do I keep the bread?")
    for paper in (False, True):
        read = [text for question in questions for text in told(question, HISTORY, paper=paper)]
        shared = os.path.commonprefix(read)  # noqa: RUF071 - character by character is meant
        assert shared.endswith("</post>\n</history>\n\n<question>\n")
        assert all(one.text in shared for one in HISTORY)
