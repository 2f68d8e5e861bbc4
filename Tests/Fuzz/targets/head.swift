// A libFuzzer target over the check of a request's field lines: what it takes is what RFC 9112 allows, whatever
// libmicrohttpd makes of the lines. Its sources are compiled beside it, for they are internal to their module.

/// A line as libmicrohttpd 0.9.75 takes it: it ends at LF, with or without CR before it.
private struct Line {
    let text: ArraySlice<UInt8>
    let end: Int
}

/// The lines of a head as the library finds its end: an empty line, or one that begins with a colon.
///
/// - Returns: nil if the head does not end, or the library itself refuses it for a line without a colon.
private func lines(of text: [UInt8]) -> [Line]? {
    var lines: [Line] = []
    var start = 0
    while let feed = text[start...].firstIndex(of: 10) {
        let end = feed > start && text[feed - 1] == 13 ? feed - 1 : feed
        lines.append(Line(text: text[start..<end], end: feed + 1))
        if end == start || text[start] == 58 { return lines }
        let isFolded = text[start] == 32 || text[start] == 9
        guard isFolded || text[start..<end].contains(58) else { return nil }
        start = feed + 1
    }
    return nil
}

/// The number of fields if every line is one as of RFC 9112 sections 2.2 and 5, and ends with CR and LF.
private func fields(_ lines: [Line]) -> Int? {
    let marks = Array("!#$%&'*+-.^_`|~".utf8)
    guard lines.last?.text.isEmpty == true else { return nil }
    for line in lines {
        guard line.end - line.text.endIndex == 2 else { return nil }
        if line.text.isEmpty { continue }
        guard let colon = line.text.firstIndex(of: 58), colon > line.text.startIndex else { return nil }
        let isName = line.text[..<colon].allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
        }
        let isValue = line.text[(colon + 1)...].allSatisfy { $0 == 9 || $0 >= 32 && $0 != 127 }
        guard isName, isValue else { return nil }
    }
    return lines.count - 1
}

private func takes(_ bytes: [UInt8], _ fields: Int) -> Bool {
    do throws(RawHead.Fault) {
        try RawHead.check(bytes.span, fields: fields)
        return true
    } catch {
        return false
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = unsafe input(bytes, count)
    // Anything at all, as if it had been split.
    _ = takes(text, count % 8)
    guard !text.contains(0), let lines = lines(of: text), let last = lines.last else { return 0 }
    // As it is split: zeros for the first colon of a line, and for its end.
    var split: [UInt8] = [0, 0]
    for line in lines {
        var copy = Array(line.text)
        if let colon = copy.firstIndex(of: 58) { copy[colon] = 0 }
        split += copy + [UInt8](repeating: 0, count: line.end - line.text.endIndex)
    }
    guard split.count == last.end + 2 else { fail("a head of another length") }
    let expected = fields(lines)
    let colons = lines.count { $0.text.contains(58) }
    guard takes(split, colons) == (expected != nil) else { fail("another judgement than the standard's") }
    guard !takes(split, colons + 1) else { fail("a field too many is taken") }
    return 0
}
