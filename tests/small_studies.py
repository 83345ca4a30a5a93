"""Small studies for tests: pairs, plans and answers, of a few words each.

units = units_of([*twin(1), violate(2)], Path("pairs.jsonl"))
made = study_of(units, annotators=9)      # every annotator's tasks, and the key
decided(units[0], [*votes(pair, "+++"), *quality(units[0], 4, 4)])
"""

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

from pairwright import assets
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
OF_THREE: dict[str, Any] = {"votes": 3, "rule": "majority", "further": 0}
"""The preference of three people, one adjudicator: small to count by hand. Keys that a
test gives take the place of these."""
ASKED, POSTED = "2024-06-01T12:00:00.000", "2023-01-{:02}T12:00:00.000"
SECRETS = {
    "user": "secret_user", "item": "secret_item", "post": "secret_post", "model": "secret/model-7b",
    "judge": "secret/judge-70b", "reason": "secret reason of a judge", "url": "https://secret.test",
    "category": "secret_category", "strategy": "secret_strategy", "dropped": "secret_dropped",
}  # fmt: skip
"""What every pair below carries where no annotator may see it."""

# Pairs


def posts(user: str, n: int = 3, *, created: str | None = POSTED) -> tuple[Post, ...]:
    """Posts that say whose they are without naming the user."""
    return tuple(
        Post(
            id=f"{SECRETS['post']}-{user}-{k}",
            text=f"{tell(user)} writes remark {k}.",
            category=SECRETS["category"],
            created=created and created.format(k + 1),
            source_url=SECRETS["url"],
        )
        for k in range(n)
    )


def tell(user: str) -> str:
    """A word for a user that only their posts hold, and that is not their id."""
    return f"Person{user[::-1].replace('_', '')}"


def user_of(n: int, which: str = "") -> str:
    return f"{SECRETS['user']}{which}_{n}"


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
        "id": f"pair-{n:016x}", "mode": "violate", "item_id": f"{SECRETS['item']}_{n}",
        "user": user, "question": f"Question {n}, how is it done?",
        "category": SECRETS["category"], "domain": domain, "profile": profile,
        "rubric": rubric(n, user, profile), "chosen": chosen, "rejected": rejected,
        "draft": Draft(
            draw=0, strategy=SECRETS["strategy"], generator=SECRETS["model"],
            first=chosen, second=rejected,
        ),
        "judge": SECRETS["judge"], "created": ASKED, "source_url": SECRETS["url"],
    }  # fmt: skip
    return Pair.model_validate({**fields, **changes})


def rubric(n: int, user: str, profile: tuple[Post, ...], aspects: int = 2) -> Rubric:
    return Rubric(
        question_id=f"{SECRETS['item']}_{n}",
        user=user,
        origin="planner",
        aspects=tuple(
            Aspect(
                aspect=f"{tell(user)} wants point {k} of {n}.",
                reason=SECRETS["reason"],
                evidence=profile[k % len(profile)].text,
                post_ids=(profile[k % len(profile)].id,),
            )
            for k in range(aspects)
        ),
    )


def mixed(twins: int, violates: int, domains: Iterable[str] = ("Home",)) -> list[Pair]:
    """Twins and violate pairs, dealt to the domains in turn, each with a narrative."""
    names = list(domains)
    of = [names[n % len(names)] for n in range(twins + violates)]
    pairs: list[Pair] = []
    for n in range(twins):
        pairs += twin(n, of[n], narrative=f"The long story of {n}.")
    for n in range(twins, twins + violates):
        pairs.append(violate(n, of[n], narrative=f"The long story of {n}."))
    return pairs


def one(*pairs: Pair) -> Unit:
    (unit,) = units_of(pairs, FILE)
    return unit


# Studies


