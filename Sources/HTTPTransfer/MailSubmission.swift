internal import CCurl

/// A message to hand to a mail submission server (RFC 6409).
public struct MailSubmission: Sendable {
    /// `smtps://host:port`, or `smtp://host:port` with STARTTLS.
    public var server: String
    /// Whether the connection may be without TLS: only to this machine.
    public var isLocal = false
    /// Nil where the server wants no account.
    public var user: String?
    public var password: String?
    public var from: String
    public var recipient: String
    /// A file of certificates (PEM) of the authorities to trust in place of the system's; nil for those.
    public var certificateAuthorities: String?
    /// The whole message (RFC 5322) with CRLF at the end of each line.
    public var message: [UInt8]
    /// The only network interface to send by; nil for whichever the system takes.
    public var interface: String?
    /// Seconds for everything.
    public var totalSeconds = 60.0

    public init(server: String, from: String, recipient: String, message: [UInt8]) {
        self.server = server
        self.from = from
        self.recipient = recipient
        self.message = message
    }

    /// Hands the message over. The call blocks. Returned, the server has taken it.
    ///
    /// - Parameter cancellation: ends it from elsewhere.
    /// - Throws: ``MailError``.
    public func send(cancellation: TransferCancellation? = nil) throws(MailError) {
        do {
            let handle = try CurlHandle()
            try handle.submit(self, cancellation)
        } catch let error as MailError {
            throw error
        } catch {
            throw MailError(status: 0, isLasting: false, "\(error)")
        }
    }
}

/// Why a message was not handed over.
public struct MailError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The server's last reply (RFC 5321 section 4.2); 0 without any.
    public let status: Int
    /// Whether the server refuses this message for good.
    public let isLasting: Bool
    public let description: String

    init(status: Int, isLasting: Bool, _ description: String) {
        self.status = status
        self.isLasting = isLasting
        self.description = description
    }
}

/// Owns a list of recipients.
@safe private struct RecipientList: ~Copyable {
    private let list: UnsafeMutablePointer<curl_slist>?

    init(_ recipient: String) { unsafe list = unsafe curl_slist_append(nil, "<\(recipient)>") }

    deinit { unsafe curl_slist_free_all(list) }

    borrowing func lend(to handle: UnsafeMutableRawPointer) { unsafe _ = konza_curl_set_recipients(handle, list) }
}

extension CurlHandle {
    /// Hands a message to a server.
    fileprivate func submit(_ mail: MailSubmission, _ cancellation: TransferCancellation?) throws {
        let clean = [mail.server, mail.from, mail.recipient, mail.user ?? "", mail.password ?? ""].allSatisfy {
            $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        guard clean else {
            throw MailError(status: 0, isLasting: true, "cannot send mail: an address has control characters")
        }
        let receiver = Receiver(limit: 64 << 10, cancellation: cancellation)
        receiver.isMail = true
        receiver.upload = UploadBody([.bytes(mail.message)]).reader()
        let recipients = RecipientList(mail.recipient)
        let code = try unsafe lending(receiver) { handle, context throws(TransferError) in
            try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
            try set(CURLOPT_URL, mail.server)
            try set(CURLOPT_PROXY, "")
            try set(CURLOPT_MAIL_FROM, "<\(mail.from)>")
            if let user = mail.user { try set(CURLOPT_USERNAME, user) }
            if let password = mail.password { try set(CURLOPT_PASSWORD, password) }
            if let file = mail.certificateAuthorities { try set(CURLOPT_CAINFO, file) }
            if let interface = mail.interface { try set(CURLOPT_INTERFACE, "if!\(interface)") }
            set(CURLOPT_NOSIGNAL, 1)
            set(CURLOPT_SSL_VERIFYPEER, 1)
            set(CURLOPT_SSL_VERIFYHOST, 2)
            // CURLUSESSL_ALL: nothing is said to a server that offers no TLS.
            set(CURLOPT_USE_SSL, mail.isLocal ? 0 : 3)
            set(CURLOPT_CONNECTTIMEOUT_MS, 15_000)
            set(CURLOPT_TIMEOUT_MS, Int(min(max(mail.totalSeconds, 1), 600) * 1000))
            unsafe recipients.lend(to: handle)
            unsafe setMailBody(handle, context, mail.message.count)
        }
        guard code.isGood else {
            let isAccount = [454, 530, 534, 535, 538].contains(code.status) || code.isLogin
            throw MailError(
                status: code.status, isLasting: (500...599).contains(code.status) && !isAccount,
                "cannot send mail by \(mail.server): \(Self.reason(code, receiver))")
        }
    }

    /// The server's own words where it refused something: libcurl has none of them ("Weird server reply").
    private static func reason(_ outcome: Outcome, _ receiver: Receiver) -> String {
        guard let refusal = receiver.refusal, refusal.code == outcome.status else { return outcome.words }
        return "the server answered \(refusal.code) \(refusal.text)"
    }
}
