internal import CCurl
internal import Glibc

/// Initialises libcurl once (curl_global_init(3)).
private let isCurlReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

/// Owns an easy handle with the connections that it keeps open.
@safe struct CurlHandle: ~Copyable, @unchecked Sendable {
    // Sendable: a handle may move between threads; ``HTTPConnection`` lets one in at a time.
    private let handle: UnsafeMutableRawPointer
    /// What libcurl says of a failure, up to a zero.
    private let words: UnsafeMutablePointer<CChar>

    init() throws(TransferError) {
        guard isCurlReady, let handle = unsafe curl_easy_init() else {
            throw TransferError(.badRequest, "cannot start libcurl: out of memory")
        }
        unsafe self.handle = handle
        unsafe words = .allocate(capacity: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe words.deallocate()
    }

    /// Sends the request; the receiver gets what comes.
    func perform(_ request: HTTPRequest, _ receiver: Receiver) throws(TransferError) {
        unsafe curl_easy_reset(handle)
        unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe konza_curl_set_text(handle, CURLOPT_ERRORBUFFER, words)
        // libcurl 7.88 signs a header that it is told to leave out, too.
        let headers = HeaderList(request.headers + (request.signing == nil ? [("Expect", "")] : []))
        try configure(request, headers)
        let code = withExtendedLifetime(receiver) { () -> CURLcode in
            let context = unsafe Unmanaged.passUnretained(receiver).toOpaque()
            unsafe konza_curl_set_callbacks(handle, takeHeader, takeBody, askProgress, context)
            if let upload = request.upload {
                unsafe konza_curl_set_upload(handle, giveBody, rewindBody, context, curl_off_t(upload.byteCount))
            }
            return unsafe curl_easy_perform(handle)
        }
        unsafe konza_curl_set_headers(handle, nil)
        receiver.status = unsafe konza_curl_get_long(handle, CURLINFO_RESPONSE_CODE)
        guard code == CURLE_OK else { throw failure(code, request, receiver) }
    }

    private func configure(_ request: HTTPRequest, _ headers: borrowing HeaderList) throws(TransferError) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_USERAGENT, "konza")
        if let socket = request.unixSocket { try set(CURLOPT_UNIX_SOCKET_PATH, socket) }
        if let interface = request.interface { try set(CURLOPT_INTERFACE, "if!\(interface)") }
        // Signals are the program's business.
        set(CURLOPT_NOSIGNAL, 1)
        // What was judged is what is asked: dots in a path stay.
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        if request.trustsAnyone {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if let file = request.certificateAuthorities {
            try set(CURLOPT_CAINFO, file)
            // Else the system's are trusted beside them.
            _ = unsafe konza_curl_set_text(handle, CURLOPT_CAPATH, nil)
        }
        if let file = request.clientCertificate {
            try set(CURLOPT_SSLCERT, file)
            try set(CURLOPT_SSLKEY, file)
        }
        if let signing = request.signing { try sign(signing) }
        // On a kept connection that ends without an answer libcurl sends the request once more on its own
        // (lib/transfer.c, Curl_retry_request), whatever the method.
        if !request.isRepeatable { set(CURLOPT_FRESH_CONNECT, 1) }
        if let limit = request.bytesPerSecond {
            unsafe konza_curl_set_size(handle, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(limit))
        }
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(request.connectSeconds))
        set(CURLOPT_TIMEOUT_MS, request.totalSeconds.map { Self.milliseconds($0) } ?? 0)
        if let silence = request.silenceSeconds {
            set(CURLOPT_LOW_SPEED_LIMIT, 1)
            set(CURLOPT_LOW_SPEED_TIME, silence)
        }
        if request.method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        if let body = request.body {
            unsafe konza_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // libcurl keeps a copy of its own. The terminator is there so that no bytes have an address too.
            let code = unsafe (body + [0]).withUnsafeBytes { bytes in
                unsafe konza_curl_set_text(
                    handle, CURLOPT_COPYPOSTFIELDS, bytes.assumingMemoryBound(to: CChar.self).baseAddress)
            }
            guard code == CURLE_OK else { throw TransferError(.badRequest, "cannot send the body: out of memory") }
        }
        try set(CURLOPT_CUSTOMREQUEST, request.method)
        unsafe headers.lend(to: handle)
    }

    private func sign(_ signing: HTTPSigning) throws(TransferError) {
        try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signing.region):\(signing.service)")
        let isSet = unsafe konza_curl_set_text(handle, CURLOPT_USERNAME, signing.accessKey) == CURLE_OK
        // Not by set(_:_:), whose error would show the value.
        guard isSet, unsafe konza_curl_set_text(handle, CURLOPT_PASSWORD, signing.secretKey) == CURLE_OK else {
            throw TransferError(.badRequest, "cannot sign the request: out of memory")
        }
    }

    private static func milliseconds(_ seconds: Double) -> Int { Int(min(max(seconds * 1000, 1), 1e9)) }

    /// How a transfer that is no HTTP ended.
    struct Outcome {
        let isGood: Bool
        /// The last reply's code; 0 without any.
        let status: Int
        /// The server refused the account.
        let isLogin: Bool
        let words: String
    }

    /// Makes a transfer that the body configures.
    func lending(
        _ receiver: Receiver,
        _ configure: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) throws(TransferError) -> Void
    ) throws(TransferError) -> Outcome {
        unsafe curl_easy_reset(handle)
        unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe konza_curl_set_text(handle, CURLOPT_ERRORBUFFER, words)
        let context = unsafe Unmanaged.passUnretained(receiver).toOpaque()
        unsafe konza_curl_set_callbacks(handle, takeHeader, takeBody, askProgress, context)
        try unsafe configure(handle, context)
        let code = withExtendedLifetime(receiver) { unsafe curl_easy_perform(handle) }
        let said = unsafe String(cString: words)
        return Outcome(
            isGood: code == CURLE_OK, status: unsafe konza_curl_get_long(handle, CURLINFO_RESPONSE_CODE),
            isLogin: code == CURLE_LOGIN_DENIED,
            words: said.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : said)
    }

    /// What is sent in place of a body of HTTP.
    func setMailBody(_ handle: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer, _ count: Int) {
        unsafe konza_curl_set_upload(handle, giveBody, rewindBody, context, curl_off_t(count))
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe konza_curl_set_long(handle, option, value)
    }

    func set(_ option: CURLoption, _ value: String) throws(TransferError) {
        guard !value.utf8.contains(0), unsafe konza_curl_set_text(handle, option, value) == CURLE_OK else {
            throw TransferError(.badRequest, "cannot make the request: \(value.prefix(200)) is not usable")
        }
    }

    private func failure(_ code: CURLcode, _ request: HTTPRequest, _ receiver: Receiver) -> TransferError {
        let target = request.unixSocket ?? request.url
        switch code {
        case CURLE_COULDNT_CONNECT where request.unixSocket != nil:
            return Self.socketFailure(
                Int32(truncatingIfNeeded: unsafe konza_curl_get_long(handle, CURLINFO_OS_ERRNO)), target)
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_INTERFACE_FAILED:
            return TransferError(
                .notConnected, "cannot reach \(target): nobody answers; check the address and the network")
        case CURLE_OPERATION_TIMEDOUT:
            return TransferError(.timedOut, "cannot wait for \(target) any longer: no answer in time; try again")
        case CURLE_WRITE_ERROR where receiver.isTooLarge:
            return TransferError(.tooLarge, "cannot take the answer: it is larger than \(request.maximumBytes) bytes")
        case CURLE_ABORTED_BY_CALLBACK where receiver.isUnreadable:
            return TransferError(.unreadableBody, "cannot send the body: it cannot be read to its end")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR:
            return TransferError(
                .untrusted, "cannot trust \(target): its certificate does not hold; check the address and the clock")
        case CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK:
            return TransferError(.cancelled, "cannot finish the request: it was cancelled")
        // The same code stands for an answer that is not HTTP/1: the scheme is known beforehand.
        case CURLE_URL_MALFORMAT,
            CURLE_UNSUPPORTED_PROTOCOL where !Self.isWeb(request.url):
            return TransferError(
                .badRequest, "cannot make the request: \(request.url.prefix(200)) is not a usable address")
        default:
            let said = unsafe String(cString: words)
            let reason =
                switch code {
                case CURLE_UNSUPPORTED_PROTOCOL: "it is no HTTP/1 (\(said)); is this the right server?"
                // What libcurl calls a line of a head that is longer than it takes.
                case CURLE_OUT_OF_MEMORY: "its head is too large, or memory is short"
                default: said.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : said
                }
            return TransferError(.broken, "cannot read the answer of \(target): \(reason)")
        }
    }

    private static func isWeb(_ url: String) -> Bool {
        let url = url.lowercased()
        return url.hasPrefix("http://") || url.hasPrefix("https://")
    }

    private static func socketFailure(_ code: Int32, _ path: String) -> TransferError {
        switch code {
        case ENOENT:
            TransferError(
                .socketMissing,
                "cannot reach konzad: there is no socket \(path); is konzad running? try: systemctl status konzad")
        case EACCES, EPERM:
            TransferError(
                .permissionDenied,
                "cannot reach konzad: \(path) may not be opened; join the group konza and log in again")
        default:
            TransferError(
                .notConnected,
                "cannot reach konzad: nobody answers on \(path); is konzad running? try: systemctl status konzad")
        }
    }
}

