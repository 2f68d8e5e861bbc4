internal import KonzaSystem

/// Finds time zones by the names that calendars give them.
public struct ZoneLookup: Sendable {
    /// The bytes of a file of the time zone database by its name, such as America/Chicago; nil where there is none. Blocks.
    public typealias Source = @Sendable (_ name: String) -> [UInt8]?

    private let source: Source

    /// - Parameter source: of the files.
    public init(source: @escaping Source) { self.source = source }

    /// Those of the machine.
    public static let system = ZoneLookup { name in
        guard isName(name) else { return nil }
        return contents("/usr/share/zoneinfo/\(name)")
    }

    /// The station's zone.
    ///
    /// - Parameter name: as the database names it; empty for the system's.
    /// - Returns: UTC where there is no such zone.
    public static func station(_ name: String) -> Zone {
        if let zone = system.zone(name) { return zone }
        return contents("/etc/localtime").flatMap { Zone(file: $0, name: "") } ?? .utc
    }

    /// The zone of a name: of the database, or one that Microsoft's programs use. What stands before a name of the database, as in
    /// `/freeassociation.sourceforge.net/America/Chicago`, is left out.
    ///
    /// - Returns: nil for any other.
    public func zone(_ name: String) -> Zone? {
        guard !name.isEmpty, name.utf8.count <= 200 else { return nil }
        if name == "UTC" || name == "Etc/UTC" || name == "GMT" { return .utc }
        if let zone = file(name) { return zone }
        if let known = WindowsZones.zone(name) { return file(known) }
        guard name.hasPrefix("/") else { return nil }
        let parts = name.split(separator: "/").suffix(3)
        for count in stride(from: parts.count, through: 1, by: -1) {
            if let zone = file(parts.suffix(count).joined(separator: "/")) { return zone }
        }
        return nil
    }

    private func file(_ name: String) -> Zone? {
        guard Self.isName(name) else { return nil }
        return source(name).flatMap { Zone(file: $0, name: name) }
    }

    /// Whether a text can be a name in the database: no folder above it.
    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !name.hasPrefix("/") && !name.hasPrefix(".") && !name.contains("..")
            && name.utf8.allSatisfy {
                (0x41...0x5A).contains($0 & 0xDF) || (0x30...0x39).contains($0) || "/_+-".utf8.contains($0)
            }
    }

    private static func contents(_ path: String) -> [UInt8]? {
        guard let file = try? MappedFile(path, limit: Zone.mostBytes) else { return nil }
        return file.bytes(0..<file.count)
    }
}
