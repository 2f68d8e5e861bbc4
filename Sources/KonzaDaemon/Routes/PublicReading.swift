internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Specimens

/// What visitors and the kiosk see of specimens and samples: those that may be public, without what stays with the crew.
extension Principal {
    /// Whether it sees only what may be public: somebody for whom another process asks, and who is none of the station's
    /// people.
    var readsPublicOnly: Bool { client != nil && !has([.collector, .ranger, .keeper, .courier]) }
}

extension Request {
    /// Which ones a list is to have, private or public.
    ///
    /// - Returns: what the query parameter `access` says; for those who see only what may be public, that.
    /// - Throws: `forbidden` if it says otherwise.
    func visibility() throws(Problem) -> SampleQuery.Visibility {
        let asked = query("access").flatMap(SampleQuery.Visibility.init(rawValue:))
        guard principal.readsPublicOnly else { return asked ?? .both }
        guard asked == nil || asked == .public else {
            throw Problem(
                .forbidden,
                "cannot show private ones here: only the station's people see them, on devices that are paired as theirs; "
                    + "leave access out")
        }
        return .public
    }

    /// Refuses query parameters that would tell of what is not shown.
    ///
    /// - Throws: `forbidden`.
    func refuse(_ names: String...) throws(Problem) {
        guard principal.readsPublicOnly, let name = names.first(where: { query($0) != nil }) else { return }
        throw Problem(
            .forbidden,
            "cannot use \(name) here: only the station's people may, on devices that are paired as theirs; leave it out"
        )
    }

    /// A specimen as whoever asks may see it.
    ///
    /// - Returns: for those who see only what may be public, it without the field notes.
    /// - Throws: `not-found` where they may not see it.
    func shown(_ specimen: Specimen) throws(Problem) -> Specimen {
        guard principal.readsPublicOnly else { return specimen }
        guard specimen.isPublic, specimen.deletedAt == nil else {
            throw Problem(SpecimenError.notFound(specimen.id))
        }
        var shown = specimen
        shown.fieldNotes = nil
        shown.position?.override = nil
        return shown
    }
}
