"""The real endpoints: OpenAI-compatible chat completions over `openai` with aiohttp."""

from pairwright.client.client import Client
from pairwright.client.meter import Meter

__all__ = ["Client", "Meter"]
