import KonzaTesting
import Testing

@testable import Settings

@Suite("Hostile configurations")
struct HostileTextTests {
    /// Reads without a trap; what is read is itself readable, and gives the same again.
    private func survive(_ bytes: [UInt8], _ comment: Comment) throws {
        guard let settings = try? StationSettings.parse(bytes, file: "f") else { return }
        let text = settings.configurationText
        #expect(try StationSettings.parse(Array(text.utf8), file: "again").configurationText == text, comment)
    }

    @Test("random bytes never trap", arguments: 1...20)
    func randomBytes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let count = Int.random(in: 0...400, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try survive(bytes, "seed \(seed)")
        }
    }

    @Test("mutated files never trap", arguments: 1...20)
    func mutations(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let uncommented = Array(
            """
            \(StationSettings().configurationText)
            [Camera]
            Controls=gain=2 \\
              brightness=-5
            [Postcards]
            MaxAge=1.5d 3h
            SpaceReserve=5%

            """.utf8)
        for _ in 0..<60 {
            var bytes = uncommented
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(Array("=[]\\#;%.-0~/: \n".utf8).randomElement(using: &generator) ?? 0, at: place)
                default:
                    let end = min(bytes.count, place + Int.random(in: 0...40, using: &generator))
                    bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
                }
            }
            try survive(bytes, "seed \(seed)")
        }
    }

    @Test("random values for every key never trap", arguments: 1...10)
    func values(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("0123456789.-+eEsmhdKMGT%:/[]~= abcinf\u{e9}\u{661}\u{1F33E}")
        for key in SettingsTable.keys {
            for _ in 0..<20 {
                let count = Int.random(in: 0...24, using: &generator)
                let value = String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "0" })
                try survive(
                    Array("[\(key.section)]\n\(key.name)=\(value)\n".utf8), "seed \(seed), \(key.name)=\(value)")
            }
        }
    }
}
