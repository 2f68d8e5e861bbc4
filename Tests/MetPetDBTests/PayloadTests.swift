import Foundation
import KonzaModel
import KonzaTesting
import Terminology
import Testing

@testable import MetPetDB

@Suite("What is sent for a specimen")
struct PayloadTests {
    let vocabulary: Vocabulary = {
        var vocabulary = Vocabulary.embedded
        for (kind, terms) in vocabulary.terms {
            vocabulary.terms[kind] = terms.enumerated().map { index, term in
                var term = term
                term.id = "\(kind.rawValue)-\(index)"
                return term
            }
        }
        return vocabulary
    }()

    private func specimen(_ change: (inout Specimen) -> Void = { _ in }) throws -> Specimen {
        var specimen = Specimen(
            id: SpecimenID(milliseconds: 1, high: 1, low: 1), number: "A-1", rockType: "Gneiss",
            createdAt: UTCInstant(nanoseconds: 0))
        specimen.position = try Field.position(39.1, -96.6)
        change(&specimen)
        return specimen
    }

    private func members(_ specimen: Specimen) throws -> [String: Any] {
        let json = try SampleBody(specimen, vocabulary: vocabulary).json
        return try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    private func refusals(_ specimen: Specimen) throws -> [String] {
        do {
            _ = try SampleBody(specimen, vocabulary: vocabulary)
            return []
        } catch {
            return error.list.compactMap(\.field)
        }
    }

    @Test(
        "Coordinates go as texts of seven decimals, so that a zero is no missing one and no exponent appears",
        arguments: [
            (0.0, "0.0000000"), (-0.0, "0.0000000"), (1e-9, "0.0000000"), (-1e-9, "0.0000000"),
            (0.00000005, "0.0000001"), (39.1069123, "39.1069123"), (-89.99999999, "-90.0000000"), (90, "90.0000000"),
        ])
    func coordinates(_ degrees: Double, _ text: String) throws {
        let body = try members(try specimen { $0.position = try? Field.position(degrees, degrees) })
        #expect(body["latitude"] as? String == text)
        #expect(body["longitude"] as? String == text)
    }

    @Test("The error is the position's 95 % radius in metres, and left out where it is not known")
    func radius() throws {
        #expect(try members(specimen())["location_error"] as? Double == 4.2)
        #expect(try members(specimen { $0.position?.accuracy = nil })["location_error"] == nil)
    }

    @Test("Blank texts are left out, and others go without outer spaces")
    func blanks() throws {
        let body = try members(
            specimen {
                $0.collector = "  "
                $0.country = " Canada\n"
                $0.presentLocation = ""
            })
        #expect(body["collector_name"] == nil)
        #expect(body["location_name"] == nil)
        #expect(body["country"] as? String == "Canada")
        #expect(body["collection_date"] == nil)
    }

    @Test("A nine-character IGSN has its field, a DataCite one goes into the description")
    func registryNumbers() throws {
        #expect(try members(specimen { $0.igsn = "IGSN: IEKIO0001" })["sesar_number"] as? String == "IEKIO0001")
        let body = try members(specimen { $0.igsn = "10.58052/IEKIO0001" })
        #expect(body["sesar_number"] == nil)
        let line = DescriptionLine.split(body["description"] as? String ?? "").line
        #expect(line?["igsn"] == "10.58052/IEKIO0001")
    }

    static let wrong: [(String, @Sendable (inout Specimen) -> Void)] = [
        ("number", { $0.number = "" }), ("number", { $0.number = "a,b" }), ("number", { $0.number = " a" }),
        ("number", { $0.number = "a\u{0}b" }), ("number", { $0.number = String(repeating: "é", count: 36) }),
        ("latitude", { $0.position = nil }), ("latitude", { $0.position?.latitude = 91.5 }),
        ("latitude", { $0.position?.longitude = -273.6 }), ("latitude", { $0.position?.latitude = .nan }),
        ("latitude", { $0.position?.longitude = .infinity }), ("location_error", { $0.position?.accuracy = .nan }),
        ("location_error", { $0.position?.accuracy = 0 }), ("location_error", { $0.position?.accuracy = -3 }),
        ("rock_type", { $0.rockType = "Shist" }), ("metamorphic_grades", { $0.metamorphicGrades = ["Oven"] }),
        ("minerals", { $0.minerals = [.init(name: "Unobtainium")] }),
        ("minerals", { $0.minerals = [.init(name: "Quartz"), .init(name: "quartz")] }),
        ("minerals", { $0.minerals = [.init(name: "Quartz", amount: String(repeating: "1", count: 31))] }),
        ("collector_name", { $0.collector = String(repeating: "x", count: 51) }),
        ("location_name", { $0.presentLocation = String(repeating: "x", count: 51) }),
        ("country", { $0.country = String(repeating: "x", count: 101) }),
        ("regions", { $0.regions = [String(repeating: "x", count: 101)] }),
        ("description", { $0.description = "a\u{0}" }), ("country", { $0.country = "a\nb" }),
    ]

    @Test("What the server would take wrongly is refused here, field by field", arguments: wrong.indices)
    func refused(_ row: Int) throws {
        let (field, change) = Self.wrong[row]
        #expect(try refusals(specimen(change)) == [field])
    }

    @Test("All faults are named at once, with the nearest names for an unknown one")
    func together() throws {
        let specimen = try specimen {
            $0.number = "a,b"
            $0.rockType = "Shist"
        }
        let error = #expect(throws: Refusals.self) { try SampleBody(specimen, vocabulary: vocabulary) }
        #expect(error?.list.count == 2)
        #expect(error?.list.last?.words.contains("Schist") == true)
    }

    @Test("Any specimen is refused or is sent with finite coordinates within the range")
    func neverPoison() throws {
        var generator = SeededGenerator(seed: 20_260_530)
        let odd: [Double] = [
            .nan, .infinity, -.infinity, 0, -0.0, 90, -90, 180, 91, 1e300, .leastNonzeroMagnitude, -1e-12,
        ]
        for _ in 0..<2000 {
            let latitude = odd.randomElement(using: &generator) ?? 0
            let longitude = odd.randomElement(using: &generator) ?? 0
            let specimen = try specimen {
                $0.position?.latitude = latitude
                $0.position?.longitude = longitude
            }
            guard let body = try? members(specimen) else { continue }
            let texts = [body["latitude"] as? String, body["longitude"] as? String]
            for (text, limit) in zip(texts, [90.0, 180.0]) {
                let value = try #require(text.flatMap { Double($0) })
                #expect(abs(value) <= limit)
            }
        }
    }
}

@Suite("The line in the description")
struct DescriptionLineTests {
    @Test("It holds what MetPetDB has no field for, and is read back as it was written")
    func whole() throws {
        var specimen = Specimen(
            id: SpecimenID(milliseconds: 1, high: 1, low: 1), number: "A-1", rockType: "Gneiss",
            createdAt: UTCInstant(nanoseconds: 0))
        specimen.position = try Field.position(39.1, -96.6)
        specimen.measurements = [
            .init(
                kind: .plane, azimuth: 45.04, inclination: 30, declinationApplied: -2.5, declinationSource: "given",
                feature: "foliation")
        ]
        let line = DescriptionLine(specimen)
        let text = line.joined(to: "A rock.")
        #expect(
            text == """
                A rock.
                [konza:1 position=occupation kind=live hae=386.10 msl=415.20 height-error=8.00 \
                time=2026-05-28T20:26:40.000Z mode=3 status=2 satellites=11 hdop=0.90 \
                receiver=u-blox%20NEO-M8N%3B%209600%20%5B8N1%5D%2050%20%25 \
                averaged=2026-05-28T20:21:40.000Z/2026-05-28T20:26:40.000Z fixes=290 rejected=10 effective=11.4 \
                rule=mad%203.5 ended=accuracy-reached plane=45.0/30.0,-2.50,given,foliation]
                """)
        let read = DescriptionLine.split(text)
        #expect(read.text == "A rock.")
        #expect(read.line == line)
        #expect(read.line?["receiver"] == specimen.position?.receiver)
    }

