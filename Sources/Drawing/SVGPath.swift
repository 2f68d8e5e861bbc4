/// Reads path data as SVG writes it (SVG 1.1, 8.3): M, L, H, V, C, S, Q, Z, absolute or relative. Arcs are left out.
struct SVGPath {
    struct SyntaxError: Error { var reason: String }

    private let bytes: [UInt8]
    private var position = 0
    private var outline = Outline()
    private var current = Point(0, 0)
    private var start = Point(0, 0)
    private var lastHandle: Point?

    static func parse(_ text: String) throws(SyntaxError) -> Outline {
        var reader = SVGPath(bytes: Array(text.utf8))
        return try reader.read()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func read() throws(SyntaxError) -> Outline {
        var command: UInt8 = 0
        while true {
            skipSeparators()
            guard position < bytes.count else { break }
            if Character(Unicode.Scalar(bytes[position])).isLetter {
                command = bytes[position]
                position += 1
                guard !outline.isEmpty || command | 0x20 == UInt8(ascii: "m") else {
                    throw SyntaxError(reason: "path data begins with M")
                }
            } else if command == 0 || command | 0x20 == UInt8(ascii: "z") {
                throw SyntaxError(reason: "a path command is expected at character \(position + 1)")
            }
            try draw(command)
            if command == UInt8(ascii: "M") { command = UInt8(ascii: "L") }
            if command == UInt8(ascii: "m") { command = UInt8(ascii: "l") }
        }
        guard !outline.isEmpty else { throw SyntaxError(reason: "the path data is empty") }
        return outline
    }

    private mutating func draw(_ command: UInt8) throws(SyntaxError) {
        let base = command & 0x20 != 0 ? current : Point(0, 0)
        var handle: Point?
        switch command | 0x20 {
        case UInt8(ascii: "m"):
            current = base + Point(try number(), try number())
            start = current
            outline.elements.append(.move(current))
        case UInt8(ascii: "l"): line(to: base + Point(try number(), try number()))
        case UInt8(ascii: "h"): line(to: Point(base.x + (try number()), current.y))
        case UInt8(ascii: "v"): line(to: Point(current.x, base.y + (try number())))
        case UInt8(ascii: "c"), UInt8(ascii: "s"):
            let first =
                command | 0x20 == UInt8(ascii: "s")
                ? current + (current - (lastHandle ?? current)) : base + Point(try number(), try number())
            let second = base + Point(try number(), try number())
            let end = base + Point(try number(), try number())
            outline.elements.append(.curve(first, second, end))
            handle = second
            current = end
        case UInt8(ascii: "q"):
            let control = base + Point(try number(), try number())
            let end = base + Point(try number(), try number())
            // The cubic that is the same curve.
            outline.elements.append(
                .curve(current + (control - current) * (2.0 / 3), end + (control - end) * (2.0 / 3), end))
            current = end
        case UInt8(ascii: "z"):
            outline.elements.append(.close)
            current = start
        default:
            throw SyntaxError(
                reason: "there is no path command \"\(Character(Unicode.Scalar(command)))\"; "
                    + "the commands are M L H V C S Q Z")
        }
        lastHandle = handle
    }

    private mutating func line(to point: Point) {
        outline.elements.append(.line(point))
        current = point
    }

    private mutating func skipSeparators() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D, 0x2C].contains(bytes[position]) { position += 1 }
    }

    private mutating func number() throws(SyntaxError) -> Double {
        skipSeparators()
        let begin = position
        if position < bytes.count, [0x2B, 0x2D].contains(bytes[position]) { position += 1 }
        var sawPoint = false
        var sawExponent = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "."), !sawPoint, !sawExponent {
                sawPoint = true
            } else if byte | 0x20 == UInt8(ascii: "e"), !sawExponent, position > begin {
                sawExponent = true
                if position + 1 < bytes.count, [0x2B, 0x2D].contains(bytes[position + 1]) { position += 1 }
            } else if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                break
            }
            position += 1
        }
        guard let value = Double(String(decoding: bytes[begin..<position], as: UTF8.self)), abs(value) <= 1e6 else {
            throw SyntaxError(reason: "a number is expected at character \(begin + 1)")
        }
        return value
    }
}
