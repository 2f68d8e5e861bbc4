internal import KonzaAPI

/// Checks the field lines of a request's head as they were sent, which libmicrohttpd 0.9.75 reads leniently even with
/// `MHD_OPTION_STRICT_FOR_CLIENT`: it keeps a blank before a colon as a part of the name, takes a line that begins with
/// a colon for the end of the head, joins folded lines, and ends lines at a single LF. Behind a proxy that reads them
/// otherwise, each hides a request in another (RFC 9112 sections 2.2, 5.1 and 11.2).
///
/// The library splits the head where it lies: the colon behind each name and the CR and LF of each line are zeros then. A
/// zero that was sent is in no place where one may be, so it is found, too.
enum RawHead {
    /// Why field lines are not taken.
    enum Fault: Error, Equatable {
        case lineEnd
        case name
        case value
        /// The library made other fields of the lines.
        case count
    }

    /// Checks everything behind the request line's version.
    ///
    /// - Parameters:
    ///   - bytes: from the end of the request line to the end of the head.
    ///   - fields: how many fields the library found.
    /// - Throws: what is wrong with the lines.
    static func check(_ bytes: Span<UInt8>, fields: Int) throws(Fault) {
        var place = try end(of: bytes, at: 0)
        var count = 0
        while place < bytes.count, bytes[place] != 0 || !isLast(place, bytes) {
            let name = place
            while place < bytes.count, isToken(bytes[place]) { place += 1 }
            guard place > name, place < bytes.count, bytes[place] == 0 else { throw .name }
            place += 1
            while place < bytes.count, isText(bytes[place]) { place += 1 }
            guard place < bytes.count, bytes[place] == 0 else { throw .value }
            place = try end(of: bytes, at: place)
            count += 1
        }
        guard try end(of: bytes, at: place) == bytes.count else { throw .lineEnd }
        guard count == fields else { throw .count }
    }

    /// The empty line is the last one.
    private static func isLast(_ place: Int, _ bytes: Span<UInt8>) -> Bool {
        place + 2 == bytes.count && bytes[place + 1] == 0
    }

    /// The place behind a line end, which was CR and LF.
    private static func end(of bytes: Span<UInt8>, at place: Int) throws(Fault) -> Int {
        guard place + 2 <= bytes.count, bytes[place] == 0, bytes[place + 1] == 0 else { throw .lineEnd }
        return place + 2
    }

    /// A character of a field's name (RFC 9110 section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// A character of a field's value (RFC 9110 section 5.5).
    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (0x20...0x7e).contains(byte) || byte >= 0x80 }

    /// What the client is answered.
    static func problem(_ fault: Fault) -> Problem {
        let reason =
            switch fault {
            case .lineEnd: "a line ends with CR or LF alone, or there is a NUL byte in it"
            case .name: "a field has no name, or one that is no token; leave no blank before the colon and fold no line"
            case .value: "the value of a field has a control character"
            case .count: "its fields cannot be told apart"
            }
        return Problem(.malformedRequest, "cannot read the head of the request: \(reason)")
    }
}
