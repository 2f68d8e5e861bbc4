internal import CCups

/// What is asked of a printer (RFC 8011 section 4; Resume-Printer: RFC 3998).
enum IPPOperation: Sendable {
    case getPrinterAttributes
    case createJob
    case sendDocument
    case getJobAttributes
    case getJobs
    case cancelJob
    case resumePrinter

    fileprivate var code: ipp_op_t {
        switch self {
        case .getPrinterAttributes: IPP_OP_GET_PRINTER_ATTRIBUTES
        case .createJob: IPP_OP_CREATE_JOB
        case .sendDocument: IPP_OP_SEND_DOCUMENT
        case .getJobAttributes: IPP_OP_GET_JOB_ATTRIBUTES
        case .getJobs: IPP_OP_GET_JOBS
        case .cancelJob: IPP_OP_CANCEL_JOB
        case .resumePrinter: IPP_OP_RESUME_PRINTER
        }
    }
}

/// The value of an attribute; those of kinds that are not used here are left out.
enum IPPValue: Sendable, Equatable {
    case integer(Int)
    case boolean(Bool)
    case text(String)
}

/// Attributes by their names.
typealias IPPAttributes = [String: [IPPValue]]

/// A printer's answer, as values.
struct IPPAnswer: Sendable, Equatable {
    /// RFC 8011 section 4.1.8 and appendix B: below 0x100 it was done.
    var status: Int
    /// The status as a keyword, and what the printer says of it.
    var words: String
    /// One for each group of attributes behind the operation's own: the printer, or each job.
    var groups: [IPPAttributes] = []

    /// `client-error-not-found` and `client-error-gone`.
    var isNotFound: Bool { status == 0x406 || status == 0x407 }
}

/// Owns an IPP request.
@safe struct IPPRequest: ~Copyable {
    private let message: OpaquePointer

    /// Begins a request with the attributes that each must have.
    ///
    /// - Parameters:
    ///   - operation: what is asked.
    ///   - printer: the URI of the printer.
    ///   - job: the number of the job that is meant, if one is.
    init(_ operation: IPPOperation, printer: String, job: Int? = nil) {
        // ippNewRequest gives nil only without memory, as every allocation of Swift's then ends the process.
        unsafe message = ippNewRequest(operation.code)
        add("printer-uri", uri: printer)
        if let job { add("job-id", integer: job) }
        unsafe ippAddString(
            message, IPP_TAG_OPERATION, IPP_TAG_NAME, "requesting-user-name", nil, cupsUser())
    }

    deinit { unsafe ippDelete(message) }

    func add(_ name: String, uri: String) {
        unsafe ippAddString(message, IPP_TAG_OPERATION, IPP_TAG_URI, name, nil, uri)
    }

    func add(_ name: String, text: String) {
        unsafe ippAddString(message, IPP_TAG_OPERATION, IPP_TAG_NAME, name, nil, text)
    }

    func add(_ name: String, mediaType: String) {
        unsafe ippAddString(message, IPP_TAG_OPERATION, IPP_TAG_MIMETYPE, name, nil, mediaType)
    }

    func add(_ name: String, integer: Int) {
        unsafe ippAddInteger(message, IPP_TAG_OPERATION, IPP_TAG_INTEGER, name, Int32(clamping: integer))
    }

    func add(_ name: String, boolean: Bool) {
        unsafe ippAddBoolean(message, IPP_TAG_OPERATION, name, boolean ? 1 : 0)
    }

    /// Keywords; each is an attribute's value of its own.
    func add(_ name: String, keywords: [String]) {
        guard let first = keywords.first else { return }
        let attribute = unsafe ippAddString(message, IPP_TAG_OPERATION, IPP_TAG_KEYWORD, name, nil, first)
        var target = unsafe attribute
        for (index, keyword) in keywords.enumerated().dropFirst() {
            unsafe ippSetString(message, &target, Int32(index), keyword)
        }
    }

    /// How the job is to be printed.
    func add(jobKeyword name: String, _ keyword: String) {
        unsafe ippAddString(message, IPP_TAG_JOB, IPP_TAG_KEYWORD, name, nil, keyword)
    }

    /// The size of the paper, with a margin of nothing (PWG 5100.7 section 6.3, "media-col").
    ///
    /// - Parameter media: the name of a size (PWG 5101.1), such as `na_index-4x6_4x6in`.
    /// - Returns: false if the name says no size.
    func add(borderless media: String) -> Bool {
        guard let size = unsafe pwgMediaForPWG(media), unsafe size.pointee.width > 0 else { return false }
        // A collection is shared by what it is added to, and counts its owners.
        let dimensions = unsafe ippNew()
        unsafe ippAddInteger(dimensions, IPP_TAG_ZERO, IPP_TAG_INTEGER, "x-dimension", size.pointee.width)
        unsafe ippAddInteger(dimensions, IPP_TAG_ZERO, IPP_TAG_INTEGER, "y-dimension", size.pointee.length)
        let column = unsafe ippNew()
        unsafe ippAddCollection(column, IPP_TAG_ZERO, "media-size", dimensions)
        for side in ["bottom", "left", "right", "top"] {
            unsafe ippAddInteger(column, IPP_TAG_ZERO, IPP_TAG_INTEGER, "media-\(side)-margin", 0)
        }
        unsafe ippAddCollection(message, IPP_TAG_JOB, "media-col", column)
        unsafe ippDelete(dimensions)
        unsafe ippDelete(column)
        return true
    }

