/// How lines become bytes on this output.
struct Paint: Sendable, Equatable {
    /// When to use colour.
    enum Wish: String, Sendable, CaseIterable {
        case auto
        case always
        case never
    }

    var usesColour: Bool
    /// Whether the output shows UTF-8; without, signs become their nearest ASCII.
    var usesUnicode: Bool

    init(usesColour: Bool, usesUnicode: Bool) {
        self.usesColour = usesColour
        self.usesUnicode = usesUnicode
    }

    /// Decides by the option, `NO_COLOR` (no-color.org), `TERM` and the locale (environ(7), locale(7)).
    init(wish: Wish, isTerminal: Bool, environment: [String: String]) {
        let isRefused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        usesColour =
            switch wish {
            case .always: true
            case .never: false
            case .auto: isTerminal && !isRefused && environment["TERM"] != "dumb"
            }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.uppercased()
        usesUnicode = name.contains("UTF-8") || name.contains("UTF8")
    }

    func text(_ line: Line) -> String {
        line.spans.map { span in
            let shown = usesUnicode ? span.text : Self.ascii(span.text)
            guard usesColour, let code = Self.codes(span.style) else { return shown }
            return "\u{1B}[\(code)m\(shown)\u{1B}[0m"
        }.joined()
    }

    func text(_ lines: [Line]) -> String {
        lines.map { text($0) + "\n" }.joined()
    }

    /// Select Graphic Rendition (ECMA-48, 8.3.117); the eight first colours suit light and dark grounds.
    private static func codes(_ style: Style) -> String? {
        switch style {
        case .plain: nil
        case .strong: "1"
        case .quiet: "2"
        case .good: "32"
        case .caution: "33"
        case .bad: "1;31"
        }
    }

    /// One ASCII character for each sign that the screens use, so that columns stay where they are.
    private static func ascii(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return String(
            text.map { character in
                switch character {
                case "●": "*"
                case "○": "o"
                case "·", "∙": "."
                case "█", "▌": "#"
                case "±": "~"
                case "°": "d"
                default: character.isASCII ? character : "?"
                }
            })
    }
}
