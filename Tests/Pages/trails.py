"""Trails that change while somebody looks at the map: closures, ways that are refused or change, and the evening.

The network is made for these rows about where the recorded walk is then: a trail from north to south in three parts, a loop about its
northern part, a trailhead at each end, of which the one that is listed first is farther away, and a spring on the southern part."""
import contextlib
import json
import os
import pathlib
import tempfile
import time

import pairing
from crew import konza
from rocks import ask
from visitor import Visitor, show

# What was asked for, and when; and members of the station's answers that are others, by the beginning of their path.
OTHERS = """konza.others = {}; konza.asked = []; {
    const { fetch } = globalThis;
    globalThis.fetch = async (path, options) => {
        konza.asked.push({ path, at: performance.now(), kind: options?.headers?.Accept ?? '' });
        const reply = await fetch(path, options);
        const changes = reply.ok ? Object.keys(konza.others).filter((one) => path.startsWith(one)) : [];
        if (!changes.length) return reply;
        return new Response(JSON.stringify(Object.assign(await reply.json(), ...changes.map((one) => konza.others[one]))));
    };
}"""
USABLE = "return performance.getEntriesByName('map-usable').length && document.querySelector('.whereabouts .station')"
DETAIL = "return document.querySelector('.map-side > .detail').textContent"
SAYS = f"{DETAIL}.includes(arguments[0])"
# Pixels in the colour of what is closed.
CLOSED = """const canvas = document.querySelector('.leaflet-overlay-pane canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) count += data[at] === 179 && data[at + 1] === 38 && data[at + 2] === 30;
    return count"""


def socket():
    return ["--socket", f"{os.environ['KONZA_FOLDER']}/konza.sock"]


@contextlib.contextmanager
def network():
    """The trails, and where the spring is."""
    here = ask("GET", "/v1/position")
    latitude, longitude = here["latitude"], here["longitude"]

    def line(name, segment, *points):
        places = [[longitude + east / 86_400, latitude + north / 111_000] for north, east in points]
        return {"type": "Feature", "id": segment, "properties": {"name": name, "id": segment}, "geometry": {"type": "LineString", "coordinates": places}}

    def point(name, kind, north):
        return {"type": "Feature", "properties": {"name": name, "kind": kind}, "geometry": {"type": "Point", "coordinates": [longitude, latitude + north / 111_000]}}

    features = [line("River Trail", "south", (-1500, 0), (-900, 0), (-300, 0)), line("River Trail", "middle", (-300, 0), (300, 0)),
                line("River Trail", "north", (300, 0), (800, 0)), line("Loop Trail", "loop", (300, 0), (300, 300), (800, 300), (800, 0)),
                point("Far Gate", "trailhead", -1500), point("Near Gate", "trailhead", 800), point("Spring", "viewpoint", -900)]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.geojson"
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        konza("trails", "import", str(file), "--source", "rows", *socket())
    try:
        yield {"name": "Spring", "latitude": latitude - 900 / 111_000, "longitude": longitude}
    finally:
        for closure in ask("GET", "/v1/trails/closures")["closures"]:
            ask("DELETE", f"/v1/trails/closures/{closure['id']}")
        konza("trails", "remove", "rows", *socket())


def close(segment):
    return json.loads(konza("trails", "close", segment, "--segment", "--reason", "prescribed burn", "--json", *socket()))["id"]


def reopen(closure):
    konza("trails", "open", str(closure), *socket())


def fits(visitor, *sizes, **limits):
    """Whether all has room in each size, once the map stands still there."""
    for width, height in sizes:
        visitor.browser.resize(width, height)
        for _ in range(20):
            if not (found := visitor.measure(**limits)):
                break
            time.sleep(0.3)
        assert not found, (width, height, found)


def refused(browser, visitor, words, spring, measured):
    """A refusal stands until the visitor chooses something else, beside the position's own sentence."""
    show(browser, "map", end=spring)
    browser.wait(USABLE)
    visitor.press(words["map.wayTo"].format(place="Spring"))
    browser.wait(SAYS, "cannot lead there")
    assert (detail := browser.script(DETAIL)).startswith(words["map.noWay"]), detail
    # For several positions.
    for _ in range(3):
        browser.script("globalThis.marked = performance.now()")
        browser.wait("return konza.asked.some(({ path, at }) => path === '/v1/position' && at > marked)")
        time.sleep(0.3)
        assert browser.script(SAYS, "cannot lead there"), browser.script(DETAIL)
    sentence = browser.script("return document.querySelector('kiosk-map .sentence').textContent")
    assert "Trail" in sentence, sentence
    measured()
    visitor.press(words["map.next"])
    browser.wait(f"return !(() => {{ {SAYS} }})()", "cannot lead there")