    /// Sends the request and reads the answer. Blocks, at most some times `PrinterAddress.seconds`.
    ///
    /// - Parameters:
    ///   - address: where to.
    ///   - document: what follows the request.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``PrinterError`` if no answer came: what was asked may have been done nevertheless.
    consuming func send(to address: PrinterAddress, document: [UInt8] = []) throws(PrinterError) -> IPPAnswer {
        let milliseconds = Int32(address.seconds * 1000)
        let opened =
            if let host = address.host {
                unsafe konza_cups_connect(host, Int32(address.port), address.encrypts ? 1 : 0, milliseconds)
            } else {
                unsafe konza_cups_connect(nil, 0, 0, milliseconds)
            }
        guard let http = unsafe opened else { throw Self.unreachable(address) }
        defer { unsafe httpClose(http) }
        var answer = unsafe exchange(http, address, document)
        // Whoever has to say who it is does so by the credentials of its socket (CUPS, "PeerCred"), and asks again.
        if unsafe answer == nil, unsafe httpGetStatus(http) == HTTP_STATUS_UNAUTHORIZED {
            unsafe answer = unsafe exchange(http, address, document)
        }
        guard let answer = unsafe answer else {
            let status = unsafe httpGetStatus(http)
            let isRefused =
                [HTTP_STATUS_UNAUTHORIZED, HTTP_STATUS_FORBIDDEN, HTTP_STATUS_CUPS_AUTHORIZATION_CANCELED]
                .contains(status)
            throw isRefused
                ? PrinterError(
                    .refused, "the printer does not let this program do it: its policy asks for somebody else")
                : Self.unreachable(address)
        }
        defer { unsafe ippDelete(answer) }
        return unsafe Self.values(of: answer)
    }

    /// - Returns: nil if there is none; the connection's status says why.
    private borrowing func exchange(
        _ http: OpaquePointer, _ address: PrinterAddress, _ document: [UInt8]
    ) -> OpaquePointer? {
        let length = unsafe ippLength(message) + document.count
        var status = unsafe cupsSendRequest(http, message, address.resource, length)
        if status == HTTP_STATUS_CONTINUE, !document.isEmpty {
            status = unsafe document.withUnsafeBytes { bytes in
                unsafe cupsWriteRequestData(http, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
            }
        }
        guard status == HTTP_STATUS_CONTINUE || status == HTTP_STATUS_OK else { return nil }
        return unsafe cupsGetResponse(http, address.resource)
    }

    private static func unreachable(_ address: PrinterAddress) -> PrinterError {
        let words = unsafe cupsLastErrorString().map { unsafe String(cString: $0) } ?? ""
        return PrinterError(
            .unreachable, "cannot reach the printer at \(address.uri): \(words.isEmpty ? "no answer" : words)")
    }

    private static func values(of answer: OpaquePointer) -> IPPAnswer {
        let status = unsafe ippGetStatusCode(answer)
        var words = unsafe ippErrorString(status).map { unsafe String(cString: $0) } ?? "\(status.rawValue)"
        var groups: [IPPAttributes] = []
        var group = IPP_TAG_ZERO
        var attribute = unsafe ippFirstAttribute(answer)
        while let current = unsafe attribute {
            defer { unsafe attribute = unsafe ippNextAttribute(answer) }
            // Two groups of one kind have an attribute without a name between them.
            guard let named = unsafe ippGetName(current) else {
                group = IPP_TAG_ZERO
                continue
            }
            let name = unsafe String(cString: named)
            let tag = unsafe ippGetGroupTag(current)
            let values = unsafe Self.values(ofAttribute: current)
            if tag == IPP_TAG_OPERATION {
                if name == "status-message", case .text(let text)? = values.first { words += ": \(text)" }
                continue
            }
            guard tag == IPP_TAG_PRINTER || tag == IPP_TAG_JOB else { continue }
            if tag != group || groups.isEmpty { groups.append([:]) }
            group = tag
            groups[groups.count - 1][name] = values
        }
        return IPPAnswer(status: Int(status.rawValue), words: words, groups: groups)
    }

    private static func values(ofAttribute attribute: OpaquePointer) -> [IPPValue] {
        let tag = unsafe ippGetValueTag(attribute)
        return (0..<(unsafe ippGetCount(attribute))).compactMap { index in
            switch tag {
            case IPP_TAG_INTEGER, IPP_TAG_ENUM: return unsafe .integer(Int(ippGetInteger(attribute, index)))
            case IPP_TAG_BOOLEAN: return unsafe .boolean(ippGetBoolean(attribute, index) != 0)
            case IPP_TAG_STRING:
                var count: Int32 = 0
                guard let bytes = unsafe ippGetOctetString(attribute, index, &count) else { return nil }
                let octets = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(max(0, count)))
                return unsafe .text(String(decoding: octets, as: UTF8.self))
            case IPP_TAG_TEXT, IPP_TAG_NAME, IPP_TAG_TEXTLANG, IPP_TAG_NAMELANG, IPP_TAG_KEYWORD, IPP_TAG_URI,
                IPP_TAG_URISCHEME, IPP_TAG_MIMETYPE, IPP_TAG_CHARSET, IPP_TAG_LANGUAGE:
                return unsafe ippGetString(attribute, index, nil).map { unsafe .text(String(cString: $0)) }
            default: return nil
            }
        }
    }
}
