/// Collects one answer, on the thread that waits for it.
final class Receiver {
    var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    /// The receiver of the chunks wants no more.
    private(set) var hasEnough = false
    var onHead: ((HTTPAnswer) -> Void)?
    var onChunk: (([UInt8]) -> Bool)?
    private let limit: Int
    private let cancellation: TransferCancellation?
    private var received = 0
    private var lineStatus = 0

    init(limit: Int, cancellation: TransferCancellation?) {
        self.limit = limit
        self.cancellation = cancellation
    }

    var isCancelled: Bool { cancellation?.isCancelled ?? false }

    func takeHeader(_ line: String) {
        if line.hasPrefix("HTTP/") {
            // A new head: what came before was an interim answer.
            headers = []
            lineStatus = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return
        }
        guard let colon = line.firstIndex(of: ":") else {
            if lineStatus >= 200 { onHead?(HTTPAnswer(status: lineStatus, headers: headers)) }
            return
        }
        headers.append((line[..<colon].lowercased(), Self.trim(line[line.index(after: colon)...])))
    }

    /// - Returns: false to end the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        guard received <= limit else {
            isTooLarge = true
            return false
        }
        guard !isCancelled else { return false }
        guard let onChunk, (200...299).contains(lineStatus) else {
            unsafe body.append(contentsOf: bytes)
            return true
        }
        hasEnough = unsafe !onChunk(Array(bytes))
        return !hasEnough
    }

    private static func trim(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
