"""Specimens and samples on the map, with a real konzad that has some: pins, criteria, the summary, the list, one, its pictures."""
import json
import os
import subprocess
import time

import pairing
from visitor import Visitor

# Where the recorded walk is, about.
LATITUDE, LONGITUDE = 39.105, -96.605
WORDS = {
    "en": {"map": "Map", "rocks": "Specimens and samples", "narrow": "Narrow", "list": "List", "mineral": "Mineral", "tab": "Mineral", "next picture": "Next picture",
           "former picture": "Picture before", "remove": "Remove Mineral: Garnet", "pages": "Next page", "less": "Search less far", "found": "found within",
           "region": "Region", "no region": "Remove Region: Kansas", "small": "Only a small copy", "elsewhere": "the station does not keep it", "back": "Back", "to list": "List"},
    "es": {"map": "Mapa", "rocks": "Rocas y muestras", "narrow": "Filtrar", "list": "Lista", "mineral": "Mineral", "tab": "Mineral", "next picture": "Foto siguiente",
           "former picture": "Foto anterior", "remove": "Quitar Mineral: Garnet", "pages": "Página siguiente", "less": "Buscar más cerca", "found": "a menos de",
           "region": "Región", "no region": "Quitar Región: Kansas", "small": "solo se guarda una copia pequeña", "elsewhere": "la estación no la guarda", "back": "Volver", "to list": "Lista"},
}


def ask(method, path, body=None, seconds=20):
    """What a process of root's is answered on konzad's own socket."""
    data = ["-H", "Content-Type: application/json", "-d", json.dumps(body)] if body is not None else []
    answer = subprocess.run(["curl", "-sS", "-m", str(seconds), "--unix-socket", f"{os.environ['KONZA_FOLDER']}/konza.sock", "-X", method, *data,
                             f"http://localhost{path}"], check=True, capture_output=True).stdout
    return json.loads(answer) if answer else None


def specimen(number, rock, north, east, public=True, photographs=0, **more):
    made = ask("POST", "/v1/specimens", {"number": number, "rockType": rock, "isPublic": public,
                                         "position": {"latitude": LATITUDE + north, "longitude": LONGITUDE + east, "accuracy": 3}, **more})
    for _ in range(photographs):
        # A busy machine has no frame at times.
        for _ in range(4):
            taken = ask("POST", f"/v1/specimens/{made['id']}/photographs", {"imageType": "FIELDPHOTO"})
            if taken.get("kind") != "camera-unavailable":
                break
        assert "id" in taken and "kind" not in taken, taken
    return made["id"]


def sample(index, rock, north, east, public=True, **more):
    return {"id": f"00000000-0000-4000-8000-{index:012d}", "number": f"MPD-{index:03d}", "rockType": rock, "isPublic": public,
            "place": {"latitude": LATITUDE + north, "longitude": LONGITUDE + east}, "locationError": 25, "owner": "Spear, Frank", "minerals": ["Garnet", "Biotite"],
            "metamorphicGrades": ["Amphibolite facies"], "metamorphicRegions": [], "regions": ["Kansas"], "imageCount": 2, **more}


def errand(kind, wait=10):
    """The next errand of a kind, as the courier gets it; others come to nothing: the vocabulary, too, is asked for at times."""
    while (given := ask("GET", f"/v1/errands?wait={wait}")) is not None and given["kind"] != kind:
        ask("POST", f"/v1/errands/{given['id']}", {"problem": "cannot ask: there is no network", "reason": "unavailable"})
    return given


def asking(path):
    """Has konzad ask for something, as somebody who waits for it."""
    return subprocess.Popen(["curl", "-sS", "--unix-socket", f"{os.environ['KONZA_FOLDER']}/konza.sock", f"http://localhost{path}"], stdout=subprocess.DEVNULL)


def report(path, **answer):
    """Has konzad ask for something, and answers as the courier does."""
    # Nobody is asked for a courier that has not been there for a while.
    errand(None, wait=0)
    client = asking(path)
    given = errand("samples" if "samples" in answer else "sample")
    ask("POST", f"/v1/errands/{given['id']}", {"origin": "rest https://api.metpetdb.com ", **answer})
    client.wait(20)


