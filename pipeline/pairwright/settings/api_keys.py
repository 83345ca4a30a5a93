"""Telling an API key from the name of the environment variable that holds one."""

import re

from pydantic import JsonValue

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")
_BEGINNING = re.compile(
    r"(sk|pk|hf|gsk|xai|csk|nvapi|pplx|fw|r8|tgp|glpat|gh[oprsu]|github_pat)[-_]"
    r"|AIza|AKIA|eyJ|Bearer "
)
"""How the keys of well-known services begin."""
_KEY_NAME = re.compile(
    r"(?:.*[_-])?(?:api[_-]?key|authorization|credentials?|passw(?:or)?d|secret|bearer)"
    r"|(?:(?:hf|api|auth|access|bearer)[_-])?token|key",
    re.IGNORECASE,
)
"""Names under which people write keys; `eos_token` and its like are none."""
_WORD = 20
"""No word of a variable's name is as long as this and has digits inside."""

REVOKE = (
    "Revoke that key, because it was written to a file. Put the new one into an environment"
    " variable, and write the variable's name, such as OPENAI_API_KEY, as api_key_env."
)
"""What to do about a key in a file."""


def is_variable_name(text: str) -> bool:
    """Whether this can be the name of an environment variable, and does not look like a key."""
    if not _NAME.fullmatch(text) or begins_like_a_key(text):
        return False
    return not any(len(word) >= _WORD and _has_both(word) for word in text.split("_"))


def begins_like_a_key(text: str) -> bool:
    """Whether a text begins as the keys of well-known services do, and goes on in no language."""
    begins = _BEGINNING.match(text)
    rest = re.findall(r"[A-Za-z0-9]{10,}", text)
    return bool(begins) and any(_has_both(word) or _changes_case(word) for word in rest)


def holds_key(value: JsonValue) -> bool:
    """Whether any text inside a value of a config begins like a key, or has the name of one."""
    if isinstance(value, str):
        return begins_like_a_key(value)
    if isinstance(value, dict):
        return any(
            holds_key(one)
            or (bool(one) and isinstance(one, str) and bool(_KEY_NAME.fullmatch(name)))
            for name, one in value.items()
        )
    return isinstance(value, list) and any(map(holds_key, value))


def _has_both(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _changes_case(word: str) -> bool:
    return not (word.isupper() or word.islower() or word[1:].islower())
