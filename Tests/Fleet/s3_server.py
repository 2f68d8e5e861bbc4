#!/usr/bin/env python3
"""An S3 server for tests, with the standard library alone: one bucket in memory, addressed by path.

It checks what a real one checks, and more strictly: the signature (AWS Signature Version 4, headers only), that everything
that matters is signed, the hash of the body, the clock, and the condition If-None-Match. Faults are injected by
POST /-/faults with a JSON list, one entry for each of the next requests to the bucket; null for none:

    500 503 409 403 304    answered in place of doing it
    "conflict"             409 ConditionalRequestConflict
    "slow"                 the answer comes a byte at a time, whole
    "silent"               nothing is done and nothing is answered until the other side goes
    "truncated"            stored, and the connection is closed within the first line of the answer
    "lost"                 stored, and the connection is closed without an answer
    "cut"                  half of the body is read, then the connection is closed; nothing is stored
    "hash"                 a byte of the body is changed on the way
    "swap"                 stored, but with changed bytes, and answered with the hash of those

GET /-/objects tells what is there, GET /-/log what was asked.
"""

import argparse
import base64
import datetime
import hashlib
import hmac
import http.server
import json
import os
import re
import ssl
import sys
import threading
import time
import urllib.parse

EMPTY = hashlib.sha256(b"").hexdigest()


