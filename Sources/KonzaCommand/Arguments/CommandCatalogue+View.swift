// The named view: what the fixed camera sees.

extension CommandCatalogue {
    static let view = CommandDeclaration(
        "view", "The names in the picture of the fixed camera", run: CommandContext.view,
        about: [
            "Lists what the camera sees: pixels from the left and the upper edge with their standard error, the direction and "
                + "the distance. What the ground hides is left out. It needs a calibration."
        ],
        options: [json],
        verbs: [
            CommandDeclaration(
                "view calibrate", "Calibrate the fixed camera by landmarks in its picture",
                run: CommandContext.calibrateView,
                about: [
                    "Take a picture with konza camera frame, look up the pixels of three landmarks or more in it, five if "
                        + "possible, far apart and not in one line, and give each with --click. A landmark is named by its id "
                        + "or its name in landmarks.geojson, or by latitude,longitude and, after another comma, the height of "
                        + "its top above mean sea level. The middle of the sun or the moon is as good where the time of the "
                        + "picture is known: sun@2026-11-22T15:04:05Z.",
                    "Shows how the camera looks, the error over the frame and which click is most likely wrong: with such a "
                        + "click nothing is kept, and it ends with 65. A calibration is kept until the next one. Without --click "
                        + "it shows the one that is kept.",
                ],
                options: [
                    OptionDeclaration(
                        "click", .text("X,Y=LANDMARK"), "A landmark and where it is in the picture; give several.",
                        isRepeated: true),
                    OptionDeclaration(
                        "size", .text("WIDTHxHEIGHT"), "Of the picture, pixels; the camera's by default."),
                    OptionDeclaration(
                        "camera-at", .text("LATITUDE,LONGITUDE"),
                        "Where the camera is; the station's position by default."),
                    OptionDeclaration(
                        "camera-height", .measure("METRES", -500...9000), "Of the camera above mean sea level."),
                    OptionDeclaration(
                        "field-of-view", .measure("DEGREES", 1...170), "Horizontal, by the camera's data sheet."),
                    json,
                ],
                examples: [
                    ("konza view calibrate --click \"1195,530=FAA 20-001751\" --click ...", "")
                ]),
            CommandDeclaration(
                "view verify", "Compare the skyline in the picture with the computed one",
                run: CommandContext.verifyView,
                about: [
                    "konzad does it every week by day. Where the skyline lies more than 3 pixels off the camera has most likely "
                        + "moved: the view is unverified until it is calibrated again, and no names are put into postcards. It "
                        + "says so and why, and ends with 69. At night, and where no skyline is to be seen, nothing is judged and "
                        + "nothing changes: it ends with 75, try again by day."
                ],
                options: [json]),
        ])
}
