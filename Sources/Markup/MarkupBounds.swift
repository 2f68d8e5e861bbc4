/// What a text may have before cmark sees it.
enum MarkupBounds {
    /// The most opening brackets: cmark 0.30.2 looks for the end of each in all that follows.
    private static let mostBrackets = 2000

    static func check(_ text: String) throws(MarkupError) {
        let count = text.utf8.count
        guard count <= MarkupText.mostBytes else {
            throw MarkupError(
                .tooLarge, "it has \(count) bytes, and \(MarkupText.mostBytes) are the most; make two texts of it")
        }
        var brackets = 0
        for byte in text.utf8 where byte == UInt8(ascii: "[") { brackets += 1 }
        guard brackets <= mostBrackets else {
            throw MarkupError(
                .tooManyParts,
                "it has \(brackets) opening brackets, and \(mostBrackets) are the most; make two texts of it")
        }
    }
}
