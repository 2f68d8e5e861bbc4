"""What changes in the life of the station is on the screen at once, and without the stream of events a little later."""
import contextlib
import json
import time

from crew import konza
from visitor import Visitor, show

# What the page has asked for since a mark, by path.
ASKED = "return performance.getEntriesByType('resource').filter(({ name, startTime }) => name.includes(arguments[0]) && startTime > (globalThis.marked ?? 0)).length"
SHOWN = "return !document.querySelector('.urgent-notice').hidden && document.querySelector('.urgent-notice').textContent === arguments[0] && performance.now()"


@contextlib.contextmanager
def announcement(*words):
    made = json.loads(konza("announce", "--json", *words))
    try:
        yield made
    finally:
        konza("announce", "retire", made["id"])


@contextlib.contextmanager
def party(leader):
    made = json.loads(konza("trips", "start", "--json", "--leader", leader, "--to", "20B", "--in", "2"))
    try:
        yield made
    finally:
        konza("trips", "return", made["id"])


def listening(browser):
    browser.wait("return konza.changes?.deref()?.readyState === EventSource.OPEN")


def events(start):
    """An urgent announcement reaches the first screen at once, a party the list of who is out; nobody asks in vain meanwhile."""
    with start() as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        listening(browser)
        browser.script("globalThis.marked = performance.now()")
        begun = time.monotonic()
        with announcement("--title", "The creek rises", "--urgent", "--audience", "everyone"):
            browser.wait(SHOWN, "The creek rises")
            print(f"        written by a command, then on the first screen: {time.monotonic() - begun:.2f} s", flush=True)
            assert time.monotonic() - begun < 10, "it was polled for"
        browser.wait("return document.querySelector('.urgent-notice').hidden")
        # Its words are not for visitors: only that there is something.
        with announcement("--title", "Keys are in the shed", "--urgent"):
            browser.wait("return !document.querySelector('.urgent-notice').hidden")
            assert not browser.script("return document.body.textContent.includes('shed')")
            # One for everyone hides neither another one nor that there is one for the crew.
            with announcement("--title", "The creek rises", "--urgent", "--audience", "everyone"), \
                    announcement("--title", "The bridge is out", "--urgent", "--audience", "everyone"):
                crew = browser.evaluate("import('/pages/core/words.js').then(({ text }) => text('notices.hidden'))")
                browser.wait(SHOWN, f"The bridge is out and 1 more · {crew}")
        browser.wait("return document.querySelector('.urgent-notice').hidden")
        asked = browser.script(ASKED, "/v1/announcements")
        assert asked <= 10, f"{asked} questions for eight changes"
        show(browser, "trips")
        listening(browser)
        with party("Ana Reyes"):
            browser.wait("return document.querySelector('kiosk-trips .out')?.textContent.includes('Ana R.')")
        browser.wait("return !document.querySelector('kiosk-trips .out')")
        # One stream for the page, whatever its screens are.
        browser.script("globalThis.marked = 0")
        assert browser.script("return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/station/events')).length") <= 2
        # The stream breaks, and is refused from then on: the screen is as it would be without it.
        browser.script("""globalThis.EventSource = class extends EventTarget { readyState = 2; static CLOSED = 2; constructor() { super(); queueMicrotask(() => this.dispatchEvent(new Event('error'))); } close() {} };
            const stream = konza.changes.deref(); stream.close(); stream.dispatchEvent(new Event('error'));""")
        with party("Ben Ode"):
            browser.wait("return document.querySelector('kiosk-trips .out')?.textContent.includes('Ben O.')")
        assert not browser.complaints(), browser.complaints()


def restarted(start):
    """A stream that ends is opened again by the browser, and what happened meanwhile is shown."""
    with start() as browser:
        Visitor(browser, "en").begin()
        show(browser, "trips")
        listening(browser)
        browser.script("konza.changes.deref().dispatchEvent(new Event('error'))")
        with party("Cleo Diaz"):
            browser.wait("return document.querySelector('kiosk-trips .out')?.textContent.includes('Cleo D.')")
        show(browser, "home")
        # Nobody waits for a change any more: the stream is closed.
        browser.wait("return konza.changes.deref()?.readyState !== EventSource.OPEN")


def rows(start):
    return [("events at once", lambda: events(start)), ("events again", lambda: restarted(start))]