def signature(secret, method, path, query, headers, signed, payload_hash, timestamp, region, service="s3"):
    """The signature that a request must have
    (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).

    path is as sent; query a list of decoded pairs; headers a dict of lower-case names; signed a list of names."""
    pairs = sorted((urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~")) for name, value in query)
    canonical = "\n".join(
        [method, urllib.parse.quote(urllib.parse.unquote(path), safe="/-_.~"), "&".join(f"{n}={v}" for n, v in pairs)]
        + [f"{name}:{' '.join(headers[name].split())}" for name in signed]
        + ["", ";".join(signed), payload_hash]
    )
    scope = f"{timestamp[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join(["AWS4-HMAC-SHA256", timestamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for word in [timestamp[:8], region, service, "aws4_request"]:
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


def check_published_examples():
    """The four examples of the page cited above."""
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    host, date = "examplebucket.s3.amazonaws.com", "20130524T000000Z"
    text = hashlib.sha256(b"Welcome to Amazon S3.").hexdigest()
    base = {"host": host, "x-amz-date": date}
    rows = [
        ("GET", "/test.txt", [], {"range": "bytes=0-9"}, EMPTY,
         "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        ("PUT", "/test%24file.text", [],
         {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}, text,
         "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        ("GET", "/", [("lifecycle", "")], {}, EMPTY,
         "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("GET", "/", [("max-keys", "2"), ("prefix", "J")], {}, EMPTY,
         "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]
    for method, path, query, more, payload_hash, expected in rows:
        headers = {**base, "x-amz-content-sha256": payload_hash, **more}
        found = signature(secret, method, path, query, headers, sorted(headers), payload_hash, date, "us-east-1")
        if found != expected:
            sys.exit(f"{method} {path}: {found} is not {expected}")
    print("4 published examples: right")


class Refusal(Exception):
    def __init__(self, status, code, message=""):
        self.status, self.code, self.message = status, code, message


class Store:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.objects = {}
        self.writes = {}
        self.faults = []
        self.log = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "S3Test"
    store = None

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string((timestamp or time.time()) + self.store.options.clock)

    # Outside S3.

    def control(self):
        store = self.store
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        with store.lock:
            if self.path == "/-/faults" and self.command == "POST":
                store.faults = json.loads(body)
                answer = {"faults": len(store.faults)}
            elif self.path == "/-/objects":
                answer = {
                    key: {
                        "sha256": hashlib.sha256(found["body"]).hexdigest(), "bytes": len(found["body"]),
                        "type": found["headers"].get("content-type"), "writes": store.writes.get(key, 0),
                    }
                    for key, found in store.objects.items()
                }
            elif self.path == "/-/log":
                answer = store.log
            else:
                answer = None
        self.reply(200 if answer is not None else 404, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    # S3.

    def do_GET(self):
        self.handle_one()

    do_HEAD = do_PUT = do_DELETE = do_POST = do_GET

    def handle_one(self):
        if self.path.startswith("/-/"):
            return self.control()
        store = self.store
        with store.lock:
            fault = store.faults.pop(0) if store.faults else None
            store.log.append({
                "method": self.command, "path": self.path, "fault": fault,
                "headers": {name.lower(): value for name, value in self.headers.items()},
            })
        try:
            self.judge(fault)
        except Refusal as refusal:
            body = (
                '<?xml version="1.0" encoding="UTF-8"?>\n<Error>'
                f"<Code>{refusal.code}</Code><Message>{refusal.message}</Message></Error>"
            ).encode()
            # A body that nobody has read would be taken for the next request.
            self.close_connection = self.command == "PUT"
            self.reply(refusal.status, body, {"Content-Type": "application/xml"}, slow=fault == "slow")

    def judge(self, fault):
        if fault == "silent":
            self.connection.settimeout(60)
            try:
                while self.connection.recv(65536):
                    pass
            except OSError:
                pass
            self.close_connection = True
            return
        length = int(self.headers.get("Content-Length") or 0)
        if self.command == "PUT" and self.headers.get("Content-Length") is None:
            raise Refusal(411, "MissingContentLength")
        if fault == "cut":
            self.rfile.read(length // 2)
            self.close_connection = True
            return
        body = self.rfile.read(length)
        if isinstance(fault, int):
            codes = {500: "InternalError", 503: "SlowDown", 409: "OperationAborted", 403: "AccessDenied"}
            if fault == 304:
                return self.reply(304, b"", {})
            raise Refusal(fault, codes.get(fault, "Unknown"))
        if fault == "conflict":
            raise Refusal(409, "ConditionalRequestConflict")
        if fault == "hash" and body:
            body = bytes([body[0] ^ 1]) + body[1:]
        key, claimed = self.verify()
        if hashlib.sha256(body).hexdigest() != claimed:
            raise Refusal(400, "XAmzContentSHA256Mismatch", "the body has another hash")
        self.act(key, body, fault)

    def verify(self):
        """Checks everything but the body. Returns the key and the hash that was signed."""
        options = self.store.options
        headers = {name.lower(): " ".join(self.headers.get_all(name)) for name in self.headers}
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
            r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})",
            headers.get("authorization", ""))
        if not match:
            raise Refusal(403, "AccessDenied", "no signature")
        account, day, region, names, given = match.groups()
        if account != options.access:
            raise Refusal(403, "InvalidAccessKeyId")
        if region != options.region:
            raise Refusal(400, "AuthorizationHeaderMalformed", f"the region is {options.region}")
        signed = names.split(";")
        if signed != sorted(signed):
            raise Refusal(403, "SignatureDoesNotMatch", "the names are not sorted")
        must = {"host", "x-amz-date", "x-amz-content-sha256"}
        must |= {name for name in headers if name.startswith("x-amz-")}
        must |= {name for name in ("content-type", "content-length", "if-none-match") if name in headers}
        missing = must - set(signed)
        missing |= set(signed) - headers.keys()
        if missing:
            raise Refusal(403, "SignatureDoesNotMatch", f"not signed, or not sent: {' '.join(sorted(missing))}")
        timestamp = headers["x-amz-date"]
        if not re.fullmatch(r"\d{8}T\d{6}Z", timestamp) or timestamp[:8] != day:
            raise Refusal(403, "AccessDenied", "no time")
        claimed = headers["x-amz-content-sha256"]
        if not re.fullmatch(r"[0-9a-f]{64}", claimed):
            raise Refusal(400, "InvalidArgument", "x-amz-content-sha256 is no hash")
        path, _, query = self.path.partition("?")
        expected = signature(
            options.secret, self.command, path, urllib.parse.parse_qsl(query, keep_blank_values=True), headers, signed,
            claimed, timestamp, region)
        if not hmac.compare_digest(expected, given):
            raise Refusal(403, "SignatureDoesNotMatch")
        if options.token is not None and headers.get("x-amz-security-token") != options.token:
            raise Refusal(403, "ExpiredToken" if "x-amz-security-token" in headers else "InvalidToken")
        moment = datetime.datetime.strptime(timestamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        if abs(moment.timestamp() - time.time() - options.clock) > 900:
            raise Refusal(403, "RequestTimeTooSkewed")
        bucket, _, key = path.lstrip("/").partition("/")
        if bucket != options.bucket:
            raise Refusal(404, "NoSuchBucket")
        if options.prefix and not key.startswith(options.prefix):
            raise Refusal(403, "AccessDenied", "another's prefix")
        return key, claimed

    def act(self, key, body, fault):
        store = self.store
        if self.command == "PUT":
            checksum = self.headers.get("x-amz-checksum-sha256")
            if checksum and base64.b64encode(hashlib.sha256(body).digest()).decode() != checksum:
                raise Refusal(400, "BadDigest")
            kept = bytes([body[0] ^ 1]) + body[1:] if fault == "swap" and body else body
            with store.lock:
                if key in store.objects and (self.headers.get("If-None-Match") == "*"):
                    raise Refusal(store.options.exists, "PreconditionFailed")
                store.objects[key] = {
                    "body": kept, "headers": {n.lower(): v for n, v in self.headers.items()},
                }
                store.writes[key] = store.writes.get(key, 0) + 1
            found = base64.b64encode(hashlib.sha256(kept).digest()).decode()
            headers = {"ETag": f'"{hashlib.md5(kept).hexdigest()}"'}
            if not store.options.plain:
                headers["x-amz-checksum-sha256"] = found
            if fault in ("lost", "truncated"):
                if fault == "truncated":
                    self.wfile.write(b"HTTP/1.1 2")
                    self.wfile.flush()
                self.close_connection = True
                return
            return self.reply(200, b"", headers, slow=fault == "slow")
        with store.lock:
            found = store.objects.get(key)
            if self.command == "DELETE":
                store.objects.pop(key, None)
                return self.reply(204, b"", {})
        if fault == "lost":
            self.close_connection = True
            return
        if found is None:
            raise Refusal(404, "NoSuchKey")
        headers = {
            name: value for name, value in found["headers"].items()
            if name.startswith("x-amz-meta-") or name == "content-type"
        }
        if self.headers.get("x-amz-checksum-mode") == "ENABLED" and not store.options.plain:
            headers["x-amz-checksum-sha256"] = base64.b64encode(hashlib.sha256(found["body"]).digest()).decode()
        self.reply(200, found["body"], headers, slow=fault == "slow")

    def reply(self, status, body, headers, slow=False):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        if slow:
            head = b"".join(self._headers_buffer) + b"\r\n"
            self._headers_buffer = []
            for index in range(len(head)):
                self.wfile.write(head[index:index + 1])
                self.wfile.flush()
        else:
            self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", help="gets the port when it listens")
    parser.add_argument("--bucket", default="konza")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--access", default="KONZATEST")
    parser.add_argument("--secret", default="konza-test-secret")
    parser.add_argument("--token", help="the session token that must come along")
    parser.add_argument("--prefix", help="the only names that may be touched")
    parser.add_argument("--clock", type=float, default=0, help="seconds that the server's clock is ahead")
    parser.add_argument("--exists", type=int, default=412, help="the answer where something has the name")
    parser.add_argument("--plain", action="store_true", help="knows no x-amz-checksum-sha256")
    parser.add_argument("--certificate", help="a file with a key and its certificate (PEM): over TLS")
    parser.add_argument("--check", action="store_true", help="check the published examples and end")
    options = parser.parse_args()
    check_published_examples() if options.check else serve(options)


def serve(options):
    Handler.store = Store(options)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    if options.port_file:
        with open(options.port_file + ".new", "w") as file:
            file.write(str(server.server_address[1]))
        os.rename(options.port_file + ".new", options.port_file)
    else:
        print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
