/// Names of files and folders that every file system takes, FAT and NTFS among them.
enum SafeName {
    private static let devices: Set = ["con", "prn", "aux", "nul"]

    /// The name with what some file system refuses written as `_`: separators, the characters `<>:"|?*`, control
    /// characters, a dot at the beginning, dots and spaces at the end, 120 bytes at most. Letters of any script stay.
    static func make(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            let isBad = scalar.isControl || "/\\<>:\"|?*".unicodeScalars.contains(scalar)
            let taken: Unicode.Scalar = isBad ? "_" : scalar
            bytes += String(taken).utf8.count
            if bytes > 120 { break }
            scalars.append(taken)
        }
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        let hasBadStart = scalars.first == "." || scalars.first == " "
        let safe = hasBadStart ? "_" + String(String.UnicodeScalarView(scalars.dropFirst())) : String(scalars)
        let stem = safe.lowercased().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let isDevice =
            devices.contains(String(stem))
            || stem.utf8.count == 4 && (stem.hasPrefix("com") || stem.hasPrefix("lpt"))
        return safe.isEmpty ? "_" : isDevice ? "_" + safe : safe
    }
}

/// Keeps names in one folder apart, letter case aside.
struct UniqueNames {
    private var taken: Set<String> = []

    /// The safe form of the name, or of the name with `otherwise` behind it if it is in use.
    mutating func take(_ name: String, otherwise: String) -> String {
        var safe = SafeName.make(name)
        if !taken.insert(safe.lowercased()).inserted {
            safe = SafeName.make("\(otherwise)-\(safe)")
            taken.insert(safe.lowercased())
        }
        return safe
    }
}
