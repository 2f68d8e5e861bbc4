"""What everybody may read, and what the crew does, on the smallest telephones that are about, however they are held."""
import os
import pathlib
import shutil
import time

import pairing
from changes import announcement, party
from crew import account
from visitor import FOLDER, SEEN, STILL, fail_with, show, speak

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


# What a party of many long names answers, by the number of the question; of the others nothing is typed.
ANSWERS = {1: "Ana María Fernández de la Cruz", 2: "Benito Juárez García, Cleo Díaz de Espada, Dolores Ibárruri", 3: "Kings Creek below the nature trail", 6: "Rosa Reyes", 7: "+1 785 555 0112", 8: "rosa@example.org"}


def outing(browser, look):
    """Every question of a party that signs out, up to when it is back."""
    show(browser, "outing")
    number = "return parseInt(document.querySelector('kiosk-outing .note').textContent)"
    for place in range(1, 10):
        browser.wait(f"{number} === arguments[0]", place)
        look(f"outing-{place}")
        if place < 9:
            browser.script("const field = document.querySelector('kiosk-outing input'); if (field) field.value = arguments[0]", ANSWERS.get(place, ""))
            time.sleep(SEEN)
            browser.script("document.querySelector('kiosk-outing .primary').click()")
    browser.wait("return document.querySelector('kiosk-outing .hours')")


def officer(browser, look):
    """What an officer does who is signed in on the telephone: the own account, the roster, somebody's day and leave."""
    with account("Ana María Fernández de la Cruz") as made, account("Lou Ranger"):
        show(browser, "crew")
        browser.wait("return document.querySelector('#crew-secret')")
        browser.script("""for (const [id, value] of Object.entries(arguments[0])) document.querySelector(`#crew-${id}`).value = value;
            document.querySelector('kiosk-crew .primary').click()""", {"name": made["person"]["name"], "secret": made["passphrase"]})
        browser.wait("return document.querySelector('kiosk-crew .who')")
        look("crew-of-an-officer")
        for part, ready in {None: ".tile", "passphrase": "form", "pin": ".primary", "badge": ".primary", "sessions": ".sessions li"}.items():
            show(browser, "account", part=part)
            browser.wait(f"return document.querySelector('kiosk-account {ready}')")
            look("-".join(["account", *filter(None, [part])]))
        show(browser, "account", part="pin")
        browser.wait("return document.querySelector('kiosk-account .primary')")
        browser.script("document.querySelector('kiosk-account .primary').click()")
        browser.wait("return document.querySelector('kiosk-account .secret')")
        look("account-pin-shown")
        show(browser, "roster")
        browser.wait("return document.querySelector('kiosk-roster .name button')")
        look("roster")
        values = browser.evaluate("""fetch('/v1/muster/roster').then((reply) => reply.json())
            .then(({ day, people }) => ({ today: day, line: people.find(({ name }) => name === 'Lou Ranger') }))""")
        show(browser, "correct", **values)
        browser.wait("return document.querySelector('kiosk-correct .states')")
        look("correct")
        browser.script("document.querySelectorAll('kiosk-correct .states button')[2].click()")
        browser.wait("return document.querySelector('kiosk-correct input')")
        look("correct-why")
        show(browser, "leave", **values)
        browser.wait("return document.querySelector('kiosk-leave .says')?.textContent")
        look("leave")
        browser.script("document.querySelector('kiosk-leave .primary').click()")
        browser.wait("return document.querySelector('kiosk-leave .limits')")
        look("leave-days")


def look(device, name, size, folder):
    """What is wrong with the screen that is shown; with a folder it is photographed."""
    device.browser.wait(STILL)
    found = [f"{name} {size[0]}x{size[1]}: {text}" for text in device.measure("day", 44, 8)]
    if folder:
        device.browser.screenshot(folder / f"telephone-{name}-{size[0]}x{size[1]}.png")
    return found


def walk(device, shown, sizes, folder):
    """Shows each screen in each size; what is wrong with them."""
    for screen, values, ready in shown:
        for size in sizes:
            device.browser.resize(*size)
            show(device.browser, screen, **values)
            device.browser.wait(ready)
            yield from look(device, screen, size, folder)


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

            def look_in_each(name):
                for size in SIZES:
                    browser.resize(*size)
                    found.extend(look(device, name, size, folder))

            found.extend(walk(device, screens(device, notice), SIZES, folder))
            outing(browser, look_in_each)
            officer(browser, look_in_each)
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
