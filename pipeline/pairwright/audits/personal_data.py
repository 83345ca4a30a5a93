"""Personal data in a text: keys by detect-secrets, telephone numbers by phonenumbers, numbers of
accounts, cards and registers by their forms and the check digits of python-stdnum."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from detect_secrets.plugins import (
    aws,
    azure_storage_key,
    basic_auth,
    discord,
    github_token,
    gitlab_token,
    jwt,
    mailchimp,
    npm,
    openai,
    private_key,
    pypi_token,
    sendgrid,
    slack,
    square_oauth,
    stripe,
    telegram_token,
    twilio,
)
from detect_secrets.plugins.base import RegexBasedDetector
from phonenumbers import Leniency, PhoneNumberMatcher
from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.ch import ssn as ahv
from stdnum.es import dni, nie
from stdnum.fi import hetu
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.se import personnummer
from stdnum.us import ssn

Span = tuple[int, int]
MOST_FINDINGS = 200
"""The most findings of one kind in one text."""


class Finding(NamedTuple):
    """Personal data in a text: `text[start:end]`."""

    kind: str
    """The name of its check."""
    start: int
    end: int


_DETECTORS: tuple[type[RegexBasedDetector], ...] = (
    aws.AWSKeyDetector, azure_storage_key.AzureStorageKeyDetector, basic_auth.BasicAuthDetector,
    discord.DiscordBotTokenDetector, github_token.GitHubTokenDetector,
    gitlab_token.GitLabTokenDetector, jwt.JwtTokenDetector, mailchimp.MailchimpDetector,
    npm.NpmDetector, openai.OpenAIDetector, private_key.PrivateKeyDetector,
    pypi_token.PypiTokenDetector, sendgrid.SendGridDetector, slack.SlackDetector,
    square_oauth.SquareOAuthDetector, stripe.StripeDetector,
    telegram_token.TelegramBotTokenDetector, twilio.TwilioKeyDetector,
)  # fmt: skip
"""Those whose patterns stand for one issuer or form, and hardly match prose."""
# Nearly every text is without this, and then it holds no key.
_MAY_BE_KEY = re.compile(r"[A-Za-z0-9_=/+-]{16}|PRIVATE KEY|://[^\s/@]+@")


@cache
def _key_patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(pattern for detector in _DETECTORS for pattern in detector().denylist)


def _secrets(text: str) -> Iterator[Span]:
    if _MAY_BE_KEY.search(text):
        for pattern in _key_patterns():
            yield from (match.span() for match in pattern.finditer(text))


def _numbers(form: str, is_valid: Callable[[str], bool]) -> Callable[[str], Iterator[Span]]:
    """Numbers of a form that stand alone and whose check digits are right."""
    pattern = re.compile(rf"(?<![\w.,+/$-])(?:{form})(?![\w-]|[.,]\d)")

    def found(text: str) -> Iterator[Span]:
        return (one.span() for one in pattern.finditer(text) if is_valid(one.group()))

    return found


def _is_card(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    return len(set(digits)) > 2 and luhn.is_valid(digits)


_REGISTERS = (
    (r"\d{3}-\d{2}-\d{4}", ssn.is_valid),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", cpf.is_valid),
    (r"756\.\d{4}\.\d{4}\.\d{2}", ahv.is_valid),
    (r"\d{8}-?[A-Z]", dni.is_valid),
    (r"[XYZ]-?\d{7}-?[A-Z]", nie.is_valid),
    (r"\d{6}[-+A]\d{3}[0-9A-Y]", hetu.is_valid),
    (r"[12] ?\d\d ?[01]\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d", nir.is_valid),
    (r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]", codicefiscale.is_valid),
    (r"\d{6}[-+]\d{4}", personnummer.is_valid),
)
_REGISTER = tuple(_numbers(form, is_valid) for form, is_valid in _REGISTERS)
# All numbers of registers have six digits, with no more than a letter and a mark between two.
_SIX = re.compile(r"\d(?:[ .-]?[A-Z]?\d){5}")


def _national_ids(text: str) -> Iterator[Span]:
    if _SIX.search(text):
        for found in _REGISTER:
            yield from found(text)


_MAIL = re.compile(
    r"(?<![A-Za-z0-9._%+@/-])[A-Za-z0-9._%+-]{0,63}[A-Za-z0-9_-](?:@|\uff20|%40)"
    r"(?!(?:[\w.-]*\.)?example\.)(?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,24}(?![A-Za-z0-9@-])"
)
_NO_MAILBOX = re.compile(
    r"(?:git|no-?reply)@|.*\.(?:example|test|invalid|local|png|jpe?g|gif|svg)$"
)


def _emails(text: str) -> Iterator[Span]:
    if "@" in text or "\uff20" in text or "%40" in text:
        for match in _MAIL.finditer(text):
            if not _NO_MAILBOX.match(match.group()):
                yield match.span()


# Seven digits with no more than marks between them: quick to look for, and few texts have it.
_MAY_BE_PHONE = re.compile(r"\d(?:[ .()/\u00a0\u2010\u2011-]{0,4}\d){6}")


def _phones(text: str) -> Iterator[Span]:
    """International numbers, and those of North America without a code."""
    if _MAY_BE_PHONE.search(text):
        for match in PhoneNumberMatcher(text, "US", leniency=Leniency.VALID):
            yield match.start, match.end


_PAGE = re.compile(
    r"(?<![\w@./-])(?:https?://)?(?:www\.)?(?:"
    r"(?:twitter|x|github|instagram|facebook)\.com/"
    r"(?!(?:search|p|features|explore|share|intent|login|about|hashtag)\b)"
    r"[\w.-]+(?:/status/\d+)?(?![\w/])"
    r"|[\w-]+(?:\.[\w-]+)+/(?:(?:users?|u|in|profiles?|members?)/[\w%~-]|[@~]\w)[\w.%~/-]*)",
    re.IGNORECASE,
)


def _profile_urls(text: str) -> Iterator[Span]:
    if "/" in text:
        yield from (match.span() for match in _PAGE.finditer(text))


_HANDLE = re.compile(
    r"(?<![\w@.+/\\{}-])@[A-Za-z_][A-Za-z0-9_]{2,29}(?![\w@({/=:]|[.-]\w)"
    r"|(?<![\w/.])/?u/[A-Za-z0-9_-]{3,20}(?![\w/-])"
)


def _handles(text: str) -> Iterator[Span]:
    if "@" in text or "u/" in text:
        yield from (match.span() for match in _HANDLE.finditer(text))


KINDS: dict[str, Callable[[str], Iterator[Span]]] = {
    "secret": _secrets,
    "iban": _numbers(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?", iban.is_valid),
    "card": _numbers(
        r"[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}", _is_card
    ),
    "national_id": _national_ids,
    "email": _emails,
    "profile_url": _profile_urls,
    "phone": _phones,
    "handle": _handles,
}
"""By check. Of findings that overlap, that of the first kind is kept."""
FAILS = frozenset(KINDS) - {"profile_url", "handle"}
"""Those by which anybody can reach or rob a person. The others are public names, often of somebody
famous: they are noted and logged."""
# Without one of these an ASCII text holds nothing.
_MARK = re.compile(r"[0-9@/]|PRIVATE KEY")


def find(text: str) -> list[Finding]:
    """All personal data in a text, by place."""
    findings: list[Finding] = []
    if text.isascii() and not _MARK.search(text):
        return findings
    for kind, found in KINDS.items():
        for start, end in islice(found(text), MOST_FINDINGS):
            if all(end <= other.start or other.end <= start for other in findings):
                findings.append(Finding(kind, start, end))
    return sorted(findings, key=lambda one: one.start)


def mask(text: str, finding: Finding) -> str:
    """A finding as a report may show it: its first character and its form."""
    own = text[finding.start : finding.end][:60]
    return own[:1] + re.sub(r"[^\W_]", "*", own[1:])


def mask_text(text: str) -> str:
    """A text as a check may quote it: its personal data are masked."""
    for one in reversed(find(text)):
        text = text[: one.start] + mask(text, one) + text[one.end :]
    return text