def changed(browser, visitor, spring, measured):
    """Closures are on the map while it is open, and the way that is drawn is one that is open."""
    words = visitor.catalogue
    browser.wait(USABLE)
    visitor.press(words["map.way"])
    browser.wait(f"{DETAIL}.startsWith('Near Gate')")
    asked = browser.script("return konza.asked.map(({ path }) => path).filter((path) => path.startsWith('/v1/trails/way')).pop()")
    assert "to=" not in asked, f"{asked}: which trailhead is the station's to say"
    assert (closed := browser.script(CLOSED)) == 0, f"{closed} pixels are drawn as closed"
    before = browser.script(DETAIL)
    closure = close("north")
    change = words["map.wayChanged"].split("{")[0]
    browser.wait(f"{DETAIL}.startsWith(arguments[0])", f"{change}Near Gate")
    assert browser.script(DETAIL) != f"{change}{before}", before
    assert browser.script(CLOSED) > 20, "the closed part is drawn as before"
    measured()
    reopen(closure)
    browser.wait(f"return (() => {{ {CLOSED} }})() === 0")
    # A way to a place that cannot be reached any more is gone.
    show(browser, "home")
    show(browser, "map", end=spring)
    browser.wait("return document.querySelector('kiosk-map .end-mark')")
    visitor.press(words["map.wayTo"].format(place="Spring"))
    # The place is named before the way to it is known.
    browser.wait(f"{DETAIL}.match(/^Spring.*\\d/)")
    closure = close("south")
    browser.wait(f"{DETAIL}.startsWith(arguments[0])", words["map.wayGone"])
    assert browser.script(SAYS, "cannot lead there"), browser.script(DETAIL)
    measured()
    show(browser, "home")
    refused(browser, visitor, words, spring, measured)
    reopen(closure)


def at_kiosk(start, language, by):
    with network() as spring, start(scripts=[OTHERS]) as browser:
        visitor = Visitor(browser, language, by)
        visitor.begin()

        def measured():
            fits(visitor, (800, 480), (480, 800), (1280, 800))

        show(browser, "map")
        changed(browser, visitor, spring, measured)
        # However often the station says that something has changed, the lines are not asked for each second.
        show(browser, "home")
        show(browser, "map")
        browser.wait(USABLE)
        browser.script("globalThis.marked = performance.now(); konza.events.deref().dispatchEvent(new MessageEvent('trail', { data: '{}' }))")
        lines = "return konza.asked.filter(({ path, at, kind }) => path === '/v1/trails' && kind && at > marked).map(({ at }) => at)"
        browser.wait(f"return (() => {{ {lines} }})().length > 0", seconds=8)
        browser.script("for (let count = 0; count < 5; count += 1) konza.events.deref().dispatchEvent(new MessageEvent('trail', { data: '{}' }))")
        asked = browser.wait(f"const all = (() => {{ {lines} }})(); return all.length > 1 && all")
        assert all(later - sooner > 1900 for sooner, later in zip(asked, asked[1:])), asked
        # A map that is left while it moves complains of nothing afterwards.
        browser.script('''
            document.querySelector('kiosk-map .map-buttons button').click();
            const wait = (left) => (document.querySelector('.leaflet-zoom-anim') || !left ? document.querySelector('kiosk-app').show('home', {})
                : requestAnimationFrame(() => wait(left - 1)));
            wait(10);
        ''')
        browser.wait("return document.querySelector('kiosk-home')")
        time.sleep(0.6)
        # What the station refuses for a while, as a camera that wakes up does, is not the map's.
        complaints = [one for one in browser.complaints() if "Failed to load resource" not in one]
        assert not complaints, complaints


