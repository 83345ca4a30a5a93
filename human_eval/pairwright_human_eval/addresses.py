"""E-mail addresses, which are taken out of all that people wrote before anything is kept."""

import re

# The look-behind keeps it linear: a run of characters is tried from its first one only.
_PART = r"[^\s@\uff20<>()\[\],;:\"']"
_ADDRESS = re.compile(rf"(?<!{_PART}){_PART}+[@\uff20]{_PART}+\.{_PART}+")
_LONE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Without e-mail addresses, and fit for a file."""
    if "@" in text or "\uff20" in text:
        text = _ADDRESS.sub("[e-mail]", text)
    return _LONE.sub("\ufffd", text)
