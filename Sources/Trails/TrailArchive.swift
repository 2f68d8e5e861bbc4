internal import JSONCoding
public import KonzaModel
internal import Storage
internal import Synchronization

/// Keeps the imported trails and the closures in two files of the state folder. Each is replaced as a whole: what returned is on the
/// disk, and after a power cut a file is as it was before a change or after it.
public final class TrailArchive: Sendable {
    static let sourcesName = "trails.json"
    static let closuresName = "trail-closures.json"
    /// The version of both forms. A file of a newer one is left alone.
    private static let version = 1
    private static let mostClosureBytes = 4 << 20

    private struct SourcesFile: Codable {
        var version: Int
        var sources: [StoredSource]
        /// Whether they are used in place of the demonstration; they are where an older konzad, which does not say it, wrote them.
        var withoutDemonstration: Bool?
    }

    private struct ClosuresFile: Codable {
        var version: Int
        var next: Int
        var closures: [TrailClosure]
    }

    private struct State {
        var sources: [TrailSource] = []
        var isWithoutDemonstration = false
        var closures: [TrailClosure] = []
        var next = 1
        /// Why a file that is there cannot be used; nothing is written over it.
        var sourcesFault: String?
        var closuresFault: String?

        var isDemonstrationUsed: Bool { sources.isEmpty || !isWithoutDemonstration }
    }

    private let sourcesFile: StateFile
    private let closuresFile: StateFile
    private let state = Mutex(State())
    /// Held by whoever writes: one at a time.
    private let writing = Mutex(())

    /// - Parameter folder: the state folder.
    public init(folder: String) {
        sourcesFile = StateFile(Self.sourcesName, in: folder)
        closuresFile = StateFile(Self.closuresName, in: folder)
    }

    /// The imported and recorded sources, in the order in which they came.
    public var sources: [TrailSource] { state.withLock { $0.sources } }

    /// The trails to use: the imported and recorded ones; without any, and until something is imported, the recorded ones are as
    /// long as ``TrailLimits/leastRecorded``, or it is removed, the demonstration.
    public var current: [TrailSource] {
        state.withLock { $0.isDemonstrationUsed ? [DemonstrationTrails.source] : Self.parted($0.sources).used }
    }

    /// Sources to use, and made-up ones beside real ones, which are not: nobody is to take the one for the other.
    private static func parted(_ sources: [TrailSource]) -> (used: [TrailSource], apart: [TrailSource]) {
        let real = sources.filter { $0.origin != .demonstration }
        return real.isEmpty ? (sources, []) : (real, sources.filter { $0.origin == .demonstration })
    }

    /// The trails to use if one more source were kept.
    public func current(with source: TrailSource) -> [TrailSource] { Self.parted(sources(with: source)).used }

    /// The sources with one more, in place of the one of that name.
    private func sources(with source: TrailSource) -> [TrailSource] {
        let sources = sources
        guard let same = sources.firstIndex(where: { $0.name == source.name }) else { return sources + [source] }
        return sources.indices.map { $0 == same ? source : sources[$0] }
    }

    /// What is kept and not used: recordings that are too short to take the place of the demonstration, and what is made up beside
    /// real trails.
    public var apart: [TrailSource] {
        state.withLock { $0.isDemonstrationUsed ? $0.sources : Self.parted($0.sources).apart }
    }

    /// Whether the demonstration is what is used.
    public var isDemonstrationUsed: Bool { state.withLock { $0.isDemonstrationUsed } }

    public var closures: [TrailClosure] { state.withLock { $0.closures } }

    /// Why what is on the disk cannot be used; nil if all is well.
    public var fault: String? { state.withLock { $0.sourcesFault ?? $0.closuresFault } }

    // MARK: - Reading

    /// Reads both files. May wait for the disk.
    public func load() {
        let sources: Result<SourcesFile?, TrailError> = Self.read(
            sourcesFile, most: TrailLimits.storedBytes, "import the trails anew")
        let closures: Result<ClosuresFile?, TrailError> = Self.read(
            closuresFile, most: Self.mostClosureBytes,
            "start konzad anew, then close again what is closed; until then every trail is")
        state.withLock { state in
            switch sources {
            case .success(let file):
                state.sources = (file?.sources ?? []).compactMap(\.source)
                state.isWithoutDemonstration = file.map { $0.withoutDemonstration ?? true } ?? false
                state.sourcesFault =
                    file.map { file in file.version > Self.version ? Self.newer(sourcesFile) : nil } ?? nil
            case .failure(let error): state.sourcesFault = error.description
            }
            switch closures {
            case .success(let file):
                state.closures = file?.closures ?? []
                state.next = max(file?.next ?? 1, (state.closures.map(\.id).max() ?? 0) + 1)
                state.closuresFault =
                    file.map { file in file.version > Self.version ? Self.newer(closuresFile) : nil } ?? nil
            case .failure(let error):
                state.closuresFault = error.description
                // Nothing is open by mistake.
                state.closures = [
                    TrailClosure(
                        id: 0, target: .everything,
                        reason: "the station cannot read which trails are closed; ask those who keep it")
                ]
            }
        }
    }

