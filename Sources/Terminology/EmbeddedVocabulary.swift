public import KonzaModel

extension Vocabulary {
    /// What a station knows before it has ever reached a server: MetPetDB's 32 rock types, 22 metamorphic grades and 16
    /// image types, and a start of its 193 minerals. Metamorphic regions are known to the server alone. No term has an
    /// id of a sample's field: those differ from one installation to another, and only image types are numbered alike.
    public static let embedded = Vocabulary(terms: [
        .rockTypes: rockTypeNames.map { Term(name: $0) },
        .metamorphicGrades: gradeNames.map { Term(name: $0) },
        .metamorphicRegions: [],
        .minerals: embeddedMinerals,
        .imageTypes: imageTypeNames.enumerated().map { Term(name: $0.element, id: String($0.offset + 1)) },
    ])

    private static let rockTypeNames = [
        "Slate", "Phyllite", "Schist", "Gneiss", "Migmatite", "Anatectite", "Marble", "Calc-silicate", "Greenschist",
        "Amphibolite", "Blueschist", "Eclogite", "Granofels", "Hornfels", "Skarn", "Quartzite", "Jadeitite",
        "Glaucophanite", "Serpentinite", "Garnetite", "Pyroxenite", "Mylonite", "Cataclasite", "Metapelite",
        "Metaigneous", "Metaarkose", "Metagreywacke", "Metabasite", "Metacarbonate", "Metagranite",
        "Cordierite-Anthophyllite", "Metavolcanic",
    ]

    private static let gradeNames = [
        "Zeolite facies", "Prehnite-pumpellyite facies", "Greenschist facies", "Amphibolite facies",
        "Epidote amphibolite facies", "Granulite facies", "Blueschist facies", "Eclogite facies", "Hornfels facies",
        "Chlorite zone", "Biotite zone", "Garnet zone", "Staurolite zone", "Staurolite-kyanite zone", "Kyanite zone",
        "Sillimanite zone", "Andalusite zone", "Sillimanite-K feldspar zone", "Garnet-cordierite zone",
        "Migmatite zone", "Ultra high pressure facies", "Ultra high temperature facies",
    ]

    /// By their abbreviations, in the order of their ids from 1.
    private static let imageTypeNames = [
        "MAP", "XC", "FIELDPHOTO", "PHOTO", "TSS", "TPPL", "TXPL", "RPPL", "RXPL", "SE", "BSE", "CL", "XRM", "DRAWING",
        "FIG", "FIELDNOTES",
    ]
}
