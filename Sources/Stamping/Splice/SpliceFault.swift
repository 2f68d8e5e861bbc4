internal import JPEGCoding

/// Why a scan could not be spliced.
enum SpliceFault: Error, Equatable {
    /// Tables or sampling that the standard does not allow; the text says which.
    case notBaseline(String)
    /// The entropy-coded data break the standard, or end too early, near a byte.
    case broken(offset: Int)
    /// The picture's own tables have no code for what the overlay needs.
    case missingCode
    /// The output would exceed its limit, or there is no memory for it.
    case outputLimit

    /// Another engine may repair broken data, or make other tables.
    var stampingError: StampingError {
        switch self {
        case .notBaseline(let what): .unsupported(what)
        case .broken(let offset):
            .unsupported("the entropy-coded data are damaged near byte \(offset)")
        case .missingCode:
            .unsupported("the picture's Huffman tables have no code for the overlay")
        case .outputLimit: .coding(.outputTooLarge)
        }
    }
}
