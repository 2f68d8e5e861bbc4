"""The catalogues of words: the same keys and the same values to fill in, in every language, and all that the pages use."""
import json
import pathlib
import re

PAGES = pathlib.Path(__file__).parents[2] / "Sources/Pages"
KEY = re.compile(r"""(?:word|label|hint|text\(|button\(|tile\(|ask\(|openDialog\():?\s*\[?\s*'([a-z]+\.[\w.-]+)'""")
# Keys that are put together from a kind that the station reports; at least one of each must be there.
FAMILIES = ["kind.", "map.", "view.", "turn.", "template.", "closed.",
            "source.", "station.camera.", "station.archive.", "station.position.", "station.clock.", "station.fault.",
            "keyboard.", "print.", "printer.", "sky.", "compass.", "suggestion.", "role.", "control.", "specimens.",
            "learn.", "card.", "album.", "consent.", "moderation.", "printing.", "disk.", "certificate.",
            "notices.is.", "announce.", "trips.ask.", "trips.do.", "trips.did.", "trips.is.", "crew.keep.", "account.", "roster.", "leave.first", "leave.last", "people.group.", "rocks.",
            "calibrate.", "look."]


VOCABULARY = PAGES.parent / "Terminology/EmbeddedVocabulary.swift"


def rock_types():
    """MetPetDB's types of rock, as the station has them."""
    return re.findall(r'"([^"]+)"', VOCABULARY.read_text().split("rockTypeNames = [")[1].split("]")[0])


def complaints():
    catalogues = {file.stem: json.loads(file.read_text()) for file in sorted((PAGES / "words").glob("*.json"))}
    english = catalogues["en"]
    found = []
    for language, catalogue in catalogues.items():
        for key in sorted(english.keys() ^ catalogue.keys()):
            found.append(f"{language}: the key {key} is in one of en and {language} only")
        for key, text in catalogue.items():
            if not text.strip():
                found.append(f"{language}: {key} is empty")
            if set(re.findall(r"\{\w+\}", text)) != set(re.findall(r"\{\w+\}", english.get(key, text))):
                found.append(f"{language}: {key} has other values than in en")
        rows = catalogue["keyboard.letters"].split(" ")
        if [len(row) for row in rows[:2]] != [10, 10] or not 7 <= len(rows[2]) <= 8:
            found.append(f"{language}: keyboard.letters is not two rows of 10 letters and one of 7 or 8")
    found += [f"no catalogue has a word for {name}" for name in rock_types() if f"rocks.type.{name.lower()}" not in english]
    source = "\n".join(file.read_text() for folder in ("elements", "core", "learning") for file in (PAGES / folder).glob("*.js"))
    used = set(KEY.findall(source))
    found += [f"the pages use {key}, which no catalogue has" for key in sorted(used - english.keys())]
    for key in english.keys() - used:
        if f"'{key}'" not in source and not key.startswith(tuple(FAMILIES)):
            found.append(f"no page uses {key}")
    return found
