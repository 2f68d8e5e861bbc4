"""A postcard on the internet, as far as the kiosk shows it: promised without a network, filled when there is one, taken back.

A station of a fleet of its own: its broker is not there, its object store (Tests/Fleet/s3_server.py) only later."""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from browser import Browser
from visitor import FOLDER, PAGES, STILL, Visitor

TOP = FOLDER.parents[1]
SERVER = TOP / "Tests/Fleet/s3_server.py"
PROGRAMS = pathlib.Path(os.environ.get("KONZA_PROGRAM", ".build/debug/konza")).parent
DAYS = 30


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Station:
    """konzad, its portal and konza-fleet; and the object store, which is started when a test says so."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.port, tablets, take, self.store, broker = free_ports(5)
        (folder / "konzad.conf").write_text(f"""[General]
State={folder}/state
Socket={folder}/konza.sock
[Position]
Source=recorded
[Camera]
Source=recorded
Width=640
Height=360
[Portal]
Port={self.port}
TakeHome=127.0.0.1:{take}
Listen=127.0.0.1:{tablets}
State={folder}/portal
Content={folder}/station
Socket={folder}/portal/portal.sock
[Fleet]
Broker=mqtt://127.0.0.1:{broker}
Box=knz07
Store=http://127.0.0.1:{self.store}/konza
PublicStore=http://127.0.0.1:{self.store}/konza
PublicLinks=yes
""")
        (folder / "fleet-store").write_text("aws_access_key_id=KONZATEST\naws_secret_access_key=konza-test-secret\n")
        for program in ("konzad", "konza-portal"):
            self.start(PROGRAMS / program, "--config", folder / "konzad.conf")
        self.start(PROGRAMS / "konza-fleet", "--config", folder / "konzad.conf", "--credentials", folder, "--state", folder / "fleet")

    def start(self, *words):
        with open(self.folder / f"{pathlib.Path(words[0]).name}.log", "wb") as log:
            self.processes.append(subprocess.Popen([str(word) for word in words], stdout=log, stderr=log))

    def connect(self):
        """The network is there."""
        self.start(sys.executable, SERVER, "--port", self.store)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            process.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def objects(self):
        """The public ones: their keys."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.store}/-/objects", timeout=10) as reply:
            return sorted(key for key in json.load(reply) if key.startswith("p/"))


def until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, urllib.error.URLError):
            if value := condition():
                return value
        time.sleep(0.1)
    raise AssertionError(f"in {seconds} s it did not come true that {what}")


@contextlib.contextmanager
def station():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        one = Station(pathlib.Path(name))
        try:
            until("the station has a fix", lambda: b'"state":"fix"' in urllib.request.urlopen(one.url + "v1/position", timeout=10).read())
            yield one
        finally:
            one.end()


def text(language, key, **values):
    words = json.loads((PAGES / f"words/{language}.json").read_text())[key]
    for name, value in values.items():
        words = words.replace(f"{{{name}}}", str(value))
    return words


def linked(language, by, watch, axe):
    """Offered, chosen, promised; the network comes; it works; it is taken back, and nothing of it is left anywhere."""
    def says(browser, key):
        begin = text(language, key).split("{")[0]
        browser.wait("return [...document.querySelectorAll('kiosk-take .public p')].some((one) => one.textContent.startsWith(arguments[0]))", begin)

    with station() as place:
        with Browser([watch, "konza.session.maxCountdown = 1", axe()]) as browser:
            browser.resize(1280, 800)
            browser.open(place.url)
            visitor = Visitor(browser, language, by)
            visitor.begin()
            visitor.press("start")
            visitor.screen("compose")
            visitor.press("take")
            _, card = visitor.wait_for_card()
            path = f"/v1/postcards/{card['id']}/public-link"

            def opened():
                visitor.press(text(language, "card.take"))
                visitor.screen("take")
                # The code comes after the screen, and moves what stands below it.
                browser.wait("return document.querySelector('kiosk-take .steps .code')")
                visitor.press(text(language, "take.public"))

            def found():
                browser.wait(STILL)
                complaints = [f"{scheme}: {words}" for scheme in ("day", "night") for words in visitor.measure(scheme) + visitor.axe()]
                assert not complaints, complaints[:4]

            # Nothing is public before the visitor says for how long.
            opened()
            says(browser, "take.publicNote")
            assert visitor.answers("GET", path) == 404
            found()
            visitor.press(text(language, "take.publicDays", days=DAYS))
            says(browser, "take.publicPending")
            found()
            link = browser.evaluate(f"fetch('{path}').then((reply) => reply.json())")
            assert link["state"] == "pending" and f"127.0.0.1:{place.store}/konza/p/" in link["link"]["text"], link
            assert browser.label(browser.script("return document.querySelector('kiosk-take .public .code, kiosk-take .public [role=img]')")), "the code has no name"

            place.connect()
            until("the page and the picture are stored", lambda: len(place.objects()) == 2, seconds=90)
            key = link["link"]["text"].split("/konza/", 1)[1]
            assert key in place.objects(), place.objects()
            until("the station knows it", lambda: visitor.browser.evaluate(f"fetch('{path}').then((reply) => reply.json())")["state"] == "stored")
            visitor.press(text(language, "take.done"))
            visitor.screen("card")
            opened()
            says(browser, "take.publicStored")
            found()

            visitor.press(text(language, "take.publicEnd"))
            says(browser, "take.publicNote")
            assert visitor.answers("GET", path) == 404
            until("the objects are gone", lambda: place.objects() == [], seconds=90)
            violations = browser.script("return konza.violations")
            assert not violations, violations
            visitor.tidy()


def rows(watch, axe):
    return [("public link en touch", lambda: linked("en", "touch", watch, axe)),
            ("public link es keyboard", lambda: linked("es", "keyboard", watch, axe))]
