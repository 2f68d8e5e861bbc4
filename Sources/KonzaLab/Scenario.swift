/// One thing that goes wrong in the field, and what must hold while it does.
///
/// A scenario stands alone: it is started with a clean station and its own process, and everything that it started is
/// ended behind it.
public struct Scenario: Sendable {
    /// Where a scenario runs.
    public enum Place: String, Sendable, Codable {
        /// In the lab's machine, which it shares, one after another, with the others: konza's package is installed,
        /// systemd runs it, vivid and v4l2loopback are the cameras.
        case guest
        /// On the build machine, with the built programs, on loopback and in its own folder.
        case here
        /// On the build machine, beside the others: it boots a ``LabMachine`` of its own, which it may leave in any
        /// state.
        case boots
        /// On the build machine, after the others and one after another: what measures times, or has a browser draw a
        /// screen in an emulated machine, has the machine to itself.
        case alone
    }

    /// When a scenario runs.
    public enum Extent: String, Sendable, Codable {
        /// In every run, the short one that each change must pass too.
        case short
        /// In the full run.
        case full
        /// Never by itself: another scenario runs it in a ``LabMachine``.
        case part
    }

    /// Lower case words with hyphens, the group first: `camera-error-flag-100`.
    public let name: String
    public let place: Place
    public let extent: Extent
    /// What is acknowledged, what is asserted, and how long recovery may take, in one to three sentences.
    public let promise: String
    /// After so many seconds of an undisturbed machine the scenario is ended and has failed.
    public let limitSeconds: Double
    let body: @Sendable (LabStation) async throws -> Void

    /// The first word of the name.
    public var group: String { String(name.prefix { $0 != "-" }) }

    /// - Parameters:
    ///   - name: lower case words with hyphens, the group first.
    ///   - place: where it runs.
    ///   - extent: when it runs.
    ///   - limitSeconds: the longest it may take, generously: the machine is emulated.
    ///   - promise: what is acknowledged, what is asserted, and how long recovery may take.
    ///   - body: breaks something and asserts what must hold; what it throws is the failure. It may block its thread.
    public init(
        _ name: String, _ place: Place, _ extent: Extent = .full, limitSeconds: Double = 120, promise: String,
        body: @escaping @Sendable (LabStation) async throws -> Void
    ) {
        self.name = name
        self.place = place
        self.extent = extent
        self.promise = promise
        self.limitSeconds = limitSeconds
        self.body = body
    }
}

/// What does not hold, in words.
public struct Complaint: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: what does not hold, and what was found instead.
    public init(_ description: String) { self.description = description }
}