    private static func newer(_ file: StateFile) -> String {
        "cannot change \(file.path): a newer konzad wrote it; install that, or move the file away"
    }

    private static func read<Content: Decodable>(_ file: StateFile, most: Int, _ remedy: String) -> Result<
        Content?, TrailError
    > {
        do {
            guard let bytes = try file.read(most: most) else { return .success(nil) }
            return .success(try JSONText.decode(Content.self, from: bytes))
        } catch let error as FileError {
            return .failure(.cannotKeep("cannot read \(file.path): \(error)", isDiskFull: false))
        } catch {
            return .failure(
                .cannotKeep(
                    "cannot use \(file.path): it is damaged; move it away and \(remedy)", isDiskFull: false
                ))
        }
    }

    // MARK: - Writing

    /// Keeps a source, in place of the one of that name. May wait for the disk.
    ///
    /// - Throws: ``TrailError/cannotKeep(_:isDiskFull:)``, ``TrailError/tooMany(_:)``; then nothing has changed.
    public func keep(_ source: TrailSource) throws(TrailError) {
        try change { sources, _ throws(TrailError) in
            sources = self.sources(with: source)
            guard TrailLimits.spread(of: sources.lazy.flatMap(\.segments).flatMap(\.points)) <= TrailLimits.extent
            else {
                throw .unusableFile(
                    "cannot keep the trails: they are more than \(Int(TrailLimits.extent / 1000)) km from those of another "
                        + "source; remove that with konza trails remove, or cut the file to the region")
            }
            guard sources.count <= TrailLimits.sources else {
                throw .tooMany(
                    "cannot keep the trails: there are \(TrailLimits.sources) sources; remove one with konza trails remove"
                )
            }
        }
    }

    /// Forgets a source; the demonstration is not used any more as long as there is anything else. May wait for the disk.
    ///
    /// - Throws: ``TrailError/notFound(_:)``, and what the disk says.
    public func remove(source name: String) throws(TrailError) {
        try change { sources, isWithoutDemonstration throws(TrailError) in
            guard sources.contains(where: { $0.name == name }) else {
                if name == DemonstrationTrails.sourceName {
                    guard !sources.isEmpty else {
                        throw .notFound(
                            "cannot remove the demonstration: the station has no other trails; import some with konza trails "
                                + "import FILE, or record one")
                    }
                    isWithoutDemonstration = true
                    return
                }
                throw .notFound("cannot find the source \(name): konza trails list shows those that were imported")
            }
            sources.removeAll { $0.name == name }
        }
    }

    private func change(_ body: (inout [TrailSource], inout Bool) throws(TrailError) -> Void) throws(TrailError) {
        try writing.withLock { (_) throws(TrailError) in
            var (sources, isWithout, fault) = state.withLock {
                ($0.sources, $0.isWithoutDemonstration, $0.sourcesFault)
            }
            if let fault { throw .cannotKeep(fault, isDiskFull: false) }
            try body(&sources, &isWithout)
            // Once it was replaced it comes back only where nothing else is left.
            isWithout = !sources.isEmpty && (isWithout || Self.isEnough(sources))
            try write(
                SourcesFile(
                    version: Self.version, sources: sources.map(StoredSource.init),
                    withoutDemonstration: isWithout), to: sourcesFile)
            state.withLock { ($0.sources, $0.isWithoutDemonstration) = (sources, isWithout) }
        }
    }

    /// Whether sources are a network of their own: something was imported, or enough was walked.
    private static func isEnough(_ sources: [TrailSource]) -> Bool {
        !sources.allSatisfy(\.isRecording)
            || sources.lazy.flatMap(\.segments).reduce(0) { $0 + $1.length } >= TrailLimits.leastRecorded
    }

    /// Adds a closure, whose id is given here. May wait for the disk.
    ///
    /// - Throws: ``TrailError/cannotKeep(_:isDiskFull:)``, ``TrailError/tooMany(_:)``; then nothing has changed.
    public func close(
        _ target: TrailClosure.Target, on ground: ClosedGround? = nil, reason: String, from: UTCInstant?,
        until: UTCInstant?, now: UTCInstant
    ) throws(TrailError) -> TrailClosure {
        try changeClosures { closures, next throws(TrailError) in
            // What is over is of no use to anybody.
            closures.removeAll { $0.until.map { $0.advanced(bySeconds: 30 * 86_400) < now } ?? false }
            guard closures.count < TrailLimits.closures else {
                throw .tooMany("cannot close the trail: there are \(TrailLimits.closures) closures; remove some first")
            }
            let closure = TrailClosure(
                id: next, target: target, ground: ground, reason: reason, from: from, until: until)
            closures.append(closure)
            next += 1
            return closure
        }
    }