def hand_over(given):
    """The picture of an errand, as the courier hands it over: a frame of the station's camera."""
    socket = f"{os.environ['KONZA_FOLDER']}/konza.sock"
    frame = subprocess.run(["curl", "-sS", "--unix-socket", socket, "http://localhost/v1/camera/frame.jpg"], check=True, capture_output=True).stdout
    subprocess.run(["curl", "-sS", "--fail", "--unix-socket", socket, "-X", "PUT", "-H", "Content-Type: image/jpeg", "--data-binary", "@-",
                    f"http://localhost/v1/errands/{given['id']}/picture"], input=frame, check=True)


def fill():
    """Specimens and samples, once for all rows: 7 that may be public, 2 that may not."""
    if any(one["number"] == "KNZ-1" for one in ask("GET", "/v1/specimens?limit=200")["specimens"]):
        return
    specimen("KNZ-1", "Schist", 0.004, -0.006, photographs=11, collector="Doe, Jane", minerals=[{"name": "Garnet"}, {"name": "Quartz"}],
             metamorphicGrades=["Garnet zone"], regions=["Kansas"], description="Loose block below the limestone steps, brought by the ice.", fieldNotes="ask the owner")
    specimen("KNZ-2", "Quartzite", 0.004, -0.006, minerals=[{"name": "Quartz"}])
    specimen("KNZ-3", "Gneiss", -0.012, 0.01, collector="Reyes, Ana")
    specimen("KNZ-4", "Gneiss", -0.02, -0.015, public=False)
    samples = [sample(1, "Gneiss", 0.03, 0.02), sample(2, "Gneiss", 0.03, 0.02), sample(3, "Amphibolite", -0.03, 0.04, regions=["Ozarks"]), sample(4, "Marble", 0.05, -0.05, minerals=["Quartz"]),
               sample(5, "Schist", 0.001, 0.03, public=False)]
    report(f"/v1/samples?near={LATITUDE},{LONGITUDE}&radius=20000&wait=15&maxAge=0", samples={"samples": samples, "total": len(samples)})
    details = {"sample": samples[0], "description": "Road cut", "references": ["2004-061314"], "subsamples": [{"id": "1", "name": "TS-1", "type": "Thin Section"}],
               "images": [{"id": str(index), "imageType": "Field Photo", "comments": [], "fullSizeURL": f"https://metpetdb.com/{index}.jpg",
                           "thumbnailURL": f"https://metpetdb.com/small/{index}.jpg"} for index in range(1, 12)], "comments": ["See also MPD-002"],
               "analyses": {"total": 3, "minerals": [{"name": "Garnet", "count": 3}], "hasBulkRock": True}}
    report(f"/v1/samples/{samples[0]['id']}?wait=15&maxAge=0", sample=details)
    # The small copies are fetched beforehand, but for the last, which MetPetDB does not have; of one the whole picture is asked for.
    for _ in range(10):
        hand_over(errand("picture"))
    ask("POST", f"/v1/errands/{errand('picture')['id']}", {"problem": "cannot fetch the picture: status 404", "reason": "missing"})
    client = asking(f"/v1/samples/{samples[0]['id']}/images/10/file?wait=15")
    hand_over(errand("picture"))
    client.wait(20)
    kept = ask("GET", f"/v1/samples?near={LATITUDE},{LONGITUDE}&radius=20000&wait=0")
    assert kept["total"] == 5, kept


def shown(browser):
    return browser.wait("const told = document.querySelector('map-rocks .sentence')?.textContent ?? ''; return /\\d/.test(told) && told")


