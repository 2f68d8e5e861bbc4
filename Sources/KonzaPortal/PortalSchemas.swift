internal import Access
internal import Announcements
internal import Gallery
internal import KonzaAPI
internal import Learning
internal import Muster
internal import People
internal import StationPages
internal import TakeHome
internal import Trips

/// What the portal's own routes take and answer; those of a feature stand beside its routes.
enum PortalSchemas {
    static let all: [Schema] =
        Schema.all.filter { ["Problem", "Fault"].contains($0.name) } + own + AccessRoutes.schemas
        + GalleryRoutes.schemas + AnnouncementRoutes.schemas + LearningRoutes.schemas + StationPagesRoutes.schemas
        + TakeHomeRoutes.schemas + PeopleRoutes.schemas + MusterRoutes.schemas + TripRoutes.schemas
        + MessageRoutes.schemas

    private static let own: [Schema] = [
        Schema(
            "Session", "Who a browser is here, and what its pages must know before they show anything.",
            [
                .always("role", .choice(["visitor", "kiosk", "collector", "ranger", "keeper"]), "What it may do."),
                .known("device", .string, "What it is called; absent for one that was not paired."),
                .always("station", .string, "Its name."),
                .always("place", .string, "As postcards name it."),
                .known("timeZone", .string, "In which the pages tell times, as the time zone database names it."),
                .always("languages", .array(.string), "Of the pages' words (RFC 5646), the first one first."),
                .known("template", .string, "That visitors begin with; absent: konzad's own."),
                .always("choices", .integer, "Counts the changes of what visitors begin with."),
                .always("messageLimit", .integer, "Characters of a postcard's message."),
                .always("maxCountdown", .number, "Seconds."),
                .always(
                    "idleSeconds", .integer, "Seconds without a touch until the page asks whether somebody is there."),
                .known("retentionDays", .number, "How long postcards are kept; absent: until the disk needs the room."),
                .always("endsWhenIdle", .boolean, "Whether the session ends when nobody touches the page."),
                .always("door", .boolean, "Whether a PIN opens the operator's screens here."),
                .always("takeHome", .boolean, "Whether a postcard can go home by a link."),
                .always("publicLinks", .boolean, "Whether a visitor may have a postcard on the internet."),
                .always("gallery", .string, "off, open or approved."),
                .always("crew", .boolean, "Whether there are people who muster here."),
                .always("version", .string, "Of the program."),
            ]),
        Schema(
            "HeartbeatRequest", "That the kiosk's page runs.",
            [
                .always("screen", .name(64), "What it shows."),
                .always("build", .name(64), "Of its files."),
                .always("idle", .boolean, "Whether nobody uses it."),
            ], isClosed: true),
        Schema(
            "Heartbeat", "What the page is to know.",
            [
                .always("build", .string, "Of the files that the portal has: a page of another loads itself anew."),
                .always("choices", .integer, "As in the session: a page that began with others loads itself anew."),
            ]),
        Schema(
            "KioskChoicesRequest", "What visitors are to begin with.",
            [
                .optional("language", .line(35), "One of the pages' (RFC 5646); left out: the pages' own order."),
                .optional("template", .line(KioskChoices.longestName), "A name; left out: konzad's own."),
            ], isClosed: true, example: .object(["language": .string("es")])),
        Schema(
            "KioskChoices", "What visitors begin with.",
            [
                .always("languages", .array(.string), "That the pages have (RFC 5646)."),
                .known("language", .string, "The chosen one; absent: the pages' own order."),
                .known("template", .string, "The chosen one; absent: konzad's own."),
            ]),
        Schema(
            "PortalHealth", "Whether a visitor can be served.",
            [
                .always("status", .choice(["ok", "degraded", "failed"]), "Altogether."),
                .always("portal", .string, "ok."),
                .always("konzad", .string, "ok, or why it does not answer."),
                .known("state", .string, "What is wrong with what the portal keeps, and whom it serves."),
                .known("faults", .array(.reference("PortalFault")), "The same one by one; absent for visitors."),
                .always("version", .string, "Of the program."),
                .always("kiosk", .reference("KioskHealth"), "The kiosk's page."),
            ]),
        Schema(
            "PortalFault", "Something that is wrong.",
            [
                .always("code", .choice(PortalFault.Code.allCases.map(\.rawValue)), "Of what."),
                .known("part", .string, "Of konzad, as its status names it; absent for what is the portal's."),
                .always("what", .string, "In words."),
                .always("remedy", .string, "What to do."),
            ]),
        Schema(
            "KioskHealth", "What the kiosk's page last said.",
            [
                .always("silentSeconds", .integer, "Since then, or since the portal's start."),
                .known("screen", .string, "What it showed."),
                .known("build", .string, "Of its files."),
                .always("idle", .boolean, "Whether nobody used it."),
            ]),
        Schema(
            "Certificate", "The certificate that tablets are served with.",
            [
                .always("kind", .string, "own, or operator's."),
                .known("fingerprint", .string, "SHA-256 of what a device is to trust."),
                .always("names", .array(.string), "That it is for."),
                .always("expiresAt", .string, "Its end, RFC 3339."),
                .known("link", .string, "Where a device gets the authority's certificate."),
                .known("qr", .array(.string), "The link's QR code (ISO/IEC 18004): 0 and 1, a text for each row."),
                .known("fault", .string, "What is wrong with it."),
            ]),
        Schema(
            "Map", "The ground of the map.", [.always("ground", .reference("MapLayer"), "Its tiles.")]),
        Schema(
            "MapLayer", "Tiles of one kind.",
            [
                .always("name", .string, "For people."),
                .known("attribution", .string, "What its source asks for."),
                .always("minimumZoom", .integer, "Of the tiles that there are."),
                .always("maximumZoom", .integer, "Of the tiles that there are."),
                .known("bounds", .array(.number), "West, south, east, north; degrees."),
                .always("tiles", .string, "Their path, with {z}, {x} and {y}; rows from the north."),
            ]),
        Schema(
            "Printer", "The printer, if there is one.",
            [
                .always("configured", .boolean, "Whether there is one."),
                .known("state", .string, "A stable name."),
                .known("reason", .string, "The state in words."),
                .known("remedy", .string, "What to do about it."),
                .known("canPrint", .boolean, "Whether a new wish is taken."),
                .known("isResumable", .boolean, "Whether it waits to be resumed."),
                .known("model", .string, "Its maker and model."),
                .known("supplies", .array(.reference("PrinterSupply")), "Ink and paper."),
                .known("supplyMessage", .string, "What it says of them."),
                .known("waiting", .integer, "Prints that are open."),
                .known("copies", .integer, "The most copies of one card."),
            ]),
        Schema(
            "PrinterSupply", "Ink, toner or paper.",
            [
                .always("name", .string, "As the printer calls it."),
                .known("level", .integer, "Percent."),
            ]),
        Schema(
            "PrintRequest", "What is to be printed.",
            [
                .always("postcard", .form(.id), "Its id."),
                .optional("copies", .integer, "1 by default."),
            ], isClosed: true),
        Schema(
            "Print", "What became of a wish to print.",
            [
                .always("id", .string, "Its name for programs."),
                .always("postcard", .string, "The card's id."),
                .always("copies", .integer, "Sheets that were asked for."),
                .always("printed", .integer, "Sheets that came out."),
                .always("state", .string, "A stable name."),
                .known("reason", .string, "The state in words."),
                .always("askedAt", .dateTime, "When."),
                .always("left", .integer, "Copies of the card that can still be asked for."),
                .known("before", .integer, "Prints that come before; absent once it has ended."),
            ]),
        Schema(
            "Prints", "The prints that are open.",
            [.always("prints", .array(.reference("Print")), "In the order in which they are printed.")]),
    ]
}
