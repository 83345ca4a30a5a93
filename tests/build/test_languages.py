"""Words, stems, runs and prompts of texts that are not English."""

import re

import pytest

from pairwright import text
from pairwright.gates.phrases import Talk, first_phrase, is_about_manner
from pairwright.retrieve import by_bm25
from scripted import posts

CHINESE = (
    "我住在一条窄船上，厨房里只有一个煤气灶，没有烤箱，所以每个周末我都用铸铁锅烤黑麦面包。"
    "面团前一天晚上就和好，放在阴凉的地方慢慢发酵，第二天早上再烤。"
)
JAPANESE = (
    "私は小さな船に住んでいて、台所にはガスコンロが一つしかありません。オーブンがないので、"
    "週末はいつも鋳鉄の鍋でライ麦パンを焼いています。"
)
GERMAN = (
    "Ich wohne auf einem Hausboot und habe nur eine einzige Gasflamme, also backe ich mein "
    "Roggenbrot am Wochenende immer in einem gusseisernen Topf mit Deckel."
)


RUSSIAN = (
    "Я живу на маленькой лодке, духовки у меня нет, поэтому по выходным я пеку ржаной хлеб в "
    "чугунной кастрюле с крышкой."
)
ARABIC = (
    "أعيش على متن قارب صغير وليس عندي فرن، لذلك أخبز خبز الجاودار في قدر من الحديد كل نهاية أسبوع."
)
TRADITIONAL = "我住在一條窄船上，廚房裡只有一個瓦斯爐，沒有烤箱，所以我用鑄鐵鍋烤麵包。"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (CHINESE, "zh"), (TRADITIONAL, "zh"), (JAPANESE, "ja"), (GERMAN, "de"), (RUSSIAN, "ru"),
        (ARABIC, "ar"),
        # Too short to tell.
        ("", None), ("OK 123", None), ("Spaghetti al pesto", None), ("kan du det", None),
    ],
)  # fmt: skip
def test_a_passage_of_twenty_words_tells_its_language(said: str, code: str | None) -> None:
    assert text.language(said) == code


@pytest.mark.parametrize(
    ("question", "about", "not_about"),
    [
        ("Welches Brot backen?",
         "Am Wochenende backe ich gerne Brote aus Roggen und habe nur eine Pfanne.",
         "Mein Fahrrad hat einen Platten, und ich suche eine Werkstatt in der Nähe."),
        ("黑麦面包怎样才能更松软？", "周末我喜欢用平底锅做黑麦面包，家里没有烤箱。",
         "我的自行车轮胎坏了，附近有没有修车的地方？"),
    ],
)  # fmt: skip
def test_retrieval_finds_the_german_and_the_chinese_post_that_bears_on_a_question(
    question: str, about: str, not_about: str
) -> None:
    assert by_bm25(question, posts(not_about, about))[0].text == about


@pytest.mark.parametrize(
    ("aspect", "manner"),
    [
        ("eine kurze, knappe Antwort", True), ("freundlicher Ton", True),
        ("Antwort in Stichpunkten", True), ("簡潔的回答", True), ("友好的语气", True),
        ("a concise answer", True), ("eine kurze Anfahrt zur Arbeit", False),
        ("ein Rezept mit kurzer Backzeit", False), ("清晰的照片", False), ("简短的面试流程", False),
    ],
)  # fmt: skip
def test_aspects_about_how_an_answer_is_written_are_known(aspect: str, manner: bool) -> None:
    assert is_about_manner(aspect) == manner


TALK: dict[Talk, str] = {
    "persona": """
        Da du ja in einem Beitrag geschrieben hast, nimm Klapptische.
        Als jemand, der gern draußen ist, brauchst du festes Schuhwerk.
        Angesichts Ihrer Vorlieben passt ein leichter Wein. Das passt, da du in der Stadt wohnst.
        Weil Sie keinen Ofen haben, nehmen Sie eine Pfanne. Das ist gut für jemanden wie dich.
        Weil du gern lange wanderst, nimm feste Schuhe. Das ist etwas für Leute wie Sie.
        Sie haben erwähnt, dass Sie malen: Nehmen Sie Kreide.
        对于像你这样的人，铸铁锅最好。 因為你沒有烤箱，所以用平底鍋。
        既然你喜欢黑麦面包，就多放一点酵母。 作为一个住在船上的你，最好用铸铁锅。
        您之前提到过厨房很小，所以选小一点的锅。 考慮到您的情況，平底鍋比較合適。
    """,
    "meta": """
        Der Nutzer möchte ohne Ofen backen. Der Nutzer mo\u0308chte ohne Ofen backen.
        Diese Antwort verzichtet auf Nüsse. 这个回答将避免提到坚果。 该用户喜欢黑麦面包。
    """,
    "refusal": """
        Es tut mir leid, aber ich kann diese Frage nicht beantworten.
        Als KI-Modell kann ich dazu nichts sagen. Als Sprachmodell kann ich dazu nichts sagen.
        Leider kann ich diese Frage nicht beantworten. Leider kann ich dazu keine Auskunft geben.
        Leider kann ich Ihnen dabei nicht weiterhelfen.
        對不起，我沒辦法給建議。 恐怕我不能帮你。 很抱歉，我无法回答您的问题。
        作为人工智能助手，我没有味觉。
    """,
}
"""Sentences each of which is to be found."""


@pytest.mark.parametrize(
    ("kind", "said"),
    [(kind, said) for kind, text in TALK.items()
     for said in re.split(r"(?<=[.。])\s+", text.strip())],
)  # fmt: skip
def test_ways_of_talking_are_found_in_german_and_chinese(kind: Talk, said: str) -> None:
    assert first_phrase(kind, f"Vorweg gesagt. {said}", "?")
    assert first_phrase(kind, said, said) is None


@pytest.mark.parametrize(
    "said",
    [
        "Wenn du keinen Ofen hast, nimm eine Pfanne. Sie haben beide ihren Platz, und dein Teig "
        "geht trotzdem auf; wie Bäcker schreiben, hilft Zeit. Ich kann nicht genug betonen, wie "
        "viel sie ausmacht. Die Antwort auf harte Krume ist Wasser, und die Nutzer loben sie.",
        "如果你没有烤箱，可以用平底锅。根据你的口味加盐，面团要醒够时间，时间长短看天气。"
        "用户界面上的计时器很方便。我不能保证每次都一样，但是方法对了就不会差太多。"
        "作为早饭，配咸菜很好吃。",
        "Bei Ihrer Lage am Hang hält ein Zaun. Sie haben gesagt, es regnet. Nimm den Topf, weil du "
        "damit mehr Platz hast, und den Deckel, weil du den Teig gut geknetet hast. Dass Menschen "
        "Angst haben, ist normal. Schreiben Sie ihm: „Es tut mir leid, aber ich kann Ihnen nicht "
        "helfen“, oder: »Leider kann ich diese Frage nicht beantworten.« Oder auf Französisch: "
        "« Als KI-Modell kann ich nichts sagen. »",
        "可以这样回信：「抱歉，我無法回答您的問題。」也可以说“对不起，我不能去”，这样比较客气。",
        GERMAN, CHINESE,
    ],
)  # fmt: skip
def test_ordinary_german_and_chinese_is_no_such_way_of_talking(said: str) -> None:
    for kind in TALK:
        assert first_phrase(kind, said, "?") is None
