"""The crew at the kiosk: signing in with number and PIN, the own day, the own account, and who takes care of an overdue trip."""
import contextlib
import json
import os
import subprocess

from visitor import Visitor

SIZES = {"en": [(1280, 800), (800, 480), (480, 800)], "es": [(800, 480), (768, 1024)]}


def konza(*arguments):
    return subprocess.run([os.environ["KONZA_PROGRAM"], *arguments], capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def account(name):
    """An account, with what only the answer says: number, PIN and badge; and what everybody has to read before a muster."""
    made = json.loads(konza("people", "add", name, "--role", "officer", "--json"))
    try:
        yield made
    finally:
        konza("people", "remove", name)


def press(browser, selector):
    browser.wait("const node = document.querySelector(arguments[0]); return Boolean(node) && !node.disabled", selector)
    browser.tap(browser.script("return document.querySelector(arguments[0])", selector))


def type_digits(browser, digits):
    for digit in digits:
        browser.tap(browser.script("return [...document.querySelectorAll('.pad .key')].find((one) => one.textContent === arguments[0])", digit))


def sign_in(browser, made):
    browser.script("document.querySelector('kiosk-app').show('crew')")
    browser.wait("return document.querySelector('kiosk-crew .pad')")
    type_digits(browser, str(made["person"]["number"]))
    press(browser, "kiosk-crew .primary")
    browser.wait("return document.querySelector('kiosk-crew .pin')?.textContent === '·'")
    type_digits(browser, made["pin"])
    press(browser, "kiosk-crew .primary")
    browser.wait("return document.querySelector('kiosk-crew .who')")


def crew(start, language, folder, axe_core):
    """Everything by touch; each screen measured in some sizes."""
    found = []
    with start(1280, 800, [axe_core()]) as browser, account("Ana Reyes") as made:
        visitor = Visitor(browser, language)
        visitor.begin()

        def look(screen, **limits):
            for width, height in SIZES[language]:
                browser.resize(width, height)
                browser.wait("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
                # The question stands in the field, too, where there is no room for it above.
                found.extend(f"{screen} {width}x{height}: {text}" for text in visitor.measure(**limits) if not text.startswith("label. "))
                if folder:
                    browser.screenshot(folder / f"crew-{width}x{height}-{screen}-{language}.png")
            browser.resize(1280, 800)
            found.extend(f"{screen}: {text}" for text in visitor.axe())

        browser.script("document.querySelector('kiosk-app').show('care', { trip: 'none', leader: 'Ana M.' })")
        browser.wait("return document.querySelector('kiosk-care input')")
        look("care", target=60, gap=8)
        sign_in(browser, made)
        look("crew")
        press(browser, "kiosk-crew .who button")
        browser.wait("return document.querySelectorAll('kiosk-account .tile').length === 3")
        look("account")
        press(browser, "[data-part=pin]")
        press(browser, "kiosk-account .primary")
        pin = browser.wait("return document.querySelector('kiosk-account .secret')?.textContent.replace(/\\D/g, '')")
        assert len(pin) == 6, pin
        look("pin")
        press(browser, "kiosk-account .head button")
        press(browser, "[data-part=badge]")
        press(browser, "kiosk-account .primary")
        press(browser, "dialog .danger")
        browser.wait("return document.querySelector('kiosk-account .own-badge .code')")
        look("badge")
        press(browser, "kiosk-account .head button")
        press(browser, "[data-part=sessions]")
        browser.wait("return document.querySelectorAll('kiosk-account .sessions .tag').length === 1")
        look("sessions")
        # One's own session ends with a touch, and what opened the account before does not open it again.
        press(browser, "kiosk-account .sessions button")
        browser.wait("return document.querySelector('kiosk-crew .pad')")
        sign_in(browser, {**made, "pin": pin})
        # Whoever leaves the screens of the crew is signed out.
        visitor.press("home")
        browser.wait("return fetch('/v1/people/session').then((answer) => answer.json()).then(({ person }) => !person)")
        assert not browser.complaints(), browser.complaints()
    assert not found, f"{len(found)} complaints, such as\n    " + "\n    ".join(dict.fromkeys(found[:16]))


def rows(start, folder, axe_core):
    return [("crew en", lambda: crew(start, "en", folder, axe_core)), ("crew es", lambda: crew(start, "es", folder, axe_core))]
