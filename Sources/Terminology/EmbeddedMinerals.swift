internal import KonzaModel

extension Vocabulary {
    /// A start, not MetPetDB's whole list of 193: the ten synonyms that its list is known to have, what they stand for,
    /// and common minerals of metamorphic rocks under the names that mineralogy has for them. A name that the server
    /// does not know turns out when its own list is fetched, and is never sent. Parents are given only where the
    /// server's list is known to have the group as a term.
    static let embeddedMinerals: [Term] =
        synonyms.map { Term(name: $0.name, synonymOf: $0.of) }
        + groups.map { Term(name: $0) }
        + members.map { Term(name: $0.name, parents: [$0.parent]) }
        + others.map { Term(name: $0) }

    private static let synonyms: [(name: String, of: String)] = [
        ("Perthite", "Albite"), ("K-feldspar", "Alkali feldspar"), ("K feldspar", "Alkali feldspar"),
        ("Alkali-feldspar", "Alkali feldspar"), ("Microcline", "Orthoclase"), ("Antiperthite", "Orthoclase"),
        ("Blue Amphibole", "Sodic Amphibole"), ("Titanite", "Sphene"), ("Spinel", "Spinel Group"),
        ("Biopyrobole", "Biopyribole"),
    ]

    /// What the synonyms stand for.
    private static let groups = [
        "Albite", "Alkali feldspar", "Orthoclase", "Sodic Amphibole", "Sphene", "Spinel Group", "Biopyribole",
    ]

    /// Of groups whose name is certain.
    private static let members: [(name: String, parent: String)] = [
        ("Glaucophane", "Sodic Amphibole"), ("Riebeckite", "Sodic Amphibole"), ("Magnetite", "Spinel Group"),
        ("Chromite", "Spinel Group"), ("Hercynite", "Spinel Group"), ("Gahnite", "Spinel Group"),
    ]

    private static let others = [
        "Actinolite", "Aegirine", "Almandine", "Aluminosilicate", "Amphibole", "Analcime", "Andalusite", "Andradite",
        "Anhydrite", "Ankerite", "Anorthite", "Anthophyllite", "Antigorite", "Apatite", "Aragonite", "Augite",
        "Axinite",
        "Barite", "Beryl", "Biotite", "Brucite", "Calcite", "Carpholite", "Chalcopyrite", "Chlorite", "Chloritoid",
        "Chondrodite", "Chrysotile", "Clinochlore", "Clinohumite", "Clinopyroxene", "Clinozoisite", "Coesite",
        "Cordierite", "Corundum", "Crossite", "Cummingtonite", "Diamond", "Diaspore", "Diopside", "Dolomite",
        "Dumortierite", "Enstatite", "Epidote", "Fayalite", "Feldspar", "Ferrosilite", "Fluorite", "Forsterite",
        "Garnet", "Gedrite", "Goethite", "Graphite", "Grossular", "Grunerite", "Hedenbergite", "Hematite",
        "Heulandite", "Hornblende", "Hypersthene", "Ilmenite", "Jadeite", "Kaolinite", "Kyanite", "Laumontite",
        "Lawsonite", "Lizardite", "Magnesite", "Margarite", "Mica", "Monazite", "Monticellite", "Muscovite",
        "Nepheline", "Oligoclase", "Olivine", "Omphacite", "Orthopyroxene", "Osumilite", "Paragonite", "Pargasite",
        "Periclase", "Phengite", "Phlogopite", "Piemontite", "Plagioclase", "Prehnite", "Pumpellyite", "Pyrite",
        "Pyrope", "Pyrophyllite", "Pyroxene", "Pyrrhotite", "Quartz", "Rhodochrosite", "Rhodonite", "Rutile",
        "Sapphirine", "Scapolite", "Sericite", "Serpentine", "Siderite", "Sillimanite", "Spessartine", "Spodumene",
        "Staurolite", "Stilpnomelane", "Sulfide", "Talc", "Topaz", "Tourmaline", "Tremolite", "Vesuvianite",
        "Wollastonite", "Xenotime", "Zeolite", "Zircon", "Zoisite",
    ]
}
