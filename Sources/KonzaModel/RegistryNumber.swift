/// An International Generic Sample Number in either form.
public struct RegistryNumber {
    /// The nine characters of the old form, which MetPetDB has a field for; nil for the new form (`10.58052/...`).
    public let short: String?

    /// - Returns: nil without a number.
    public init?(_ text: String?) {
        guard var rest = text.map(normalized), !rest.isEmpty else { return nil }
        for prefix in ["IGSN:", "igsn:"] where rest.hasPrefix(prefix) { rest = normalized(String(rest.dropFirst(5))) }
        let isShort =
            rest.utf8.count == 9
            && rest.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
            }
        short = isShort ? rest : nil
    }
}
