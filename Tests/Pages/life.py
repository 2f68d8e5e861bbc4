"""Measures station life over the portal's socket: signing in, a roster of 500, a year of musters, a month of 10 000 events."""
import hashlib
import http.client
import json
import os
import pathlib
import socket
import sqlite3
import statistics
import subprocess
import threading
import time

import processes

CREW, DAYS, EVENTS, WRONG = 500, 250, 10_000, 100
EPOCH = 1_736_164_800  # Monday, 2025-01-06 12:00 UTC: all of the year is over


class Connection(http.client.HTTPConnection):
    """HTTP over the portal's socket."""

    def __init__(self):
        super().__init__("localhost", timeout=120)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(os.environ["KONZA_PORTAL_SOCKET"])

    def ask(self, method, path, body=None):
        """The status and the JSON of an answer, and how long it took, milliseconds."""
        begun = time.monotonic()
        self.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"} if body is not None else {})
        reply = self.getresponse()
        text = reply.read()
        return reply.status, json.loads(text) if text else None, (time.monotonic() - begun) * 1000


def konza(*arguments):
    return subprocess.run([os.environ["KONZA_PROGRAM"], *arguments], capture_output=True, text=True, check=True).stdout


def row(figures, group, what, samples):
    figures.row(group, what, statistics.median(samples), "ms", samples)
    return statistics.median(samples)


def signing_in(figures):
    made = json.loads(konza("people", "add", "Bench Officer", "--role", "officer", "--json"))
    connection = Connection()
    sign_in = lambda name, passphrase: connection.ask("POST", "/v1/people/session", {"name": name, "passphrase": passphrase})
    sign_in("Bench Officer", made["passphrase"])  # The first one measures how many passes the board makes.
    right = [sign_in("Bench Officer", made["passphrase"])[2] for _ in range(5)]
    # The sixth wrong one of a name waits: four of each.
    tries = [[sign_in(name, "wrong words of some length")[2] for name in ("Bench Officer", "Nobody At All")] for _ in range(4)]
    known, unknown = zip(*tries)
    figures.goal("login", row(figures, "people", "login with the right passphrase", right), "ms", atMost=800)
    difference = abs(row(figures, "people", "login of a known name, wrong", known) - row(figures, "people", "login of an unknown name", unknown))
    figures.goal("login: known and unknown names differ by", difference, "ms", atMost=0.2 * statistics.median(known))


def flood(figures):
    """A hundred wrong logins at once, and somebody else who reads meanwhile."""
    answers, others = [], []
    begin, over = threading.Barrier(WRONG + 1), threading.Event()

    def wrong(number):
        connection = Connection()
        begin.wait()
        answers.append(connection.ask("POST", "/v1/people/session", {"name": f"Guess {number}", "passphrase": "some words that are wrong"})[0])

    threads = [threading.Thread(target=wrong, args=(number,)) for number in range(WRONG)]
    for thread in threads:
        thread.start()
    reader = Connection()
    reader.ask("GET", "/v1/session")
    begin.wait()
    ending = threading.Thread(target=lambda: ([thread.join() for thread in threads], over.set()))
    ending.start()
    refused = 0
    while not over.is_set() or len(others) < 300:
        status, _, took = reader.ask("GET", "/v1/announcements")
        others.append(took)
        refused += status != 200
    ending.join()
    # One hash at a time and four that wait; a server that is full says so.
    assert set(answers) <= {403, 429, 503}, f"wrong logins were answered with {set(answers)}"
    figures.row(f"{WRONG} wrong logins at once", "requests of another that were refused", refused, "")
    row(figures, f"{WRONG} wrong logins at once", "another's request", others)
    figures.goal(f"{WRONG} wrong logins at once: another's p99", sorted(others)[int(0.99 * len(others))], "ms", atMost=50)


