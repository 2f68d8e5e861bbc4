internal import FoundationEssentials

/// The templates that the repository carries, so that a test of all of them needs no list.
public enum ShippedTemplates {
    /// The folder, `config/templates`.
    public static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/\(parts.joined(separator: "/"))/config/templates"
    }()

    /// Their names, sorted; the standard one first.
    public static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let found = files.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.map {
            String($0.dropLast(5))
        }
        return ["vintage"] + found.filter { $0 != "vintage" }.sorted()
    }()
}
