/// Gives the body of one request and collects its answer, on the thread that waits for it.
final class Receiver {
    var status = 0
    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false
    /// The receiver of the chunks wants no more.
    private(set) var hasEnough = false
    var onHead: ((HTTPAnswer) -> Void)?
    var onChunk: (([UInt8]) -> Bool)?
    var upload: UploadReader?
    var onSent: ((Int) -> Void)?
    /// Whether the lines are a mail server's and no head of HTTP.
    var isMail = false
    /// The body to send broke off.
    private(set) var isUnreadable = false
    private var sent = 0
    private let limit: Int
    private let cancellation: TransferCancellation?
    private var received = 0
    private var lineStatus = 0
    /// The lines of the last reply of a mail server that refuses something (RFC 5321 section 4.2); what follows, such as the answer to
    /// QUIT, is none.
    private(set) var refusal: (code: Int, text: String)?
    private var isRefusalOpen = false

    init(limit: Int, cancellation: TransferCancellation?) {
        self.limit = limit
        self.cancellation = cancellation
    }

    var isCancelled: Bool { cancellation?.isCancelled ?? false }

    func takeHeader(_ line: String) {
        guard !isMail else { return takeReply(line) }
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

    /// Takes a line of a mail server's reply.
    private func takeReply(_ line: String) {
        let code = line.utf8.prefix(3).allSatisfy { (0x30...0x39).contains($0) } ? Int(line.prefix(3)) : nil
        guard let code, (400...599).contains(code), line.utf8.count > 3 else { return }
        let rest = line.dropFirst(3)
        let text = Self.trim(
            String(rest.dropFirst().unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })[...])
        let before = isRefusalOpen && refusal?.code == code ? refusal.map { $0.text + " " } ?? "" : ""
        refusal = (code, String((before + text).prefix(300)))
        isRefusalOpen = rest.first == "-"
    }

    /// - Returns: no bytes at the end; nil if the body cannot be read.
    func nextUploadBytes(most: Int) -> [UInt8]? {
        guard let bytes = upload?.read(most: most) else {
            isUnreadable = true
            return nil
        }
        return bytes
    }

    func rewindUpload() { upload?.rewind() }

    func tookUpload(_ count: Int) {
        guard count > sent else { return }
        sent = count
        onSent?(count)
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
