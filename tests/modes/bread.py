"""A question with two users, Una who asks and Victor, and models that build its pairs."""

from collections.abc import Callable, Mapping
from typing import Any

from pairwright.models import Request
from pairwright.modes.twin import build_twin
from pairwright.modes.violate import build_violate
from pairwright.records import Draft, Dropped, Item, Kept, Pair
from scripted import (
    Answer,
    Canned,
    Scripted,
    body,
    by_order,
    expect,
    found_in,
    graded,
    item,
    models,
    parts,
    planned,
    policy,
    posts,
    scored,
    verdicts,
    wait,
)

QUESTION = "How do I bake good bread during the week?"
NARRATIVE = (
    "My sister visits at Easter. I want to surprise everybody with something from the stove."
)
# Una asks; Victor is her partner. A post, the evidence in it, an aspect, and what serves it.
UNA = posts(
    "I live on a narrowboat and there is no oven on board.",
    "My son is allergic to hazelnuts, so our kitchen is free of them.",
    prefix="una",
)
VICTOR = posts(
    "Our cafe has two steam ovens that stand idle before dawn.",
    "Half of my guests are vegans who also leave out honey.",
    prefix="victor",
)
UNAS = (
    ("p1", "no oven on board", "Methods for a stove without baking chamber"),
    ("p2", "son is allergic to hazelnuts", "Recipes safe for a nut allergy"),
)
VICTORS = (
    ("p1", "two steam ovens", "Getting the most from professional equipment"),
    ("p2", "guests are vegans", "Doughs that need no animal products"),
)
FOR_UNA = (
    "Mix the dough in the evening and let it rise slowly overnight. In the morning shape flat "
    "loaves and cook them in a heavy covered pan, with seeds in place of nuts, turning once."
)
FOR_VICTOR = (
    "Let two trays rise while the deck heats, then inject vapour for the first minutes and vent "
    "for a dark crust. Plain water, flour and salt are enough, and malt syrup feeds the yeast."
)
PLAIN = (
    "Buy fresh flour, weigh everything, and bake whenever an hour is free. Most recipes work on "
    "any day, and a timer keeps track of the rise while other things are being done at home."
)
ASKER = item(UNA, narrative=NARRATIVE, question=QUESTION)
PARTNER = item(VICTOR, id="item-2", user="victor", question="Which flour for pizza?")


def planner(request: Request) -> Mapping[str, Any]:
    if UNA[0].text in body(request):
        return planned(*UNAS)
    return planned(*VICTORS) if VICTOR[0].text in body(request) else planned()


def writer(request: Request) -> str:
    return FOR_UNA if UNAS[0][2] in body(request) else FOR_VICTOR


def nowhere(request: Request) -> Mapping[str, Any]:
    of = parts("aspects", body(request))[0]
    return found_in(*([] for _ in parts("aspect", of)))


def script(**changes: Answer) -> Scripted:
    """All models of a build in which everything goes well."""
    served = {aspect[2]: FOR_UNA for aspect in UNAS} | {aspect[2]: FOR_VICTOR for aspect in VICTORS}

    def judge(request: Request) -> Mapping[str, Any]:
        """An aspect is served by the answer that was written for it, and by no other."""
        (response,) = parts("response", body(request))
        asked = parts("aspect", body(request))
        return scored(*(2 if served.get(a, FOR_UNA) in response else 0 for a in asked))

    answers: dict[str, Answer] = {
        "plan": planner,
        "plan_blind": {"aspects": ["Timing"]},
        "write_plain": PLAIN,
        "support": lambda r: verdicts(*["carried"] * len(parts("case", body(r)))),
        "match": nowhere,
        "write_adhering": writer,
        "write_omitting": PLAIN,
        "write_contradicting": PLAIN,
        "paper_expected": FOR_UNA,
        "paper_avoided": PLAIN,
        "adherence": judge,
        "quality": graded(4),
        "compare": {"reason": "r", "verdict": "tie"},
        "choose": {"reason": "r", "choice": "A"},
    }
    return Scripted(**(answers | changes))


def violate(llm: Scripted, of: Item = ASKER, **config: Any) -> Kept | Dropped:
    return wait(build_violate(of, None, models(llm), policy(**config)))


def kept_pair(llm: Scripted, **more: Any) -> Pair:
    (pair,) = expect(Kept, violate(llm, **more)).pairs
    return pair


def no_pair(llm: Scripted, **more: Any) -> Dropped:
    return expect(Dropped, violate(llm, **more))


def twin(llm: Scripted, of: Item = ASKER, partner: Item = PARTNER, **config: Any) -> Kept | Dropped:
    return wait(build_twin(of, partner, models(llm), policy(**config)))


def kept_twin(llm: Scripted, **more: Any) -> Kept:
    return expect(Kept, twin(llm, **more))


def no_twin(llm: Scripted, **more: Any) -> Dropped:
    return expect(Dropped, twin(llm, **more))


def refusals(drafts: tuple[Draft, ...]) -> list[str]:
    return [d.refused_by.gate if d.refused_by else "" for d in drafts]


def written_for(request: Request) -> str:
    """Whose answer a judge reads: `una`'s, `victor`'s, or `plain`."""
    response = parts("response", body(request))[0]
    return "una" if FOR_UNA in response else "victor" if FOR_VICTOR in response else "plain"


def by_response(**grades: int) -> Callable[[Request], Canned]:
    """A judge of quality: `una`, `plain` or `victor` to a grade."""
    return lambda request: graded(grades.get(written_for(request), 4))


def verdict(straight: str, swapped: str) -> Callable[[Request], Canned]:
    return by_order("verdict", FOR_UNA, straight, swapped)


REFUSED = "An earlier version of this answer was refused:"


def served(**shares: int) -> Callable[[Request], Canned]:
    """A judge that gives each cell of the matrix a score: una_by_victor = FOR_UNA held to
    Victor's rubric."""

    def scores(request: Request) -> Canned:
        author, una = written_for(request), {aspect[2] for aspect in UNAS}
        holders = ("una" if a in una else "victor" for a in parts("aspect", body(request)))
        return scored(*(shares.get(f"{author}_by_{one}", 2 * (author == one)) for one in holders))

    return scores
