"""The phrases of `phrases.py` in German and Chinese: about the reader, about the task, a refusal.

Another language has its three patterns here, in `OTHERS`. A phrase must be one that an ordinary
answer does not have: on German and Chinese statements of Polis none is found.
"""

import re
from typing import NamedTuple


class Phrases(NamedTuple):
    """One language's patterns, with the words one of which every phrase of them has."""

    persona: re.Pattern[str]
    meta: re.Pattern[str]
    refusal: re.Pattern[str]
    needs: tuple[str, ...]
    """In lower case: looking for them first costs little."""


# In German the polite "Sie" has a capital, and "sie" is somebody else.
_YOU = r"(?:[Dd]u|Sie)"
_YOUR = r"(?:[Dd]ein(?:e[rsmn]?)?|Ihr(?:e[rsmn]?)?)"
_SAID = r"(?:erw\u00e4hnt|geschrieben|gesagt|erz\u00e4hlt)"
_HAVE = r"(?:hast|haben|hattest|hatten)"
_GERMAN = Phrases(
    persona=re.compile(
        r"\b(?:"
        rf"[Aa]ls (?:jemand|eine Person|Mensch),? (?:der|die|wie {_YOU})\b"
        rf"|(?:[Dd]a|[Ww]eil|[Ww]ie) {_YOU} (?:\w+ ){{0,5}}{_SAID} {_HAVE}\b"
        rf"|[Ww]ie {_YOU} (?:ja |bereits |schon )?(?:erw\u00e4hn(?:st|en)|schreib(?:st|en))\b"
        rf"|{_YOU} {_HAVE} (?:ja |bereits |schon |fr\u00fcher ){{0,2}}{_SAID}\b"
        rf"|(?:[Aa]ngesichts|[Aa]ufgrund|[Mm]it Blick auf|[Bb]ei) {_YOUR} (?:\w+n )?"
        r"(?:Vorlieben|Interessen?|Vorgeschichte|Beitr\u00e4gen?|Lage|Situation|Umst\u00e4nden?"
        r"|Hintergrunds?|Erfahrung(?:en)?)\b"
        rf"|{_YOUR} (?:fr\u00fchere|bisherige|vorherige)[nrsm]?"
        r" (?:Beitr\u00e4gen?|Fragen?|Posts?)\b"
        r")"
    ),
    meta=re.compile(
        r"\b(?:"
        r"(?:[Dd]er Nutzer|[Dd]ie Nutzerin|[Dd]er Fragesteller|[Dd]ie Fragestellerin)"
        r" (?:m\u00f6chte|erwartet|bevorzugt|w\u00fcnscht|fragt|hat (?:erw\u00e4hnt|gefragt))\b"
        r"|(?:[Dd]iese|[Mm]eine) Antwort (?:wird|vermeidet|behandelt|ber\u00fccksichtigt|verzichtet"
        r"|l\u00e4sst|geht auf)\b"
        r"|(?:geforderten|verlangten|vorgegebenen|aufgelisteten) Aspekte\b"
        r"|[Ww]ie (?:gew\u00fcnscht|gefordert|verlangt|vorgegeben),"
        r"|(?:Wortgrenze|Wortlimit|Wortzahl)\b"
        r")"
    ),
    refusal=re.compile(
        r"\b(?:"
        r"[Tt]ut mir (?:sehr |wirklich )?leid,? (?:aber |doch )?(?:ich|dabei|das|hier) kann\b"
        r"|[Tt]ut mir (?:sehr |wirklich )?leid,? (?:aber |doch )?ich (?:kann|darf)\b"
        r"|[Ii]ch (?:kann|darf|m\u00f6chte) (?:dir|Ihnen|euch)? ?(?:\w+ ){0,3}nicht"
        r" (?:weiterhelfen|behilflich sein|beantworten)\b"
        r"|[Ii]ch kann (?:dir|Ihnen|euch) (?:\w+ ){0,2}nicht helfen\b"
        r"|Als (?:eine? )?KI(?:-\w+)? (?:kann|habe|bin|darf|m\u00f6chte) ich\b"
        r"|[Ii]ch bin (?:nur )?(?:eine KI|ein (?:KI-\w+|Sprachmodell))\b"
        r")"
    ),
    needs=(" ich ", "dein", " ihr", " du ", " sie ", " als ", "nutzer", "fragestell",
           "antwort", "aspekte", "wie ge", "wie v", "wortgr", "wortl", "wortz", " mir "),
)  # fmt: skip
_CHINESE = Phrases(
    persona=re.compile(
        "[作做][为為][^\uff0c\u3002\uff01\uff1f]{0,16}的[你您]"
        "|[你您](?:之前|以前|曾经|曾經|刚才|剛才|曾|已经|已經|在帖子[里裡中])*"
        "(?:提到|提及|提过|提過|说过|說過|写过|寫過)"
        "|(?:考虑到|考慮到|鉴于|鑑於|鑒於)[你您]"
        "|(?:根据|根據|基于|基於)[你您](?:之前|以前|过去|過去)?的"
        "(?:背景|兴趣|興趣|经历|經歷|情况|情況|历史|歷史|帖子|爱好|愛好)"
        "|[你您](?:之前|以前|过去|過去)的(?:帖子|提问|提問|问题|問題|发言|發言)"
    ),
    meta=re.compile(
        "(?:该|該|这位|這位)(?:用户|用戶|提问者|提問者)"
        "|(?:本|这个|這個|我的)(?:回答|答案|回复|回覆)(?:将|將|会|會|避免|避开|避開|涵盖|涵蓋|不涉及|没有提)"
        "|(?:给定|給定|要求|列出)的(?:方面|要点|要點)"
        "|[字词詞]数?數?(?:限制|上限)"
    ),
    refusal=re.compile(
        "(?:抱歉|对不起|對不起|不好意思)[\uff0c, ]*(?:但是?)?我"
        "(?:无法|無法|不能|没法|沒法|没有办法|沒有辦法)"
        "|我(?:无法|無法|不能)(?:回答|协助|協助|帮助|幫助|满足|滿足)[你您这這该該此]"
        "|[作做][为為](?:一个|一個|一名)?(?:AI|人工智能|人工智慧)"
        "(?:语言模型|語言模型|助手|助理|模型)?[\uff0c, ]*我"
        "|我(?:只)?是(?:一个|一個|一名)?(?:AI|人工智能|人工智慧|语言模型|語言模型)"
    ),
    needs=("你", "您", "我", "用户", "用戶", "提问者", "提問者", "答", "方面", "要点", "要點", "数",
           "數", "限"),
)  # fmt: skip
OTHERS = (_GERMAN, _CHINESE)