@dataclass(frozen=True)
class Made:
    """A study as exported: tasks by annotator in their order."""

    units: list[Unit]
    tasks: dict[str, list[Task]]

    def keyed(self, *purposes: Purpose, kind: Kind | None = None) -> list[KeyedTask]:
        return [
            task.keyed
            for given in self.tasks.values()
            for task in given
            if (not purposes or task.keyed.purpose in purposes) and kind in (None, task.keyed.kind)
        ]

    def all(self) -> list[Task]:
        return [task for given in self.tasks.values() for task in given]

    @property
    def by_id(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    def study(self, **changes: Any) -> Study:
        """The study's settings, as an export fixes them."""
        fields: dict[str, Any] = {
            "version": "0", "pairs_hash": "sha256:0", "seed": 0,
            "annotators": tuple(self.tasks), "overlap": 3,
            "of": len(self.units),
            "policy": HumanRules(**OF_THREE),
            "scales": SCALES,
        }  # fmt: skip
        return Study.model_validate({**fields, **changes})


def study_of(
    pairs: Iterable[Pair],
    *,
    annotators: int = 9,
    overlap: int = 3,
    seed: int = 0,
    **human: Any,
) -> Made:
    """Tasks of a study of all these pairs; `human` are keys of the policy."""
    units = units_of(pairs, FILE)
    fewest = dict.fromkeys(("quality_votes", "rubric_votes"), min(2, overlap))
    rules = HumanRules(**OF_THREE | {"votes": overlap, **fewest} | human)
    study = Study(
        version="0", pairs_hash="", seed=seed, annotators=pseudonyms(annotators), overlap=overlap,
        of=len(units), policy=rules, scales=SCALES,
    )  # fmt: skip
    return Made(units, make_tasks(units, study, PlanRules()))


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


def random_pairs(chance: random.Random, *, most: int = 40) -> list[Pair]:
    """A study's pairs of some size, with some domains, in some order."""
    domains = ["Home", "Garden", "Music"][: chance.randint(1, 3)]
    pairs = mixed(chance.randint(0, most), chance.randint(1, most), domains)
    chance.shuffle(pairs)
    return pairs


# Answers

_numbers = count()
LABELS = {"+": "chosen", "-": "rejected", "=": EQUAL, "?": CANNOT_TELL}


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
    return [
        answer
        for choice in choices
        for answer in given(pair, [("preference", "", LABELS[choice])], **changes)
    ]


def quality(
    unit: Unit,
    first: dict[str, int | None] | int,
    second: dict[str, int | None] | int,
    n: int = 2,
    **changes: Any,
) -> list[Answer]:
    """`n` people's scores of the two responses, by scale or the same on all."""
    said: list[Said] = []
    for role, scores in (("first", first), ("second", second)):
        if isinstance(scores, int):
            scores = dict.fromkeys(("correctness", "helpfulness"), scores)
        for scale, score in scores.items():
            label = CANNOT_JUDGE if score is None else str(score)
            said.append(("quality", f"{scale} {role}", label))
    return [
        answer for _ in range(n) for answer in given(unit.asked, said, **{"pair": "", **changes})
    ]


def support(
    pair: Pair, *answers: Iterable[str], delivered: str = "chosen", **changes: Any
) -> list[Answer]:
    """One person's support for each aspect, for as many people as given; all of them say that the
    chosen response alone delivers it, or else what is `delivered`."""
    found: list[Answer] = []
    for own in answers:
        said: list[Said] = []
        for n, label in enumerate(own, start=1):
            said += [("support", str(n), label), ("delivery", str(n), delivered)]
        found += given(pair, said, **changes)
    return found


def well(unit: Unit) -> list[Answer]:
    """Quality and aspects as anyone would wish, so that only the votes decide."""
    found = quality(unit, 4, 4)
    for pair in unit.pairs:
        clear = ["clearly"] * len(pair.rubric.aspects)
        found += support(pair, clear, clear)
    return found


def decided(unit: Unit, answers: Iterable[Answer], **policy: Any) -> Decision:
    rules = HumanRules(**OF_THREE | policy)
    return decide([outline_of(unit)], table_of(answers), rules)[unit.id]