def records(box, previous, sequence, people):
    """A year of musters, each with the hash over the one before it, as the portal writes them."""
    for day in range(DAYS):
        at = EPOCH + (day // 5 * 7 + day % 5) * 86_400
        date = time.strftime("%Y-%m-%d", time.gmtime(at))
        for index, person in enumerate(people):
            sequence += 1
            nanoseconds = (at + index) * 10 ** 9
            fields = [str(sequence), box, "muster", str(person), date, str(nanoseconds), "0", "", "kiosk", "proved", "", "", "", "",
                      str(person), "0", "synchronised", "bench", str(nanoseconds)]
            digest = hashlib.sha256(previous.encode())
            for field in fields:
                digest.update(len(field.encode()).to_bytes(8, "big") + field.encode())
            previous = digest.hexdigest()
            yield (sequence, box, "muster", person, date, nanoseconds, 0, "", "kiosk", "proved", "", "", "", "", person, 0, "synchronised", "bench",
                   nanoseconds, previous)


def muster(figures):
    folder = pathlib.Path(os.environ["KONZA_FOLDER"])
    (folder / "crew.csv").write_text("name,role\r\n" + "".join(f"Crew Member {number},crew\r\n" for number in range(CREW)))
    konza("people", "import", str(folder / "crew.csv"))
    connection = Connection()
    roster = [connection.ask("GET", "/v1/muster/roster") for _ in range(30)]
    assert len(roster[-1][1]["people"]) > CREW
    figures.goal(f"roster of {CREW}", row(figures, "muster", f"roster of {CREW}", [one[2] for one in roster]), "ms", atMost=10)
    database = sqlite3.connect(folder / "portal/portal.db", timeout=60)
    (box,) = database.execute("SELECT box FROM muster_box").fetchone()
    last = database.execute("SELECT sequence, hash FROM muster_records ORDER BY sequence DESC LIMIT 1").fetchone() or (0, "0" * 64)
    people = [number for (number,) in database.execute("SELECT number FROM people WHERE name LIKE 'Crew Member %' ORDER BY number")]
    with database:
        database.executemany(f"INSERT INTO muster_records VALUES ({', '.join('?' * 20)})", records(box, last[1], last[0], people))
    database.close()
    status, verdict, _ = connection.ask("GET", "/v1/muster/verify")
    assert status == 200 and verdict["isWhole"], verdict
    audit = [connection.ask("GET", "/v1/muster/verify")[2] for _ in range(3)]
    figures.goal(f"audit of a year of {CREW}", row(figures, "muster", f"audit of {verdict['records']} records", audit), "ms", atMost=1000)
    roster = [connection.ask("GET", "/v1/muster/roster?day=2025-06-03")[2] for _ in range(30)]
    figures.goal(f"roster of {CREW}, after a year", row(figures, "muster", f"roster of {CREW} of a past day", roster), "ms", atMost=10)


def calendar(figures):
    """Two files of weekly, monthly and single events."""
    folder = pathlib.Path(os.environ["KONZA_FOLDER"]) / "station/calendar"
    folder.mkdir(parents=True)
    rules = ["RRULE:FREQ=WEEKLY;BYDAY=MO\r\n", "RRULE:FREQ=MONTHLY;BYMONTHDAY=3\r\n", "RRULE:FREQ=YEARLY\r\n", ""]
    year = time.gmtime().tm_year
    for file in range(2):
        events = (
            f"BEGIN:VEVENT\r\nUID:{file}-{number}\r\nDTSTART:{year}{number % 12 + 1:02}{number % 28 + 1:02}T140000Z\r\n"
            f"DTEND:{year}{number % 12 + 1:02}{number % 28 + 1:02}T150000Z\r\n{rules[number % 4 if number % 50 == 0 else 2 + number % 2]}"
            f"SUMMARY:Event {number}\r\nEND:VEVENT\r\n" for number in range(EVENTS // 2))
        (folder / f"{file}.ics").write_text("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + "".join(events) + "END:VCALENDAR\r\n")
    to = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30 * 86_400))
    connection = Connection()
    limit = time.monotonic() + 60
    while len(connection.ask("GET", f"/v1/calendar?to={to}&limit=100")[1]["events"]) < 100:
        assert time.monotonic() < limit, "the calendar is not read"
        time.sleep(0.5)
    lists = [connection.ask("GET", f"/v1/calendar?to={to}&limit=100")[2] for _ in range(30)]
    figures.goal(f"{EVENTS} events: the list of a month", row(figures, "calendar", f"list of a month of {EVENTS} events", lists), "ms", atMost=20)


def resting():
    """The portal's memory at rest. Every minute it gives back what it does not need, and the next seconds take a part of that
    again: after the first minute the median over another one does not depend on when it did."""
    time.sleep(62)
    samples = []
    for _ in range(62):
        time.sleep(1)
        samples.append(processes.resident(int(os.environ["KONZA_PORTAL_PID"])))
    return statistics.median(samples)


def measure(figures):
    empty = resting()
    signing_in(figures)
    flood(figures)
    muster(figures)
    calendar(figures)
    full = resting()
    figures.row("memory", "konza-portal's, of an empty station", empty, "MB")
    figures.row("memory", f"with {CREW} people, a year of musters, {EVENTS} events", full, "MB")
    figures.goal("portal's memory, more with station life", full - empty, "MB", atMost=8)
