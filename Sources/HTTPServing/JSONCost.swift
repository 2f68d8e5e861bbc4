/// What it takes to read JSON: its values are objects in memory, many times as large as their text.
struct JSONCost {
    /// Bytes for a member of an object: its key, its place in a table that grows, and the copy of it that is decoded.
    static let member = 500
    /// Bytes for any other value.
    static let value = 64

    private var members = 0
    private var values = 1
    private var text = 0

    /// Counts a part of the text as it comes in.
    mutating func add(_ part: UnsafeRawBufferPointer) {
        text += part.count
        for index in 0..<part.count {
            switch unsafe part[index] {
            case UInt8(ascii: ":"): members += 1
            case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): values += 1
            default: break
            }
        }
    }

    /// The memory that reading the text takes beside it, bytes; more rather than less, since marks in strings count, too.
    /// Its strings are there once as read and once as decoded.
    var bytes: Int { members * Self.member + values * Self.value + text * 2 }
}
