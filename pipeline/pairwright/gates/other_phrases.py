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
_ALREADY = r"(?:ja |bereits |schon |fr\u00fcher ){0,2}"
_PARTICIPLE = r"(?:[a-z]{0,6}ge|be|er|ent|ver|zer)[a-z\u00e4\u00f6\u00fc\u00df]+(?:t|en)"
# "Weil du damit mehr Platz hast" and "weil du den Teig geknetet hast" are said of what is advised.
_OWN = (
    r"(?!(?:so|damit|dann|dadurch|sonst|dabei|danach|hier|hierdurch|jetzt|nun|sp\u00e4ter)\b)"
    rf"(?!(?:\w+ ){{0,5}}{_PARTICIPLE} (?:hast|haben)\b)"
    r"(?:(?:\w+ ){1,6}(?:hast|haben|wohnst|wohnen|lebst|leben|arbeitest|arbeiten|besitzt"
    r"|besitzen|isst|essen|trinkst|trinken|magst|m\u00f6gen|liebst|lieben|bevorzugst|bevorzugen)"
    r"|(?:\w+ ){0,3}gerne? (?:\w+ ){0,4}\w+)(?= ?[,.;:!?\u2013]|$)"
)
_GERMAN = Phrases(
    persona=re.compile(
        r"\b(?:"
        rf"[Aa]ls (?:jemand|eine Person|Mensch),? (?:der|die|wie {_YOU})\b"
        rf"|(?:[Dd]a|[Ww]eil|[Ww]ie) {_YOU} (?:\w+ ){{0,5}}{_SAID} {_HAVE}\b"
        rf"|[Ww]ie {_YOU} (?:ja |bereits |schon )?(?:erw\u00e4hn(?:st|en)|schreib(?:st|en))\b"
        rf"|(?:[Dd]a|[Ww]eil) {_YOU} {_OWN}"
        rf"|f\u00fcr (?:jemanden|Menschen|Leute|einen Menschen|eine Person) wie (?:dich|Sie|euch)\b"
        # Where a sentence begins, "Sie" may be somebody else.
        rf"|(?:[Dd]u|(?<=[\w,;] )Sie) {_HAVE} {_ALREADY}{_SAID}\b"
        rf"|Sie {_HAVE} {_ALREADY}{_SAID}, (?:dass )?(?:Sie|Ihr\w*)\b"
        rf"|(?:[Aa]ngesichts|[Aa]ufgrund|[Mm]it Blick auf|[Bb]ei) {_YOUR} (?:\w+n )?"
        r"(?:Vorlieben|Interessen?|Vorgeschichte|Beitr\u00e4gen?|Lage(?! (?:am|an|auf|im|in)\b)"
        r"|Situation|Umst\u00e4nden?"
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
        r"|(?:[Ll]eider|(?:[Dd]iese|[Ii]hre|[Dd]eine) Frage|[Dd]abei|[Dd]amit|[Dd]azu|[Hh]ierbei)"
        r" (?:kann|darf) ich (?:\w+ ){0,4}nicht"
        r" (?:helfen|weiterhelfen|behilflich sein|beantworten)\b"
        r"|(?:[Ll]eider (?:kann|darf) ich|[Ii]ch (?:kann|darf) (?:\w+ ){0,3}leider) (?:\w+ ){0,3}"
        r"keine?n? (?:\w+ )?(?:Auskunft|Ausk\u00fcnfte|Empfehlung(?:en)?|Rat|Ratschl\u00e4ge"
        r"|Antwort|Beratung|Hilfe|Angaben) (?:geben|machen|anbieten|leisten)\b"
        r"|[Ii]ch bin (?:leider )?nicht in der Lage,? (?:\w+ ){0,5}zu (?:helfen|beantworten)\b"
        r"|Als (?:eine? )?(?:KI(?:-\w+)?|Sprachmodell|k\u00fcnstliche Intelligenz)"
        r" (?:kann|habe|bin|darf|m\u00f6chte) ich\b"
        r"|[Ii]ch bin (?:nur |lediglich )?(?:eine KI|ein (?:KI-\w+|Sprachmodell))\b"
        r")"
    ),
    needs=(" ich ", "dein", " ihr", " du ", " sie ", " als ", "nutzer", "fragestell", "jemand",
           " wie dich", " wie sie", " wie euch", "antwort", "aspekte", "wie ge", "wie v", "wortgr",
           "wortl", "wortz", " mir "),
)  # fmt: skip
_CHINESE = Phrases(
    persona=re.compile(
        "[作做][为為][^\uff0c\u3002\uff01\uff1f]{0,16}的[你您]"
        "|像[你您](?:这样|這樣|这种|這種|一样|一樣)的"
        "|(?:因为|因為|由于|由於)[你您](?:家[里裡]?|自己|目前|平时|平時|也|只|还|還|很|比较|比較|一直)*"
        "(?:没有|沒有|只有|住|喜欢|喜歡|不喜|爱|愛|养|養|是(?:一个|一個|一名|一位|个|個))"
        "|既然[你您](?:家[里裡]?|自己|目前|平时|平時|也|只|还|還|很|比较|比較|一直|已经|已經)*"
        "(?:没有|沒有|有|住|喜欢|喜歡|不喜|爱|愛|养|養|是)"
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
        "(?:抱歉|对不起|對不起|不好意思|遗憾|遺憾)[\uff0c, ]*(?:但是?)?我"
        "(?:无法|無法|不能|没法|沒法|没有?办法|沒有?辦法)"
        "|(?:恐怕我|我恐怕)(?:无法|無法|不能|没法|沒法|没有?办法|沒有?辦法)"
        "(?:帮|幫|回答|给|給|提供|协助|協助)"
        "|我(?:无法|無法|不能)(?:回答|协助|協助|帮助|幫助|满足|滿足)[你您这這该該此]"
        "|[作做][为為](?:一个|一個|一名)?(?:AI|人工智能|人工智慧|大?型?(?:语言|語言)模型)"
        "(?:语言模型|語言模型|助手|助理|模型)?[\uff0c, ]*我"
        "|我(?:只)?是(?:一个|一個|一名)?(?:AI|人工智能|人工智慧|语言模型|語言模型)"
    ),
    needs=("你", "您", "我", "用户", "用戶", "提问者", "提問者", "答", "方面", "要点", "要點", "数",
           "數", "限"),
)  # fmt: skip
OTHERS = (_GERMAN, _CHINESE)
