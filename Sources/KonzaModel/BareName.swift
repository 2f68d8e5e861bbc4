/// A name as people say it, to compare names by: in small letters, without what stands in brackets behind it, as in "Creek Loop (made up)".
///
/// - Parameter name: any.
/// - Returns: the name itself, in small letters, if it begins with a bracket or has none.
public func bareName(_ name: String) -> String {
    let name = name.lowercased()
    guard let bracket = name.firstIndex(of: "("), bracket != name.startIndex else { return name }
    return name[..<bracket].split(separator: " ").joined(separator: " ")
}