def way(start, sound, language, by):
    """From the map to the large picture and back: pins with counts, criteria, the summary, the list, nine pictures at a time."""
    fill()
    words = WORDS[language]
    with start() as browser:
        visitor = Visitor(browser, language, by)
        visitor.begin()
        visitor.press("home")
        visitor.press(words["map"])
        browser.wait("return performance.getEntriesByName('map-usable').length")
        visitor.press(words["rocks"])
        assert shown(browser).startswith("7 "), "the kiosk is shown what may be public, and all of it"
        counts = browser.wait("const pins = [...document.querySelectorAll('.rock-pin .rock-mark')]; return pins.length && pins.map((one) => one.textContent)")
        assert sum(int(one or 1) for one in counts) == 7 and max(int(one or 1) for one in counts) > 1, counts
        # What is looked for is edited as chips; what there would be is counted first.
        visitor.press(words["narrow"])
        visitor.screen("rocks")
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('7 ')")
        # In a region, instead of around a place; the regions are those of what is kept.
        visitor.press(words["region"])
        names = browser.wait("const all = [...document.querySelectorAll('kiosk-rocks button.term')]; return all.length && all.map((one) => one.textContent)")
        assert names == ["Kansas", "Ozarks"], names
        visitor.press("Kansas")
        told = browser.wait("const told = document.querySelector('kiosk-rocks .sentence').textContent; return told.startsWith('4 ') && told")
        assert told.endswith("Kansas"), told
        visitor.press(words["map"])
        assert shown(browser).startswith("4 ") and "Kansas" in shown(browser)
        pins = browser.wait("const pins = [...document.querySelectorAll('.rock-pin .rock-mark')]; return pins.length && pins.map((one) => one.textContent)")
        assert sum(int(one or 1) for one in pins) == 4, pins
        # A screen that is turned shows all of it again.
        browser.resize(480, 800)
        browser.wait("return [...document.querySelectorAll('.rock-pin .rock-mark')].reduce((sum, one) => sum + (Number(one.textContent) || 1), 0) === 4")
        browser.resize(1280, 800)
        visitor.press({"en": "Filters: 1", "es": "Filtros: 1"}[language])
        browser.wait("return document.querySelector('kiosk-rocks .sentence')?.textContent.startsWith('4 ')")
        visitor.press(words["no region"])
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('7 ')")
        # Types of rock are named in the visitor's language, and looked for as MetPetDB names them.
        types = browser.wait("const all = [...document.querySelectorAll('kiosk-rocks button.term')]; return all.length && all.map((one) => one.textContent)")
        gneiss, marble = {"en": ("Gneiss", "Marble"), "es": ("Gneis", "Mármol")}[language]
        assert f"{gneiss}3" in types and f"{marble}1" in types, types
        visitor.press(f"{marble}: 1")
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('1 ')")
        visitor.press({"en": f"Remove Rock: {marble}", "es": f"Quitar Roca: {marble}"}[language])
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('7 ')")
        visitor.press(words["tab"])
        names = browser.wait("const all = [...document.querySelectorAll('kiosk-rocks button.term')]; return all.length && all.map((one) => one.textContent)")
        assert names == ["Garnet4", "Biotite3", "Quartz3"], names
        visitor.press("Garnet: 4")
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('4 ')")
        visitor.press(words["list"])
        visitor.screen("rocklist")
        rows = browser.wait("const all = [...document.querySelectorAll('.rock-row .number')]; return all.length && all.map((one) => one.textContent)")
        # Each row has the mark that the map has.
        marks = browser.script("return [...document.querySelectorAll('.rock-row > :first-child')].map((one) => getComputedStyle(one).backgroundColor)")
        assert len(marks) >= len(rows) and set(marks) <= {"rgb(242, 182, 60)", "rgb(15, 76, 58)"}, marks
        assert rows == ["KNZ-1", "MPD-001", "MPD-002", "MPD-003"], rows
        row = browser.script("return document.querySelector('.rock-row').getAttribute('aria-label')")
        assert row.startswith({"en": "KNZ-1, Schist", "es": "KNZ-1, Esquisto"}[language]), row
        visitor.press(row)
        visitor.screen("rock")
        told = browser.wait("const told = document.querySelector('kiosk-rock .about').innerText; return told.includes('Garnet') && told")
        assert "Doe, Jane" in told and "ask the owner" not in told, told
        browser.wait("return [...document.querySelectorAll('.nine img')].filter((one) => one.naturalWidth).length === 9")
        visitor.press(words["pages"])
        browser.wait("return document.querySelectorAll('.nine img').length === 2")
        visitor.press({"en": "Picture 10 of 11", "es": "Foto 10 de 11"}[language])
        visitor.screen("rockpicture")
        browser.wait("return document.querySelector('kiosk-rockpicture img')?.naturalWidth === 640")
        visitor.press(words["next picture"])
        browser.wait("return /11 (of|de) 11/.test(document.querySelector('.caption').textContent)")
        assert browser.script("return [...document.querySelectorAll('.turner button')].map((one) => one.disabled)") == [False, True]
        visitor.press(words["former picture"])
        browser.wait("return /10 (of|de) 11/.test(document.querySelector('.caption').textContent)")
        # MetPetDB's pictures, from what is kept: small copies, one whole picture, and one that is not here.
        visitor.press(words["back"])
        visitor.press(words["to list"])
        visitor.press(browser.wait("return [...document.querySelectorAll('.rock-row')].find((one) => one.textContent.includes('MPD-001'))?.getAttribute('aria-label')"))
        visitor.screen("rock")
        browser.wait("return [...document.querySelectorAll('.nine img')].filter((one) => one.naturalWidth).length === 9")
        visitor.press(words["pages"])
        browser.wait("return document.querySelectorAll('.nine li').length === 2 && document.querySelectorAll('.nine img').length === 1 && document.querySelector('.nine .icon')")
        visitor.press({"en": "Picture 10 of 11", "es": "Foto 10 de 11"}[language])
        browser.wait("return document.querySelector('kiosk-rockpicture img')?.naturalWidth === 640")
        visitor.press(words["next picture"])
        browser.wait("return document.querySelector('kiosk-rockpicture .missing')?.textContent.includes(arguments[0])", words["elsewhere"])
        visitor.press(words["former picture"])
        visitor.press(words["former picture"])
        browser.wait("return document.querySelector('kiosk-rockpicture img')?.naturalWidth === 320 && document.querySelector('figcaption').textContent.includes(arguments[0])", words["small"])
        # Nothing of it is left to the next visitor.
        browser.script("document.querySelector('kiosk-app').dispatchEvent(new Event('over'))")
        browser.wait("return document.querySelector('kiosk-attract')")
        left = browser.evaluate("import('/pages/core/visit.js').then(({ visit }) => [visit.rocks.isShown, visit.rocks.names.mineral.length])")
        assert left == [False, 0], left
        sound(browser)


