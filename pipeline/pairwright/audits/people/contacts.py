"""How to reach a person: e-mail, telephone and postal addresses, machines and people's pages.

A telephone number is international, North American, with a trunk prefix, or after words such as
`call me`. A postal address is a street with its number, if a postal code or the writer's words say
that it is one: `21 Jump Street` alone is a film.
"""

import ipaddress
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from pairwright import text as words
from pairwright.audits.people.names import UPPER, DataKind, Finding, starts_alone

_NAME, _HOST = r"[A-Za-z0-9._%+-]{1,64}", r"[A-Za-z0-9-]{1,63}"
# Wide, as Chinese and Japanese keyboards type it, and as it is in addresses of pages.
_AT = re.compile("@|\uff20|%40")
# Names of hosts in any script, the last part in one: running text may follow without a space.
_PLAIN = re.compile(
    rf"(?<![A-Za-z0-9._%+@/-]){_NAME}(?:{_AT.pattern})(?:(?:[^\W_]|-){{1,63}}\.){{1,5}}"
    r"(?:[Xx][Nn]--[A-Za-z0-9-]{2,59}|[A-Za-z]{2,24}|[^\W\d_A-Za-z]{2,24})(?![A-Za-z0-9@-])"
)
_SPELT = re.compile(
    rf"(?<![A-Za-z0-9._%+-]){_NAME} ?(?:[\[(] ?at ?[\])]| at ) ?"
    rf"(?!(?:the|a|an|this|that|any|each|every)\b){_HOST}"
    r" ?(?:[\[(] ?(?:dot|\.) ?[\])]| dot |\.) ?(?:com|org|net|edu|gov|io|info|co|de|fr|uk|eu)\b",
    re.IGNORECASE,
)
# "Meet me at home dot com", "sold at amazon dot com": a place, and nobody's name before it.
_VERBS = "available bought buy found look ordered order selling sold shop sell".split()
_A_PLACE = re.compile(rf"(?:{'|'.join(sorted([*words.STOPWORDS, *_VERBS]))}) at ", re.IGNORECASE)
_SPELT_MARK = re.compile(r"[\[(] ?(?:at|dot) ?[\])]| dot ", re.IGNORECASE)
# RFC 2606's names for examples, names of files, and addresses of machines.
_NO_MAILBOX = re.compile(
    r"@(?:[\w.-]*\.)?example\.[a-z]+$|\.(?:example|test|invalid|localhost|local|png|jpe?g|gif|svg"
    r"|webp|css|js|py|html?|txt|pdf)$|^(?:git|noreply|no-reply)@",
    re.IGNORECASE,
)
# A regular expression for addresses: `[a-z]+@shop.com`, `\\w+@shop.com`, `.@shop.com`.
_PATTERN = re.compile(r"[^@]*[+%]@|[._%+-]*@")


def at_sign(text: str) -> bool:
    """Whether there is what every address has but those that are spelt out."""
    return "@" in text or "\uff20" in text or "%40" in text


def emails(text: str) -> Iterator[Finding]:
    if at_sign(text):
        for match in _PLAIN.finditer(text):
            plain = _AT.sub("@", match.group())
            if not (_NO_MAILBOX.search(plain) or _PATTERN.match(plain)):
                yield Finding("email", *match.span())
    # "Buy it at amazon.com" has the form, and no mark of something spelt out.
    if ("(" in text or "[" in text or " dot " in text.lower()) and _SPELT_MARK.search(text):
        for match in _SPELT.finditer(text):
            spelt = match.group()
            if _SPELT_MARK.search(spelt) and not _A_PLACE.match(spelt):
                yield Finding("email", *match.span())


MAIL = DataKind("email", emails, fails=True)


