"""Keys, account and card numbers, and numbers of state registers: what their patterns look like."""

import re
from collections.abc import Iterator

from stdnum import luhn
from stdnum.ar import cuit
from stdnum.be import nn
from stdnum.br import cpf
from stdnum.ch import ssn
from stdnum.cl import rut
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.mx import curp
from stdnum.se import personnummer

from pairwright.audits.people.names import DataKind, Finding, starts_alone

_WORD = r"[A-Za-z0-9_-]"
_HEX = "[0-9a-f]"
# As their issuers say they look; https://github.com/gitleaks/gitleaks has the same and more.
_SERVICES = {
    "Airtable": (("pat",), rf"pat[A-Za-z0-9]{{14}}\.{_HEX}{{64}}"),
    "Anthropic and OpenAI": (("sk-",), rf"sk-{_WORD}{{16,250}}"),
    "Atlassian": (("ATATT3",), rf"ATATT3{_WORD}{{50,250}}"),
    "AWS": (("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    "Azure": (("AccountKey=",), r"AccountKey=[A-Za-z0-9+/]{80,90}"),
    "Databricks": (("dapi",), rf"dapi{_HEX}{{32}}"),
    "DigitalOcean": (("_v1_",), rf"do[opr]_v1_{_HEX}{{64}}"),
    "Discord": (
        (".", "/webhooks/"),
        rf"[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,38}}"
        rf"|discord(?:app)?\.com/api/webhooks/\d{{15,20}}/{_WORD}{{60,80}}",
    ),
    "Docker": (("dckr_pat_",), rf"dckr_pat_{_WORD}{{20,60}}"),
    "Facebook": (("EAA",), r"EAA[A-Za-z0-9]{80,250}"),
    "GitHub": (("gh", "github_pat_"), r"gh[opsur]_[A-Za-z0-9]{20,250}|github_pat_\w{20,250}"),
    "GitLab": (("glpat-",), rf"glpat-{_WORD}{{16,250}}"),
    "Google": (
        ("AIza", "GOCSPX-", "ya29."),
        rf"AIza{_WORD}{{30,40}}|GOCSPX-{_WORD}{{28}}|ya29\.{_WORD}{{40,250}}",
    ),
    "Grafana": (("glsa_",), rf"glsa_[A-Za-z0-9]{{32}}_{_HEX}{{8}}"),
    "Groq": (("gsk_",), r"gsk_[A-Za-z0-9]{40,60}"),
    "Hugging Face": (("hf_",), r"hf_[A-Za-z0-9]{20,250}"),
    "Linear": (("lin_api_",), r"lin_api_[A-Za-z0-9]{32,60}"),
    "Mailchimp": (("-us",), rf"{_HEX}{{32}}-us\d{{1,2}}"),
    "Mailgun": (("key-",), rf"key-{_HEX}{{32}}"),
    "New Relic": (("NRAK-",), r"NRAK-[A-Z0-9]{27}"),
    "Notion": (("ntn_", "secret_"), r"ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43}"),
    "npm": (("npm_",), r"npm_[A-Za-z0-9]{30,250}"),
    "Postman": (("PMAK-",), rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}"),
    "PyPI": (("pypi-",), rf"pypi-{_WORD}{{50,250}}"),
    "Replicate": (("r8_",), r"r8_[A-Za-z0-9]{30,60}"),
    "SendGrid": (("SG.",), rf"SG\.{_WORD}{{16,64}}\.{_WORD}{{16,64}}"),
    "Sentry": (("sntry",), rf"sntryu_{_HEX}{{64}}|sntrys_{_WORD}{{50,250}}"),
    "Shopify": (("shp",), r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    "Slack": (
        ("xox", "xapp-", "hooks.slack.com"),
        r"xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{20,250}"
        r"|hooks\.slack\.com/services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,30}",
    ),
    "Square": (("sq0",), rf"sq0(?:atp|csp|idp)-{_WORD}{{22,43}}"),
    "Stripe": (("k_live_", "k_test_"), r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
    "Supabase": (("sbp_",), rf"sbp_{_HEX}{{40}}"),
    "Telegram": ((":AA",), rf"\d{{8,10}}:AA{_WORD}{{33}}"),
    "Twilio": (("SK", "AC"), rf"(?:SK|AC){_HEX}{{32}}"),
    "Vault": (("hvs.",), rf"hvs\.{_WORD}{{24,250}}"),
    "xAI": (("xai-",), r"xai-[A-Za-z0-9]{60,100}"),
    "JSON Web Tokens": (
        ("eyJ",),  # RFC 7519
        rf"eyJ{_WORD}{{10,2000}}\.eyJ{_WORD}{{5,4000}}\.{_WORD}{{10,1000}}",
    ),
}
"""By service, what one of its keys holds, quick to look for, and how they look."""
_ISSUED = tuple(
    (mark, re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})(?![A-Za-z0-9_])"))
    for marks, pattern in _SERVICES.values()
    for mark in marks
)
_IN_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+]{2,20}://[^\s:/@]{1,60}:(?P<key>[^\s:/@]{8,100})@[\w.-]{3}"
)
_NAMED = re.compile(
    r"\b(?:api[ _-]?key|access[ _-]?key|secret(?:[ _-]?(?:access[ _-]?)?key)?|auth[ _-]?token"
    r"|access[ _-]?token|password|passwd)[\"'`]{0,2} ?(?:[:=]|is) ?[\"'`]?"
    r"(?P<key>[A-Za-z0-9+/_-]{20,200})(?![A-Za-z0-9+/_-])",
    re.IGNORECASE,
)
_NAMES = ("key", "secret", "token", "passw")
BLOCK = "-----BEGIN "
_BLOCK = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST = 8_000
"""Characters of a private key; one of 4,096 bits has 3,300."""
LEAST_DISTINCT = 8
"""Distinct characters: `sk-xxxxxxxxxxxxxxxx` is a placeholder for a key."""


def secrets(text: str) -> Iterator[Finding]:
    if BLOCK in text:
        for match in _BLOCK.finditer(text):
            end = text.find("-----END ", match.end(), match.end() + _LONGEST)
            close = text.find("-----", end + 9, end + 60) if end >= 0 else -1
            yield Finding("secret", match.start(), close + 5 if close >= 0 else match.end())
    for mark, pattern in _ISSUED:
        if mark in text:
            for match in pattern.finditer(text):
                if _random(match.group()):
                    yield Finding("secret", *match.span())
    if "://" in text and "@" in text:
        for match in _IN_ADDRESS.finditer(text):
            if _random(match["key"]):
                yield Finding("secret", *match.span("key"))
    if any(map(text.lower().__contains__, _NAMES)):
        for match in _NAMED.finditer(text):
            if _random(match["key"]):
                yield Finding("secret", *match.span("key"))


def _random(key: str) -> bool:
    """Letters and digits, and not the same few again and again."""
    mixed = any(map(str.isdigit, key)) and any(map(str.isalpha, key))
    return mixed and len(set(key)) >= LEAST_DISTINCT


_CARD = re.compile(
    r"(?<![\w.,+-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|\d{4}([ -])\d{6}\2\d{4,5}|\d{14,16}|\d{19})"
    r"(?![\w-]|[.,]\d)"
)
_LONG = re.compile(r"\d(?:[ -]?\d){13}")
_ISSUERS = re.compile(
    r"4(?:\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])"
    r"(?:[A-Z]{2}\d{2}(?:(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?|[A-Z0-9]{11,30})"
    # In small letters words look like groups of four.
    r"|[a-z]{2}\d{2}(?:(?: \d{4}){2,7}(?: \d{1,3})?|[a-z0-9]{11,30}))"
    r"(?![A-Za-z0-9])"
)


def cards(text: str) -> Iterator[Finding]:
    """Numbers of a card issuer's form whose check digit is right (Luhn, ISO/IEC 7812-1)."""
    for match in _CARD.finditer(text) if _LONG.search(text) else ():
        digits = "".join(filter(str.isdigit, match.group()))
        if _ISSUERS.fullmatch(digits) and len(set(digits)) > 2 and luhn.is_valid(digits):
            yield Finding("card", *match.span())


def ibans(text: str) -> Iterator[Finding]:
    """Account numbers whose check digits are right (ISO 13616, modulo 97)."""
    for match in _IBAN.finditer(text):
        iban = match.group().replace(" ", "")
        moved = "".join(str(int(c, 36)) for c in iban[4:] + iban[:4])
        if 15 <= len(iban) <= 34 and int(moved) % 97 == 1:
            yield Finding("iban", *match.span())


# No number of the United States begins with 000, 666 or 9 (Social Security Administration).
_AMERICAN = re.compile(
    r"\d{3}(?<!000)(?<!666)(?<!9\d\d)(?P<gap>[- ])(?!00)\d\d(?P=gap)(?!0000)\d{4}(?![\w/-]|[.,]\d)"
)
_BRITISH = re.compile(
    r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?<!BG|GB|KN|NK|NT|TN|ZZ)"
    r"(?P<gap> ?)\d\d(?P=gap)\d\d(?P=gap)\d\d(?P=gap)[A-D](?![\w-])"
)
_CUED = re.compile(
    r"\b(?:ssn|social[ -]security|pesel|national insurance|nino|steuer-?id|codice fiscale"
    r"|passport|aadhaar|bsn|burgerservicenummer|sofinummer|cpf|nhs|personnummer|cpr|ppsn?)"
    r"(?: (?:no|number|nr|num))?\.?[^\w\n]{0,3}(?:is|was|:)?\s{0,2}"
    r"(?P<number>[A-Z]{0,2}\d(?:[ .-]?\d){6,11}[A-Z]{0,2})(?!\w|[.,]\d)",
    re.IGNORECASE,
)
_CUES = (
    "ssn", "social", "pesel", "insurance", "nino", "steuer", "codice", "passport", "aadhaar", "bsn",
    "service", "sofi", "cpf", "nhs", "personn", "cpr", "pps",
)  # fmt: skip
# Without a word in front: numbers of a form that others rarely have, whose check digits are right.
_CHECKED = tuple(
    (re.compile(rf"(?:{form})(?![\w-]|[.,]\d)"), is_valid)
    for form, is_valid in (
        (r"\d{2}-\d{8}-\d", cuit.is_valid),
        (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", nn.is_valid),
        (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf.is_valid),
        (r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]", rut.is_valid),
        (r"\d{6}[-+A]\d{3}[0-9A-Y]", hetu.is_valid),
        (r"[12] ?\d\d ?[01]\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d", nir.is_valid),
        (r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]", codicefiscale.is_valid),
        (r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d", curp.is_valid),
        (r"\d{8}-?[A-Z]", dni.is_valid),
        (r"[XYZ]-?\d{7}-?[A-Z]", nie.is_valid),
        (r"\d{6}[-+]\d{4}", personnummer.is_valid),
        (r"756\.\d{4}\.\d{4}\.\d{2}", ssn.is_valid),
    )
)
_REGISTERS = (
    "social security (US) and national insurance (GB); by their check digits CUIT (AR), NN (BE), "
    "CPF (BR), AHV (CH), RUT (CL), DNI and NIE (ES), HETU (FI), NIR (FR), codice fiscale (IT), "
    "CURP (MX), personnummer (SE); after its name a CPR (DK), NHS (GB), PPS (IE), Aadhaar (IN), "
    "BSN (NL), PESEL (PL), Steuer-ID (DE) or passport number; no other"
)


def national_ids(text: str) -> Iterator[Finding]:
    cued = any(map(text.lower().__contains__, _CUES))
    if "-" in text or cued:
        for match in _AMERICAN.finditer(text):
            # With spaces it is a form that other numbers have, too.
            if starts_alone(text, match.start()) and (match["gap"] == "-" or cued):
                yield Finding("national_id", *match.span())
    for match in _BRITISH.finditer(text):
        if starts_alone(text, match.start()):
            yield Finding("national_id", *match.span())
    if cued:
        for match in _CUED.finditer(text):
            yield Finding("national_id", *match.span("number"))
    for form, is_valid in _CHECKED if _SIX.search(text) else ():
        for match in form.finditer(text):
            if starts_alone(text, match.start()) and is_valid(match.group()):
                yield Finding("national_id", *match.span())


# Every checked number has six digits, with no more than a letter and a mark between two.
_SIX = re.compile(r"\d(?:[ .-]?[A-Z]?\d){5}")

IDENTIFIERS = (
    DataKind(
        "secret", secrets, fails=True,
        covers=f"keys of {', '.join(_SERVICES)}; private key blocks; passwords in addresses, and "
        "those that are named and have 20 characters or more; no other",
    ),
    DataKind("iban", ibans, fails=True, needs_digits=True),
    DataKind("card", cards, fails=True, needs_digits=True),
    DataKind("national_id", national_ids, fails=True, needs_digits=True, covers=_REGISTERS),
)  # fmt: skip
