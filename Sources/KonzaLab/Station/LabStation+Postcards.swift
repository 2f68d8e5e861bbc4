internal import Foundation
internal import KonzaTesting

/// A postcard that was acknowledged.
public struct LabPostcard: Sendable {
    public let id: String
    /// Bytes of the picture, as the reply claims.
    public let bytes: Int
    /// Seconds from the request to its answer.
    public let seconds: Double
    /// The whole reply.
    public let reply: LabReply

    /// Nil unless the reply acknowledges a postcard.
    ///
    /// - Parameters:
    ///   - reply: the answer to a request for a postcard.
    ///   - seconds: from the request to this answer.
    init?(_ reply: LabReply, seconds: Double) {
        guard reply.status == 201, let id = reply["id"]?.text, let bytes = reply["bytes"]?.number else { return nil }
        self.id = id
        self.bytes = Int(bytes)
        self.seconds = seconds
        self.reply = reply
    }
}

extension LabStation {
    /// Takes a postcard.
    ///
    /// - Parameters:
    ///   - json: the request's body.
    ///   - seconds: the longest wait for the answer.
    /// - Returns: the postcard, or nil if it was refused: ``post(_:_:headers:seconds:)`` tells how.
    /// - Throws: ``Complaint`` if there is no answer.
    public func postcard(_ json: String = #"{"message":"Lab"}"#, seconds: Double = 300) throws -> LabPostcard? {
        let start = ContinuousClock.now
        let reply = try post("/v1/postcards", json, seconds: seconds)
        return LabPostcard(reply, seconds: start.duration(to: .now).inSeconds)
    }

    /// What every acknowledged postcard must be: there, as large as was claimed, and opened by djpeg without a warning.
    ///
    /// - Parameters:
    ///   - postcard: one that was acknowledged.
    ///   - size: the picture's width and height, if they matter.
    /// - Throws: ``Complaint`` naming what is wrong.
    public func verify(_ postcard: LabPostcard, size: (width: Int, height: Int)? = nil) throws {
        let picture = try get("/v1/postcards/\(postcard.id)/image.jpg")
        try expect(picture.status == 200, "postcard \(postcard.id) was acknowledged, and answers \(picture.status)")
        try expect(
            picture.body.count == postcard.bytes,
            "postcard \(postcard.id) has \(picture.body.count) bytes of \(postcard.bytes)")
        try decode(picture.body, "postcard \(postcard.id)", size: size)
        if postcard.reply["links", "original"]?.text != nil {
            let original = try get("/v1/postcards/\(postcard.id)/original.jpg")
            try decode(original.body, "the original of postcard \(postcard.id)", size: size)
        }
    }

    /// Decodes a JPEG with libjpeg's own djpeg, which warns of every byte that is amiss.
    ///
    /// - Parameters:
    ///   - jpeg: the file.
    ///   - name: what it is, for the complaint.
    ///   - size: the picture's width and height, if they matter.
    /// - Throws: ``Complaint`` if it does not decode without a warning.
    public func decode(_ jpeg: [UInt8], _ name: String, size: (width: Int, height: Int)? = nil) throws {
        let outcome = try Program("djpeg", "-pnm").run(input: jpeg, seconds: 300)
        guard outcome.status == 0, outcome.errors.isEmpty else {
            try? Data(jpeg).write(to: URL(fileURLWithPath: "\(folder)/undecodable.jpg"))
            throw Complaint("\(name) does not decode (kept as undecodable.jpg): \(outcome.errors.prefix(200))")
        }
        guard let size else { return }
        let head = String(decoding: outcome.output.prefix(32), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        try expect(
            head.count > 2 && head[1] == "\(size.width)" && head[2] == "\(size.height)",
            "\(name) is \(head.dropFirst().prefix(2).joined(separator: "x")), not \(size.width)x\(size.height)")
    }
}
