internal import KonzaModel

/// The names that photographs are uploaded under, by which they are found again: letters, digits, `-`, `_` and `.` only,
/// which Django leaves as they are, and short, since the server puts a folder before them and keeps 100 characters.
struct PhotographNames {
    static let longest = 50

    private let names: [PhotographID: String]

    init(_ photographs: [Photograph]) {
        var names: [PhotographID: String] = [:]
        var taken: Set<String> = []
        for photograph in photographs where Self.isSafe(photograph.fileName) {
            if taken.insert(photograph.fileName.lowercased()).inserted { names[photograph.id] = photograph.fileName }
        }
        // What cannot keep its name is called by its id, which no other has and no change of the others alters.
        for photograph in photographs where names[photograph.id] == nil {
            names[photograph.id] = "\(photograph.id).\(photograph.mediaType == "image/png" ? "png" : "jpg")"
        }
        self.names = names
    }

    func name(of photograph: PhotographID) -> String { names[photograph] ?? "\(photograph)" }

    private static func isSafe(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "."), name.utf8.count <= longest else { return false }
        return name.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        }
    }

    /// Which image of a sample each photograph is. A storage that keeps all files in one folder puts `_` and seven
    /// letters or digits behind a name that is taken, so that is looked for where the name itself is not found.
    func matches(among images: [RemoteImage]) -> [PhotographID: RemoteImage] {
        var left = images
        var matches: [PhotographID: RemoteImage] = [:]
        for isExact in [true, false] {
            for (id, name) in names.sorted(by: { $0.key < $1.key }) where matches[id] == nil {
                let index = left.firstIndex { image in
                    guard let file = image.fileName else { return false }
                    return isExact ? file == name : Self.isRenamed(file, from: name)
                }
                if let index { matches[id] = left.remove(at: index) }
            }
        }
        return matches
    }

    private static func isRenamed(_ file: String, from name: String) -> Bool {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let (stem, ending) = (name[..<dot], name[dot...])
        guard file.hasPrefix(stem), file.hasSuffix(ending), file.count == name.count + 8 else { return false }
        let suffix = file.dropFirst(stem.count).dropLast(ending.count)
        return suffix.first == "_" && suffix.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
}
