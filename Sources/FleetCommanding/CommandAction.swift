internal import KonzaAPI
internal import KonzaModel

/// What operators may be allowed. What would endanger a station (network, keys, people) is none of these.
package enum OperatorRight: String, Sendable, CaseIterable, Comparable {
    /// Take one postcard.
    case postcard
    /// Send the original of a record to the store.
    case original
    /// Tell what the station is.
    case whoami
    /// Set some settings (``DesiredSettings``); no verb of a command.
    case desired

    package static let verbs = allCases.filter { $0 != .desired }

    package static func < (left: OperatorRight, right: OperatorRight) -> Bool { left.rawValue < right.rawValue }
}

/// What a command asks for, its arguments understood.
package enum CommandAction: Sendable, Equatable {
    /// Nil: as the station would without being told.
    case postcard(message: String?, template: String?)
    /// The id of a postcard or of a specimen's photograph.
    case original(record: String)
    case whoAmI

    package var right: OperatorRight {
        switch self {
        case .postcard: .postcard
        case .original: .original
        case .whoAmI: .whoami
        }
    }

    /// - Throws: ``FleetCommandError`` for a verb that nobody knows, or arguments that are not its own.
    init(_ command: FleetCommand) throws(FleetCommandError) {
        guard let verb = OperatorRight.verbs.first(where: { $0.rawValue == command.verb }) else {
            let known = OperatorRight.verbs.map(\.rawValue).joined(separator: ", ")
            throw FleetCommandError("\(command.verb) is no verb; there are \(known)")
        }
        var arguments = command.arguments
        func text(_ name: String) throws(FleetCommandError) -> String? {
            switch arguments.removeValue(forKey: name) {
            case nil: return nil
            case .string(let text)?: return text
            default: throw FleetCommandError("the argument \(name) of \(command.verb) is no text")
            }
        }
        switch verb {
        case .postcard: self = .postcard(message: try text("message"), template: try text("template"))
        case .original:
            guard let record = try text("record"), PostcardID(record) != nil else {
                throw FleetCommandError("the argument record of original is missing, or is no id")
            }
            self = .original(record: record)
        case .whoami, .desired: self = .whoAmI
        }
        if let name = arguments.keys.min() {
            throw FleetCommandError("\(command.verb) has no argument \(name.prefix(40))")
        }
    }
}

extension FleetCommand {
    /// Checks that a message asks for something that can be done.
    ///
    /// - Parameter payload: of the message.
    /// - Throws: ``FleetCommandError`` with what does not fit.
    package static func check(_ payload: [UInt8]) throws(FleetCommandError) {
        _ = try CommandAction(try FleetCommand(payload))
    }
}

/// What became of a command.
package struct CommandAnswer: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// It is being done.
        case accepted
        case done
        /// It is not done, and never will be; or nobody knows, and it is not done again.
        case refused
        /// It came too late, and is never done.
        case expired
    }

    package let id: String
    package let verb: String
    package let state: State
    /// What came of it, or why not; nil where there is nothing to say.
    package let reason: String?

    package init(id: String, verb: String, state: State, reason: String? = nil) {
        self.id = id
        self.verb = verb
        self.state = state
        self.reason = reason
    }

    /// Of its message: accepted comes before what it comes to.
    package var revision: Int64 { state == .accepted ? 1 : 2 }

    /// The body of its message.
    package var body: [UInt8] {
        var members: [String: JSONValue] = ["state": .string(state.rawValue), "verb": .string(verb)]
        if let reason { members["reason"] = .string(reason) }
        return Array((CanonicalJSON.text(.object(members)) ?? "{}").utf8)
    }
}
