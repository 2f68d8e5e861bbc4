/// A day in the field, from the start to the upload, as konza(1) tells it. A test types every one of these lines. Those
/// that a page of 80 columns does not hold go on behind a backslash, as a shell takes them.
enum FieldDay {
    /// What is done, and the lines that are typed for it.
    struct Step: Sendable {
        let note: String
        let lines: [String]

        init(_ note: String, _ lines: String...) {
            self.note = note
            self.lines = lines
        }
    }

    static let introduction =
        "A collector's day with one specimen, on a box whose user is in the group konza. The number is what is written "
        + "on the bag. Without a receiver all of it can be practised with the recording that konzad plays then; the "
        + "positions say that they are recorded."

    static let steps = [
        Step(
            "In the morning: is the station well, has it a position, and is the outbox empty?",
            "konza doctor", "konza where", "konza specimens outbox"),
        Step("What was collected around here before?", "konza specimens --near here --radius 2km"),
        Step(
            "Is the mineral that is seen in the rock a name that MetPetDB knows, and how is it written?",
            "konza specimens vocabulary minerals --match garnet"),
        Step(
            "The rock is in the hand: open it. The compass was read, with 3.1 degrees of declination to the east.",
            """
            konza specimens new gneiss --number KNZ-26-117 \\
                --collector "Doe, Jane" --mineral Garnet=15 --mineral Biotite \\
                --strike 214 --dip 38 --declination 3.1 --feature foliation
            """),
        Step(
            "Stand still where it was taken until the position is known to 5 m, ten minutes at most; Ctrl-C ends it "
                + "earlier and keeps what was averaged.",
            "konza specimens occupy KNZ-26-117 --accuracy 5 --timeout 600"),
        Step(
            "Photograph the outcrop, looking south-west, with the station's camera; and add the close-up that another "
                + "camera took, 120 mm wide on the rock.",
            "konza specimens photograph KNZ-26-117 --direction 225",
            """
            konza specimens photograph KNZ-26-117 DSC0042.JPG \\
                --type PHOTO --scale 120
            """),
        Step(
            "Say what was forgotten, and look at it all.",
            """
            konza specimens set KNZ-26-117 country="United States" \\
                notes="below the spring, east wall"
            """,
            "konza specimens show KNZ-26-117"),
        Step("A label for the bag.", "konza specimens label KNZ-26-117 -o label.png"),
        Step(
            "In the evening, without a network still: everything to the USB stick that is mounted at ~/stick, with the "
                + "photographs, and waypoints for a hand-held receiver.",
            "konza specimens export --format zip -o ~/stick",
            "konza specimens export --format gpx -o ~/stick/specimens.gpx"),
        Step(
            "To MetPetDB as soon as there is a network. In the gorge the position was less exact than the station "
                + "wants; why it is good enough is kept with it. The command ends with 0 when the sample and its "
                + "photographs are there.",
            """
            konza specimens submit KNZ-26-117 --watch \\
                --override "narrow gorge, checked on the map"
            """),
        Step("What has arrived, and what has not?", "konza specimens outbox", "konza specimens --state submitted"),
    ]
}
