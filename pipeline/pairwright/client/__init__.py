"""The real endpoints: OpenAI-compatible chat completions over aiohttp."""

from pairwright.client.client import Client
from pairwright.client.meter import Meter

__all__ = ["Client", "Meter"]
