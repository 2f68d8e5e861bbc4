/// One thing that is wrong in a configuration, with where and what to do about it.
public struct SettingsProblem: Sendable, Equatable, CustomStringConvertible {
    /// The file's path.
    public let file: String
    /// From 1; nil where it is about the whole file.
    public let line: Int?
    public let section: String?
    public let key: String?
    public let reason: String

    public init(file: String, line: Int? = nil, section: String? = nil, key: String? = nil, reason: String) {
        self.file = file
        self.line = line
        self.section = section
        self.key = key
        self.reason = reason
    }

    /// As compilers word it: `konzad.conf:12: [Camera] Width=: ...`.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        guard let section, let key else { return "\(place): \(reason)" }
        return "\(place): [\(section)] \(key)=: \(reason)"
    }
}

/// Everything that is wrong in a configuration, in the order of the files and lines.
public struct SettingsErrors: Error, Sendable, Equatable, CustomStringConvertible {
    /// Never empty.
    public let problems: [SettingsProblem]

    public init(_ problems: [SettingsProblem]) { self.problems = problems }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
