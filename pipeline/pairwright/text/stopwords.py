"""Function words: they carry no topic, so overlaps leave them out.

Function words of English and, as runs of characters, of Chinese, Japanese and Korean are here. For
other languages the lists of bm25s are used, which come from NLTK and stopwords-iso.
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

# Characters that Chinese and Japanese function words are written with, simplified and traditional.
_FUNCTION_CHARACTERS = frozenset(
    "我你您他她它们們咱的地得了是在和与與或也就都而及这這那哪个個些不没沒有会會能可以要应應该該当當"
    "为為因所由于於从從到被把对對向跟比很太更最还還又再只才已经經曾但虽雖然如若果则則什甚么麼怎样樣"
    "谁誰何吗嗎呢吧啊呀嘛着著过過之其此每各让讓给給并並且即便"
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
        or gram in _KOREAN
        or _HIRAGANA.fullmatch(gram) is not None
    )
