internal import KonzaModel

/// The languages in which messages to people elsewhere are written.
public enum MessageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case spanish = "es"

    /// - Parameter tags: of the recipient, then of the station; nil where it is not known.
    /// - Returns: the first that messages are written in; all where none is.
    static func those(_ tags: String?...) -> [MessageLanguage] {
        for tag in tags {
            let primary = tag?.lowercased().split(separator: "-").first.map(String.init)
            if let language = primary.flatMap(MessageLanguage.init(rawValue:)) { return [language] }
        }
        return allCases
    }

    private func pick(_ english: String, _ spanish: String) -> String { self == .english ? english : spanish }

    // MARK: - Subjects

    func overdue(_ leader: String) -> String { pick("overdue: \(leader)", "con retraso: \(leader)") }

    func overdue(_ count: Int) -> String { pick("\(count) trips are overdue", "\(count) salidas llevan retraso") }

    func correction(_ leader: String) -> String { pick("correction: \(leader)", "corrección: \(leader)") }

    func correction(_ count: Int) -> String { pick("correction: \(count) trips", "corrección: \(count) salidas") }

    func isBack(_ leader: String) -> String { pick("back: \(leader)", "de vuelta: \(leader)") }

    // MARK: - Lines

    var isBack: String {
        pick(
            "This party is back. It was said to be overdue.",
            "Este grupo está de vuelta. Se había dicho que llevaba retraso.")
    }

    /// What stands before the trips of a message.
    ///
    /// - Parameters:
    ///   - isLate: whether one of them should have been reported earlier.
    ///   - count: how many they are.
    /// - Returns: one line.
    func summary(isLate: Bool, count: Int) -> String {
        switch (isLate, count > 1) {
        case (true, true):
            pick(
                "This message is late: the station was off, or could not send it earlier. These trips are overdue:",
                "Se avisa tarde: la estación estuvo apagada o no pudo avisar antes. Estas salidas llevan retraso:")
        case (true, false):
            pick(
                "This message is late: the station was off, or could not send it earlier. This trip is overdue:",
                "Se avisa tarde: la estación estuvo apagada o no pudo avisar antes. Esta salida lleva retraso:")
        case (false, _):
            pick("These trips are overdue:", "Estas salidas llevan retraso:")
        }
    }

    func search(_ sheriff: String) -> String {
        pick("For a search call: \(sheriff)", "Para una búsqueda, llame a: \(sheriff)")
    }

    func sent(_ station: String, _ time: String) -> String {
        pick("Sent by the station \(station) at \(time).", "Enviado por la estación \(station), \(time).")
    }

    var contactsPart: String {
        pick(
            "You are named as the contact of this party. If you know where it is, tell the station.",
            "Usted figura como contacto de este grupo. Si sabe dónde está, avise a la estación.")
    }

    var withdrawn: String {
        pick(
            "The station's clock was ahead. What it wrote of these parties being overdue is withdrawn. A party that is overdue "
                + "by the correct time is reported in another message:",
            "El reloj de la estación estaba adelantado. Queda sin efecto lo que escribió sobre el retraso de estos grupos. De quien lleve "
                + "retraso según la hora correcta se avisa en otro mensaje:")
    }

    func party(_ names: String) -> String { pick("Party: \(names)", "Grupo: \(names)") }

    func destination(_ place: String, _ trails: String) -> String {
        pick("Destination: ", "Destino: ") + place + (trails.isEmpty ? "" : pick(" by ", " por ") + trails)
    }

    func expected(_ time: String, minutesAgo: Int? = nil) -> String {
        let ago = minutesAgo.map { minutes in
            let span = "\(minutes / 60) h \(minutes % 60) min"
            return pick(", \(span) ago", ", hace \(span)")
        }
        return pick("Expected: ", "Se esperaba: ") + time + (ago ?? "")
    }

    func stillExpected(_ time: String) -> String { pick("Expected: ", "Se espera: ") + time }

    func vehicle(_ text: String) -> String { pick("Vehicle: ", "Vehículo: ") + text }

    func contact(_ text: String) -> String { pick("Contact: ", "Contacto: ") + text }

    func position(_ text: String) -> String { pick("Position at the start: ", "Posición al salir: ") + text }

    func note(_ text: String) -> String { pick("Note: ", "Nota: ") + text }
}
