internal import KonzaAPI

/// The stand-in's controlled vocabulary, with ids of its own as every installation has them.
struct StandInVocabulary {
    private(set) var lists: [String: [(id: String, name: String)]] = [:]

    init() {
        lists["rock_types"] = Self.numbered(Self.rockTypes)
        lists["metamorphic_grades"] = Self.numbered(Self.grades)
        lists["metamorphic_regions"] = Self.numbered(["Flint Hills", "Arabian Shield", "Adirondacks"])
        lists["minerals"] = Self.numbered(Self.minerals)
        lists["image_types"] = Self.imageTypes.enumerated().map { (String($0.offset + 1), $0.element) }
    }

    private static func numbered(_ names: [String]) -> [(id: String, name: String)] {
        names.map { (StandInStore.newID(), $0) }
    }

    func name(_ list: String, _ id: String) -> String? { lists[list]?.first { $0.id == id }?.name }
    func id(_ list: String, _ name: String) -> String? { lists[list]?.first { $0.name == name }?.id }

    func answer(_ list: String, _ request: StandInRequest) -> StandInAnswer? {
        guard let terms = lists[list] else { return nil }
        let items = terms.map { term -> JSONValue in
            guard list == "image_types" else { return .object(["id": .string(term.id), "name": .string(term.name)]) }
            return .object([
                "id": .number(Double(term.id) ?? 0), "image_type": .string(term.name.lowercased()),
                "abbreviation": .string(term.name),
            ])
        }
        return StandInStore.page(items, request)
    }

    private static let rockTypes = [
        "Slate", "Phyllite", "Schist", "Gneiss", "Migmatite", "Marble", "Calc-silicate", "Greenschist", "Amphibolite",
        "Blueschist", "Eclogite", "Granofels", "Hornfels", "Quartzite", "Serpentinite", "Mylonite", "Metapelite",
    ]
    private static let grades = [
        "Zeolite facies", "Greenschist facies", "Amphibolite facies", "Granulite facies", "Eclogite facies",
        "Biotite zone", "Garnet zone", "Sillimanite zone",
    ]
    private static let minerals = [
        "Quartz", "Garnet", "Biotite", "Muscovite", "Sillimanite", "Kyanite", "Sphene", "Titanite", "Orthoclase",
        "Microcline", "Plagioclase", "Hornblende", "Calcite", "Rutile",
    ]
    private static let imageTypes = [
        "MAP", "XC", "FIELDPHOTO", "PHOTO", "TSS", "TPPL", "TXPL", "RPPL", "RXPL", "SE", "BSE", "CL", "XRM", "DRAWING",
        "FIG", "FIELDNOTES",
    ]
}
