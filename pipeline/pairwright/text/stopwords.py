"""Function words: they carry no topic, so overlaps leave them out.

English, and what runs of characters hold of Chinese, Japanese and Korean, are here. Of other
languages the lists of bm25s are taken, which come from NLTK and stopwords-iso; what the German one
lacks is here.
"""

import re

_FUNCTION_WORDS = """
    a about above after again against all almost also although always am among an and
    another any anyone anything are around as at away back be became because become been
    before being below better between both but by came can cannot can't come could couldn't
    did didn't do does doesn't doing don't done down during each either else enough even
    ever every everyone everything few find first for from further gave get gets getting
    give given go goes going gone good got great had has hasn't have haven't having he her
    here hers herself him himself his how however i i'd i'll i'm i've if in instead into is
    isn't it it's its itself just keep kind know last least less let like little long look
    looking lot made make makes making many may me might more most much must my myself need
    needs never new next no nobody none nor not nothing now of off often old on once one
    ones only onto or other others otherwise our ours ourselves out over own part people per
    perhaps put quite rather really right said same say second see seem seems several shall
    she should since so some someone something sometimes soon still such take tell than that
    that's the their theirs them themselves then there these they they're thing things think
    this those though three through thus time times to together too took toward towards try
    two under until up upon us use used uses using usually very want wants was wasn't way
    ways we we're well went were weren't what whatever when where whether which while who
    whole whom whose why will with within without won't work would wouldn't yes yet you
    you're your yours yourself
"""
STOPWORDS = frozenset(_FUNCTION_WORDS.split())

# With "ss" for the sharp s, as `words` writes it. "innen" is what is left of "Mieter:innen".
_GERMAN = """
    müsse müssen müsst müsste müssten müsstest musst mussten solle sollen sollst sollt sollten
    solltest darf darfst dürfe dürfen dürft durfte durften dürfte dürften kannst könne könnt konnte
    konnten könnten könntest willst wollt wollten wolltest mag magst möge mögen mögt mochte mochten
    möchte möchten möchtest möchtet werdet wurde wurden wurdest geworden worden würdest sei seid
    seien wäre wären wärst wärt hast habt hattest hättest hätte hätten gehabt gibt gebe geben gab
    gäbe gegeben gehe geht gehen ging gingen gegangen komme kommt kommen kam kamen lasse lassen
    lässt liess mache machst machte machten gemacht finde findet finden denke mehr meist meiste
    meisten meistens wenig wenige wenigen weniger wenigstens viele vielem vielen vieler vieles
    vielleicht ganz ganze ganzem ganzen ganzer ganzes gar genau genug fast etwa eher ebenso eben
    sogar bereits immer schon mal bisschen bloss halt eigentlich einfach wirklich natürlich bestimmt
    besonders leider gern gerne lieber gut gute gutem guten guter gutes besser bessere besserem
    besseren besserer besseres beste besten bester bestes leute menschen ab ausser bisher dabei
    dadurch dafür dagegen daher danach daneben daran darauf daraus darin darum darüber davon davor
    dennoch deshalb deswegen trotz trotzdem jedoch allerdings obwohl sobald solange sofern sodass
    soweit sowie sowohl somit entweder weder falls bevor nachdem seit seitdem statt anstatt wegen
    neben hierbei hierfür hierzu wobei wodurch wofür womit wonach woran worauf worin worüber wovon
    wozu warum weshalb wieso wer wem wen wessen wann woher wohin zudem ausserdem zuerst zuletzt oft
    öfter manchmal nie niemals niemand niemandem niemanden jemand jemandem jemanden je jemals ja
    nein beide beiden beides unserer unsern solch welch diejenige diejenigen derjenige denjenigen
    jeweils sämtliche drin dran drauf zwei drei erst erste ersten erster erstes brauche braucht
    brauchen möglichst bzw ca eh etc evtl ggf inkl na od oh ok usw vgl zb innen
"""
# By language, what the lists of bm25s lack.
FURTHER = {"de": frozenset(_GERMAN.split())}

# Characters that Chinese and Japanese function words are written with, simplified and traditional.
_FUNCTION_CHARACTERS = frozenset(
    "我你您他她它们們咱的地得了是在和与與或也就都而及这這那哪个個些不没沒有会會能可以要应應该該当當"
    "为為因所由于於从從到被把对對向跟比很太更最还還又再只才已经經曾但虽雖然如若果则則什甚么麼怎样樣"
    "谁誰何吗嗎呢吧啊呀嘛着著过過之其此每各让讓给給并並且即便一"
)
# Chinese ones that no such characters make: "I think", "now", "very", "a kind of".
_CHINESE = frozenset(
    """
    我觉 我覺 觉得 覺得 我认 我認 认为 認為 一种 一種 一点 一點 有点 有點 一下 一直 或者 必须
    必須 需要 现在 現在 目前 非常 比较 比較 很多 许多 許多 更多 自己 其实 其實 进行 進行 通过
    通過 关于 關於 以后 以後 之后 之後 然后 然後 以前 之前 是否 时候 時候 这里 這裡 這里 那里
    那裡 哪里 哪裡 的话 的話 来说 來說 起来 起來
    """.split()
)
# Pairs of characters in endings and particles of Korean.
_KOREAN = frozenset(
    """
    니다 습니 합니 입니 됩니 있습 없습 에서 에게 으로 까지 부터 하는 하고 하여 해서 했습
    하기 하지
    있는 있고 있어 없는 없고 것은 것이 것을 것도 지만 그리 리고 그러 러나 그래 래서 러면 때문
    문에 대한 위해 통해 되는 되고 이다 인데 는데 어서 아서 어요 아요 해요 네요 군요 세요 나요 면서
    려고 도록 라고 다고 우리 저는 나는 제가 내가 이런 그런 어떤 어떻 떻게 무엇
    """.split()
)
_HIRAGANA = re.compile("[\u3041-\u309f\u30fc]+")


def carries_nothing(gram: str) -> bool:
    """Whether a run of characters has only function words. Japanese writes its endings and
    particles in hiragana, so a run in hiragana alone counts as one of them, too."""
    return (
        _FUNCTION_CHARACTERS.issuperset(gram)
        or gram in _CHINESE
        or gram in _KOREAN
        or _HIRAGANA.fullmatch(gram) is not None
    )
