"""Synthetic users for load: as many as asked for, each with habits of their own.

Sentences are filled with words drawn by number, so that rubrics differ between users and a double
of a model has something to plan from. No text here is meant to be read.
"""

import json
import random
from pathlib import Path

PLACES = """
    attic barn basement boathouse bungalow cabin caravan cellar chalet cottage farmhouse
    flat garage greenhouse hangar hostel houseboat hut lighthouse loft lodge mansion mill
    mobile-home narrowboat observatory outhouse pavilion penthouse prefab rectory shack
    shed stable studio tent terrace tower villa workshop
""".split()
LIMITS = """
    arthritis asthma cataracts deafness dyslexia eczema epilepsy gout hayfever insomnia
    lumbago migraine myopia narcolepsy neuralgia rheumatism sciatica scoliosis stammering
    tinnitus tremors vertigo anaemia bursitis colitis
""".split()
PEOPLE = """
    apprentices aunts babies bellringers brothers carers children choristers cousins
    cyclists farmers godchildren grandchildren grandparents guests lodgers nephews nieces
    nurses parishioners pensioners pupils recruits refugees scouts sisters students
    teenagers toddlers trainees twins uncles veterans visitors volunteers
""".split()
THINGS = """
    anvil bellows billhook bobbin bucket burner cauldron chisel clamp crate dynamo easel
    funnel griddle hammock handcart hotplate kettle ladder lantern lathe loom mallet
    mangle mortar paddle pulley pump rucksack saddle sewing-machine sieve spindle stove
    strongbox tripod trowel typewriter wheelbarrow whetstone winch
""".split()
TOPICS = """
    bread soup stew jam pickles cheese noodles dumplings pancakes porridge
""".split()
CATEGORIES = (
    "cooking",
    "gardening",
    "woodworking",
    "outdoors",
    "pets",
    "travel",
    "parenting",
    "diy",
)


def item(number: int, filler: int = 3) -> dict[str, object]:
    """One item in LaMP-QA's schema; a pure function of its number and of the sentences of filler
    in each of its eight posts: three make a history of about 800 tokens."""
    chance = random.Random(number)
    category = CATEGORIES[number % len(CATEGORIES)]
    topic = TOPICS[number // len(CATEGORIES) % len(TOPICS)]
    place, limit = chance.choice(PLACES), chance.choice(LIMITS)
    people, thing = chance.choice(PEOPLE), chance.choice(THINGS)
    facts = [
        f"I live in a {place} and I cannot leave it for long.",
        f"My {limit} means that I never stand for more than an hour.",
        f"I always have to think of the {people} who depend on me.",
        f"I only own a {thing} and I cannot buy anything else.",
    ]
    posts = [
        {
            "id": f"s{number}-p{n}",
            "text": f"How should one handle {topic} number {n + 1}? {facts[n % 4]} "
            f"{facts[(n + 1) % 4]} {_filler(chance, filler)} What would work for {topic} here?",
            "category": category,
            "created": f"202{n // 4}-0{n % 4 + 1}-0{n % 9 + 1}T10:00:00",
        }
        for n in range(8)
    ]
    return {
        "id": f"s{number}",
        "user": f"user-{number}",
        "question": f"What is a good way to prepare and keep {topic} for day {number} of the year?",
        "narrative": None,
        "category": category,
        "created": "2024-06-01T12:00:00",
        "profile": posts,
        "rubric_aspects": [],
    }


def _filler(chance: random.Random, sentences: int) -> str:
    verbs = ("tried", "watched", "mended", "counted", "carried", "borrowed")
    return " ".join(
        f"Last week somebody {chance.choice(verbs)} the {chance.choice(THINGS)} near the "
        f"{chance.choice(PLACES)} again."
        for _ in range(sentences)
    )


def write(path: Path, items: int, filler: int = 3) -> None:
    """A JSONL file of so many items."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            file.write(json.dumps(item(number, filler)) + "\n")
