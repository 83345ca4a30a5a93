"""Small studies for tests: pairs, plans and answers, of a few words each.

made = study_of([*twin(1), violate(2)])        # every annotator's tasks, and the key
unit = one(pair)
decided(unit, [*votes(pair, "+++"), *quality(unit, "44/44", "44/54")])
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from pairwright import __version__, assets
from pairwright.records import Aspect, Draft, Pair, Post, Rubric
from pairwright.settings.domains import load_scales
from pairwright.settings.rules import HumanRules, PlanRules
from pairwright_human_eval.decisions import Decision, decide, table_of
from pairwright_human_eval.records import (
    CANNOT_JUDGE,
    CANNOT_TELL,
    EQUAL,
    Answer,
    AnswerKind,
    KeyedTask,
    Kind,
    Purpose,
    Study,
    Task,
    pseudonyms,
)
from pairwright_human_eval.tasks import make_tasks
from pairwright_human_eval.units import Unit, outline_of, units_of

Said = tuple[AnswerKind, str, str]
"""Kind, item and label of an answer."""
FILE = Path("pairs.jsonl")
SCALES = load_scales(assets.RUBRICS)
SCORED = ("correctness", "helpfulness")
OF_THREE: dict[str, Any] = {"votes": 3, "rule": "majority", "further": 0}
"""The preference of three people, one adjudicator: small to count by hand. Keys that a
test gives take the place of these."""
ASKED, POSTED = "2024-06-01T12:00:00.000", "2023-01-{:02}T12:00:00.000"

# Pairs


def posts(user: str, n: int = 3) -> tuple[Post, ...]:
    """Posts that say whose they are without naming the user."""
    return tuple(
        Post(
            id=f"secret_post-{user}-{k}", text=f"{tell(user)} writes remark {k}.",
            category="secret_category", created=POSTED.format(k + 1), source_url="https://secret.test",
        )
        for k in range(n)
    )  # fmt: skip


def tell(user: str) -> str:
    """A word for a user that only their posts hold, and that is not their id."""
    return f"Person{user[::-1].replace('_', '')}"


def user_of(n: int, which: str = "") -> str:
    return f"secret_user{which}_{n}"


def violate(n: int, domain: str = "Home", **changes: Any) -> Pair:
    """A pair of mode violate whose parts are found again by its number."""
    return _pair(n, user_of(n), f"Good answer {n}.", f"Other answer {n}.", domain, **changes)


def twin(n: int, domain: str = "Home", **changes: Any) -> tuple[Pair, Pair]:
    """Both halves, the asked one first: the same responses with chosen and rejected swapped."""
    first, second = f"Answer {n} for the asker.", f"Answer {n} for the partner."
    common: dict[str, Any] = {"mode": "twin", "twin_id": f"twin-{n:016x}", **changes}
    asked = _pair(n, user_of(n), first, second, domain, **common)
    partner = user_of(n, "_partner")
    common |= {"asked": False, "narrative": None, "id": f"pair-{n:08x}partner0"}
    return asked, _pair(n, partner, second, first, domain, **common)


def _pair(n: int, user: str, chosen: str, rejected: str, domain: str, /, **changes: Any) -> Pair:
    profile: tuple[Post, ...] = changes.pop("profile", None) or posts(user)
    fields: dict[str, Any] = {
        "id": f"pair-{n:016x}", "mode": "violate", "item_id": f"secret_item_{n}",
        "user": user, "question": f"Question {n}, how is it done?",
        "category": "secret_category", "domain": domain, "profile": profile,
        "rubric": rubric(n, user, profile), "chosen": chosen, "rejected": rejected,
        "draft": Draft(
            draw=0, strategy="secret_strategy", generator="secret/model-7b",
            first=chosen, second=rejected,
        ),
        "judge": "secret/judge-70b", "created": ASKED, "source_url": "https://secret.test",
    }  # fmt: skip
    return Pair.model_validate({**fields, **changes})


def rubric(n: int, user: str, profile: tuple[Post, ...]) -> Rubric:
    """Two aspects, each resting on a post."""
    aspects = tuple(
        Aspect(
            aspect=f"{tell(user)} wants point {k} of {n}.", reason="secret reason of a judge",
            evidence=profile[k % len(profile)].text, post_ids=(profile[k % len(profile)].id,),
        )
        for k in range(2)
    )  # fmt: skip
    item = f"secret_item_{n}"
    return Rubric(question_id=item, user=user, origin="planner", aspects=aspects)


def mixed(twins: int, violates: int, domains: Iterable[str] = ("Home",)) -> list[Pair]:
    """Twins and violate pairs, dealt to the domains in turn, each with a narrative."""
    names, pairs = list(domains), list[Pair]()
    for n in range(twins + violates):
        about = names[n % len(names)], f"The long story of {n}."
        own = twin(n, about[0], narrative=about[1]) if n < twins else ()
        pairs += own or [violate(n, about[0], narrative=about[1])]
    return pairs


def one(*pairs: Pair) -> Unit:
    (unit,) = units_of(pairs, FILE)
    return unit


# Studies


class Made(NamedTuple):
    """A study as exported: tasks by annotator in their order."""

    study: Study
    units: list[Unit]
    tasks: dict[str, list[Task]]

    def all(self) -> list[Task]:
        return [task for given in self.tasks.values() for task in given]

    def keyed(self, *purposes: Purpose, kind: Kind | None = None) -> list[KeyedTask]:
        keyed = [task.keyed for task in self.all() if kind in (None, task.keyed.kind)]
        return [one for one in keyed if not purposes or one.purpose in purposes]


def study_of(
    pairs: Iterable[Pair], *, annotators: int = 9, overlap: int = 3, seed: int = 0, **human: Any
) -> Made:
    """Tasks of a study of all these pairs; `human` are keys of the policy."""
    units = units_of(pairs, FILE)
    fewest = dict.fromkeys(("quality_votes", "rubric_votes"), min(2, overlap))
    rules = HumanRules(**OF_THREE | {"votes": overlap, **fewest} | human)
    study = Study(
        version=__version__, pairs_hash="sha256:0", seed=seed, annotators=pseudonyms(annotators),
        overlap=overlap, of=len(units), policy=rules, scales=SCALES,
    )  # fmt: skip
    return Made(study, units, make_tasks(units, study, PlanRules()))


@contextmanager
def full_disk(name: str) -> Iterator[None]:
    """A disk on which the file of that name cannot be put in its place."""
    replace = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if Path(target).name == name:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    with mock.patch.object(Path, "replace", refuse):
        yield


# Answers

_numbers = count()
LABELS = {
    "preference": {"+": "chosen", "-": "rejected", "=": EQUAL, "?": CANNOT_TELL},
    "support": {"C": "clearly", "P": "plausibly", "N": "no", "X": "contradicted"},
    "delivery": {"+": "chosen", "-": "rejected", "b": "both", "n": "neither", "?": CANNOT_TELL},
}


def given(pair: Pair, said: Iterable[Said], /, **changes: Any) -> list[Answer]:
    """What one person answers in one task on a pair, or with `pair=""` on its unit."""
    number = next(_numbers)
    fields: dict[str, Any] = {
        "task": f"task-{number}", "annotator": f"somebody-{number}", "round": 1,
        "unit": pair.twin_id or pair.id, "pair": pair.id, "seconds": None, "at": ASKED,
        "source": "0001-0.json", **changes,
    }  # fmt: skip
    return [Answer(kind=kind, item=item, label=label, **fields) for kind, item, label in said]


def votes(pair: Pair, choices: str, **changes: Any) -> list[Answer]:
    """A preference vote for each of the characters, each by somebody else: `+` for the chosen
    response, `-` for the other, `=` no difference, `?` cannot tell."""
    said: list[Said] = [("preference", "", LABELS["preference"][choice]) for choice in choices]
    return [answer for vote in said for answer in given(pair, [vote], **changes)]


def quality(unit: Unit, *people: str, **changes: Any) -> list[Answer]:
    """Each person's scores of correctness and helpfulness, of the first response and the second, as
    in `54/?3`; `?` cannot judge."""
    about, found = {"pair": "", **changes}, list[Answer]()
    items = [f"{scale} {role}" for role in ("first", "second") for scale in SCORED]
    for person in people:
        scores = [CANNOT_JUDGE if one == "?" else one for one in person.replace("/", "")]
        said: list[Said] = [("quality", *one) for one in zip(items, scores, strict=True)]
        found += given(unit.asked, said, **about)
    return found


def support(pair: Pair, *people: str, **changes: Any) -> list[Answer]:
    """Each person's word on each aspect: whether it is there, and who delivers it, as in `C+N-`."""
    found: list[Answer] = []
    for person in people:
        said: list[Said] = []
        for n, (there, by) in enumerate(zip(person[::2], person[1::2], strict=True), start=1):
            said.append(("support", str(n), LABELS["support"][there]))
            said.append(("delivery", str(n), LABELS["delivery"][by]))
        found += given(pair, said, **changes)
    return found


def well(unit: Unit, rated: str = "44/44") -> list[Answer]:
    """Quality and aspects as anyone would wish, so that only the votes decide."""
    found = quality(unit, rated, rated)
    for pair in unit.pairs:
        found += support(pair, *["C+" * len(pair.rubric.aspects)] * 2)
    return found


def decided(unit: Unit, answers: Iterable[Answer], **policy: Any) -> Decision:
    rules = HumanRules(**OF_THREE | policy)
    return decide([outline_of(unit)], table_of(answers), rules)[unit.id]
