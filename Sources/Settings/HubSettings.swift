internal import KonzaModel

/// The configuration of `konza-hub`: one file with the section `[Hub]`.
public struct HubSettings: Sendable, Equatable {
    /// A broker's address: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`, or RabbitMQ's `amqp://HOST[:PORT][/VHOST]` or
    /// `amqps://...`.
    public struct Broker: Sendable, Equatable {
        public let host: String
        public let port: Int
        public let isEncrypted: Bool
        /// Of an address of AMQP, `/` where it names none; nil for MQTT.
        public let virtualHost: String?

        /// - Returns: nil for what is no such address; an account in it is none, since the file is for everybody to read.
        public init?(_ text: String) {
            let schemes = [
                ("mqtts://", true, 8883), ("mqtt://", false, 1883), ("amqps://", true, 5671), ("amqp://", false, 5672),
            ]
            guard let (scheme, isEncrypted, usual) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
            var rest = text.dropFirst(scheme.count)
            var virtualHost: String?
            if scheme.hasPrefix("amqp") {
                let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
                virtualHost = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : "/"
                rest = parts[0]
                guard virtualHost == "/" || Self.isName(virtualHost ?? "") else { return nil }
            }
            if rest.hasSuffix("/") { rest = rest.dropLast() }
            var host = rest
            var port: Int? = usual
            if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
                host = rest[rest.index(after: rest.startIndex)..<end]
                let tail = rest[rest.index(after: end)...]
                if !tail.isEmpty { port = tail.hasPrefix(":") ? Int(tail.dropFirst()) : nil }
            } else if let colon = rest.lastIndex(of: ":") {
                host = rest[..<colon]
                port = Int(rest[rest.index(after: colon)...])
                if host.contains(":") { return nil }
            }
            guard let port, (1...65_535).contains(port), (1...253).contains(host.utf8.count),
                host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/@?#[]".utf8.contains($0) })
            else { return nil }
            self.host = String(host)
            self.port = port
            self.isEncrypted = isEncrypted
            self.virtualHost = virtualHost
        }

        /// The same host by MQTT, at its usual port.
        public var byMQTT: Broker? {
            let name = host.contains(":") ? "[\(host)]" : host
            return Broker("\(isEncrypted ? "mqtts" : "mqtt")://\(name)")
        }

