"""What everybody may read, and what the crew does, on the smallest telephones that are about, however they are held."""
import os
import pathlib
import shutil

import pairing
from changes import announcement, party
from visitor import FOLDER, STILL, fail_with, show, speak

SIZES = [(360, 640), (667, 375)]
EXAMPLES = FOLDER.parents[1] / "config/station"
BODY = "Keep away from the low bridge until the water has gone down. " * 20


def screens(device, notice):
    """Each screen with what it is to show, and a script that says that it is there."""
    read = lambda path: device.browser.evaluate(f"fetch('{path}').then((reply) => reply.json())")
    device.browser.wait("return fetch('/v1/calendar').then((reply) => reply.json()).then(({ events }) => events.length)")
    group = read("/v1/personnel")["groups"][0]
    page = read("/v1/pages?language=es")["pages"][0]
    code = "return document.querySelector('.code-side .code')"
    return [
        ("home", {}, "return document.querySelector('.tiles')"),
        ("events", {}, "return document.querySelector('.days .entry')"),
        ("event", {"event": read("/v1/calendar")["events"][0]}, code),
        ("people", {}, "return document.querySelector('.groups .entry')"),
        ("person", {"person": group["people"][0]}, code),
        ("about", {}, "return document.querySelector('[data-page]')"),
        ("page", {"page": page}, "return document.querySelector('.text p')"),
        ("notices", {}, "return document.querySelector('.announced')"),
        ("notice", {"notice": notice["id"]}, "return document.querySelector('.written p')"),
        ("trips", {}, "return document.querySelector('.out')"),
        ("trip", {"trip": read("/v1/trips")["trips"][0]}, "return document.querySelector('.text p')"),
        ("outing", {}, "return document.querySelector('kiosk-outing input')"),
        ("album", {}, "return document.querySelector('.wall img')?.naturalWidth"),
        ("map", {}, "return document.querySelector('.whereabouts .station')"),
        ("rocks", {}, "return document.querySelector('kiosk-rocks .note')"),
        ("view", {}, "return document.querySelector('kiosk-view')"),
        ("look", {}, "return document.querySelector('tablet-look button')"),
        ("crew", {}, "return document.querySelector('kiosk-crew input')"),
        ("learn", {}, "return document.querySelector('.learn-tile')"),
        ("sky", {}, "return document.querySelector('kiosk-sky dd')"),
        ("station", {}, "return document.querySelector('.parts li')"),
        ("kept", {}, "return document.querySelector('.promises')"),
    ]


def telephones(folder):
    """In Spanish, whose words are longer: nothing is cut off or covered."""
    found = []
    content = pathlib.Path(os.environ["KONZA_FOLDER"]) / "station"
    shutil.copytree(EXAMPLES, content, dirs_exist_ok=True)
    card = None
    try:
        with announcement("--title", "The creek rises and the low bridge is closed", "--audience", "everyone", "--body", BODY) as notice, \
                party("Ana María Fernández de la Cruz"), pairing.tablet(*SIZES[0]) as browser:
            device = pairing.Tablet(browser, "es")
            pairing.Tablet(browser).pair("keeper")
            speak(browser, "es")
            card = pairing.shown_at_kiosk("Hello from the tallgrass")
            for screen, values, ready in screens(device, notice):
                for width, height in SIZES:
                    browser.resize(width, height)
                    show(browser, screen, **values)
                    browser.wait(ready)
                    browser.wait(STILL)
                    found.extend(f"{width}x{height} {screen}: {text}" for text in device.measure("day", 44, 8))
                    if folder:
                        browser.screenshot(folder / f"telephone-{screen}-{width}x{height}.png")
            # No touch led to these screens: what comes after one is no answer to it.
            browser.script("konza.moved.length = 0")
            # Nobody fetches for this station: it has no sample of MetPetDB.
            pairing.sound(browser, ["/v1/samples", "/v1/regions"])
    finally:
        if card:
            pairing.delete(card)
        pairing.send_all_away()
        shutil.rmtree(content)
    fail_with(found)


def rows(folder):
    return [("tablet telephones", lambda: telephones(folder))] if "KONZA_TABLETS_URL" in os.environ else []
