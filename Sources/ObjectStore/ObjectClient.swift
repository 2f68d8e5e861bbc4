public import HTTPTransfer
public import KonzaModel

/// How objects are sent.
public struct ObjectTransferSettings: Sendable {
    /// The most bytes to send in a second; nil for as fast as it goes.
    public var bytesPerSecond: Int?
    /// The only network interface to send by; nil for whichever the system takes.
    public var interface: String?
    /// A file of certificates (PEM) to trust in place of the system's.
    public var certificateAuthorities: String?
    /// Seconds until connected.
    public var connectSeconds = 15.0
    /// Seconds without a single byte after which a transfer is given up.
    public var silenceSeconds = 60

    public init() {}
}

/// An object to store.
public struct ObjectUpload: Sendable {
    public enum Content: Sendable {
        case bytes([UInt8])
        /// A file of exactly so many bytes.
        case file(path: String, byteCount: Int)
    }

    public let key: ObjectKey
    public let content: Content
    /// Of the content: 64 lower-case hexadecimal digits. The store compares what arrives with it.
    public let sha256: String
    public let contentType: String
    /// Kept with the object, beside its hash. Names of `a-z0-9-`, values of printable ASCII.
    public let metadata: [String: String]

    public init(
        _ content: Content, key: ObjectKey, sha256: String, contentType: String, metadata: [String: String] = [:]
    ) {
        self.key = key
        self.content = content
        self.sha256 = sha256
        self.contentType = contentType
        self.metadata = metadata
    }

    var byteCount: Int {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file(_, let byteCount): byteCount
        }
    }
}

/// What a store says of an object.
public struct ObjectFacts: Sendable, Equatable {
    public let byteCount: Int?
    /// The hash that the store found, or else the one that the sender gave; nil where neither is known.
    public let sha256: String?
    public let contentType: String?
    /// Without the hash.
    public let metadata: [String: String]
}

/// What became of an object that was to be stored.
public enum ObjectPutOutcome: Sendable, Equatable {
    case stored
    /// The same object was there: an earlier answer was lost.
    case wasThere
    /// Another object has the name. It stays as it is.
    case otherContent(ObjectFacts)
}

/// Stores objects over S3's interface. No object that is there is ever replaced: what is written is written on the condition
/// that nothing has the name (RFC 9110 section 13.1.2). The calls block.
public final class ObjectClient: Sendable {
    /// How often a write is begun anew at once where the store says that another one is under way.
    static let conflicts = 3

    let address: ObjectStoreAddress
    private let credentials: ObjectCredentials
    private let settings: ObjectTransferSettings
    private let now: @Sendable () -> UTCInstant
    private let connection: HTTPConnection

    /// - Parameters:
    ///   - address: of the store.
    ///   - credentials: the account.
    ///   - settings: how to send.
    ///   - now: what the system's clock says, which requests are signed with; to tell how far it is off.
    /// - Throws: ``ObjectStoreError`` if there is no memory.
    public init(
        _ address: ObjectStoreAddress, credentials: ObjectCredentials,
        settings: ObjectTransferSettings = ObjectTransferSettings(), now: @escaping @Sendable () -> UTCInstant
    ) throws(ObjectStoreError) {
        self.address = address
        self.credentials = credentials
        self.settings = settings
        self.now = now
        do throws(TransferError) {
            connection = try HTTPConnection()
        } catch {
            throw ObjectStoreError(.refused, error.description)
        }
    }