        /// A virtual host as it is written in an address; no other is needed.
        private static func isName(_ text: String) -> Bool {
            (1...64).contains(text.utf8.count)
                && text.utf8.allSatisfy { byte in
                    let isDigit = (0x30...0x39).contains(byte)
                    return isDigit || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E
                        || byte == 0x5F
                }
        }
    }

    /// nil where none is named: there is nothing to do then.
    public var broker: Broker?
    /// Where a broker that is named by AMQP is reached by MQTT; nil for the usual port of the same host.
    public var mqtt: Broker?
    /// An address of libpq's.
    public var database = "postgresql:///konza"
    public var workers = 1
    public var socket = "/run/konza-hub/hub.sock"
    /// Files for TLS, PEM; empty for none, or for the system's authorities.
    public var authorities = ""
    public var certificate = ""
    public var key = ""
    /// Where boxes get their certificates; nil for nowhere.
    public var enrolment: Endpoint?
    /// The names and addresses that boxes reach it by.
    public var enrolmentNames: [String] = []
    /// The file that the list of revoked certificates is written to; empty for none.
    public var revocationList = ""

    public init() {}

    static let section = "Hub"
    static let keys = [
        "Broker", "MQTT", "Database", "Workers", "Socket", "Authorities", "Certificate", "Key", "Enrolment",
        "EnrolmentNames", "RevocationList",
    ]

    /// Reads a configuration and the drop-ins beside it (`konza-hub.conf.d/*.conf`).
    ///
    /// - Parameter path: the main file; it must be there.
    /// - Returns: the settings.
    /// - Throws: everything that is wrong, not the first thing alone.
    public static func load(path: String) throws(SettingsErrors) -> HubSettings {
        var texts: [ConfigurationText] = []
        do throws(SettingsProblem) {
            for file in [path] + (try ConfigurationFiles.dropIns(of: path)) {
                texts.append(
                    ConfigurationText(try ConfigurationFiles.contents(file), file: file, sections: [section]))
            }
        } catch {
            throw SettingsErrors([error])
        }
        return try assemble(texts, file: path)
    }

    /// Reads a configuration from memory; messages name it by `file`.
    ///
    /// - Throws: everything that is wrong.
    public static func parse(_ bytes: [UInt8], file: String) throws(SettingsErrors) -> HubSettings {
        try assemble([ConfigurationText(bytes, file: file, sections: [section])], file: file)
    }

    private static func assemble(_ texts: [ConfigurationText], file: String) throws(SettingsErrors) -> HubSettings {
        var settings = HubSettings()
        var problems: [SettingsProblem] = []
        for text in texts {
            problems += text.problems
            for assignment in text.assignments {
                guard let reason = settings.take(assignment.key, assignment.value) else { continue }
                problems.append(
                    SettingsProblem(
                        file: assignment.file, line: assignment.line, section: section,
                        key: ConfigurationText.short(assignment.key), reason: reason))
            }
        }
        if settings.certificate.isEmpty != settings.key.isEmpty {
            problems.append(
                SettingsProblem(
                    file: file, section: section, key: "Key", reason: "Certificate= and Key= go together: name both"))
        }
        if settings.mqtt != nil, settings.broker?.virtualHost == nil {
            problems.append(
                SettingsProblem(
                    file: file, section: section, key: "MQTT",
                    reason: "is for a Broker= that is named by AMQP; leave it out"))
        }
        if let mqtt = settings.mqtt, !mqtt.isEncrypted, settings.broker?.isEncrypted == true {
            problems.append(
                SettingsProblem(
                    file: file, section: section, key: "MQTT",
                    reason: "would send the password of an encrypted Broker= in the clear; use mqtts://"))
        }
        guard problems.isEmpty else { throw SettingsErrors(problems) }
        return settings
    }

    /// The files that the settings name and a hub reads, by their keys.
    public var files: [(key: String, path: String)] {
        [("Authorities", authorities), ("Certificate", certificate), ("Key", key)].filter { !$0.path.isEmpty }
    }

    /// - Returns: what is wrong.
    private mutating func take(_ key: String, _ value: String) -> String? {
        let defaults = HubSettings()
        switch key {
        case "Broker":
            broker = Broker(value)
            if broker == nil, !value.isEmpty {
                return "expected mqtts://HOST[:PORT], or mqtt, amqps or amqp in place of mqtts"
            }
        case "MQTT":
            mqtt = Broker(value)
            if mqtt?.virtualHost != nil || mqtt == nil && !value.isEmpty {
                return "expected mqtts://HOST[:PORT], or mqtt in place of mqtts"
            }
        case "Database": database = value.isEmpty ? defaults.database : value
        case "Workers":
            guard let count = value.isEmpty ? defaults.workers : Int(value), (1...64).contains(count) else {
                return "expected a number from 1 to 64"
            }
            workers = count
        case "Socket": return Self.path(value.isEmpty ? defaults.socket : value, &socket, mayBeEmpty: false)
        case "Authorities": return Self.path(value, &authorities)
        case "Certificate": return Self.path(value, &certificate)
        case "Key": return Self.path(value, &self.key)
        case "Enrolment":
            enrolment = Endpoint(value)
            if enrolment == nil, !value.isEmpty {
                return "expected ADDRESS:PORT of this machine, such as 192.0.2.7:8443 or [::]:8443"
            }
        case "EnrolmentNames":
            let names = value.split(separator: " ").map(String.init)
            guard names.count <= 16, names.allSatisfy({ Endpoint("\($0):1") != nil || Endpoint("[\($0)]:1") != nil })
            else {
                return "expected at most 16 host names or addresses, divided by spaces"
            }
            enrolmentNames = names
        case "RevocationList": return Self.path(value, &revocationList)
        default:
            if let near = Spelling.nearest(to: key, among: Self.keys, always: 2) {
                return "unknown key: did you mean \(near)=?"
            }
            return "unknown key; [Hub] has \(Self.keys.joined(separator: ", "))"
        }
        return nil
    }

    private static func path(_ value: String, _ target: inout String, mayBeEmpty: Bool = true) -> String? {
        guard value.hasPrefix("/") || value.isEmpty && mayBeEmpty else { return "expected an absolute path" }
        target = value
        return nil
    }
}