def on_phone():
    """A visitor's telephone hears no events and asks by itself."""
    with network() as spring, pairing.tablet(scripts=[OTHERS]) as browser:
        visitor = pairing.Tablet(browser).open()
        visitor.at("home", "visitor")
        visitor.press("Map")
        changed(browser, visitor, spring, lambda: fits(visitor, (390, 844), target=44, gap=8))
        pairing.sound(browser, ["/v1/trails/way"])


def evening(start, language, by):
    """After dusk nobody is told to set out before it."""
    with network(), start(scripts=[OTHERS]) as browser:
        visitor = Visitor(browser, language, by)
        visitor.begin()
        words = visitor.catalogue
        for turn, dusk, key in (("2000-01-01T01:00:00Z", "2000-01-01T02:00:00Z", "map.tooLate"), ("2100-01-01T01:00:00Z", "2100-01-01T02:00:00Z", "map.turnBack")):
            show(browser, "map")
            browser.wait(USABLE)
            browser.script("konza.others = { '/v1/trails/way': arguments[0] }", {"turnBackBefore": turn, "dusk": dusk})
            visitor.press(words["map.way"])
            browser.wait(SAYS, words[key].split("{")[0])
            other = words[{"map.tooLate": "map.turnBack", "map.turnBack": "map.tooLate"}[key]].split("{")[0]
            assert not browser.script(SAYS, other), browser.script(DETAIL)
            show(browser, "home")
        # A position that leaves two trails says which of them is closed.
        browser.script("konza.others = { '/v1/trails/nearest': arguments[0] }",
                       {"state": "unknown", "trail": None, "candidates": ["River Trail", "Loop Trail"], "closedCandidates": ["River Trail"]})
        show(browser, "map")
        either = {"en": "River Trail (closed) or Loop Trail", "es": "River Trail (cerrado) o Loop Trail"}[language]
        browser.wait("return document.querySelector('kiosk-map .sentence')?.textContent.includes(arguments[0])", either)


def taken_along(start, language, by):
    """Whoever takes a trail along is told what of it is closed, beside the code."""
    with network(), start() as browser:
        visitor = Visitor(browser, language, by)
        visitor.begin()
        said = "const node = document.querySelector('kiosk-along .closure'); return node?.checkVisibility() ? node.textContent : ''"

        def look(trail):
            show(browser, "along", trail=trail)
            browser.wait("return document.querySelectorAll('kiosk-along .code').length === 2 && document.querySelector('kiosk-along .title').textContent === arguments[0]", trail)
            words = browser.script(said)
            fits(visitor, (800, 480), (480, 800), (1280, 800))
            show(browser, "home")
            return words

        assert look("River Trail") == ""
        for segment in ("north", "loop"):
            close(segment)
        part, whole = (visitor.catalogue[key] for key in ("map.partClosed", "map.closed"))
        told = look("River Trail")
        assert told.endswith("prescribed burn") and part.split("{closed}")[1].split("{")[0] in told, told
        assert look("Loop Trail") == whole.format(reason="prescribed burn")


# The next way that is asked for is held back until it is released.
LATE = """konza.answers = (path, options) => {
    if (!path.startsWith('/v1/trails/way') || konza.release !== undefined) return null;
    konza.release = null;
    return fetch(path, options).then((reply) => new Promise((answer) => { konza.release = () => answer(reply); }));
}"""


def overtaken(start):
    """A way that was worked out before a closure, and came after the map had it, is one that is walked on no longer."""
    with network() as spring, start(scripts=[OTHERS, LATE]) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        show(browser, "map", end=spring)
        browser.wait(USABLE)
        visitor.press(visitor.catalogue["map.wayTo"].format(place="Spring"))
        browser.wait("return Boolean(konza.release)")
        close("south")
        browser.wait(f"return (() => {{ {CLOSED} }})() > 20")
        browser.script("konza.release()")
        browser.wait(f"{DETAIL}.startsWith(arguments[0])", visitor.catalogue["map.wayGone"])


def rows(start):
    both = (("en", "touch"), ("es", "keyboard"))
    made = [("trails change", lambda one, two: at_kiosk(start, one, two)), ("trails at dusk", lambda one, two: evening(start, one, two)),
            ("trails taken along", lambda one, two: taken_along(start, one, two))]
    return [(f"{name} {language} {by}", lambda row=row, one=language, two=by: row(one, two)) for name, row in made for language, by in both] \
        + [("trails change on a telephone", on_phone), ("trails overtaken", lambda: overtaken(start))]
