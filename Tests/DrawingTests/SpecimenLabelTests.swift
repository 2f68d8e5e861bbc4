import Foundation
import KonzaTesting
import QRCoding
import Testing

@testable import Drawing

@Suite("A specimen's label")
struct SpecimenLabelTests {
    private func label(_ code: String, _ title: String = "KNZ-1", _ lines: [String] = ["Gneiss"]) -> SpecimenLabel {
        SpecimenLabel(title: title, lines: lines, code: code)
    }

    private func format(_ width: Double, _ height: Double, _ resolution: Double) throws -> SpecimenLabel.Format {
        try #require(SpecimenLabel.Format(width: width, height: height, resolution: resolution))
    }

    @Test("has a size that can be printed and drawn, or none")
    func formats() {
        for (width, height, resolution) in [
            (19.0, 15.0, 300.0), (211, 20, 100), (50, 9, 300), (50, 51, 300), (50, 25, 99), (50, 25, 1201),
            (210, 210, 300), (.nan, 25, 300),
        ] {
            #expect(SpecimenLabel.Format(width: width, height: height, resolution: resolution) == nil)
        }
        #expect(SpecimenLabel.Format() != nil)
    }

    @Test("has a code whose modules are square, of whole pixels, with four free around it")
    func modules() throws {
        let code = try QRCode("KNZ-2026-0001")
        // Version 1 holds 14 bytes at level M (ISO/IEC 18004, table 7).
        #expect(code.size == 21)
        let finder = (0..<7).map { row in (0..<7).map { code.modules[row * 21 + $0] } }
        #expect(finder[0] == Array(repeating: true, count: 7) && finder[1][1...5].allSatisfy { !$0 })
        let outline = code.outline(left: 10, top: 20, module: 3)
        let points = outline.elements.flatMap { element -> [Double] in
            switch element {
            case .move(let point), .line(let point): [point.x - 10, point.y - 20]
            default: []
            }
        }
        #expect(!points.isEmpty && points.allSatisfy { $0.truncatingRemainder(dividingBy: 3) == 0 && $0 <= 63 })
    }

    @Test("is refused where its code is too dense to be read, never drawn unreadable")
    func dense() throws {
        let small = try format(20, 10, 100)
        #expect(throws: DrawingError.self) { try label("KNZ-2026-0001").png(small) }
        #expect(throws: QRCodeError.self) { try QRCode(String(repeating: "a", count: 413)) }
        #expect(try QRCode(String(repeating: "a", count: 412)).size == 77)
    }

    @Test("is read back by zbarimg whatever it says and however large it is", arguments: [UInt64(1), 2, 3])
    func readBack(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.:;=,äöüßé\n")
        for round in 0..<4 {
            var code = "K"
            for _ in 0..<Int.random(in: 0...180, using: &random) {
                code.append(letters[Int.random(in: 0..<letters.count, using: &random)])
            }
            code += "K"
            let width = Double(Int.random(in: 50...100, using: &random))
            let format = try format(width, width / 2, 300)
            let path = "\(folder.path)/\(round).png"
            try Data(try label(code).png(format)).write(to: URL(fileURLWithPath: path))
            let text = try ProgramRun("zbarimg", ["-q", "--raw", path]).text
            #expect(text == code + "\n", "seed \(seed), round \(round)")
        }
    }

    @Test("is the same label each time, and its words stay beside the code and on the paper")
    func words() throws {
        let long = label(
            "K", String(repeating: "W", count: 35), [String(repeating: "m", count: 100), "short"])
        let format = try format(50, 25, 300)
        #expect(try long.png(format) == long.png(format))
        let svg = try long.svg(format)
        let numbers = svg.split(separator: "d=\"").dropFirst().flatMap { path in
            path.prefix { $0 != "\"" }.split { "MLCZ ".contains($0) }.compactMap { Double($0) }
        }
        #expect(numbers.count > 100)
        #expect(numbers.allSatisfy { $0 >= 0 && $0 <= 591 })
    }
}
