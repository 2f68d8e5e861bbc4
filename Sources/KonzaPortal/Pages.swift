internal import FoundationEssentials
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// The files that browsers get, read once and kept: all of them together are small, and a page never waits for the disk.
struct Pages: Sendable {
    /// What all files together may take, bytes.
    private static let limit = 16 << 20
    /// How deep folders may lie in one another.
    private static let deepest = 4

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
        "json": "application/json", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
        "woff2": "font/woff2", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
    ]

    private struct File: Sendable {
        let content: FrameData
        let type: String
        let entityTag: String
    }

    /// What Debian brings (libjs-leaflet), and what the pages call it. Without it there is no map.
    private static let libraries = [
        "leaflet/leaflet.js": "/usr/share/javascript/leaflet/leaflet.esm.min.js",
        "leaflet/leaflet.css": "/usr/share/javascript/leaflet/leaflet.css",
    ]
    /// No library is larger, bytes.
    private static let largestLibrary = 1 << 20

    private let files: [String: File]
    private let index: String
    /// Tells one version of the program with its pages from another.
    let build: String

    /// Reads the pages.
    ///
    /// - Parameter folder: holds `index.html`, and what it refers to as `/pages/...`.
    /// - Throws: ``PagesError`` if there is none, or too much.
    init(folder: String) throws(PagesError) {
        var files: [String: File] = [:]
        var total = 0
        try Self.read(folder, below: "", depth: 0, &files, &total)
        for (name, path) in Self.libraries {
            guard let content = FileManager.default.contents(atPath: path), content.count <= Self.largestLibrary,
                let type = Self.types[String(name.split(separator: ".").last ?? "")]
            else { continue }
            let bytes = [UInt8](content)
            files[name] = File(content: FrameData(bytes), type: type, entityTag: Self.tag(bytes))
        }
        guard let index = files["index.html"]?.content else { throw PagesError("there is no \(folder)/index.html") }
        self.index = unsafe index.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
        self.files = files
        let all = files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.entityTag)\n" }.joined()
        build = "\(ProgramVersion.number)-\(Self.tag(Array(all.utf8)))"
    }

    private static func read(
        _ folder: String, below path: String, depth: Int, _ files: inout [String: File], _ total: inout Int
    ) throws(PagesError) {
        let here = path.isEmpty ? folder : "\(folder)/\(path)"
        let entries: [FolderEntry]
        do throws(SystemError) { entries = try folderEntries(of: here) } catch { throw PagesError("\(error)") }
        for entry in entries where !entry.name.hasPrefix(".") {
            let name = path.isEmpty ? entry.name : "\(path)/\(entry.name)"
            if entry.isFolder {
                if depth < deepest { try read(folder, below: name, depth: depth + 1, &files, &total) }
            } else if let type = types[String(entry.name.split(separator: ".").last ?? "")] {
                guard let content = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
                    throw PagesError("\(folder)/\(name) cannot be read")
                }
                total += content.count
                guard total <= limit else { throw PagesError("\(folder) holds more than \(limit >> 20) MiB") }
                let bytes = [UInt8](content)
                files[name] = File(content: FrameData(bytes), type: type, entityTag: tag(bytes))
            }
        }
    }

    /// FNV-1a of 64 bits: a tag that tells one version of a file from another; it guards against no one.
    private static func tag(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// The addresses of the learning games; each shows the same page, which begins there.
    private static let games = [
        ("/learn", "Menu"), ("/learn/jigsaw", "Jigsaw"), ("/learn/postcard", "PostcardJigsaw"),
        ("/learn/cards", "Cards"), ("/learn/quiz/easy", "EasyQuiz"), ("/learn/quiz/medium", "MediumQuiz"),
        ("/learn/quiz/hard", "HardQuiz"), ("/learn/quiz/states", "StatesQuiz"), ("/learn/facts", "Facts"),
        ("/learn/prairie", "Prairie"), ("/learn/decks/{name}", "Deck"), ("/learn/class", "Class"),
        ("/learn/young", "Youngest"),
    ]

    /// The routes of the pages; the index is named for the station.
    func routes(station: String) -> [Route] {
        let text = Self.filled(Self.filled(index, "build", build), "station", station)
        let first = Array(text.utf8)
        let page = File(content: FrameData(first), type: Self.types["html"] ?? "", entityTag: Self.tag(first))
        return [
            Route(
                .get, "/", access: .everyone, operation: "getFirstPage", summary: "The kiosk's page",
                produces: ["text/html"], replies: [Reply(200, "The page.")],
                handler: .immediate { _ in Self.answer(page) }),
            Route(
                .get, "/pair", access: .everyone, operation: "getPairingPage",
                summary: "The page that pairs a device", produces: ["text/html"],
                replies: [Reply(200, "The page.")], handler: .immediate { _ in Self.answer(page) }),
            Route(
                .get, "/muster", access: .everyone, operation: "getMusterPage",
                summary: "The page that the code of the muster opens", produces: ["text/html"],
                replies: [Reply(200, "The page.")], handler: .immediate { _ in Self.answer(page) }),
        ]
            + [
                Route(
                    .get, "/learn/join", access: .everyone, operation: "getLearningJoinPage",
                    summary: "The page by which a class is joined",
                    query: [
                        QueryParameter("seed", "Makes a round repeatable.", .string),
                        QueryParameter("code", "Of the class, as on its board.", .string),
                    ], produces: ["text/html"],
                    replies: [Reply(200, "The page.")], handler: .immediate { _ in Self.answer(page) })
            ]
            + Self.games.map { path, name in
                Route(
                    .get, path, access: .everyone, operation: "getLearning\(name)Page",
                    summary: "The page of the learning games",
                    query: [QueryParameter("seed", "Makes a round repeatable.", .string)], produces: ["text/html"],
                    replies: [Reply(200, "The page.")], handler: .immediate { _ in Self.answer(page) })
            } + [
                Route(
                    .get, "/pages/{path...}", access: .everyone, operation: "getPage", summary: "A part of the pages",
                    produces: [], replies: [Reply(200, "The file.")],
                    handler: .immediate { [files] request throws(Problem) in
                        guard let file = files[request.parameter("path")] else {
                            throw Problem(.notFound, "cannot find \(request.path.prefix(200)): no page has it")
                        }
                        return Self.answer(file)
                    })
            ]
    }

    /// What a file of the pages holds.
    ///
    /// - Parameter path: below the folder.
    /// - Returns: nil if there is none.
    func content(of path: String) -> [UInt8]? {
        files[path].map { file in unsafe file.content.withBytes { unsafe Array($0) } }
    }

    /// The languages that there is a catalogue of, English first: it has every word.
    var languages: [String] {
        let names = files.keys.compactMap { path -> String? in
            guard path.hasPrefix("words/"), path.hasSuffix(".json") else { return nil }
            return String(path.dropFirst(6).dropLast(5))
        }
        return names.sorted { ($0 != "en" ? 1 : 0, $0) < ($1 != "en" ? 1 : 0, $1) }
    }

    /// Routes of some of the files alone.
    func files(_ names: [String]) -> [Route] {
        names.compactMap { name in files[name].map { (name, $0) } }.map { name, file in
            Route(
                .get, "/pages/\(name)", access: .everyone, operation: "getPagePart", summary: "A part of the pages",
                produces: [], replies: [Reply(200, "The file.")], handler: .immediate { _ in Self.answer(file) })
        }
    }

    /// The text with a value in the place of its name in braces.
    private static func filled(_ text: String, _ name: String, _ value: String) -> String {
        text.split(separator: "{{\(name)}}", omittingEmptySubsequences: false).joined(separator: XMLText.escaped(value))
    }

    private static func answer(_ file: File) -> Response {
        var response = Response.kept(file.content, type: file.type)
        response.entityTag = file.entityTag
        return response
    }

    /// Where the pages are: beside the program as installed (`../share/konza/pages`), else in the tree it was built in
    /// (`Sources/Pages` in a folder above), else `/usr/share/konza/pages`.
    static func find() -> String {
        ProgramFiles.folder(
            installed: "share/konza/pages", tree: "Sources/Pages", otherwise: "/usr/share/konza/pages",
            mark: "index.html")
    }
}

/// Why there are no pages.
struct PagesError: Error, CustomStringConvertible {
    let description: String

    init(_ reason: String) {
        description = "cannot serve the pages: \(reason); install the package again, or name their folder with --pages"
    }
}
