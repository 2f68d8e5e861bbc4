// swift-tools-version: 6.2
import PackageDescription

/// The settings every Swift target shares: Swift 6 mode with the upcoming features on, and no warning let through.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
]

/// A system library: one module map and one shim header in `Sources/<name>`.
func system(_ name: String, _ pkgConfig: String?, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A library target. Tests leave strict memory safety off, since `#expect(throws:)` cannot expand under it.
func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + [.strictMemorySafety()])
}

/// A library that computes: optimised in a debug build too, where its tests would wait longer for its loops than it takes to
/// optimise them. Assertions stay on.
func computing(_ name: String, _ dependencies: [Target.Dependency], linker: [LinkerSetting] = []) -> Target {
    .target(
        name: name, dependencies: dependencies,
        swiftSettings: strict + [
            .strictMemorySafety(), .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)),
        ],
        linkerSettings: linker)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict + [.strictMemorySafety()])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "konza",
    products: [
        .executable(name: "konzad", targets: ["konzad"]),
        .executable(name: "konza", targets: ["konza"]),
        .executable(name: "konza-courier", targets: ["konza-courier"]),
        .executable(name: "konza-portal", targets: ["konza-portal"]),
        .executable(name: "konza-fleet", targets: ["konza-fleet"]),
        .executable(name: "konza-hub", targets: ["konza-hub"]),
    ],
    targets: [
        // System C libraries: each is imported by exactly one Swift module.
        system("CGPS", "libgps", "libgps-dev"),
        system("CV4L2", "libv4l2", "libv4l-dev"),
        system("CUdev", "libudev", "libudev-dev"),
        system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        system("CGnuTLS", "gnutls", "libgnutls28-dev"),
        system("CCertificates", "gnutls", "libgnutls28-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"),
        system("CSystemd", "libsystemd", "libsystemd-dev"),
        system("CPangoCairo", "pangocairo", "libpango1.0-dev"),
        system("CQREncode", "libqrencode", "libqrencode-dev"),
        // libwebpmux.pc requires libwebp.pc.
        system("CWebP", "libwebpmux", "libwebp-dev"),
        system("CSodium", "libsodium", "libsodium-dev"),
        system("CCMark", "libcmark", "libcmark-dev"),
        system("CCurl", "libcurl", "libcurl4-openssl-dev"),
        system("CExpat", "expat", "libexpat1-dev"),
        system("CZlib", "zlib", "zlib1g-dev"),
        system("CMosquitto", "libmosquitto", "libmosquitto-dev"),
        system("CRabbitMQ", "librabbitmq", "librabbitmq-dev"),
        system("CPostgres", "libpq", "libpq-dev"),
        // Debian 12 has no cups.pc.
        system("CCups", nil, "libcups2-dev"),
        .target(name: "CKonza", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CLinux"),
        // Lanes as wide as the processor has them.
        .target(name: "CBlocks"),
        // For measuring alone: what libjpeg does without Konza, and what is allocated.
        .target(name: "CBenchJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CBenchMemory"),

        // Values and the operating system.
        computing("KonzaModel", [], linker: [.linkedLibrary("m")]),
        computing("KonzaSystem", ["CLinux", "KonzaModel"]),
        module("KonzaAPI", ["KonzaModel"]),
        computing("Geodesy", ["KonzaModel"]),
        computing("JSONCoding", ["KonzaModel"]),
        module("CSVWriting", []),

        // Capabilities. None of them imports another.
        computing("JPEGCoding", ["CKonza", "KonzaModel", "KonzaSystem"]),
        computing("Positioning", ["CGPS", "Geodesy", "KonzaModel", "KonzaSystem"]),
        module("Capture", ["CV4L2", "CUdev", "JPEGCoding", "KonzaModel", "KonzaSystem"]),
        computing("Scenery", ["KonzaModel"]),
        module("Astronomy", ["Geodesy", "KonzaModel"]),
        computing("Terrain", ["Geodesy", "KonzaModel", "KonzaSystem"]),
        module("QRCoding", ["CQREncode"]),
        computing("Drawing", ["CPangoCairo", "KonzaModel", "KonzaSystem", "QRCoding"]),
        computing("Stamping", ["CBlocks", "JPEGCoding", "KonzaModel", "KonzaSystem"]),
        computing("Animating", ["CWebP", "KonzaModel"]),
        computing("Mounting", ["JPEGCoding", "KonzaModel", "KonzaSystem"]),
        computing("Storage", ["CSQLite", "KonzaModel", "KonzaSystem"]),
        module(
            "HTTPServing", ["CGnuTLS", "CMicroHTTPD", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem"]),
        module("Certificates", ["CCertificates", "KonzaModel"]),
        module("Cryptography", ["CSodium", "KonzaModel", "KonzaSystem"]),
        module("Systemd", ["CSystemd", "KonzaModel", "KonzaSystem"]),
        computing("Settings", ["KonzaModel", "KonzaSystem"]),
        module("HTTPTransfer", ["CCurl", "KonzaModel"]),
        module("Interchange", ["CSVWriting", "CZlib", "KonzaModel"]),
        module("Terminology", ["KonzaModel"]),
        module("XMLReading", ["CExpat"]),
        module("Markup", ["CCMark", "KonzaModel"]),
        computing("Calendars", ["KonzaModel", "KonzaSystem", "XMLReading"]),
        module("ContactCards", ["KonzaModel"]),
        module("Feeds", ["JSONCoding", "KonzaModel", "XMLReading"]),
        module("MapTiles", ["KonzaModel", "KonzaSystem", "Storage"]),
        module("MQTTTransfer", ["CMosquitto", "KonzaSystem"]),
        module("AMQPTransfer", ["CRabbitMQ", "KonzaSystem"]),
        module("ObjectStore", ["HTTPTransfer", "KonzaModel", "XMLReading"]),
        module("FleetMessaging", ["JSONCoding", "KonzaAPI", "KonzaModel"]),
        module("PostgresAccess", ["CPostgres", "KonzaModel", "KonzaSystem"]),
        module("MetPetDB", ["HTTPTransfer", "KonzaModel", "KonzaSystem", "Terminology", "XMLReading"]),

        // Features.
        module("Postcards", ["JSONCoding", "KonzaModel", "KonzaSystem", "Storage"]),
        module("Specimens", ["JSONCoding", "KonzaModel", "KonzaSystem", "Storage"]),
        module("Samples", ["KonzaModel", "KonzaSystem", "Storage"]),
        module(
            "FleetCommanding",
            ["Cryptography", "FleetMessaging", "KonzaAPI", "KonzaModel", "Settings", "Storage"]),
        module("Forwarding", ["KonzaModel", "Storage"]),
        module("Trails", ["Geodesy", "JSONCoding", "KonzaModel", "KonzaSystem", "Storage", "XMLReading"]),
        module(
            "Access", ["HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem", "QRCoding", "Storage"]),
        module("TakeHome", ["HTTPServing", "KonzaAPI", "KonzaModel", "KonzaSystem", "QRCoding", "Storage"]),
        module("Gallery", ["HTTPServing", "KonzaAPI", "KonzaModel", "Storage"]),
        computing(
            "Views",
            ["Astronomy", "Geodesy", "JSONCoding", "KonzaModel", "KonzaSystem", "Storage", "Terrain"]),
        module(
            "People",
            [
                "Access", "CSVWriting", "Cryptography", "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel",
                "KonzaSystem",
                "QRCoding",
                "Storage",
            ]),
        module("FeedReporting", ["HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel"]),
        module(
            "Announcements",
            [
                "FeedReporting", "Feeds", "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem",
                "Markup",
                "Storage",
            ]),
        module(
            "Muster",
            [
                "CSVWriting", "Calendars", "Cryptography", "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel",
                "KonzaSystem", "People", "QRCoding", "Storage",
            ]),
        module(
            "Trips",
            ["HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem", "People", "Storage"]),
        module(
            "StationPages",
            [
                "Calendars", "ContactCards", "FeedReporting", "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel",
                "KonzaSystem", "Markup", "QRCoding", "Storage",
            ]),
        module(
            "Learning", ["HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem", "QRCoding", "Storage"]),
        module("Printing", ["CCups", "KonzaModel", "KonzaSystem", "Storage"]),

        // Composition.
        module(
            "KonzaDaemon",
            [
                "Animating", "Astronomy", "Capture", "Drawing", "FleetMessaging", "Forwarding", "Geodesy",
                "Interchange", "JPEGCoding",
                "KonzaAPI", "KonzaModel", "KonzaSystem",
                "HTTPServing",
                "Mounting",
                "Positioning", "Postcards", "QRCoding", "Samples", "Scenery", "Settings", "Specimens", "Stamping",
                "Storage", "Systemd", "Terminology", "Terrain", "Trails", "Views",
            ]),
        module("KonzaClient", ["HTTPTransfer", "KonzaAPI", "KonzaModel", "KonzaSystem"]),
        module(
            "KonzaCommand",
            [
                "Cryptography", "FleetCommanding", "HTTPTransfer", "KonzaAPI", "KonzaClient", "KonzaModel",
                "KonzaSystem", "Terminology",
            ]),
        module(
            "KonzaCourier",
            [
                "Feeds", "HTTPTransfer", "KonzaAPI", "KonzaClient", "KonzaModel", "KonzaSystem", "MetPetDB", "Settings",
                "Systemd", "Terminology",
            ]),
        module(
            "KonzaPortal",
            [
                "Access", "Announcements", "Certificates", "Gallery", "HTTPServing", "HTTPTransfer", "JSONCoding",
                "KonzaAPI",
                "KonzaModel", "KonzaSystem", "Learning", "MapTiles", "Muster", "People", "Printing", "QRCoding",
                "Settings", "StationPages", "Storage", "Systemd", "TakeHome", "Trips",
            ]),
        module(
            "KonzaFleet",
            [
                "Certificates", "FleetCommanding", "FleetMessaging", "HTTPTransfer", "KonzaAPI", "KonzaClient",
                "KonzaModel",
                "KonzaSystem",
                "MQTTTransfer", "ObjectStore", "Settings", "Storage", "Systemd",
            ]),
        module(
            "KonzaHub",
            [
                "AMQPTransfer", "Certificates", "FleetMessaging", "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel",
                "KonzaSystem", "MQTTTransfer", "PostgresAccess", "Settings", "Storage", "Systemd",
            ]),
        program("konza-hub", ["KonzaHub"]),
        program("konzad", ["KonzaDaemon"]),
        program("konza-fleet", ["KonzaFleet"]),
        program("konza-courier", ["KonzaCourier"]),
        program("konza-portal", ["KonzaPortal"]),
        program("konza", ["KonzaCommand"]),
        program("konza-trail", ["KonzaModel", "KonzaSystem", "Positioning", "Terrain", "Trails"]),
        module(
            "KonzaBench",
            [
                "Astronomy", "CBenchJPEG", "Drawing", "FleetMessaging", "Geodesy", "JPEGCoding", "KonzaAPI",
                "KonzaFleet", "KonzaModel", "KonzaSystem", "KonzaTesting", "MQTTTransfer", "Positioning",
                "PostgresAccess", "Scenery",
                "Stamping", "Terrain", "Trails", "Views",
            ]),
        module("AllocationCounting", ["CBenchMemory", "KonzaBench"]),
        program("konza-bench", ["AllocationCounting", "KonzaBench"]),
        module("KonzaTesting", ["KonzaAPI", "KonzaModel", "KonzaSystem"]),
        // For test targets alone: what imports Testing.
        module("KonzaTestTraits", ["KonzaSystem"]),
        module("KonzaLab", ["KonzaModel", "KonzaSystem", "KonzaTesting"]),
        program("konza-lab", ["KonzaLab"]),

        tests("KonzaModelTests", ["KonzaModel"]),
        tests("KonzaSystemTests", ["KonzaModel", "KonzaSystem", "KonzaTesting"]),
        tests("AccessTests", ["Access", "HTTPServing", "KonzaAPI", "KonzaModel", "KonzaTesting", "Storage"]),
        tests(
            "TrailsTests",
            [
                "Geodesy", "KonzaModel", "KonzaSystem", "KonzaTesting", "Positioning", "Storage", "Terrain", "Trails",
                "XMLReading",
            ]),
        tests("JSONCodingTests", ["JSONCoding", "KonzaAPI", "KonzaModel", "KonzaTesting"]),
        tests("KonzaAPITests", ["KonzaAPI", "KonzaModel", "KonzaTesting"]),
        tests("JPEGCodingTests", ["JPEGCoding", "KonzaModel", "KonzaTesting"]),
        tests("PositioningTests", ["Geodesy", "KonzaModel", "KonzaSystem", "KonzaTesting", "Positioning"]),
        tests("CaptureTests", ["Capture", "JPEGCoding", "KonzaModel", "KonzaSystem", "KonzaTesting"]),
        tests("SceneryTests", ["KonzaModel", "Scenery"]),
        tests("MapTilesTests", ["KonzaModel", "KonzaTesting", "MapTiles"]),
        tests("ViewsTests", ["Geodesy", "KonzaModel", "KonzaTesting", "Terrain", "Views"]),
        tests("GeodesyTests", ["Geodesy", "KonzaModel", "KonzaTesting"]),
        tests("AstronomyTests", ["Astronomy", "KonzaModel"]),
        .testTarget(
            name: "TerrainTests", dependencies: ["KonzaModel", "KonzaTesting", "Terrain"],
            exclude: ["horizon-trailhead.csv"], swiftSettings: strict),
        tests(
            "KonzaDaemonTests",
            [
                "Capture", "Drawing", "KonzaAPI", "KonzaDaemon", "KonzaModel", "KonzaSystem", "KonzaTesting",
                "Positioning",
                "Postcards", "Settings", "Specimens", "Storage", "Systemd", "Terrain", "Views",
            ]),
        tests("DrawingTests", ["Drawing", "KonzaModel", "KonzaTesting", "QRCoding"]),
        tests("AnimatingTests", ["Animating", "KonzaModel", "KonzaTesting"]),
        tests("MountingTests", ["JPEGCoding", "KonzaModel", "KonzaTesting", "Mounting"]),
        tests("StampingTests", ["CBlocks", "JPEGCoding", "KonzaModel", "KonzaSystem", "KonzaTesting", "Stamping"]),
        tests(
            "ArchiveTests",
            [
                "FleetMessaging", "Forwarding", "HTTPTransfer", "KonzaAPI", "KonzaClient", "KonzaFleet", "KonzaModel",
                "KonzaSystem", "KonzaTesting", "MQTTTransfer", "Postcards", "Samples", "Specimens", "Storage",
            ]),
        .testTarget(
            name: "InterchangeTests", dependencies: ["Interchange", "KonzaModel", "KonzaTesting"],
            exclude: ["Waypoints.xsd"], swiftSettings: strict),
        tests("XMLReadingTests", ["KonzaTesting", "XMLReading"]),
        tests("TerminologyTests", ["KonzaModel", "Terminology"]),
        tests(
            "MetPetDBTests",
            [
                "HTTPTransfer", "Interchange", "KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting",
                "KonzaTestTraits", "MetPetDB", "Terminology", "XMLReading",
            ]),
        tests(
            "HTTPServingTests",
            ["KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting", "KonzaTestTraits", "HTTPServing"]),
        tests(
            "PrintingTests",
            ["KonzaModel", "KonzaSystem", "KonzaTesting", "KonzaTestTraits", "Printing", "Storage"]),
        tests("SettingsTests", ["KonzaModel", "KonzaTesting", "Settings"]),
        tests("SystemdTests", ["KonzaModel", "KonzaSystem", "Systemd"]),
        tests(
            "KonzaClientTests",
            [
                "HTTPTransfer", "KonzaAPI", "KonzaClient", "KonzaModel", "KonzaSystem", "KonzaTestTraits",
                "HTTPServing",
            ]),
        tests(
            "KonzaFleetTests",
            ["Certificates", "FleetMessaging", "KonzaFleet", "KonzaModel", "KonzaTesting", "MQTTTransfer"]),
        tests("MQTTTransferTests", ["KonzaSystem", "KonzaTesting", "MQTTTransfer"]),
        tests("PostgresAccessTests", ["KonzaTesting", "PostgresAccess"]),
        tests(
            "KonzaHubTests",
            [
                "FleetMessaging", "HTTPTransfer", "KonzaAPI", "KonzaClient", "KonzaHub", "KonzaModel", "KonzaSystem",
                "KonzaTesting", "MQTTTransfer", "PostgresAccess", "Settings",
            ]),
        tests(
            "FleetCommandingTests",
            ["Cryptography", "FleetCommanding", "KonzaAPI", "KonzaModel", "KonzaTesting", "Settings", "Storage"]),
        tests("CertificatesTests", ["Certificates", "KonzaModel", "KonzaTesting"]),
        tests("CryptographyTests", ["Cryptography", "KonzaTesting"]),
        tests(
            "ObjectStoreTests", ["HTTPTransfer", "KonzaModel", "KonzaSystem", "KonzaTesting", "ObjectStore"]),
        tests("FleetMessagingTests", ["FleetMessaging", "KonzaAPI", "KonzaModel", "KonzaTesting"]),
        tests("MarkupTests", ["KonzaModel", "KonzaTesting", "Markup"]),
        tests("CalendarsTests", ["Calendars", "KonzaModel", "KonzaSystem", "KonzaTesting"]),
        tests("ContactCardsTests", ["ContactCards", "KonzaModel", "KonzaTesting"]),
        tests("FeedsTests", ["Feeds", "KonzaModel", "KonzaTesting"]),
        tests(
            "PeopleTests",
            [
                "CSVWriting", "Cryptography", "HTTPServing", "KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting",
                "People", "Storage",
            ]),
        tests(
            "AnnouncementsTests",
            ["Announcements", "Feeds", "KonzaAPI", "KonzaModel", "KonzaTesting", "Markup", "Storage"]),
        tests(
            "MusterTests",
            [
                "Announcements", "KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting", "Muster", "People", "Storage",
            ]),
        tests("TripsTests", ["KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting", "People", "Storage", "Trips"]),
        tests(
            "StationPagesTests",
            ["Calendars", "KonzaModel", "KonzaSystem", "KonzaTesting", "StationPages", "Storage"]),
        tests(
            "LearningTests",
            [
                "HTTPServing", "JSONCoding", "KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting", "Learning",
                "Storage",
            ]),
        tests("GalleryTests", ["Gallery", "KonzaModel", "KonzaTesting", "Storage"]),
        tests(
            "KonzaPortalTests",
            [
                "Announcements", "Calendars", "HTTPServing", "KonzaModel", "KonzaPortal", "KonzaTesting", "Muster",
                "People", "Settings", "StationPages", "Storage", "Trips",
            ]),
        tests(
            "KonzaCommandTests",
            [
                "Cryptography", "FleetCommanding", "KonzaAPI", "KonzaClient", "KonzaCommand", "KonzaModel",
                "KonzaSystem", "KonzaTesting",
            ]),
        tests(
            "KonzaBenchTests",
            [
                "Drawing", "JPEGCoding", "KonzaBench", "KonzaModel", "KonzaSystem", "KonzaTesting", "Scenery",
                "Stamping",
            ]),
        tests("KonzaLabTests", ["KonzaLab", "KonzaTesting"]),
        tests(
            "KonzaIntegrationTests",
            [
                "FleetMessaging", "HTTPTransfer", "JPEGCoding", "KonzaAPI", "KonzaModel", "KonzaSystem", "KonzaTesting",
                "MQTTTransfer",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
