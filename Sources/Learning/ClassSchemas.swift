internal import KonzaAPI

/// What the routes of classes take and answer.
enum ClassSchemas {
    static let quizzes = ["continents", "groups"]
    private static let states = ["open", "running", "over"]

    static let all: [Schema] = [
        Schema(
            "ClassRequest", "A class to open.",
            [
                .always("quiz", .choice(quizzes), "Countries and their continents; prairie species and their groups."),
                .always("seconds", .count(ClassRegister.seconds), "The time that the quiz has."),
            ], isClosed: true),
        Schema(
            "ClassChange", "What becomes of a class.",
            [
                .always("key", .string, "Of whoever opened it."),
                .always("state", .choice(["running", "over"]), "Start it, or end it."),
            ], isClosed: true),
        Schema(
            "ClassJoinRequest", "A new member of a class.",
            [.known("pass", .string, "What the QR code says beside the digits; without it wrong codes are limited.")],
            isClosed: true),
        Schema(
            "ClassTurnRequest", "A member asks what is asked, or answers it.",
            [
                .always("ticket", .string, "Of the member."),
                .known("question", .count(1...1000), "The number of the question that is answered."),
                .known("choice", .string, "One of its choices."),
            ], isClosed: true),
        Schema(
            "ClassMade", "A class that was opened.",
            [
                .always("code", .string, "Four digits, by which members join."),
                .always("key", .string, "By which it is led."),
                .always("link", .string, "The page on which members type the code."),
                .always(
                    "qr", .array(.string),
                    "The QR code (ISO/IEC 18004) of the link and the class's pass: 0 and 1, a text for each row."),
                .always("board", .reference("ClassBoard"), "As it is."),
            ]),
        Schema(
            "ClassBoard", "How far a class is.",
            [
                .always("quiz", .choice(quizzes), "What is asked."),
                .always("state", .choice(states), "open: members join."),
                .always("seconds", .number, "The time that the quiz has."),
                .always("secondsLeft", .number, "Of it."),
                .always("right", .integer, "What all have found together."),
                .always("members", .array(.reference("ClassMember")), "In the order of joining."),
                .always("missed", .array(.reference("ClassMissed")), "What was missed most; empty until it is over."),
            ]),
        Schema(
            "ClassMember", "How far a member is.",
            [
                .always("name", .string, "A colour and an animal."),
                .always("asked", .integer, "Answers given, right or wrong."),
                .always("of", .integer, "Questions that there are."),
            ]),
        Schema(
            "ClassMissed", "An item that was missed, without by whom.",
            [
                .always("item", .string, "Its id."),
                .always("name", .string, "What it is called."),
                .known("nameEs", .string, "In Spanish, where it is known."),
                .always("times", .integer, "How often."),
            ]),
        Schema(
            "ClassJoined", "A member of a class.",
            [
                .always("ticket", .string, "By which it is known; nobody else is shown it."),
                .always("turn", .reference("ClassTurn"), "What is asked."),
            ]),
        Schema(
            "ClassTurn", "What a member is asked, and its own figures.",
            [
                .always("quiz", .choice(quizzes), "What is asked."),
                .always("state", .choice(states), "Of the class."),
                .always("name", .string, "The member's colour and animal."),
                .always("secondsLeft", .number, "For all."),
                .always("right", .integer, "Found by this member."),
                .always("asked", .integer, "Answered by this member."),
                .always("of", .integer, "Questions that there are."),
                .known("question", .reference("ClassQuestion"), "Absent while nothing is asked."),
                .known("judged", .reference("ClassJudged"), "How the answer of the request was judged, if it counts."),
            ]),
        Schema(
            "ClassQuestion", "A question.",
            [
                .always("number", .integer, "From 1."),
                .always("item", .string, "Its id in the pages' data."),
                .always("name", .string, "What it is called."),
                .known("nameEs", .string, "In Spanish, where it is known."),
                .always("choices", .array(.string), "Continents or groups, as in the keys of words."),
            ]),
        Schema(
            "ClassJudged", "How an answer was judged.",
            [
                .always("right", .boolean, "Whether it was right."),
                .always("answers", .array(.string), "All that would have been."),
            ]),
    ]
}
