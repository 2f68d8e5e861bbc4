internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Terminology

// Photographs, labels and the vocabulary.

extension CommandContext {
    func photograph() async throws(CommandFailure) -> ExitCode {
        // Looked at before anything is sent: a mistyped name should not leave half of the pictures behind.
        var uploads: [StationRequest.Upload] = []
        for file in invocation.operands.dropFirst() { uploads.append(try Self.upload(file)) }
        let specimen = try await wantedSpecimen().specimen
        let path = "/v1/specimens/\(specimen.id)/photographs"
        if uploads.isEmpty {
            try told(try await write(.post, path, .object(photographWords)), specimen)
        }
        let query = photographWords.sorted { $0.key < $1.key }.map { (name: $0.key, value: Self.text($0.value)) }
        for upload in uploads {
            let request = StationRequest(method: .post, path: path, query: query, upload: upload)
            do throws(CommandFailure) {
                try told(try await connection.send(request).body, specimen)
            } catch {
                throw CommandFailure("\(upload.file): \(error.message)", error.code)
            }
        }
        return .ok
    }

    private func told(_ body: [UInt8], _ specimen: Specimen) throws(CommandFailure) {
        let _: PhotographReply = try present(body) {
            SpecimenScreens.taken($0.photograph, of: specimen, columns: columns)
        }
    }

    private var photographWords: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members["imageType"] = invocation.text("type").map { .string($0) }
        members["scale"] = invocation.number("scale").map { .number(Double($0)) }
        members["direction"] = invocation.measure("direction").map { .number($0) }
        members["description"] = invocation.text("description").map { .string($0) }
        return members
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .number(let number), .decimal(let number, _): Figures.shortest(number)
        default: ""
        }
    }

    /// A picture's size and kind.
    private static func upload(_ file: String) throws(CommandFailure) -> StationRequest.Upload {
        func failure(_ why: String, _ code: ExitCode) -> CommandFailure {
            CommandFailure("cannot take the picture \(file): \(why)", code)
        }
        let number = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure(SystemError.text(errno), errno == EACCES ? .permission : .noInput) }
        let descriptor = FileDescriptor(owning: number)
        var facts = stat()
        guard unsafe fstat(descriptor.number, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is no file", .noInput)
        }
        var head = [UInt8](repeating: 0, count: PictureKind.headBytes)
        let count = unsafe head.withUnsafeMutableBytes { unsafe read(descriptor.number, $0.baseAddress, $0.count) }
        guard let kind = PictureKind(head.prefix(max(0, count))), kind != .webp else {
            throw failure("it is neither JPEG nor PNG; convert it first", .data)
        }
        return .init(file: file, byteCount: Int(facts.st_size), mediaType: kind.mediaType)
    }

    func label() async throws(CommandFailure) -> ExitCode {
        let specimen = try await wantedSpecimen().specimen
        let ending = invocation.has("svg") ? "svg" : "png"
        let destination = try Destination(invocation, standard: "\(Destination.safe(specimen.number)).\(ending)")
        let query = ["width", "height"].compactMap { name in
            invocation.measure(name).map { (name: name, value: Figures.shortest($0)) }
        }
        let delivery = try Delivery(destination, isText: ending == "svg", console: console)
        let request = StationRequest(path: "/v1/specimens/\(specimen.id)/label.\(ending)", query: query)
        delivery.take(try await connection.send(request).body)
        let count = try delivery.finish()
        if !destination.isStandardOutput {
            try show(Line("Label saved as \(destination.path), \(Figures.bytes(Int64(count)))"))
        }
        return .ok
    }

    func vocabulary() async throws(CommandFailure) -> ExitCode {
        let body = try await connection.send(StationRequest(path: "/v1/vocabulary")).body
        let vocabulary: Vocabulary = try StationReading.read(body)
        let kind = invocation.operands.first.flatMap(Vocabulary.Kind.init(rawValue:))
        guard let name = invocation.text("match") else {
            if invocation.has("json") {
                try console.write(JSONText.indented(body) + "\n")
            } else {
                try show(VocabularyScreen.lines(vocabulary, kind, dates: dates, columns: columns))
            }
            return .ok
        }
        let kinds = kind.map { [$0] } ?? Vocabulary.Kind.allCases
        let matches = kinds.map { (kind: $0, match: vocabulary.match(name, as: $0)) }
        if invocation.has("json") {
            try console.write(JSONText.indented(try StationWriting.bytes(VocabularyScreen.json(matches))) + "\n")
        } else {
            try show(VocabularyScreen.lines(name, matches, columns: columns))
        }
        return matches.contains { VocabularyScreen.isKnown($0.match) } ? .ok : .noInput
    }
}
