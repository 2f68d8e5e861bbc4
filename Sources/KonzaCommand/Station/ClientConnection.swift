internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaSystem

/// Temporary: HTTP/1.0 by hand until KonzaClient is here.
struct ClientConnection: StationConnection {
    let socketPath: String
    let reconnects = true

    func send(_ request: StationRequest) async throws(CommandFailure) -> StationReply {
        let file = try open(request)
        var bytes: [UInt8] = []
        while let more = Self.read(file.number) { bytes += more }
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw CommandFailure("cannot understand the station: no HTTP", .protocol)
        }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let status = Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0
        let body = Array(bytes[end.upperBound...])
        if status >= 400 {
            let problem: Problem = try StationReading.read(body)
            throw CommandFailure(problem)
        }
        return StationReply(status: status, body: body)
    }

    func events(_ query: [(name: String, value: String)]) -> AsyncThrowingStream<StationEvent, any Error> {
        let request = StationRequest(path: "/v1/events", query: query)
        return AsyncThrowingStream { continuation in
            Task.detached {
                do {
                    let file = try open(request)
                    var pending: [UInt8] = []
                    var name = ""
                    while let more = Self.read(file.number) {
                        pending += more
                        while let end = pending.firstIndex(of: 10) {
                            let line = String(decoding: pending[..<end], as: UTF8.self)
                            pending.removeSubrange(...end)
                            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                            if line.hasPrefix("data: ") {
                                continuation.yield(StationEvent(name: name, data: Array(line.dropFirst(6).utf8)))
                            }
                        }
                    }
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
        }
    }

    private func open(_ request: StationRequest) throws(CommandFailure) -> FileDescriptor {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let file = FileDescriptor(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(socketPath.utf8)) }
        let ok = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard ok else {
            throw CommandFailure("cannot reach the station at \(socketPath): \(SystemError.text(errno))", .unavailable)
        }
        let body = request.body ?? []
        let type = request.body == nil ? "" : "Content-Type: application/json\r\n"
        let head =
            "\(request.method.rawValue) \(request.target) HTTP/1.0\r\nHost: localhost\r\n\(type)"
            + "Content-Length: \(body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        _ = unsafe write(number, bytes, bytes.count)
        return file
    }

    private static func read(_ number: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe Glibc.read(number, &buffer, buffer.count)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }
}
