"""A station in its season: weeks of events, everybody's cards, long pages and announcements. Nothing is cut off, and who touches a button
reads all of it."""
import contextlib
import datetime
import os
import pathlib
import shutil
import tempfile

import pairing
from changes import announcement
from crew import account, konza, sign_in
from telephones import BODY, walk
from visitor import OTHER_SIZES, STILL, Visitor, fail_with, show, speak

KIOSK = [(800, 480), (480, 800), *OTHER_SIZES]
# The least telephone that is about, held both ways.
TABLETS = [(320, 568), (568, 320)]
# The least target and gap of a screen, where it has its own: a roster is as close as on paper.
LIMITS = {"roster": (44, 0)}
BELOW = "return document.querySelector('main .below:not([hidden])')"
# Goes on.
ON = "document.querySelector('main .below:not([hidden])').click()"
TITLES = ["Guided hike to the bison loop with the docents: binoculars and water are at the trailhead", "Seminar",
          "Docent training: the geology of the Flint Hills, cherty limestone and shale of the Permian",
          "Prescribed burn of the watersheds N1A, N1B, N2A and SpB, weather permitting (announced on the day)"]
PEOPLE = ["María Guadalupe Fernández de la Cruz-Castellanos", "Wei Ng", "Bartholomew O'Shaughnessy-Brandenburger", "Anne-Sophie Featherstonehaugh"]
DESIGNATIONS = ["Information manager", "Graduate research assistant for the grazing and fire experiment", "Docent"]
GROUPS = ["Primary Contacts,Faculty and Staff", "Graduate Students", "Long-Term Ecological Research: Information Management and Outreach", "Docents"]


def events(count):
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp = "%Y%m%dT%H%M%SZ"
    yield from ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Konza//A season//EN"]
    for number in range(count):
        begin = now + datetime.timedelta(hours=5 + 13 * number)
        # Every fifth lasts for days.
        end = begin + datetime.timedelta(hours=2 if number % 5 else 50)
        yield from ["BEGIN:VEVENT", f"UID:event-{number}@konza", f"DTSTAMP:{now:{stamp}}", f"DTSTART:{begin:{stamp}}", f"DTEND:{end:{stamp}}",
                    f"SUMMARY:{TITLES[number % 4]}", f"LOCATION:{'Seminar room on the upper floor of the stone barn' if number % 2 else 'Trailhead'}",
                    f"DESCRIPTION:{'Bring good shoes and a hat. The walk takes two hours on uneven ground. ' * 6}", "END:VEVENT"]
    yield "END:VCALENDAR"


def cards(count):
    for number in range(count):
        name = PEOPLE[number % 4]
        yield from ["BEGIN:VCARD", "VERSION:4.0", f"UID:person-{number}@konza", f"FN:{name} {number}", f"N:{name.split()[-1]};{name.split()[0]};;;",
                    f"TITLE:{DESIGNATIONS[number % 3]}", "TEL;VALUE=uri;TYPE=work:tel:+1-785-555-0100",
                    f"EMAIL:who.has.a.very.long.name.{number}@department-of-biology.example.org",
                    "ADR;TYPE=work:;;116 Example Hall, 1717 Example Road;Manhattan;KS;66506;USA", f"CATEGORIES:{GROUPS[number // 3 % 4]}",
                    "INTEREST:belowground net primary production", "INTEREST:nitrogen", "INTEREST:fire", "END:VCARD"]


@contextlib.contextmanager
def season():
    """The station's own content: 40 events, 36 people, and a page of 40 paragraphs in both languages."""
    content = pathlib.Path(os.environ["KONZA_FOLDER"]) / "station"
    page = "# Fire, grazing and climate\n\n" + "The hills are of limestone and shale, too stony for the plough. *Andropogon gerardii* grows higher than a rider.\n\n" * 40
    for path, words in {"calendar/season.ics": "\r\n".join([*events(40), ""]), "personnel/season.vcf": "\r\n".join([*cards(36), ""]),
                        "pages/en/fire.md": page, "pages/es/fire.md": page}.items():
        (content / path).parent.mkdir(parents=True, exist_ok=True)
        (content / path).write_text(words)
    try:
        yield
    finally:
        shutil.rmtree(content)


@contextlib.contextmanager
def crowd(count):
    """As many people with an account as a busy station has."""
    names = [f"{PEOPLE[number % 4]} {number}" for number in range(count)]
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("\n".join(["name,role", *(f"{name},crew" for name in names), ""]))
            file.flush()
            konza("people", "import", file.name)
        yield
    finally:
        for name in names:
            konza("people", "remove", name)


