"""Tablets that look on: frames pulled a few times a second, and a stream of events each, by a process of their own."""
import asyncio
import contextlib
import json
import subprocess
import sys
import time
import urllib.parse


class Watched:
    def __init__(self, process):
        self.process = process
        self.output = None

    def end(self):
        self.output, _ = self.process.communicate("\n", timeout=30)

    def result(self):
        """Frames a second of all, milliseconds from each request to its answer, events a second of all."""
        found = json.loads(self.output)
        return found["frames"], found["latencies"], found["events"]


@contextlib.contextmanager
def watching(url, tablets, rate, width):
    """Tablets that look on until the end of the block."""
    process = subprocess.Popen([sys.executable, __file__, url, str(tablets), str(rate), str(width or 0)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    watched = Watched(process)
    try:
        yield watched
        watched.end()
        assert process.returncode == 0, "the tablets failed"
    finally:
        if process.poll() is None:
            process.kill()


async def head(reader):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    return int(lines[0].split(" ")[1]), fields


async def pull(address, rate, width, start, ended, latencies):
    """A new frame, at most so many times a second."""
    reader, writer = await asyncio.open_connection(*address)
    number = None
    await asyncio.sleep(start)
    while not ended.is_set():
        begun = time.monotonic()
        query = "&".join([f"after={number}"] * (number is not None) + [f"width={width}"] * (width > 0))
        writer.write(f"GET /v1/camera/frame.jpg?{query} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
        status, fields = await head(reader)
        body = await reader.readexactly(int(fields["content-length"]))
        assert status == 200 and body[:2] == b"\xff\xd8", f"{status} {body[:200]}"
        assert number is None or int(fields["konza-frame"]) > number, "the same frame again"
        number = int(fields["konza-frame"])
        latencies.append((time.monotonic() - begun) * 1000)
        await asyncio.sleep(max(0, 1 / rate - (time.monotonic() - begun)))
    writer.close()


async def listen(address, ended, count):
    reader, writer = await asyncio.open_connection(*address)
    writer.write(f"GET /v1/events HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
    status, _ = await head(reader)
    assert status == 200, status
    while not ended.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            line = await asyncio.wait_for(reader.readline(), 1)
            assert line, "the stream of events ended"
            count[0] += line.startswith(b"event:")
    writer.close()


async def look_on(url, tablets, rate, width):
    parts = urllib.parse.urlsplit(url)
    address = (parts.hostname, parts.port)
    ended, latencies, events, begun = asyncio.Event(), [], [0], time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number in range(tablets):
            group.create_task(pull(address, rate, width, number / tablets / rate, ended, latencies))
            group.create_task(listen(address, ended, events))
        await asyncio.to_thread(sys.stdin.readline)
        seconds = time.monotonic() - begun
        ended.set()
    print(json.dumps({"frames": len(latencies) / seconds, "latencies": latencies, "events": events[0] / seconds}))


if __name__ == "__main__":
    asyncio.run(look_on(sys.argv[1], *map(int, sys.argv[2:])))
