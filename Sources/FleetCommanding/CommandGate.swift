package import KonzaModel
package import Storage

/// What is to become of a message on the topic of commands.
package enum CommandDecision: Sendable, Equatable {
    /// It is written down: do it, once, now, and then tell the ledger what it came to.
    case act(CommandAction, id: RecordID<FleetCommand>)
    /// It is not done. The answer is in the ledger.
    case declined(CommandAnswer)
    /// It was decided before, and is not done again.
    case known
    /// Nobody who is known made it, or it is older than what is remembered. Nothing is kept of it, so that whoever can write to the broker cannot fill the box. The id
    /// is nil where it has none; an answer may be sent where it has one, but need not.
    case rejected(id: String?, reason: String)
}

/// Decides which commands act on one box.
package struct CommandGate: Sendable {
    private let box: String
    private let operators: OperatorKeys
    private let ledger: CommandLedger

    /// - Parameters:
    ///   - box: its name.
    ///   - operators: whom it listens to.
    ///   - ledger: what it decided before.
    package init(box: String, operators: OperatorKeys, ledger: CommandLedger) {
        self.box = box
        self.operators = operators
        self.ledger = ledger
    }

    /// Judges a message.
    ///
    /// - Parameters:
    ///   - payload: of the message.
    ///   - isRetained: whether the broker kept it: then it is nobody's wish of now.
    ///   - time: by the box's clock.
    /// - Returns: what is to become of it.
    /// - Throws: ``StorageError`` if the ledger cannot be written; then nothing may act.
    package func judge(
        _ payload: [UInt8], isRetained: Bool, _ time: CommandTime
    ) throws(StorageError) -> CommandDecision {
        let command: FleetCommand
        do throws(FleetCommandError) {
            command = try FleetCommand(payload)
        } catch {
            return .rejected(id: nil, reason: error.description)
        }
        let id = command.id.description
        guard command.box == box else { return .rejected(id: id, reason: "it is for the box \(command.box)") }
        guard let maker = operators.operators[command.key] else {
            return .rejected(id: id, reason: "its key \(command.key) is none of an operator")
        }
        guard command.isSigned(by: maker.key) else { return .rejected(id: id, reason: "its signature does not hold") }
        guard !isRetained else { return .rejected(id: id, reason: "it was retained; publish commands without that") }
        // Kept for ever in the ledger, were it written down.
        guard command.notAfter.seconds(since: command.issuedAt) <= CommandLedger.longestSeconds else {
            return .rejected(id: id, reason: "it holds for longer than a day; make it with an earlier notAfter")
        }
        var action: CommandAction?
        var objection: String?
        do throws(FleetCommandError) {
            let understood = try CommandAction(command)
            action = understood
            if !maker.rights.contains(understood.right) {
                objection = "the operator \(maker.name.isEmpty ? command.key : maker.name) may not \(command.verb)"
            }
        } catch {
            objection = error.description
        }
        switch try ledger.decide(command, objection: objection, time) {
        case .known: return .known
        case .forgotten:
            return .rejected(id: id, reason: "the station no longer remembers commands of that time; make a new one")
        case .new(let answer):
            guard answer.state == .accepted, let action else { return .declined(answer) }
            return .act(action, id: command.id)
        }
    }
}
