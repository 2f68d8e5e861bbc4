public import KonzaModel
internal import Storage

extension SpecimenArchive {
    /// The largest vocabulary that is kept, bytes of JSON.
    public static let maximumVocabulary = 4 << 20

    private var vocabularyPath: String { "\(store.folder)/\(SpecimenNames.root)/vocabulary.json" }

    /// The vocabulary that was kept last; nil if none was, or its file cannot be read.
    public func vocabulary() -> Vocabulary? {
        guard let bytes = try? Folder.contents(vocabularyPath, limit: Self.maximumVocabulary) else { return nil }
        return StoredText.decode(Vocabulary.self, bytes)
    }

    /// Keeps a vocabulary in place of the one before, durably.
    ///
    /// - Throws: `tooLarge`, and what the disk refuses.
    public func keep(_ vocabulary: Vocabulary) throws(SpecimenError) {
        let text = try StoredText.encode(vocabulary, limit: Self.maximumVocabulary)
        try writing(to: nil, taking: Int64(text.count), for: "vocabulary") { _ throws(SpecimenError) in
            try specimens { () throws(StorageError) in
                try storing { () throws(FileError) in
                    try files.makeFolders(SpecimenNames.root, below: store.folder)
                    try files.replace(
                        DurableFiles.Item(name: "vocabulary.json", content: FileContent(text)),
                        in: "\(store.folder)/\(SpecimenNames.root)")
                }
            }
        }
    }
}
