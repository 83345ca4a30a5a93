"""A stub endpoint in its own process: answers every chat completion after a fixed time.

Hand-written HTTP on asyncio, because it must cost less than what it measures. It counts
requests; GET /stats reads the count, and the CPU seconds they took.
"""

import asyncio
import json
import sys
import time

REPLY = " ".join(["word"] * 145)


class Stub(asyncio.Protocol):
    service_s = 0.2
    requests = 0
    body = json.dumps(
        {
            "id": "stub",
            "object": "chat.completion",
            "created": 0,
            "model": "stub",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": REPLY},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 1500, "completion_tokens": 150, "total_tokens": 1650},
        }
    ).encode()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head_end = self.buffer.find(b"\r\n\r\n")
        if head_end < 0:
            return
        head = self.buffer[:head_end].lower()
        at = head.find(b"content-length:")
        length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
        if len(self.buffer) < head_end + 4 + length:
            return
        self.buffer = self.buffer[head_end + 4 + length :]
        if head.startswith(b"get"):
            stats = {"requests": Stub.requests, "cpu_s": time.process_time()}
            self.respond(json.dumps(stats).encode())
            return
        Stub.requests += 1
        asyncio.get_running_loop().call_later(Stub.service_s, self.respond, Stub.body)

    def respond(self, body: bytes) -> None:
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self.transport.write(head.encode() + body)


async def main(service_s: float) -> None:
    Stub.service_s = service_s
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
