"""What a source gives: users' posts, their questions, and choices that people made themselves."""

from pairwright.records.base import Record


class Post(Record):
    """One earlier post of a user."""

    id: str
    text: str
    category: str = ""
    created: str | None = None
    """ISO 8601 in UTC, without offset, so that text order is time order."""
    source_url: str | None = None
    kind: str = ""
    """What kind of post it is (`question`, `answer`, `comment`, `review`), where the source tells.
    It stays in the run folder: rows of a release do not have it."""


class GoldAspect(Record):
    """A rubric aspect that came with the data (LaMP-QA's three fields)."""

    aspect: str
    reason: str = ""
    evidence: str = ""


class GivenAnswer(Record):
    """An answer that people gave to an item's question: where it is, and what was thought of it."""

    source_url: str
    user: str
    """Empty where its account was deleted."""
    created: str
    score: int
    """Votes up less votes down."""
    accepted: bool
    """Whether the user who asked accepted it."""


class PublishedAnswer(Record):
    """An answer with its text."""

    source_url: str
    user: str
    """Empty where its account was deleted."""
    created: str
    score: int
    """Votes up less votes down."""
    text: str


class AnswerChoice(Record):
    """The answer that the user who asked accepted, and its match: another that has as many votes or
    more and about the same length."""

    accepted: PublishedAnswer
    match: PublishedAnswer

    @property
    def both(self) -> tuple[PublishedAnswer, PublishedAnswer]:
        return self.accepted, self.match


class Neighbours(Record):
    """How those who choose like a user lean to both responses of a pair: from -2, against it, to
    2, for it (0 is as everybody does). Neither the user's choice of the two nor the partner's is
    used."""

    chosen: float
    rejected: float
    others: int
    """How many people took or refused one of the two, and are like or unlike the user elsewhere."""

    @property
    def point(self) -> float:
        """1 where they lean more to the chosen response, 0 where to the rejected; else one half."""
        return 0.5 + (self.chosen > self.rejected) / 2 - (self.chosen < self.rejected) / 2


class Authorship(Record):
    """Who published a text, where and when."""

    user: str
    """By the source's id."""
    source_url: str | None
    created: str | None


class OppositeChoice(Record):
    """What the user of an item chose of two responses, and who chose the other."""

    chosen: str
    """What the item's user took and the other refused."""
    rejected: str
    """What the other took and the item's user refused."""
    other: str
    """The other user."""
    profile: tuple[Post, ...]
    """What the other wrote or chose before the choice, oldest first."""
    created: str | None = None
    """When the other chose; the item has its user's time."""
    source_url: str | None = None
    reason: str | None = None
    """Why the other chose so, in the other's words; the item has its user's as narrative."""
    authorships: tuple[Authorship, Authorship] | None = None
    """Of chosen and of rejected, where the source tells."""
    neighbours: tuple[Neighbours, Neighbours] | None = None
    """Of the item's user and of the other."""


class Item(Record):
    """One (user, question), with the user's earlier posts, oldest first."""

    id: str
    user: str
    question: str
    narrative: str | None = None
    category: str
    domain: str
    profile: tuple[Post, ...]
    rubric_aspects: tuple[GoldAspect, ...] = ()
    created: str | None = None
    source_url: str | None = None
    tags: tuple[str, ...] = ()
    """Tags of the question, where the source has them."""
    answers: tuple[GivenAnswer, ...] = ()
    """What people answered, where the source has it. Like the tags it stays in the run folder's
    `items.jsonl`: no prompt shows it, and no pair or release holds it."""
    opposite: OppositeChoice | None = None
    """Of mode natural: the user's own choice, against that of another user."""
    accepted: AnswerChoice | None = None
    """Of mode accepted: the user's own choice of two answers."""