    /// Removes a closure. May wait for the disk.
    ///
    /// - Throws: ``TrailError/notFound(_:)``, and what the disk says.
    public func open(_ id: Int) throws(TrailError) {
        try changeClosures { closures, _ throws(TrailError) in
            guard closures.contains(where: { $0.id == id }) else {
                throw .notFound("cannot find the closure \(id): konza trails list shows those there are")
            }
            closures.removeAll { $0.id == id }
        }
    }

    private func changeClosures<Value: Sendable>(
        _ body: (inout [TrailClosure], inout Int) throws(TrailError) -> Value
    ) throws(TrailError) -> Value {
        try writing.withLock { (_) throws(TrailError) in
            var (closures, next, fault) = state.withLock { ($0.closures, $0.next, $0.closuresFault) }
            if let fault { throw .cannotKeep(fault, isDiskFull: false) }
            let value = try body(&closures, &next)
            try write(ClosuresFile(version: Self.version, next: next, closures: closures), to: closuresFile)
            state.withLock { state in (state.closures, state.next) = (closures, next) }
            return value
        }
    }

    private func write(_ content: some Encodable, to file: StateFile) throws(TrailError) {
        let bytes: [UInt8]
        do {
            bytes = try JSONText.encode(content)
        } catch {
            throw .cannotKeep("cannot keep the trails: \(error)", isDiskFull: false)
        }
        guard bytes.count <= TrailLimits.storedBytes else {
            throw .tooMany(
                "cannot keep the trails: all sources together are larger than \(TrailLimits.storedBytes) bytes")
        }
        do throws(FileError) {
            try file.replace(with: bytes)
        } catch {
            throw .cannotKeep("cannot keep the trails: \(error)", isDiskFull: error.isDiskFull)
        }
    }
}

/// A source as its file has it: points as numbers one after the other, latitude first.
private struct StoredSource: Codable {
    struct Segment: Codable {
        var id: String
        var points: [Double]
        /// Why it is closed, or will be or was; a konzad that knows no dates takes it for closed.
        var closed: String?
        /// Where `closed` is not all.
        var closures: [ClosedPeriod]?
        var surface: String?
        var level: Int?
    }

    struct Trail: Codable {
        var name: String
        /// One more than the segment's index; negative where it is walked backwards.
        var parts: [Int]
        var published: [Double]?
    }

    var name: String
    var origin: TrailSource.Origin
    var importedAt: UTCInstant?
    var attribution: String?
    var segments: [Segment]
    var trails: [Trail]
    var places: [TrailPlace]

    init(_ source: TrailSource) {
        name = source.name
        origin = source.origin
        importedAt = source.importedAt
        attribution = source.attribution
        segments = source.segments.map { segment in
            let reason = segment.closures.last?.reason
            let isPlain = segment.closures == reason.map { [ClosedPeriod(reason: $0)] } ?? []
            return Segment(
                id: segment.id, points: segment.points.flatMap { [$0.latitude, $0.longitude] }, closed: reason,
                closures: isPlain ? nil : segment.closures, surface: segment.surface, level: segment.level)
        }
        trails = source.trails.map { trail in
            Trail(
                name: trail.name, parts: trail.parts.map { $0.isReversed ? -$0.segment - 1 : $0.segment + 1 },
                published: trail.publishedLength.map { [$0.lowerBound, $0.upperBound] })
        }
        places = source.places
    }

    /// - Returns: nil for one that no konzad wrote.
    var source: TrailSource? {
        var source = TrailSource(name: name, origin: origin, importedAt: importedAt, attribution: attribution)
        for segment in segments {
            let points = stride(from: 0, to: segment.points.count - 1, by: 2).compactMap { index in
                Coordinate(latitude: segment.points[index], longitude: segment.points[index + 1])
            }
            guard points.count > 1, points.count * 2 == segment.points.count else { return nil }
            source.segments.append(
                TrailSegment(
                    id: segment.id, points: points,
                    closures: segment.closures ?? segment.closed.map { [ClosedPeriod(reason: $0)] } ?? [],
                    surface: segment.surface,
                    level: segment.level))
        }
        for trail in trails {
            let parts = trail.parts.map { NamedTrail.Part(abs($0) - 1, isReversed: $0 < 0) }
            guard parts.allSatisfy({ source.segments.indices.contains($0.segment) }) else { return nil }
            let published = trail.published.flatMap { list in
                list.count == 2 && list[0] <= list[1] ? list[0]...list[1] : nil
            }
            source.trails.append(NamedTrail(name: trail.name, parts: parts, publishedLength: published))
        }
        source.places = places
        return source
    }
}
