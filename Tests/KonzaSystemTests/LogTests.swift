import Glibc
import Testing

@testable import KonzaSystem

@Suite("The log", .timeLimit(.minutes(1)))
struct LogTests {
    private static func text(_ descriptor: Int32) -> String {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &part, part.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += part.prefix(count)
        }
    }

    @Test("waits for no journal, and tells how many lines were lost")
    func deafJournal() throws {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { for number in pair { close(number) } }
        let log = Log(threshold: .info, marksPriority: true, descriptor: pair[0])
        let copy = log
        let count = 10_000
        for number in 1...count { log(.info, "line \(number) \(String(repeating: "x", count: 200))") }
        let heard = Self.text(pair[1]).split(separator: "\n")
        #expect(heard.count < count)
        #expect(heard.enumerated().allSatisfy { $1.hasPrefix("<6>line \($0 + 1) ") })
        copy(.error, "the next\none")
        let lost = "<4>\(count - heard.count) lines were left out, since nobody read them\n"
        #expect(Self.text(pair[1]) == lost + "<3>the next one\n")
        log(.info, "another")
        #expect(Self.text(pair[1]) == "<6>another\n")
        log(.debug, "too much")
        #expect(Self.text(pair[1]).isEmpty)
    }

    @Test("goes whole into a pipe")
    func pipe() throws {
        var pair: [Int32] = [0, 0]
        try #require(Glibc.pipe(&pair) == 0)
        defer { for number in pair { close(number) } }
        Log(threshold: .info, marksPriority: false, descriptor: pair[1])(.notice, "konzad")
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(read(pair[0], &bytes, bytes.count) == 7)
    }
}
