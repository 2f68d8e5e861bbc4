public import KonzaModel
internal import Synchronization

/// An answer that is made when it is first asked for, and kept.
public final class FirstAsked: Sendable {
    private let make: @Sendable () throws -> [UInt8]
    private let made = Mutex<FrameData?>(nil)

    public init(_ make: @escaping @Sendable () throws -> [UInt8]) { self.make = make }

    /// The answer's bytes; whoever asks meanwhile waits for them.
    public func data() throws -> FrameData {
        try made.withLock { made in
            if let made { return made }
            let data = FrameData(try make())
            made = data
            return data
        }
    }
}
