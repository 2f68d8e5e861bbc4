import KonzaModel
import Testing

@Suite("What somebody may have meant")
struct SpellingTests {
    @Test(
        "edits and swapped neighbours are one step each",
        arguments: [
            ("where", "where", 0), ("wehre", "where", 1), ("statsu", "status", 1), ("track", "rack", 1),
            ("Widht", "Width", 1), ("kitten", "sitting", 3), ("", "sky", 3), ("", "", 0),
            // No part is edited twice: the unrestricted distance is 2.
            ("ca", "abc", 3),
        ])
    func distance(left: String, right: String, steps: Int) {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        for limit in 0...4 {
            #expect(editDistance(left, right, limit: limit) == (steps <= limit ? steps : nil))
            #expect(editDistance(right, left, limit: limit) == (steps <= limit ? steps : nil))
        }
    }

    @Test(
        "a slip of the fingers is recognised, in any case of its letters, another word is not",
        arguments: [
            ("Hieght", 2, "Height"), ("WIDTH", 1, "Width"), ("Zoom", 2, nil), ("Wdh", 2, "Width"), ("Wdh", 1, nil),
            (String(repeating: "Width", count: 13), 100, nil),
        ] as [(String, Int, String?)])
    func nearest(word: String, always: Int, meant: String?) {
        #expect(Spelling.nearest(to: word, among: ["Width", "Height"], always: always) == meant)
    }

    @Test("of candidates as near as each other the first is meant")
    func ties() {
        #expect(Spelling.nearest(to: "cat", among: ["rat", "bat"], always: 1) == "rat")
    }
}
