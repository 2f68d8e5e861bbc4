public import KonzaModel

/// The bytes of one file to be: pieces that are written one after another without being joined or copied first.
public struct FileContent: Sendable {
    private enum Piece: Sendable {
        case frame(FrameData)
        case bytes([UInt8])
    }

    private var pieces: [Piece] = []

    public init() {}

    public init(_ bytes: [UInt8]) { pieces = [.bytes(bytes)] }

    public init(_ frame: FrameData) { pieces = [.frame(frame)] }

    /// Puts bytes after what is there.
    public mutating func append(_ bytes: [UInt8]) { pieces.append(.bytes(bytes)) }

    /// Puts a frame's bytes after what is there.
    public mutating func append(_ frame: FrameData) { pieces.append(.frame(frame)) }

    /// The number of bytes of all pieces.
    public var count: Int {
        pieces.reduce(0) { sum, piece in
            switch piece {
            case .frame(let frame): sum + frame.count
            case .bytes(let bytes): sum + bytes.count
            }
        }
    }

    /// Lends all pieces, in order; they must not escape the body.
    func withPieces<Result, Failure: Error>(
        _ body: ([UnsafeRawBufferPointer]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let buffers = unsafe [UnsafeRawBufferPointer]()
        return try unsafe lend(pieces[...], buffers, body)
    }

    private func lend<Result, Failure: Error>(
        _ rest: ArraySlice<Piece>, _ lent: [UnsafeRawBufferPointer],
        _ body: ([UnsafeRawBufferPointer]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let piece = rest.first else { return try unsafe body(lent) }
        func next(_ buffer: UnsafeRawBufferPointer) throws(Failure) -> Result {
            try unsafe lend(rest.dropFirst(), lent + [buffer], body)
        }
        switch piece {
        case .frame(let frame): return try unsafe frame.withBytes(next)
        case .bytes(let bytes):
            // `withUnsafeBytes` rethrows untyped errors, so the result is carried out by hand.
            let outcome = unsafe bytes.withUnsafeBytes { buffer -> Swift.Result<Result, Failure> in
                do throws(Failure) {
                    return .success(try unsafe next(buffer))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}

extension FileContent {
    /// The SHA-256 of all the bytes, 64 lower-case hexadecimal digits.
    package func sha256() -> String {
        var hash = SHA256()
        unsafe withPieces { pieces in
            unsafe pieces.forEach { unsafe hash.update($0) }
        }
        return hash.hexadecimal()
    }
}
