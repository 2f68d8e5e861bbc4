internal import Synchronization

/// A wish to set controls that waits for the camera's thread.
struct ControlRequest: Sendable {
    let values: [String: Int64]
    let continuation: CheckedContinuation<[CameraControl], any Error>
}

extension FrameHub {
    /// Sets controls by name, all or none as far as they can be checked beforehand, and keeps them set whenever the
    /// device is opened again.
    ///
    /// - Returns: all controls with their values after the change.
    /// - Throws: `CameraError` naming the control and the values that it takes.
    public func setControls(_ values: [String: Int64]) async throws -> [CameraControl] {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<@Sendable () -> Void, CameraError> in
                guard let wake = state.wake else {
                    return .failure(CameraError(.stopped, "cannot set a control: no camera is running"))
                }
                state.controlRequests.append(ControlRequest(values: values, continuation: continuation))
                return .success(wake)
            }
            switch outcome {
            case .success(let wake): wake()
            case .failure(let error): continuation.resume(throwing: error)
            }
        }
    }

    /// The wishes that wait, for the source to answer each once.
    func takeControlRequests() -> [ControlRequest] {
        state.withLock { state in
            defer { state.controlRequests = [] }
            return state.controlRequests
        }
    }
}

extension ControlDescription {
    /// - Throws: `CameraError` with what the control takes.
    func check(_ value: Int64) throws(CameraError) {
        let refusal = "cannot set \(name) to \(value)"
        if kind == .other { throw CameraError(.controlRefused, "\(refusal): its type is not supported") }
        if isReadOnly { throw CameraError(.controlRefused, "\(refusal): it can only be read") }
        switch kind {
        case .menu, .integerMenu:
            guard items[value] == nil else { return }
            let choices = items.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
            throw CameraError(.controlRefused, "\(refusal): it takes \(choices)")
        case .button: return
        case .bitmask:
            guard value & ~maximum != 0 else { return }
            throw CameraError(.controlRefused, "\(refusal): it takes bits of \(maximum)")
        default:
            let (distance, overflow) = value.subtractingReportingOverflow(minimum)
            let isStepped = step <= 1 || (!overflow && distance % step == 0)
            guard value < minimum || value > maximum || !isStepped else { return }
            let steps = step > 1 ? " in steps of \(step)" : ""
            throw CameraError(.controlRefused, "\(refusal): it takes \(minimum) to \(maximum)\(steps)")
        }
    }

    /// The public description, or nil for what is not supported.
    func published(value: Int64?) -> CameraControl? {
        let kind: CameraControl.Kind
        switch self.kind {
        case .integer, .wideInteger: kind = .integer
        case .boolean: kind = .boolean
        case .menu, .integerMenu: kind = .menu
        case .bitmask: kind = .bitmask
        case .button: kind = .button
        case .other: return nil
        }
        return CameraControl(
            name: name, kind: kind, minimum: minimum, maximum: maximum, step: step, defaultValue: defaultValue,
            value: value, isReadOnly: isReadOnly, isInactive: isInactive, items: items)
    }
}

/// Checks a whole wish before anything of it is set.
func checkControls(_ values: [String: Int64], against known: [ControlDescription]) throws(CameraError)
    -> [(control: ControlDescription, value: Int64)]
{
    var checked: [(control: ControlDescription, value: Int64)] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard let control = known.first(where: { $0.name == name }) else {
            let names = known.filter { $0.kind != .other }.map(\.name).joined(separator: ", ")
            throw CameraError(
                .unknownControl,
                "cannot set \(name): the camera has no such control; "
                    + (names.isEmpty ? "it has none at all" : "it has \(names)"))
        }
        try control.check(value)
        checked.append((control, value))
    }
    return checked
}
