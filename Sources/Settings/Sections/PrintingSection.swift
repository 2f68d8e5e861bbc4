extension StationSettings {
    public struct Printing: Sendable, Equatable {
        /// A queue of CUPS, or a URI; empty for no printing.
        public var printer = ""
        /// Of one card, at most.
        public var copies = 2
        /// PWG 5101.1; empty for the printer's own.
        public var mediaSize = ""
        public var borderless = false
    }
}

extension SettingsTable {
    static let printing = [
        SettingDescription(
            SettingKey(
                "Printing", "Printer", \.printing.printer, .printer, needsRestart: true,
                "Where the kiosk prints postcards: the name of a CUPS queue on this machine, or the URI of a printer that "
                    + "speaks IPP and takes JPEG, for example ipp://192.168.8.20/ipp/print. Empty: nothing is printed.")
        ),
        SettingDescription(
            SettingKey(
                "Printing", "Copies", \.printing.copies, .integer(1...20), needsRestart: true,
                "The most copies of one card.")),
        SettingDescription(
            SettingKey(
                "Printing", "MediaSize", \.printing.mediaSize, .name(upTo: 64), needsRestart: true,
                "The size of the paper by its PWG name, for example na_index-4x6_4x6in or jpn_hagaki_100x148mm. Empty: "
                    + "the printer's own.")),
        SettingDescription(
            SettingKey(
                "Printing", "Borderless", \.printing.borderless, .boolean, needsRestart: true,
                "Whether the picture fills the paper to its edges, which cuts off what does not fit. Needs MediaSize=.")
        ),
    ]
}

extension ValueKind where Value == String {
    /// A queue's name or the URI of a printer.
    static var printer: ValueKind {
        ValueKind("printer", range: "a name, or an ipp or ipps URI") { text throws(ValueRefusal) in
            let refusal = ValueRefusal(
                "\"\(ConfigurationText.short(text))\" is neither the name of a queue nor a URI such as "
                    + "ipp://192.168.8.20/ipp/print")
            guard text.utf8.count <= 300, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw refusal }
            guard let scheme = ["ipp://", "ipps://"].first(where: text.hasPrefix) else {
                guard text.utf8.count <= 127, text.allSatisfy({ !"/#?'\"\\:@".contains($0) }) else { throw refusal }
                return text
            }
            let rest = text.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" }
            let isHost = Endpoint(String(authority)) != nil || Endpoint("\(authority):1") != nil
            guard isHost, !rest.contains(where: { "?#@\\\"<>".contains($0) }) else { throw refusal }
            return text
        } format: {
            $0
        }
    }
}
