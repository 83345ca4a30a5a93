"""What is asked of a conversation: its topic, and which statement a person agrees with.

The sentence is in the conversation's language where it is here, else in English: the words of a
question count where the language of a pair is decided, and a reader should not have to change
languages between question and statements.
"""

from collections.abc import Iterable

from pairwright.settings.domains import Domains
from pairwright.settings.source_rules import SourceRules
from pairwright.sources.fields import clean_text
from pairwright.sources.polis.files import Conversation

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
