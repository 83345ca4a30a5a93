"""Postal addresses: a street with its number, if a postal code or the writer's words say that it is
one. `21 Jump Street` alone is a film.
"""

import re
from collections.abc import Iterator

from pairwright.audit.people.finding import REDACT, DataKind, Finding, starts_alone
from pairwright.audit.people.names import UPPER
from pairwright.audit.records import CheckDefinition

ADDRESS = CheckDefinition(
    family="people",
    name="address",
    title="Postal addresses",
    why="They lead to a person's home. Addresses of shops look the same.",
    todo=REDACT,
)

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
    return Finding(ADDRESS.name, match.start(), code.end() if code else match.end())


POSTAL_ADDRESS = DataKind(ADDRESS, postal_addresses, fails=True, needs_digits=True)
