internal import CMicroHTTPD
internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// An answer after the request's conditions were applied to it, ready for libmicrohttpd.
struct JudgedResponse {
    private var response: Response
    private var part: Conditions.Part?
    var status: Int { response.status }

    /// Bytes of memory that the answer holds until its client has taken it. What streams hold has bounds of its own.
    var heldBytes: Int {
        switch response.body {
        case .empty, .kept, .file, .stream: 0
        case .bytes(let bytes): part?.count ?? bytes.count
        // A part of it keeps the whole.
        case .data(let data): data.count
        }
    }

    init(_ response: Response, _ request: Exchange.State, _ standardFields: HeaderFields) {
        self.response = response
        let isReading = request.method == .get || request.method == .head
        let verdict = isReading ? Conditions.judge(response, headers: request.headers) : .whole
        let length = response.length ?? 0
        switch verdict {
        case .whole: break
        case .notModified:
            self.response.status = 304
            self.response.body = .empty
        case .part(let part):
            self.part = part
            self.response.status = 206
            let last = part.offset + part.count - 1
            self.response.headers["content-range"] = "bytes \(part.offset)-\(last)/\(length)"
        case .notSatisfiable:
            let problem = Problem(.rangeNotSatisfiable, "cannot send the range: there are \(length) bytes")
            self.response = .problem(problem, headers: ["content-range": "bytes */\(length)"])
        }
        addFacts(route: request.route)
        for field in standardFields.fields where self.response.headers.first(lowercased: field.name) == nil {
            self.response.headers.append(field.name, field.value)
        }
    }

    /// What every answer says of itself.
    private mutating func addFacts(route: Route?) {
        if let tag = response.entityTag {
            response.headers["etag"] = "\"\(tag)\""
            response.headers["accept-ranges"] = "bytes"
        }
        if let modified = response.lastModified { response.headers["last-modified"] = HTTPDate.text(modified) }
        if response.headers.first(lowercased: "cache-control") == nil {
            response.headers.append("cache-control", response.entityTag == nil ? "no-store" : "no-cache")
        }
        if let route, route.produces.count > 1 { response.headers.append("vary", "Accept") }
        response.headers.append("x-content-type-options", "nosniff")
    }

    /// Hands the answer over.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        guard let made = unsafe make(connection) else { return .NO }
        for field in response.headers.fields {
            unsafe MHD_add_response_header(made, field.name, field.value)
        }
        defer { unsafe MHD_destroy_response(made) }
        return unsafe MHD_queue_response(connection, UInt32(clamping: status), made)
    }

    private func make(_ connection: OpaquePointer) -> OpaquePointer? {
        switch response.body {
        case .empty:
            return unsafe MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                let bytes = unsafe slice(bytes)
                // libmicrohttpd copies these; the pointer is only read.
                let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return unsafe MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
            }
        case .data(let data), .kept(let data):
            // The memory of a FrameData stays where it is for as long as the reference that goes with it.
            let owner = unsafe Unmanaged.passRetained(data)
            return unsafe data.withBytes { bytes in
                let bytes = unsafe slice(bytes)
                let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return unsafe MHD_create_response_from_buffer_with_free_callback_cls(
                    bytes.count, start, releaseData, owner.toOpaque())
            }
        case .file(let file):
            let copy = fcntl(file.descriptor.number, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return nil }
            return unsafe MHD_create_response_from_fd_at_offset64(
                UInt64(part?.count ?? file.size), copy, UInt64(part?.offset ?? 0))
        case .stream(let stream):
            let reader = unsafe Unmanaged.passRetained(StreamReader(stream: stream, connection: connection))
            return unsafe MHD_create_response_from_callback(
                UInt64.max, 16_384, readStream, reader.toOpaque(), releaseStream)
        }
    }

    private func slice(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let part else { return unsafe bytes }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[part.offset..<part.offset + part.count])
    }
}

private func releaseData(_ context: UnsafeMutableRawPointer?) {
    unsafe context.map { unsafe Unmanaged<FrameData>.fromOpaque($0).release() }
}

/// A stream and the connection it is sent on.
@safe private final class StreamReader {
    let stream: ResponseStream
    let connection: OpaquePointer

    init(stream: ResponseStream, connection: OpaquePointer) {
        self.stream = stream
        unsafe self.connection = connection
    }
}

private func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context = unsafe context else { return -2 }
    let reader = unsafe Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
    let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size)
    let reading = unsafe reader.stream.read(into: room) {
        let suspended = unsafe SuspendedConnection(suspending: reader.connection)
        return { suspended.resume() }
    }
    // MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR are macros with casts.
    return switch reading {
    case .bytes(let count): count
    case .nothing: 0
    case .end: -1
    case .cut: -2
    }
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamReader>.fromOpaque(context).takeRetainedValue().stream.end()
}
