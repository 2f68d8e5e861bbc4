import KonzaModel
import KonzaTesting

/// A value with everything that the compiler derives coding for.
struct Sample: Codable, Equatable {
    enum Word: String, Codable { case plain, unusual }
    enum Case: Codable, Equatable {
        case alone
        case named(first: Int, Second: String?)
    }
    struct Inner: Codable, Equatable {
        var zeta: Double?
        var alpha: [Int]
        var Beta: [String: String]
        var b: Bool
    }

    var text: String
    var other: String?
    var at: UTCInstant
    var id: PostcardID
    var whole: Int
    var small: Int8
    var large: UInt64
    var single: Float
    var numbers: [Double]
    var holes: [Int?]
    var word: Word
    var choice: Case
    var inner: Inner
    var many: [Inner]
    var byName: [String: Inner]
    var byNumber: [Int: Bool]
    var none: Int?

    init(_ random: inout SeededGenerator) {
        text = Self.text(&random)
        other = Bool.random(using: &random) ? Self.text(&random) : nil
        at = UTCInstant(nanoseconds: Int64.random(in: 0...4_000_000_000_000, using: &random) * 1_000_000)
        id = PostcardID(milliseconds: .random(in: 0...1 << 47, using: &random), high: 1, low: 2)
        whole = .random(in: .min ... .max, using: &random)
        small = .random(in: .min ... .max, using: &random)
        large = .random(in: .min ... .max, using: &random)
        single = .random(in: -1000...1000, using: &random)
        numbers = (0..<Int.random(in: 0...4, using: &random)).map { _ in .random(in: -180...180, using: &random) }
        holes = (0..<Int.random(in: 0...4, using: &random)).map { $0 % 2 == 0 ? nil : $0 }
        word = Bool.random(using: &random) ? .plain : .unusual
        choice = Bool.random(using: &random) ? .alone : .named(first: 1, Second: Self.text(&random))
        inner = Inner(&random)
        many = (0..<Int.random(in: 0...3, using: &random)).map { _ in Inner(&random) }
        byName = Dictionary(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in (Self.text(&random), Inner(&random)) }
        ) { $1 }
        byNumber = Dictionary((0..<Int.random(in: 0...12, using: &random)).map { ($0, $0 % 2 == 0) }) { $1 }
    }

    /// Mostly plain letters; sometimes what has to be escaped, and what is not ASCII.
    fileprivate static func text(_ random: inout SeededGenerator) -> String {
        let plain = Array("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789 _-/.:")
        let odd: [Character] = ["\"", "\\", "\n", "\t", "\u{1}", "\u{7f}", "é", "ß", "中", "😀", "\u{2028}"]
        let isPlain = Int.random(in: 0..<3, using: &random) > 0
        return String(
            (0..<Int.random(in: 0...20, using: &random)).map { _ in
                (isPlain ? plain : plain + odd + odd).randomElement(using: &random) ?? "x"
            })
    }
}

extension Sample.Inner {
    init(_ random: inout SeededGenerator) {
        zeta = Bool.random(using: &random) ? .random(in: -1e6...1e6, using: &random) : nil
        alpha = (0..<Int.random(in: 0...4, using: &random)).map { $0 * 1000 }
        Beta = Dictionary(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in (Sample.text(&random), Sample.text(&random)) }
        ) { $1 }
        b = .random(using: &random)
    }
}

private enum Letter: String, CodingKey { case a, b, c, d }

/// Containers that are asked for by hand, more than once, and used in the order of their nesting.
struct Nesting: Codable, Equatable {
    init() {}

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Letter.self)
        try object.encode(1, forKey: .d)
        var inner = object.nestedContainer(keyedBy: Letter.self, forKey: .c)
        try inner.encode("x", forKey: .b)
        try inner.encodeNil(forKey: .a)
        var list = inner.nestedUnkeyedContainer(forKey: .c)
        try list.encode(true)
        var deep = list.nestedContainer(keyedBy: Letter.self)
        try deep.encode(2.5, forKey: .a)
        var deepList = list.nestedUnkeyedContainer()
        try deepList.encodeNil()
        try list.encode("last \(list.count)")
        try object.encode([1, 2], forKey: .b)
        var again = encoder.container(keyedBy: Letter.self)
        _ = again.nestedUnkeyedContainer(forKey: .a)
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Letter.self)
        let inner = try object.nestedContainer(keyedBy: Letter.self, forKey: .c)
        var list = try inner.nestedUnkeyedContainer(forKey: .c)
        guard try object.decode(Int.self, forKey: .d) == 1, try inner.decodeNil(forKey: .a), inner.contains(.b),
            !object.contains(.init(rawValue: "a") ?? .b) || object.allKeys.count == 4, try list.decode(Bool.self),
            try list.nestedContainer(keyedBy: Letter.self).decode(Double.self, forKey: .a) == 2.5
        else { throw Misread() }
        var deep = try list.nestedUnkeyedContainer()
        guard try deep.decodeNil(), deep.isAtEnd, try list.decode(String.self) == "last 3", list.isAtEnd,
            list.currentIndex == 4, list.count == 4
        else { throw Misread() }
    }

    struct Misread: Error {}
}

struct Nothing: Encodable {
    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Letter.self) }
}

/// The same member twice, and others behind it.
struct Twice: Encodable {
    struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let padding: Int

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(1, forKey: Name(stringValue: "same"))
        for number in 0..<padding {
            try object.encode(number, forKey: Name(stringValue: "name \(number * 7 % padding)"))
        }
        try object.encode(2, forKey: Name(stringValue: "other"))
        try object.encode([3], forKey: Name(stringValue: "same"))
    }
}

/// A container that is used again after one beside it was begun.
struct Disorder: Encodable {
    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Letter.self)
        var first = object.nestedContainer(keyedBy: Letter.self, forKey: .a)
        try object.encode(1, forKey: .b)
        try first.encode(2, forKey: .c)
    }
}

struct TwoValues: Encodable {
    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(1)
        var list = encoder.unkeyedContainer()
        try list.encode(2)
    }
}

struct Inherited: Encodable {
    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Letter.self)
        try 1.encode(to: object.superEncoder())
        try object.encode(1, forKey: .a)
    }
}

/// Whatever is there.
struct Ignored: Decodable, Equatable {
    init() {}
    init(from decoder: any Decoder) throws {}
}

/// Two numbers of a list, whose others are ignored.
struct Couple: Decodable {
    let sum: Int

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        sum = try list.decode(Int.self) + list.decode(Int.self)
    }
}