def crew():
    """A ranger sees private ones as well, and may look for these alone; copies a link, which leads to the specimen again. Offline all the while."""
    fill()
    # The courier has no network, and says so.
    ask("GET", "/v1/errands?network=none")
    with pairing.tablet(810, 1080) as browser:
        ranger = pairing.Tablet(browser).pair("ranger")
        try:
            browser.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"], origin=pairing.URL.rstrip("/"))
            ranger.press("Map")
            browser.wait("return performance.getEntriesByName('map-usable').length")
            ranger.press("Specimens and samples")
            assert shown(browser).startswith("9 "), shown(browser)
            ranger.press("Narrow")
            browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('9 ')")
            ranger.press("Public or private: All. Change")
            browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('7 ')")
            ranger.press("Public or private: Public. Change")
            browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('2 ')")
            ranger.press("List")
            browser.wait("return document.querySelectorAll('.rock-row .closed').length === 2")
            browser.script("document.querySelector('.rock-row').click()")
            browser.wait("return document.querySelector('kiosk-rock .about').innerText.includes('KNZ') || document.querySelector('kiosk-rock h1').textContent === 'KNZ-4'")
            address = browser.evaluate("""(async () => {
                let copied; navigator.clipboard.writeText = async (text) => { copied = text; };
                [...document.querySelectorAll('kiosk-rock button')].find((one) => one.textContent === 'Copy link').click();
                return copied;
            })()""")
            assert address.startswith("KNZ-4, Gneiss: https://") and "#specimen=" in address, address
            ranger.open(address.split(": ", 1)[1])
            browser.wait("return document.querySelector('kiosk-rock h1')?.textContent === 'KNZ-4'")
            assert browser.script("return location.hash") == ""
            pairing.sound(browser)
        finally:
            pairing.send_all_away()
    with pairing.tablet() as browser:
        visitor = pairing.Tablet(browser).open()
        visitor.at("home", "visitor")
        visitor.press("Map")
        browser.wait("return performance.getEntriesByName('map-usable').length")
        visitor.press("Specimens and samples")
        assert shown(browser).startswith("7 "), shown(browser)
        assert visitor.answers("GET", "/v1/specimens?access=private") == 403
        pairing.sound(browser, ["403"])


