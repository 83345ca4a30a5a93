"""The real endpoints: OpenAI-compatible servers over aiohttp, and vLLM in this process."""

from pairwright.client.client import Client
from pairwright.client.engine import Engine
from pairwright.client.meter import Meter

__all__ = ["Client", "Engine", "Meter"]
