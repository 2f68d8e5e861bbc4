/// Cuts a stream into lines of a bounded length.
struct LineBuffer {
    private let limit: Int
    private var bytes: [UInt8] = []
    /// The rest of a line that was too long is passed over.
    private var isSkipping = false

    /// - Parameter limit: the longest line kept; gpsd's longest reply is 10 240 bytes.
    init(limit: Int = 16_384) {
        self.limit = limit
    }

    /// Takes bytes in and hands out each complete line without its end. Empty lines are left out.
    mutating func append(_ new: ArraySlice<UInt8>, _ line: (Result<ArraySlice<UInt8>, LineRejection>) -> Void) {
        var rest = new
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end], line)
            rest = rest[(end + 1)...]
            if isSkipping {
                isSkipping = false
            } else {
                if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
                if !bytes.isEmpty { line(.success(bytes[...])) }
            }
            bytes.removeAll(keepingCapacity: true)
        }
        keep(rest, line)
    }

    private mutating func keep(_ part: ArraySlice<UInt8>, _ line: (Result<ArraySlice<UInt8>, LineRejection>) -> Void) {
        guard !isSkipping else { return }
        guard bytes.count + part.count <= limit else {
            isSkipping = true
            bytes.removeAll(keepingCapacity: true)
            return line(.failure(.tooLong))
        }
        bytes.append(contentsOf: part)
    }
}