_GAP = r"[ .\-\u2010\u2011\u00a0/]"
_INTERNATIONAL = re.compile(
    rf"(?:(?<![\w+.,:-])|(?<=\b[Tt][Ee][Ll]:))(?:\+|00(?=[1-9]\d{{0,2}}{_GAP}|[1-9]\d{{9,12}}(?!\d)))[1-9]\d{{0,2}}{_GAP}?(?:\(\d{{1,5}}\){_GAP}?)?"
    rf"\d(?:{_GAP}?\d){{5,13}}(?![\w%]|[.,]\d)"
)
_NORTH_AMERICAN = re.compile(
    r"(?<![\w.+/=-])(?:1[ .-])?(?:\([2-9][0-8]\d\) ?|[2-9][0-8]\d[.-])"
    r"[2-9]\d{2}[.-]\d{4}(?![\w/-]|\.\d)"
)
_TRUNK = re.compile(
    r"(?<![\w.,+/:$£€=-])\(?0\d{1,4}\)?[ /-]{1,2}\d{2,8}(?:[ -]\d{2,4}){0,4}"
    r"(?![\w/:%-]|[.,]\d| [\da-f]{2}\b)"
)
_CUED = re.compile(
    r"\b(?:tel|telephone|phone|mobile|cell|whatsapp|fax|sms|call me|text me|reach me|ring me)\b"
    rf"[^\d\n+]{{0,15}}(?P<number>\(?\d(?:[)(]{{0,2}}{_GAP}?\(?\d){{6,14}})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_CUE = re.compile(r"tel|phone|mobile|cell|whatsapp|fax|sms| me", re.IGNORECASE)
_BOOK = re.compile(r"\b(?:ISBN|ISSN|EAN|DOI|UPC|ASIN|OCLC)(?:-1[03])?\W{0,3}$", re.IGNORECASE)
_DATED = re.compile(
    r"(?<!\d)(?:1[5-9]|20)\d\d ?[-\u2013/] ?(?:1[5-9]|20)\d\d(?!\d)"
    r"|^\d{1,2}[/.-]\d{1,2}[/.-](?:\d\d|\d{4})\b|^(?:1[5-9]|20)\d\d[ /.-]\d\d[ /.-]\d\d"
)
# Numbers kept for fiction, those that only firms have, and postal codes of New England.
_NO_PERSON = re.compile(
    r"555\W?01\d\d$|^0\d{4}-\d{4}$|^(?:\+?1\W?)?\(?8(?:00|22|33|44|55|66|77|88)\b"
)
# Round numbers count things, and so do all three of a range's.
_RANGE = re.compile(r"\d\d0[.-]\d\d0[.-]\d\d00")
# Bytes and the like; five pairs are how France writes numbers.
_PAIRS = re.compile(r"\d\d(?: \d\d){5,}")


# Seven digits with no more than marks between them: quick to look for, and few texts have it.
_LONG = re.compile(rf"\d(?:(?:{_GAP}|[()]){{0,4}}\d){{6}}")


def phones(text: str) -> Iterator[Finding]:
    if not _LONG.search(text):
        return
    for match in _INTERNATIONAL.finditer(text):
        if _plausible(match.group().removeprefix("00"), 8, 15):
            yield Finding("phone", *match.span())
    for match in _NORTH_AMERICAN.finditer(text):
        number = match.group()
        if _RANGE.fullmatch(number) or _of_a_book(text, match.start()):
            continue
        if _plausible(number, 10, 11):
            yield Finding("phone", *match.span())
    for match in _TRUNK.finditer(text):
        if _plausible(match.group(), 9, 12) and not _of_a_book(text, match.start()):
            yield Finding("phone", *match.span())
    if _CUE.search(text):
        for match in _CUED.finditer(text):
            if _plausible(match["number"], 7, 15):
                yield Finding("phone", *match.span("number"))


def _plausible(number: str, least: int, most: int) -> bool:
    """Of a length, and none of what looks like it; round numbers count things."""
    digits = "".join(filter(str.isdigit, number))
    if not least <= len(digits) <= most or digits.endswith("0000"):
        return False
    return not (_DATED.search(number) or _NO_PERSON.search(number) or _PAIRS.fullmatch(number))


def _of_a_book(text: str, start: int) -> bool:
    return bool(_BOOK.search(text[max(0, start - 16) : start]))


TELEPHONE = DataKind("phone", phones, fails=True, needs_digits=True)


_WORD = rf"[{UPPER}][\w'\u2019.-]{{1,25}}"
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[-/]\d{1,4})?"
_KIND = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Terrace|Way"
    r"|Square|Sq|Crescent|Close|Gardens|Parkway|Pkwy|Highway|Hwy|Circle|Row|Mews|Grove)\b\.?"
)
_ENGLISH = re.compile(
    rf"{_NUMBER},? (?:{_WORD} ){{1,4}}{_KIND}"
    r"(?:,? (?:Apt|Apartment|Unit|Suite|Ste|Flat|#)\.? ?#?\w{1,5}\b)?"
)
# Germanic languages write the kind of street into its name, and the number behind it.
_GERMANIC = re.compile(
    rf"(?<![\w-])[{UPPER}][\w-]{{2,30}}?(?:stra\u00dfe|strasse|str\.|weg|platz|gasse|allee|ring"
    r"|damm|ufer|straat|laan|gracht|gatan|v\u00e4gen|vej) \d{1,4} ?[a-z]?(?!\w|\.\d)"
    rf"|(?<![\w-])(?:{_WORD}[ -]){{1,2}}(?:Stra\u00dfe|Str\.|Weg|Platz|Allee) \d{{1,4}}[a-z]?(?!\w)"
)
_FRENCH = re.compile(
    r"(?<![\w-])\d{1,4}(?: ?bis| ?ter)?,? (?:rue|avenue|boulevard|chemin|all\u00e9e|impasse|quai"
    r"|place) [^\n,\d]{3,40}(?=,|\n| \d|\.|$)"
)
_SOUTHERN = re.compile(
    r"(?<![\w-])(?:Calle|C/|Avenida|Avda\.|Via|Viale|Piazza|Corso|Rua|Plaza) ?[^\n,\d]{3,40},? "
    r"(?:n[\u00b0\u00ba.] ?)?\d{1,4}(?!\w)"
)
_POLISH = re.compile(
    rf"(?<![\w.])(?<!et )(?:ul\.|al\.|os\.|pl\.|ulica|ulicy|alei) ?[{UPPER}][^\n,\d]{{2,40}} "
    r"\d{1,4}[A-Za-z]?(?:(?:/| ?m\. ?)\d{1,4})?(?!\w)"
)
_BOX = re.compile(r"\bP\.? ?O\.? ?Box \d{1,6}\b")
# Quick to look for, and without one of these the pattern finds nothing.
_FORMS = (
    (_ENGLISH, (" St", " Av", " R", " L", " D", " B", " C", " P", " T", " W", " S", " G", " H",
                " M")),
    (_GERMANIC, ("stra\u00dfe ", "strasse ", "str. ", "weg ", "platz ", "gasse ", "allee ", "ring ",
                 "damm ", "ufer ", "straat ", "laan ", "gracht ", "gatan ", "v\u00e4gen ", "vej ",
                 " Stra", " Str. ", " Weg ", " Platz ", " Allee ")),
    (_FRENCH, (" rue ", " avenue ", " boulevard ", " chemin ", " all\u00e9e ", " impasse ",
               " quai ", " place ")),
    (_SOUTHERN, ("Calle", "C/", "Avenida", "Avda", "Via", "Piazza", "Corso", "Rua", "Plaza")),
)  # fmt: skip
# What follows a street in an address: a code, at most a town's name before it.
_CODE = re.compile(
    rf"(?:[,\n]| {_WORD})?[^\w\n]{{0,3}}\n?(?:{_WORD},?[ \n]){{0,3}}[,\n ]{{0,3}}(?:"
    r"[A-Z]{2},? \d{5}(?:-\d{4})?"  # United States
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"  # United Kingdom
    r"|[A-Z]\d[A-Z] ?\d[A-Z]\d"  # Canada
    rf"|(?:[A-Z]{{1,2}}-)?\d{{4,5}} (?:{_WORD}|[A-Z]{{2}}\b)|\d{{2}}-\d{{3}} {_WORD}"  # Europe
    rf"|[A-Z]{{2,3}} \d{{4}}|\d{{5}}"  # Australia
    r"|(?<=, )(?:[A-Z]{2}|USA|United (?:States|Kingdom)|England|Scotland|Ireland|Canada|Australia"
    r"|Germany|France|Poland|Spain|Italy|Netherlands|India))(?![\w-])"
)
_SAID = re.compile(
    r"(?:\b(?:(?:I|we|he|she|they)(?:'m| am|'re| are|'s| is)? (?:currently |now )?"
    r"(?:live|lives|lived|living|reside|resides|stay|staying) (?:at|in|on)"
    r"|(?:my|our|his|her|their)(?: (?:home|postal|mailing|new|current))? (?:address|house|home|flat"
    r"|place)(?: is)?(?: at)?|(?:home|postal|mailing|shipping|billing)? ?address(?: is)?"
    r"|(?:send|ship|mail|deliver|post|write|come|move|moved) (?:it |them |this |me |mine |over )?"
    r"(?:to|at)(?: me at| us at)?|find me at|visit (?:me|us) at|mieszkam (?:na|przy)|adres(?: to)?"
    r"|(?:ich )?wohne(?:n)? in(?: der)?|adresse(?: ist)?|anschrift|j'habite(?: au)?"
    r"|vivo en(?: la)?|direcci\u00f3n(?: es)?|abito in))[:,]? ?\n?(?:the |der |number |no\. ?)?$",
    re.IGNORECASE,
)


