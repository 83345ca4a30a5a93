"""Twins of a Chinese and of a German question: what models are asked, and what gates let by."""

import pytest
from bread import Case, script

from pairwright.modes.twin import build_twin
from pairwright.records import Dropped, Kept
from scripted import Scripted, expect, item, models, policy, posts, wait

CHINESE = Case(
    "工作日怎样才能吃上好面包？",
    (
        "我住在一条窄船上，船上没有烤箱，只有一个煤气灶。",
        "我儿子对榛子过敏，所以厨房里从来不放坚果。",
    ),
    ("我们的咖啡馆有两台蒸汽烤箱，天亮以前都空着。", "一半的客人吃纯素，连蜂蜜也不碰。"),
    (("p1", "船上没有烤箱", "适合灶台的做法"), ("p2", "对榛子过敏", "不含坚果的配方")),
    (("p1", "两台蒸汽烤箱", "充分利用专业设备"), ("p2", "客人吃纯素", "没有动物成分的面团")),
    "前一天晚上把面揉好，盖上布慢慢醒。早上擀成薄饼，用厚底锅加盖小火慢煎，中途翻一次面，里面撒些瓜子，吃着香又放心。",
    "设备预热时让两盘面坯同时醒发，入炉先喷几分钟水汽，再排气把外皮烘脆。面粉、清水和盐就够了，用麦芽糖喂养酵母。",
    "买新鲜面粉，每样都称准，有空的时候就动手。多数配方哪天都能用，定个闹钟，家里的事照做，时间到了再来看一眼。",
)
GERMAN = Case(
    "Wie backe ich unter der Woche gutes Brot?",
    (
        "Ich wohne auf einem Hausboot, und an Bord gibt es keinen Ofen, nur eine Gasflamme.",
        "Mein Sohn verträgt keine Haselnüsse, deshalb bleibt unsere Küche frei davon.",
    ),
    (
        "Unser Café hat zwei Dampföfen, die vor Sonnenaufgang ungenutzt herumstehen.",
        "Die Hälfte meiner Gäste lebt vegan und lässt auch Honig weg.",
    ),
    (
        ("p1", "keinen Ofen", "Zubereitung auf einer Kochstelle"),
        ("p2", "verträgt keine Haselnüsse", "Rezepte ohne Schalenfrüchte"),
    ),
    (
        ("p1", "zwei Dampföfen", "Nutzung professioneller Geräte"),
        ("p2", "Gäste lebt vegan", "Teige ohne tierische Zutaten"),
    ),
    "Am Abend den Teig kneten und über Nacht langsam gehen lassen. Am Morgen flache Laibe formen "
    "und in einer schweren Pfanne mit Deckel backen, dabei einmal wenden und Kerne einstreuen.",
    "Zwei Bleche gehen lassen, während die Kammer heizt, dann in den ersten Minuten Schwaden "
    "geben und für die Kruste abziehen lassen. Mehl, Wasser und Salz genügen, Malz nährt die Hefe.",
    "Frisches Mehl kaufen, alles abwiegen und backen, wann immer eine Stunde frei ist. Die meisten "
    "Anleitungen gelingen an jedem Tag, und ein Wecker behält die Zeit im Auge.",
)


SAME_WORDS = {"off": ["shared_words"]}
"""The responses of these cases say again what the posts say."""


def twin(case: Case, llm: Scripted) -> Kept | Dropped:
    asker = item(posts(*case.first_posts, prefix="una"), question=case.question)
    partner = item(posts(*case.second_posts, prefix="vic"), id="item-2", user="vic", question="?")
    return wait(build_twin(asker, partner, models(llm), policy(gates=SAME_WORDS, draws=3)))


@pytest.mark.parametrize(
    ("case", "language", "length"),
    [(CHINESE, "Chinese", "128 to 152 characters"), (GERMAN, "German", "")],
)
def test_all_who_write_are_asked_for_the_language(case: Case, language: str, length: str) -> None:
    llm = script(case)
    made = expect(Kept, twin(case, llm))
    assert [half.chosen for half in made.pairs] == [case.for_first, case.for_second]
    assert all(half.rubric.aspects for half in made.pairs)
    for name in ("plan", "plan_blind", "write_plain", "write_adhering"):
        assert llm.prompts(name)
        assert all(f"in {language}" in prompt for prompt in llm.prompts(name)), name
    for name in ("support", "match", "adherence", "quality", "compare"):
        assert not any(language in prompt for prompt in llm.prompts(name)), name
    for prompt in llm.prompts("write_adhering", "write_plain"):
        assert ("characters" in prompt) == bool(length)
        assert length in prompt
