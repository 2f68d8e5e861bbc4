import FleetMessaging
import Testing

@Suite("The code that lets a box in")
struct EnrolmentCodeTests {
    private let secret = String(repeating: "0123456789abcdef", count: 2)
    private let fingerprint = Array(repeating: "A1:B2:C3:D4", count: 8).joined(separator: ":")

    @Test("is read as it was printed, and as somebody types it")
    func read() throws {
        let code = EnrolmentCode(secret: secret, fingerprint: fingerprint)
        let text = code.description
        #expect(text.split(separator: "-").map(\.count) == Array(repeating: 4, count: 17))
        #expect(text.hasPrefix("0123-4567-89ab-cdef-0123"))
        for typed in [
            text, text.uppercased(), text.replacing("-", with: ""), " " + text.replacing("-", with: " ") + "\n",
        ] {
            #expect(EnrolmentCode(typed) == code, "\(typed)")
        }
        #expect(code.secret == secret)
        #expect(code.names(fingerprint) && code.names(fingerprint.lowercased().replacing(":", with: "")))
        #expect(!code.names("00" + fingerprint.dropFirst(2)))
    }

    @Test("finds a slip of the pen at every place")
    func slips() {
        let text = EnrolmentCode(secret: secret, fingerprint: fingerprint).description
        for index in text.indices where text[index] != "-" {
            var slipped = text
            slipped.replaceSubrange(index...index, with: text[index] == "7" ? "8" : "7")
            #expect(EnrolmentCode(slipped) == nil, "\(slipped)")
        }
        for broken in ["", "-", String(text.dropLast()), text + "0", text.replacing("0", with: "x")] {
            #expect(EnrolmentCode(broken) == nil)
        }
    }
}