def screens(browser, notice):
    """Each screen with what it is to show, and a script that says that it is there."""
    read = lambda path: browser.evaluate(f"fetch('{path}').then((reply) => reply.json())")
    browser.wait("return fetch('/v1/calendar').then((reply) => reply.json()).then(({ events }) => events.length > 15)")
    browser.wait("return fetch('/v1/personnel').then((reply) => reply.json()).then(({ groups }) => groups.length > 3)")
    browser.wait("return fetch('/v1/pages').then((reply) => reply.json()).then(({ pages }) => pages.some(({ name }) => name === 'fire'))")
    code = "return document.querySelector('.code-side .code')"
    return [
        ("events", {}, "return document.querySelector('.days .entry')"),
        ("event", {"event": read("/v1/calendar")["events"][0]}, code),
        ("people", {}, "return document.querySelector('.groups .entry')"),
        ("person", {"person": read("/v1/personnel")["groups"][0]["people"][0]}, code),
        ("page", {"page": next(one for one in read("/v1/pages?language=es")["pages"] if one["name"] == "fire")}, "return document.querySelector('.text p')"),
        ("notice", {"notice": notice["id"]}, "return document.querySelector('.written p')"),
    ]


def read_on(browser):
    """Touches what goes on until the end is there, and says how often; what is at the end was below before."""
    scroller = browser.wait("return document.querySelector('main [data-more]')")
    bottom = "const { scrollHeight, clientHeight, scrollTop } = arguments[0]; return scrollHeight - clientHeight - scrollTop"
    height = browser.script("return arguments[0].clientHeight", scroller)
    times = 0
    while (left := browser.script(bottom, scroller)) > 4:
        browser.script(ON)
        # By what was to be seen and no more: nothing is passed over.
        assert 0 < left - browser.script(bottom, scroller) < height, f"on by {left - browser.script(bottom, scroller)} of {height} px"
        times += 1
        assert times < 99, "there is no end"
    return times


def at_kiosk(start, folder):
    found = []
    with season(), announcement("--title", TITLES[2], "--audience", "everyone", "--body", BODY + BODY) as notice, start(1280, 800) as browser, \
            account("Kay Officer") as made, crowd(24):
        visitor = Visitor(browser, "es")
        visitor.begin()
        shown = screens(browser, notice)
        sign_in(browser, made)
        for screen, values, ready in [("roster", {}, "return document.querySelectorAll('kiosk-roster li').length > 24"), *shown]:
            for width, height in KIOSK:
                browser.resize(width, height)
                show(browser, screen, **values)
                browser.wait(ready)

                def look(part):
                    browser.wait(STILL)
                    found.extend(f"{screen}{part} {width}x{height}: {text}" for text in visitor.measure("day", *LIMITS.get(screen, (60, 8))))
                    if folder:
                        browser.screenshot(folder / f"season-{screen}{part}-{width}x{height}.png")

                look("")
                # Everywhere where the screen has not all of it, and on the least one each has more.
                if browser.script(BELOW):
                    read_on(browser)
                    look("-end")
                    browser.script(ON)
                    assert browser.script("return document.querySelector('main [data-onward]').scrollTop === 0"), f"{screen} does not begin anew"
                else:
                    assert (width, height) != KIOSK[0], f"{screen}: there is no button that goes on"
        # No touch led to these screens: what comes after one is no answer to it.
        browser.script("konza.moved.length = 0")
        assert not browser.complaints(), browser.complaints()
    fail_with(found)


def on_telephones(folder):
    with season(), announcement("--title", TITLES[2], "--audience", "everyone", "--body", BODY) as notice, pairing.tablet(*TABLETS[0]) as browser:
        device = pairing.Tablet(browser, "es")
        pairing.Tablet(browser).pair("keeper")
        speak(browser, "es")
        try:
            fail_with([*walk(device, screens(browser, notice), TABLETS, folder)])
        finally:
            # No touch led to these screens: what comes after one is no answer to it.
            browser.script("konza.moved.length = 0")
            pairing.send_all_away()


def rows(start, folder):
    rows = [("season at the kiosk", lambda: at_kiosk(start, folder))]
    return rows + [("season on telephones", lambda: on_telephones(folder))] if "KONZA_TABLETS_URL" in os.environ else rows