    /// Stores an object unless something has its name.
    ///
    /// - Parameters:
    ///   - object: what to store.
    ///   - cancellation: ends the transfer from elsewhere.
    ///   - onSent: gets the number of bytes that are sent, whenever it has grown.
    /// - Returns: what became of it. ``ObjectPutOutcome/stored`` and ``ObjectPutOutcome/wasThere`` mean that the store holds
    ///   the object with this hash.
    /// - Throws: ``ObjectStoreError``. Then it may be stored or not; the same call tells.
    public func put(
        _ object: ObjectUpload, cancellation: TransferCancellation? = nil, onSent: ((Int) -> Void)? = nil
    ) throws(ObjectStoreError) -> ObjectPutOutcome {
        let headers = try Self.headers(of: object)
        for _ in 0..<Self.conflicts {
            var request = request("PUT", object.key, hash: object.sha256)
            request.headers += headers
            request.upload =
                switch object.content {
                case .bytes(let bytes): UploadBody([.bytes(bytes)])
                case .file(let path, let count): UploadBody([.file(path: path, byteCount: count)])
                }
            let answer = try send(request, cancellation, onSent)
            switch answer.status {
            case 200...299:
                try check(answer, object)
                return .stored
            // RFC 9110 has 412 for a write; MinIO before mid-2024 answered 304.
            case 304, 412:
                guard let facts = try head(object.key, cancellation: cancellation) else { continue }
                return Self.areSame(facts, object) ? .wasThere : .otherContent(facts)
            case 409 where StoreAnswer(answer).isConflict: continue
            default: throw StoreAnswer(answer).error("store \(object.key) in", address, now())
            }
        }
        throw ObjectStoreError(
            .busy, "cannot store \(object.key) in \(address): others write under this name; try again later")
    }

    /// What the store has under a name.
    ///
    /// - Parameters:
    ///   - key: its name.
    ///   - cancellation: ends the transfer from elsewhere.
    /// - Returns: nil if nothing has the name.
    /// - Throws: ``ObjectStoreError``.
    public func head(
        _ key: ObjectKey, cancellation: TransferCancellation? = nil
    ) throws(ObjectStoreError) -> ObjectFacts? {
        var request = request("HEAD", key, hash: Self.emptyHash)
        request.headers.append(("x-amz-checksum-mode", "ENABLED"))
        let answer = try send(request, cancellation, nil)
        switch answer.status {
        case 200...299: return Self.facts(answer)
        // A reply to HEAD says no more: without the right to list it would be 403.
        case 404: return nil
        default: throw StoreAnswer(answer).error("look for \(key) in", address, now())
        }
    }

    /// Removes an object. None that is there is none to remove.
    ///
    /// - Parameters:
    ///   - key: its name.
    ///   - cancellation: ends the transfer from elsewhere.
    /// - Throws: ``ObjectStoreError``.
    public func delete(
        _ key: ObjectKey, cancellation: TransferCancellation? = nil
    ) throws(ObjectStoreError) {
        let answer = try send(request("DELETE", key, hash: Self.emptyHash), cancellation, nil)
        if (200...299).contains(answer.status) { return }
        let said = StoreAnswer(answer)
        if answer.status == 404, said.code != "NoSuchBucket" { return }
        throw said.error("delete \(key) from", address, now())
    }

    // MARK: requests

    private func request(_ method: String, _ key: ObjectKey, hash: String) -> HTTPRequest {
        var request = HTTPRequest(method, url: address.url(of: key))
        // The time is the system's: libcurl 7.88 sends an x-amz-date that is given to it twice.
        request.headers = [("x-amz-content-sha256", hash)]
        if let token = credentials.sessionToken { request.headers.append(("x-amz-security-token", token)) }
        request.signing = HTTPSigning(
            region: address.region, service: "s3", accessKey: credentials.accessKey, secretKey: credentials.secretKey)
        request.bytesPerSecond = settings.bytesPerSecond
        request.interface = settings.interface
        request.certificateAuthorities = settings.certificateAuthorities
        request.connectSeconds = settings.connectSeconds
        request.silenceSeconds = settings.silenceSeconds
        request.totalSeconds = nil
        request.maximumBytes = 256 << 10
        return request
    }

    private func send(
        _ request: HTTPRequest, _ cancellation: TransferCancellation?, _ onSent: ((Int) -> Void)?
    ) throws(ObjectStoreError) -> HTTPAnswer {
        do throws(TransferError) {
            return try connection.send(request, cancellation: cancellation, onSent: onSent)
        } catch {
            let reason: ObjectStoreError.Reason =
                switch error.reason {
                case .untrusted: .untrustedCertificate
                case .unreadableBody: .unreadable
                case .badRequest, .tooLarge: .refused
                case .socketMissing, .permissionDenied, .notConnected, .timedOut, .cancelled, .broken: .network
                }
            throw ObjectStoreError(reason, error.description)
        }
    }

    /// SHA-256 of no bytes.
    static let emptyHash = SHA256().hexadecimal()
}
