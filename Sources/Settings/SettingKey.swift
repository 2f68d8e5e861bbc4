/// One key of the configuration: where it stands, what it takes, what it means.
///
/// Nothing is required of its values at run time: for each type that had to conform to a protocol all conformances of the program would
/// be searched at every start, 2 ms together.
struct SettingKey<Value: Sendable>: Sendable {
    let section: String
    let name: String
    let path: any WritableKeyPath<StationSettings, Value> & Sendable
    let kind: ValueKind<Value>
    /// Plain text without markup, one or two sentences.
    let documentation: String
    /// Whether its value is kept out of messages.
    let isSecret: Bool
    /// Whether a running daemon takes a new value only when it starts again.
    let needsRestart: Bool

    // A table is made once: with this and the next initialiser inlined for every key, tables took half of the module's time
    // in the optimiser.
    @inline(never)
    init(
        _ section: String, _ name: String, _ path: any WritableKeyPath<StationSettings, Value> & Sendable,
        _ kind: ValueKind<Value>, isSecret: Bool = false, needsRestart: Bool = false, _ documentation: String
    ) {
        self.section = section
        self.name = name
        self.path = path
        self.kind = kind
        self.documentation = documentation
        self.isSecret = isSecret
        self.needsRestart = needsRestart
    }
}

/// A key whatever its type.
public struct SettingDescription: Sendable {
    public let section: String
    public let name: String
    /// What kind of value it takes, in words.
    public let type: String
    /// The limits or choices; empty where there are none.
    public let range: String
    /// As it would be written; empty for no value.
    public let defaultText: String
    public let isSecret: Bool
    /// Whether a running daemon takes a new value only when it starts again.
    public let needsRestart: Bool
    public let documentation: String

    private static let standard = StationSettings()

    /// Takes over a value as written; an empty one resets the key. `joins` says that the key was assigned before.
    let apply: @Sendable (String, _ joins: Bool, inout StationSettings) throws(ValueRefusal) -> Void
    /// The value as it would be written.
    let text: @Sendable (StationSettings) -> String

    @inline(never)
    init<Value>(_ key: SettingKey<Value>) {
        section = key.section
        name = key.name
        type = key.kind.name
        range = key.kind.range
        isSecret = key.isSecret
        needsRestart = key.needsRestart
        documentation = key.documentation
        let path = key.path
        let kind = key.kind
        let standard = Self.standard[keyPath: path]
        defaultText = kind.format(standard)
        text = { kind.format($0[keyPath: path]) }
        apply = { value, joins, settings throws(ValueRefusal) in
            guard !value.isEmpty else {
                settings[keyPath: path] = standard
                return
            }
            let parsed = try kind.parse(value)
            if joins, let join = kind.join {
                settings[keyPath: path] = join(settings[keyPath: path], parsed)
            } else {
                settings[keyPath: path] = parsed
            }
        }
    }
}
