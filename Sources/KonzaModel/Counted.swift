/// A count with its noun, such as "1 gap" and "2 gaps".
///
/// - Parameters:
///   - number: how many.
///   - noun: of one.
///   - plural: of any other number; the noun with an s by default.
/// - Returns: both, with a blank between.
public func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? "\(noun)s")"
}
