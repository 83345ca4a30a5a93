"""How many tokens a text has, about, without a tokenizer.

English is four characters a token. Chinese is between 0.7 (Llama 2) and 1.2 characters a token
(Llama 3) on CC-100 (the table of Tokenizer Arena, huggingface.co/spaces/xu-song/tokenizer-arena),
and 1.7 by DeepSeek's own documentation (0.6 tokens a character): one is taken, so that a budget is
rather too small than too large. The same for Japanese, Korean, Thai, Lao, Khmer and Burmese is an
assumption.
"""

from pairwright.text.scripts import unspaced_count

CHARACTERS_PER_TOKEN = 4


def token_estimate(text: str) -> float:
    """Tokens: one for four characters, and one for each of Chinese, Japanese, Korean or Thai."""
    unspaced = unspaced_count(text)
    return (len(text) - unspaced) / CHARACTERS_PER_TOKEN + unspaced
