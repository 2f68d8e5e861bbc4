/// What it takes to read JSON: its values are objects in memory, many times as large as their text.
enum JSONCost {
    /// Bytes for a member of an object: its key, its place in a table that grows, and the copy of it that is decoded.
    static let member = 500
    /// Bytes for any other value.
    static let value = 64

    /// The memory that reading a text takes beside it, bytes; more rather than less, since marks in strings count, too.
    static func bytes(of text: [UInt8]) -> Int {
        var members = 0
        var values = 1
        for byte in text {
            switch byte {
            case UInt8(ascii: ":"): members += 1
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): values += 1
            default: break
            }
        }
        // Its strings are there once as read and once as decoded.
        return members * member + values * value + text.count * 2
    }
}