def postal_addresses(text: str) -> Iterator[Finding]:
    """Streets with a code behind them, or which somebody says to be where they are."""
    for pattern, marks in _FORMS:
        if any(map(text.__contains__, marks)):
            yield from _confirmed(pattern, text)
    if any(map(text.__contains__, ("ul.", "al.", "os.", "pl.", "ulica", "ulicy", "alei"))):
        for match in _POLISH.finditer(text):
            yield _with_code(text, match)
    if "Box" in text:
        for match in _BOX.finditer(text):
            yield _with_code(text, match)


def _confirmed(pattern: re.Pattern[str], text: str) -> Iterator[Finding]:
    for match in pattern.finditer(text):
        if not starts_alone(text, match.start()):
            continue
        finding = _with_code(text, match)
        if finding.end > match.end() or _SAID.search(
            text[max(0, match.start() - 60) : match.start()]
        ):
            yield finding


def _with_code(text: str, match: re.Match[str]) -> Finding:
    code = _CODE.match(text, match.end())
    return Finding("address", match.start(), code.end() if code else match.end())


POSTAL_ADDRESS = DataKind("address", postal_addresses, fails=True, needs_digits=True)


_IPV4 = re.compile(r"(?<![\w.-])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{0,4}(?![\w:])")
_VERSION = re.compile(
    r"(?:\b(?:v|ver|version|release|build|firmware|section|chapter|clause|part|update|patch)s?"
    r"|§)[ .:]{0,2}$",
    re.IGNORECASE,
)
# Sites on which the first step of a path is the name of a user.
_SITES = r"twitter|x|github|gitlab|instagram|facebook|pinterest|soundcloud|patreon|threads|twitch"
_SITE = re.compile(rf"(?:www\.|m\.)?(?:{_SITES})\.(?:com|net|tv)")
_OWN_SITE = re.compile(
    r"(?!www\.)[\w-]+\.(?:tumblr\.com|blogspot\.com|livejournal\.com|github\.io)"
)
_URL = re.compile(
    rf"(?:https?://|(?<![\w.@/-])(?:www\.|(?:{_SITES}|linkedin|reddit|youtube)\.(?:com|net|tv)/))"
    r"[^\s<>\"'`\[\]{}|\\]{3,500}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"/(?:users?|u|members?|profiles?)/[\w.~%-]+|/@[\w.-]+|/~\w+|/in/[\w%-]+"
    r"|/wiki/User(?:_talk)?:\w",
    re.IGNORECASE,
)
# First steps that are a site's own.
_SITE_PATHS = frozenset(
    """
    p reel reels explore search hashtag intent share sharer sharer.php status home login signup
    about features topics pages groups events watch i settings help privacy tos terms legal jobs
    blog marketplace pricing sponsors orgs apps collections trending directory videos discover
    tags stream stories photo photo.php story.php
    """.split()
)


