"""Paired tablets that look on: frames pulled a few times a second, and a stream of events each, by a process of their own; and
clients that come back all at once."""
import asyncio
import concurrent.futures
import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def context():
    """The station's certificate is its own, and what is measured here is not whether it is trusted."""
    found = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found.check_hostname = False
    found.verify_mode = ssl.CERT_NONE
    return found


def paired(url, number):
    """The cookie of a tablet that was paired by a link."""
    konza = subprocess.run([os.environ["KONZA_PROGRAM"], "pair", "ranger"], capture_output=True, text=True, check=True)
    link = next(word for word in konza.stdout.split() if "/pair#" in word)
    request = urllib.request.Request(
        url + "v1/session", json.dumps({"token": link.split("#")[1], "name": f"Tablet {number}"}).encode(),
        {"Content-Type": "application/json", "Origin": url.rstrip("/")})
    while True:
        try:
            with urllib.request.urlopen(request, context=context() if url.startswith("https:") else None) as reply:
                return reply.headers["Set-Cookie"].split(";")[0]
        except urllib.error.HTTPError as error:
            # So many may be paired within a minute.
            if error.code != 429:
                raise
            time.sleep(int(error.headers["Retry-After"]))


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
def watching(url, cookies, rate, width):
    """Tablets, by their cookies, that look on until the end of the block."""
    process = subprocess.Popen([sys.executable, __file__, url, str(rate), str(width or 0)], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(json.dumps(cookies) + "\n")
    process.stdin.flush()
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


async def connected(url):
    parts = urllib.parse.urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port, ssl=context() if parts.scheme == "https" else None)


def asked(url, target, cookie):
    return f"GET {target} HTTP/1.1\r\nHost: {urllib.parse.urlsplit(url).netloc}\r\nCookie: {cookie}\r\n\r\n".encode()


async def pull(url, cookie, rate, width, start, ended, latencies):
    """A new frame, at most so many times a second."""
    reader, writer = await connected(url)
    number = None
    await asyncio.sleep(start)
    while not ended.is_set():
        begun = time.monotonic()
        query = "&".join([f"after={number}"] * (number is not None) + [f"width={width}"] * (width > 0))
        writer.write(asked(url, f"/v1/camera/frame.jpg?{query}", cookie))
        status, fields = await head(reader)
        body = await reader.readexactly(int(fields["content-length"]))
        assert status == 200 and body[:2] == b"\xff\xd8", f"{status} {body[:200]}"
        assert number is None or int(fields["konza-frame"]) > number, "the same frame again"
        number = int(fields["konza-frame"])
        latencies.append((time.monotonic() - begun) * 1000)
        await asyncio.sleep(max(0, 1 / rate - (time.monotonic() - begun)))
    writer.close()


async def listen(url, cookie, ended, count):
    reader, writer = await connected(url)
    writer.write(asked(url, "/v1/events", cookie))
    status, _ = await head(reader)
    assert status == 200, status
    while not ended.is_set():
        with contextlib.suppress(asyncio.TimeoutError):
            line = await asyncio.wait_for(reader.readline(), 1)
            assert line, "the stream of events ended"
            count[0] += line.startswith(b"event:")
    writer.close()


async def look_on(url, rate, width):
    cookies = json.loads(sys.stdin.readline())
    ended, latencies, events, begun = asyncio.Event(), [], [0], time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number, cookie in enumerate(cookies):
            group.create_task(pull(url, cookie, rate, width, number / len(cookies) / rate, ended, latencies))
            group.create_task(listen(url, cookie, ended, events))
        await asyncio.to_thread(sys.stdin.readline)
        seconds = time.monotonic() - begun
        ended.set()
    print(json.dumps({"frames": len(latencies) / seconds, "latencies": latencies, "events": events[0] / seconds}))


class Returning:
    """Clients that were here before, and come back all at once with the tickets of their sessions (RFC 8446, section 2.2)."""

    def __init__(self, url, count):
        parts = urllib.parse.urlsplit(url)
        self.address, self.netloc = (parts.hostname, parts.port), parts.netloc
        self.context = context()
        self.sessions = [self.visit(None)[0] for _ in range(count)]

    def visit(self, session):
        """One connection and one request.

        Returns the session for the next time, whether this one was resumed, and the milliseconds from the start to the answer.
        """
        begun = time.monotonic()
        with socket.create_connection(self.address, timeout=30) as plain:
            with self.context.wrap_socket(plain, session=session, server_hostname=self.address[0]) as tls:
                tls.sendall(f"GET /health HTTP/1.1\r\nHost: {self.netloc}\r\nConnection: close\r\n\r\n".encode())
                answer = b""
                while block := tls.recv(65536):
                    answer += block
                assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
                return tls.session, tls.session_reused, (time.monotonic() - begun) * 1000

    def come_back(self):
        """Returns the seconds until all were served, how many sessions were resumed, and each one's milliseconds."""
        with concurrent.futures.ThreadPoolExecutor(len(self.sessions)) as pool:
            begun = time.monotonic()
            served = list(pool.map(self.visit, self.sessions))
        return time.monotonic() - begun, sum(reused for _, reused, _ in served), [took for *_, took in served]


if __name__ == "__main__":
    asyncio.run(look_on(sys.argv[1], *map(int, sys.argv[2:])))
