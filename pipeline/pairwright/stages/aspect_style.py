"""Whether an aspect is about how an answer is written rather than about what it says.

Phrases of English, German and Chinese; in other languages none is found.
"""

import re
from functools import lru_cache

_ENGLISH = re.compile(
    r"\b((?:concise|brief|short|long|detailed|clear) (?:answer|response|reply|explanation|summary)"
    r"|bullet(?:ed)? (?:points?|list)|numbered (?:list|steps)|(?:in|using) markdown"
    r"|(?:polite|friendly|warm|formal|casual|humorous|encouraging|neutral) (?:tone|wording|voice)"
    r"|tone of the|style of writing|writing style|word limit|length of the (?:answer|response)"
    r"|easy to read|well[- ]structured|formatted (?:as|in|with))\b|^(?:be )?(?:concise|brief)\b",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"\b((?:kurz|knapp|kompakt|lang|ausf\u00fchrlich|detailliert|klar|pr\u00e4gnant|verst\u00e4ndlich)e[nmrs]?"
    r"(?:,? (?:und |aber )?\w+e[nmrs]?)? "
    r"(?:Antwort(?:en)?|Erkl\u00e4rung(?:en)?|Zusammenfassung|Darstellung)"
    r"|(?:freundlich|h\u00f6flich|herzlich|warm|formell|f\u00f6rmlich|locker|humorvoll|ermutigend|sachlich"
    r"|neutral)e[nmrs]? (?:Ton|Tonfall|Wortwahl|Sprache|Anrede|Formulierung(?:en)?)"
    r"|(?:Antwort|Text) (?:in|als) (?:Stichpunkten|Stichpunktliste|Aufz\u00e4hlung)|in Stichpunkten"
    r"|Ton der Antwort|L\u00e4nge der Antwort|Schreibstil|Wortlimit|Wortgrenze|kurz und knapp"
    r"|(?:gut|klar) (?:strukturierte|gegliederte)[nmrs]? Antwort|leicht lesbar)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    "(?:简洁|簡潔|简短|簡短|简明|簡明|精简|精簡|扼要|详细|詳細|详尽|詳盡|清晰|清楚)(?:明了|扼要)?的?"
    "(?:回答|回复|回覆|答案|解释|解釋|说明|說明|总结|總結)"
    "|(?:礼貌|禮貌|友好|友善|亲切|親切|温暖|溫暖|正式|轻松|輕鬆|幽默|鼓励|鼓勵|中立|客气|客氣)的?"
    "(?:语气|語氣|语调|語調|口吻|口气|口氣|措辞|措辭)"
    "|(?:回答|回复|回覆|答案)的?(?:长度|長度|篇幅|字数|字數|语气|語氣)|字[数數](?:限制|上限)"
    "|写作风格|寫作風格|项目符号|項目符號|(?:分点|分點|条列|條列)(?:回答|说明|說明|列出)|易于?(?:阅读|閱讀)"
)


# A plan is read for its own user, and for the questions that it is held against.
@lru_cache(maxsize=4096)
def is_about_manner(aspect: str) -> bool:
    """Whether an aspect asks for a length, a tone or a form."""
    return any(pattern.search(aspect) for pattern in (_ENGLISH, _GERMAN, _CHINESE))
