"""The statements of a conversation: who wrote them, which may be shown as a response, and what is
asked of them: the topic, and which statement a person agrees with."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pairwright.records import Post
from pairwright.settings.domains import Domains
from pairwright.settings.rules import SourceRules
from pairwright.sources.fields import Repairs, clean_text, label, repaired, text, time
from pairwright.sources.polis.files import Conversation, statement_rows
from pairwright.sources.problems import SourceProblem, SourceRefusal, excerpt
from pairwright.sources.source_table import SourceRow

OWNER = "0"
"""The participant who opened the conversation. Its statements are seeds, and statements of others
that moderators wrote again: in published conversations they contradict each other."""


_MODERATION = {"1": 1, "1.0": 1, "0": 0, "0.0": 0, "": 0, "-1": -1, "-1.0": -1}
"""Let in by moderators, not looked at, taken out."""


class PolisStatement(NamedTuple):
    """A statement as it was read."""

    where: str
    author: str
    post: Post
    never_response: str | None
    """The reason why it is not shown as a response, if there is one."""
    seed: bool
    """Whether the organisers wrote it, for the conversation and not for themselves."""


def read_statements(
    conversation: Conversation, category: str, url: str | None, rules: SourceRules
) -> Iterator[PolisStatement | SourceProblem]:
    """Each statement after its problems, in the order of the file. Raises SourceError."""
    places: dict[str, str] = {}
    for row in statement_rows(conversation.statements, conversation.prefix):
        if isinstance(row, SourceProblem):
            yield row
            continue
        repairs: Repairs = {}
        try:
            read = _statement(row, category, url, rules, repairs)
            name = read.post.id
            if name in places:
                raise SourceRefusal("duplicate_id", f"{places[name]} has this id already")
        except SourceRefusal as refusal:
            yield refusal.at(row.where, label(row.fields, "comment-id", {}) or None)
            continue
        places[name] = row.where
        yield from repaired(repairs, row.where, name)
        for reason in (read.never_response, "seed" if read.seed else None):
            if reason:
                yield SourceRefusal(reason, "").at(row.where, name)
        yield read


def _statement(
    row: SourceRow, category: str, url: str | None, rules: SourceRules, repairs: Repairs
) -> PolisStatement:
    """Raises SourceRefusal."""
    name, author = (label(row.fields, column, repairs) for column in ("comment-id", "author-id"))
    if not name:
        raise SourceRefusal("missing_id", "`comment-id` is empty")
    if not author:
        raise SourceRefusal("missing_user", "`author-id` is empty")
    words = text(row.fields, "comment-body", repairs, rules.max_post_chars)
    if not words:
        raise SourceRefusal("empty_text", "`comment-body` is empty")
    post = Post(
        id=name,
        text=words,
        category=category,
        created=time(row.fields, "timestamp"),
        source_url=url,
        kind="statement",
    )
    never_response = None
    if _is_taken_out(row.fields, repairs):
        never_response = "taken_out"
    elif _is_true(row.fields, "is-meta"):
        never_response = "about_voters"
    seed = author == OWNER or _is_true(row.fields, "is-seed")
    return PolisStatement(row.where, author, post, never_response, seed)


def _is_taken_out(fields: Mapping[str, Any], repairs: Repairs) -> bool:
    """Whether moderators took it out. Raises SourceRefusal where nobody can tell."""
    value = label(fields, "moderated", repairs)
    if value not in _MODERATION:
        raise SourceRefusal(
            "bad_moderation",
            f"`moderated` is {excerpt(value)}: not 1, 0, -1 or empty",
            value=value[:200],
        )
    return _MODERATION[value] == -1


def _is_true(fields: Mapping[str, Any], name: str) -> bool:
    """Whether a column says yes. Older exports do not have these columns."""
    return str(fields.get(name, "")).strip().lower() in ("true", "t", "1")


# The sentence of a question is in the conversation's language where it is here, else in English:
# words of a question count where the language of a pair is decided, and a reader should not have to
# change languages between question and statements.
QUESTIONS = {
    "en": "Which of these statements by others in the same discussion is this person more likely"
    " to agree with?",
    "de": "Welcher dieser Aussagen anderer in derselben Diskussion würde diese Person eher"
    " zustimmen?",
    "es": "¿Con cuál de estas afirmaciones, hechas por otros en la misma conversación, es más"
    " probable que esta persona esté de acuerdo?",
    "fr": "Avec laquelle de ces affirmations, faites par d'autres dans la même discussion, cette"
    " personne serait-elle plutôt d'accord ?",
    "it": "Con quale di queste affermazioni, fatte da altri nella stessa discussione, è più"
    " probabile che questa persona sia d'accordo?",
    "ja": "同じ議論で他の人が述べた次の意見のうち、"
    "この人はどちらに賛成する可能性が高いでしょうか。",
    "nl": "Met welke van deze stellingen van anderen in dezelfde discussie zou deze persoon het"
    " eerder eens zijn?",
    "pt": "Com qual destas afirmações, feitas por outros na mesma discussão, é mais provável que"
    " esta pessoa concorde?",
    # Its characters are the same in simplified and in traditional writing.
    "zh": "以下他人的看法中，此人更可能同意哪一句？",
}
"""By ISO 639-1 code."""
_ENDS = ("?", "!", "。", "？", "！")
_LONGEST = 3
"""So many of the longest statements tell the language."""


def question_of(
    conversation: Conversation,
    topic: str,
    statements: Iterable[str],
    domain: str,
    domains: Domains,
    rules: SourceRules,
) -> str:
    """The topic (the folder's name, where there is none) and the sentence, in the language of the
    domain or, where its file names none, of the statements."""
    topic = " ".join(clean_text(topic, "topic", {}, rules.max_post_chars).split())
    longest = sorted(statements, key=len, reverse=True)[:_LONGEST]
    language = domains.language(domain, *longest)
    sentence = QUESTIONS.get(language or "en", QUESTIONS["en"])
    topic = topic or conversation.name
    if language in ("ja", "zh"):
        return f"{topic}{'' if topic.endswith(_ENDS) else '：'}{sentence}"
    return f"{topic}{'' if topic.endswith(_ENDS) else ':'} {sentence}"