    @Test(
        "A person's own text comes back whatever it holds",
        arguments: [
            "", "plain", "[konza:1 hae=1]", "\\[konza:1 hae=1]", "a\n[konza:1 hae=1]\nb", "\\\\[konza:",
            "[konza:2 x=y]",
            "ends with [konza:1 a=b]", "\\", "\\text",
        ])
    func ownText(_ text: String) {
        for pairs in [[], [DescriptionLine.Pair("hae", "1.00")]] {
            let line = DescriptionLine(pairs)
            let read = DescriptionLine.split(line.joined(to: text))
            #expect(read.text == text)
            #expect(read.line == (pairs.isEmpty ? nil : line))
        }
    }

    @Test("Any value of any letters is read back")
    func anyValue() {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array("aZ09 ;=%[]\\\n\t\"'é漢🪨-._~:+,/")
        for _ in 0..<500 {
            let count = Int.random(in: 1...12, using: &generator)
            let value = String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
            let line = DescriptionLine([.init("key", value), .init("key", "2")])
            #expect(DescriptionLine.split(line.joined(to: value)).line == line)
        }
    }
}

@Suite("Names of photographs")
struct PhotographNamesTests {
    private func photograph(_ number: UInt64, _ name: String) -> Photograph {
        Photograph(
            id: PhotographID(milliseconds: 0, high: 0, low: number), fileName: name, imageType: .photograph,
            mediaType: "image/jpeg", byteCount: 1, sha256: "", width: 1, height: 1, origin: "upload")
    }

    @Test("A safe name stays; one that the server would change, or that is taken, becomes the id")
    func naming() {
        let photographs = [
            photograph(1, "KNZ-01.jpg"), photograph(2, "knz-01.JPG"), photograph(3, "a b.jpg"),
            photograph(4, "\"\r\n.jpg"), photograph(5, String(repeating: "x", count: 51)), photograph(6, "../../etc"),
        ]
        let names = PhotographNames(photographs)
        #expect(names.name(of: photographs[0].id) == "KNZ-01.jpg")
        for photograph in photographs.dropFirst() { #expect(names.name(of: photograph.id) == "\(photograph.id).jpg") }
    }

    @Test("An image is found by its name, or by that with a storage's suffix, and stands for one photograph only")
    func matching() {
        let photographs = [photograph(1, "a.jpg"), photograph(2, "a_abcdefg.jpg"), photograph(3, "b.jpg")]
        let names = PhotographNames(photographs)
        let exact = RemoteImage(id: "2", fileName: "a_abcdefg.jpg")
        #expect(names.matches(among: [exact]) == [photographs[1].id: exact])
        let renamed = RemoteImage(id: "1", fileName: "a_x7Yz123.jpg")
        #expect(names.matches(among: [renamed, exact]) == [photographs[0].id: renamed, photographs[1].id: exact])
        #expect(
            names.matches(among: [.init(id: "3", fileName: "b_long_suffix.jpg"), .init(id: "4", fileName: nil)]).isEmpty
        )
    }
}
