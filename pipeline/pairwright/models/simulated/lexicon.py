"""The few words of English that the embedded model knows something about.

It has no grammar and no part-of-speech tagger: these closed lists say where a
phrase begins and ends, and a word that is in none of them is taken for one with content.
"""

from pairwright.text import STOPWORDS, stem


def word_set(words: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(words.split())


OWNERS = word_set("my our mine")
DETERMINERS = word_set("a an the my our his her their this that these those some any each every")
NUMBERS = word_set(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred"""
)
DEGREES = word_set("very quite rather really fairly")
COUNTS = NUMBERS | word_set("one")
# Function words that may stand inside a noun phrase; all others end one.
_INSIDE = word_set(
    "first good great last little long new old own people second part next right one two three"
)
BREAKS = (STOPWORDS - _INSIDE) | word_set(
    """per via plus except despite unlike versus onto aboard beside beyond across along unless
    already nearly sure today yesterday tomorrow everywhere anyway alone please currently twice
    somebody nobody he'd she'd they'd it'd that'd there's he's she's who's what's let's one's gone
    come comes came seemed says said turns turned keeps kept took takes looks becomes involves
    means wants lives stands sits otherwise fits works wherever whenever reads smells tastes home
    past near behind later"""
)
# Content words that name nothing in particular: a phrase of them alone does not count as one.
PLAIN = word_set(
    """thing things way ways time times question questions idea ideas problem problems lot lots bit
    help answer answers reason reasons chance look point points issue issues trouble doubt sense
    kind kinds sort sorts fact word words example examples case cases day days week weeks month
    months year years need matter luck view clue choice difference differences moment minute
    thought thoughts rest end start side sides place area stuff level levels amount number first
    second last good great new old own right part next best better worst more most several various
    certain real experience understanding impression feeling knowledge information explanation
    interest opinion movie movies film films scene scenes episode episodes season seasons series
    show shows character characters trailer plot story ending actor actors title version versions
    people person guy guys man woman wish wonder plan advice room while one ones work longer such
    beginning memory guess bad long whole minutes hours usual tool tools friend friends mind life
    home name names something everything book books post posts site article margin bottom top
    middle author food maybe half quarter class morning fan big sensible playing reading sucker
    willing plenty evening articles research knowledge comment
    following skeptical soft spot"""
)
PLAIN_STEMS = frozenset(stem(word) for word in PLAIN)
RELATIONS = word_set(
    """mother father mum mam dad sister brother wife husband partner daughter son child children
    kids toddler baby twins granddaughter grandson grandchildren grandmother grandfather gran
    grandma grandpa nan aunt uncle cousin niece nephew neighbour landlord landlady flatmate
    housemate roommate boss supervisor student students pupils colleague colleagues boyfriend
    girlfriend dog cat parents co-author great-niece great-nephew helpers"""
)
# Verbs of asking, thinking and telling: what follows them is talk about the post itself.
_TALK = word_set(
    """think guess know wonder believe hope mean understand assume suppose see feel remember recall
    ask say hear figure tell imagine help wait decide find look bother seem suspect notice realise
    realize expect agree doubt admit gather thank promise refer quote confess apologise apologize
    add mention get try read watch watched keep want need like love wish do be have go come give"""
)
_PAST = word_set(
    """went saw seen took got made came bought found tried did had was were said thought told heard
    gave sat stood ran ate drank wrote began broke brought built caught chose cut did drew drove
    fell felt flew forgot grew held hid kept knew laid led left lent lost met paid put quit rang
    rode rose sang sent set shook shot sold spent split spoke stuck swam taught threw understood
    woke wore won been wound dug hung lay let hit read sank swore tore dropped"""
)
PAST = _PAST - word_set("cut set left let hit lay")
NO_VERB = _TALK | _PAST | word_set("last first can could will would should shall may might must am")
ENDS_VERB = word_set(
    """it them this that which who when if and but or because i we you he she they me us him than
    while as so there is are was what how where her his their its your myself himself herself
    themselves yourself"""
)
_UNFINISHED = word_set("of own two three real really good knowing left sour soft")
NO_END = (BREAKS | DETERMINERS | _UNFINISHED) - word_set("one")
NO_LACK = word_set(
    """one longer means way idea matter doubt wonder use need sense such problem more change record
    uncertain death patience sign trace reason wish complaint money explanation indication mention
    result results intention memory short answer"""
)
ADVERBS = word_set(
    """really always usually mostly often only still also just now currently normally generally
    sometimes already mainly quite never even then simply actually each both all rarely regularly
    honestly truly nearly about around least most at over"""
)
UNITS = word_set(
    """people guests players students pupils children kids babies volunteers neighbours relatives
    litres liters kilos kg grams cm centimetres centimeters metres meters km kilometres miles feet
    minutes minute hours mornings evenings nights euros pounds dollars floors sections words"""
)
ILLNESSES = word_set(
    """arthritis asthma diabetes dementia migraine migraines insomnia tinnitus dyslexia adhd eczema
    vertigo stammer stutter"""
)
TRAITS = word_set(
    """coeliac celiac vegan vegetarian deaf diabetic dyslexic colour-blind left-handed pregnant
    lactose-intolerant widowed self-taught short-sighted"""
)
NOT_ADVERBS = word_set("family reply supply belly jelly lily fly assembly italy july")
# Adjectives that cannot follow a noun: they begin the next phrase.
FRESH = word_set("real good great new old own first last little long")
# Verbs that questions begin with. Without an article they are not what a question is about.
ASKING = word_set(
    """plan keep choose buy write teach store arrange prepare collect share sort sorting labelling
    gives give go get make find handle clean cook bake brew learn read build improve start stay
    lose losing work deal manage help change pick cut run fit grow remove fix treat tell answer
    explain remember differ compare taste matter happen create prevent store serve drink people put
    add stop avoid use move send apply carry ride watch listen play train organise select protect
    recommended worth choosing keeping getting spending happen happens adding worn"""
)
GERUNDS = {
    "work on": "working on", "work with": "working with", "care for": "caring for",
    "look after": "looking after", "write about": "writing about", "work": "working",
    "drive": "driving", "volunteer": "volunteering",
    "teach": "teaching", "run": "running", "coach": "coaching", "supervise": "supervising",
    "organise": "organising", "organize": "organizing", "manage": "managing", "edit": "editing",
    "translate": "translating", "lead": "leading", "host": "hosting", "train": "training",
    "tow": "towing", "study": "studying", "conduct": "conducting", "raise": "raising",
}  # fmt: skip