def uncounted(start):
    """What could not be asked for is not counted as nothing: the summary says of which rocks it is."""
    fill()
    with start(800, 480) as browser:
        visitor = Visitor(browser, "en")
        visitor.begin()
        browser.devtools("Network.enable")
        for path, words in [("samples", "noSamples"), ("specimens", "noSpecimens")]:
            browser.devtools("Network.setBlockedURLs", urls=[f"*/v1/{path}/summary*"])
            browser.script("const app = document.querySelector('kiosk-app'); app.show('map'); app.show('rocks')")
            browser.wait("return document.querySelector('kiosk-rocks .note').textContent === arguments[0]", visitor.catalogue[f"rocks.{words}"])
            # The names of the others are below it.
            browser.wait("return document.querySelector('kiosk-rocks button.term')")
            for width, height in [(800, 480), (480, 800), (1280, 800)]:
                browser.resize(width, height)
                note, names = browser.wait("""const [note, names] = ['.note', 'button.term'].map((one) => document.querySelector(`kiosk-rocks ${one}`)?.getBoundingClientRect());
                    return names && [note.bottom, names.top]""")
                assert note <= names, f"{width}x{height}: {note} {names}"
        browser.devtools("Network.setBlockedURLs", urls=[])
        browser.script("const app = document.querySelector('kiosk-app'); app.show('map'); app.show('rocks')")
        browser.wait("return document.querySelector('kiosk-rocks .sentence').textContent.startsWith('7 ')")
        assert not browser.script("return document.querySelector('kiosk-rocks .note').textContent")


def look(browser, visitor, see):
    """Each of these screens, to be measured; begins at home and ends there."""
    fill()
    browser.script("performance.clearMarks('map-usable'); document.querySelector('kiosk-app').show('map')")
    browser.wait("return performance.getEntriesByName('map-usable').length")
    visitor.press("Specimens and samples")
    shown(browser)
    browser.wait("return document.querySelector('.rock-pin')")
    time.sleep(0.3)
    see("9-rocks-map")
    browser.script("document.querySelector('kiosk-app').show('rocks')")
    browser.wait("return document.querySelector('kiosk-rocks button.term')")
    browser.script("document.querySelector('kiosk-rocks button.term').click()")
    browser.wait("return document.querySelector('kiosk-rocks .chip.taken')")
    see("9-rocks-what")
    browser.script("document.querySelector('kiosk-rocks .chip.taken').click()")
    browser.wait("return !document.querySelector('kiosk-rocks .chip.taken') && /^7/.test(document.querySelector('kiosk-rocks .sentence').textContent)")
    visitor.press("List")
    browser.wait("return document.querySelector('.rock-row')")
    see("9-rocks-list")
    browser.script("document.querySelector('.rock-row').click()")
    browser.wait("return [...document.querySelectorAll('.nine img')].filter((one) => one.naturalWidth).length === 9")
    see("9-rock")
    browser.script("document.querySelector('.thumbnail').click()")
    browser.wait("return document.querySelector('kiosk-rockpicture img')?.naturalWidth")
    see("9-rock-picture")
    browser.script("performance.clearMarks('rocks-shown'); document.querySelector('kiosk-app').show('map')")
    browser.wait("return performance.getEntriesByName('rocks-shown').length")
    visitor.press("Specimens and samples")


def rows(start, sound):
    found = [("rocks en touch", lambda: way(start, sound, "en", "touch")), ("rocks es keyboard", lambda: way(start, sound, "es", "keyboard")), ("rocks uncounted", lambda: uncounted(start))]
    return found + ([("rocks crew", crew)] if "KONZA_TABLETS_URL" in os.environ else [])
