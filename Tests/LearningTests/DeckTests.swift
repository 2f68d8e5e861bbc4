import Foundation
import KonzaAPI
import KonzaTesting
import Testing

@testable import Learning

@Suite("Decks of a station")
struct DeckTests {
    private static let table = """
        id,name,nameEs,group,groupEs,picture,fact1,fact2
        carp,Carp,Carpa,fish,peces,carp.jpg,,
        dace,"Dace, southern redbelly",,fish,peces,,It lives in Kings Creek.,"It says ""hello"" to nobody."
        owl,Owl,Búho,birds,aves,,It hunts at night.,It turns its head.
        elk,Elk,Uapití,mammals,mamíferos,,It is large.,It sheds its antlers.

        """

    @Test("are tables of comma-separated values, with quotes and other languages")
    func tables() throws {
        for text in [Self.table, Self.table.replacing("\n", with: "\r\n"), "\u{FEFF}" + Self.table] {
            let deck = try Deck.read(Array(text.utf8), name: "river-life.csv")
            #expect(deck.title.en == "river life")
            #expect(deck.items.map(\.id) == ["carp", "dace", "owl", "elk"])
            #expect(deck.items[1].name.en == "Dace, southern redbelly" && deck.items[1].name.es == nil)
            #expect(deck.items[1].facts.map(\.en) == ["It lives in Kings Creek.", "It says \"hello\" to nobody."])
            #expect(deck.items[2].group?.es == "aves" && deck.items[0].picture == "carp.jpg")
        }
    }

    @Test("are JSON as well")
    func json() throws {
        let items = (1...4).map {
            #"{"id": "n\#($0)", "name": {"en": "Name \#($0)", "es": "Nombre \#($0)"}, "facts": ["One.", {"en": "Two.", "es": "Dos."}]}"#
        }
        let text = #"{"title": {"en": "Stones", "es": "Piedras"}, "items": [\#(items.joined(separator: ","))]}"#
        let deck = try Deck.read(Array(text.utf8), name: "stones.json")
        #expect(deck.title.es == "Piedras" && deck.items.count == 4 && deck.items[3].facts[1].es == "Dos.")
    }

    /// What is wrong, and where it is said to be.
    @Test(
        "say what is wrong with them, and where",
        arguments: [
            ("carp,Carp", "Carp,Carp", "line 2, id"), ("owl,Owl,Búho", "owl,Carp,Búho", "line 4, name"),
            ("dace,\"Dace", "carp,\"Dace", "line 3, id"), ("carp.jpg", "../carp.jpg", "line 2, picture"),
            ("carp.jpg", "carp.svg", "line 2, picture"), ("carp.jpg", "", "line 2, facts"),
            ("elk,Elk,", "elk,Elk", "line 5"), ("fact2", "fact9", "line 1"), ("id,name,", "id,nom,", "line 1"),
            ("It is large.", String(repeating: "x", count: 241), "line 5, fact1"),
            ("elk,Elk,", "elk,,", "line 5, name"),
        ])
    func faults(old: String, new: String, place: String) throws {
        let text = Self.table.replacing(old, with: new, maxReplacements: 1)
        let problem = #expect(throws: Problem.self) { try Deck.read(Array(text.utf8), name: "a.csv") }
        #expect(problem?.errors?.contains { $0.path == place } == true, "\(problem?.detail ?? "")")
    }

    @Test(
        "are refused where they are no text, not closed, or too few",
        arguments: ["id,name\na,\"b", "", "id,name\na,b", "[]", "{}"])
    func refused(text: String) throws {
        #expect(throws: Problem.self) { try Deck.read(Array(text.utf8), name: "a.csv") }
        #expect(throws: Problem.self) { try Deck.read(Array(text.utf8), name: "a.json") }
        #expect(throws: Problem.self) { try Deck.read([0x69, 0x64, 0xFF], name: "a.csv") }
    }

    @Test("damaged anywhere are read or refused, whatever was damaged")
    func damaged() {
        var random = SeededGenerator(seed: 16)
        for _ in 0..<300 {
            var bytes = Array(Self.table.utf8)
            for _ in 0...Int.random(in: 0...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let deck = try? Deck.read(bytes, name: "a.csv") { #expect(deck.items.count >= Deck.fewestItems) }
        }
    }

    @Test("are found in their folder, with their pictures and no other files, and read again when they change")
    func folder() throws {
        let folder = try TemporaryFolder()
        func write(_ bytes: [UInt8], to name: String) throws {
            try Data(bytes).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
        try write(Array(Self.table.utf8), to: "fish.csv")
        try write(jpeg, to: "carp.jpg")
        try write(jpeg, to: "secret.jpg")
        try write(Array("id\n".utf8), to: "broken.csv")
        let decks = DeckFolder(folder.path)
        #expect(decks.list().map(\.name) == ["broken", "fish"])
        #expect(decks.deck("broken") == nil && decks.list()[0].complaint?.contains("name") == true)
        #expect(decks.picture("carp.jpg", of: "fish")?.bytes == jpeg)
        #expect(decks.picture("secret.jpg", of: "fish") == nil, "no card has it")
        try write(Array("no picture".utf8), to: "carp.jpg")
        #expect(decks.picture("carp.jpg", of: "fish") == nil, "it is none")
        try write(Array(Self.table.replacing("Carp,", with: "Common carp,").utf8), to: "fish.csv")
        #expect(decks.deck("fish")?.items[0].name.en == "Common carp")
        #expect(DeckFolder(nil).list().isEmpty && DeckFolder("/nowhere").list().isEmpty)
    }
}
