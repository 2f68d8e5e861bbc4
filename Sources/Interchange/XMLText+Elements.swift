internal import KonzaModel

extension XMLText {
    /// `<name>text</name>`, indented, on a line of its own.
    static func element(_ name: String, _ text: String, indent: Int) -> String {
        "\(String(repeating: "  ", count: indent))<\(name)>\(escaped(text))</\(name)>\n"
    }
}