/// Owns the header lines of a request.
@safe private struct HeaderList: ~Copyable {
    private let list: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [(name: String, value: String)]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers where Self.isClean(header.name) && Self.isClean(header.value) {
            // With an empty value libcurl leaves the header out altogether.
            if let longer = unsafe curl_slist_append(list, "\(header.name): \(header.value)") { unsafe list = longer }
        }
        unsafe self.list = unsafe list
    }

    deinit { unsafe curl_slist_free_all(list) }

    private static func isClean(_ text: String) -> Bool {
        !text.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
    }

    borrowing func lend(to handle: UnsafeMutableRawPointer) {
        unsafe konza_curl_set_headers(handle, list)
    }
}

private func takeHeader(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let receiver = unsafe receiver(context) else { return 0 }
    receiver.takeHeader(unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self))
    return count
}

private func takeBody(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let receiver = unsafe receiver(context) else { return 0 }
    return unsafe receiver.takeBody(UnsafeRawBufferPointer(start: data, count: count)) ? count : 0
}

private func askProgress(
    _ context: UnsafeMutableRawPointer?, _ total: curl_off_t, _ now: curl_off_t, _ upTotal: curl_off_t,
    _ upNow: curl_off_t
) -> Int32 {
    guard let receiver = unsafe receiver(context) else { return 0 }
    receiver.tookUpload(Int(upNow))
    return receiver.isCancelled ? 1 : 0
}

private func giveBody(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let receiver = unsafe receiver(context),
        let bytes = receiver.nextUploadBytes(most: size * count)
    else { return Int(CURL_READFUNC_ABORT) }
    unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count).copyBytes(from: bytes)
    return bytes.count
}

private func rewindBody(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard offset == 0, origin == SEEK_SET, let receiver = unsafe receiver(context) else {
        return CURL_SEEKFUNC_CANTSEEK
    }
    receiver.rewindUpload()
    return CURL_SEEKFUNC_OK
}

private func receiver(_ context: UnsafeMutableRawPointer?) -> Receiver? {
    unsafe context.map { unsafe Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue() }
}