def ips(text: str) -> Iterator[Finding]:
    """Public IP addresses: not private or reserved ones, and not the number of a version."""
    # Looking at a whole text for the second form takes long, and few hold three colons.
    for pattern in (_IPV4, _IPV6) if text.count(":") > 2 else (_IPV4,):
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - 12) : match.start()]
            if _public(match.group()) and not _VERSION.search(before):
                yield Finding("ip", *match.span())


def _public(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_global
    except ValueError:
        return False


def profile_urls(text: str) -> Iterator[Finding]:
    """Addresses of people's pages."""
    if "/" not in text and "www." not in text:
        return
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?)*_")
        if _names_somebody(url):
            yield Finding("profile_url", match.start(), match.start() + len(url))


def _names_somebody(url: str) -> bool:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        host = (parts.hostname or "").lower()
    except ValueError:
        return False
    if _NAMED.match(parts.path) or _OWN_SITE.fullmatch(host):
        return True
    first, *rest = [step.lower() for step in parts.path.split("/") if step] or [""]
    is_page = not rest or rest[0] == "status"
    return bool(_SITE.fullmatch(host)) and bool(first) and first not in _SITE_PATHS and is_page


HOSTS = (
    DataKind("profile_url", profile_urls),
    # An address of the sixth version without a digit is one that nobody has.
    DataKind("ip", ips, needs_digits=True),
)
