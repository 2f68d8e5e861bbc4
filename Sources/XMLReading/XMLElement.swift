/// An element of an XML document. Comments and processing instructions are not kept, attributes only where they are wanted
/// (``XMLLimits/keepsAttributes``).
public struct XMLElement: Sendable, Equatable {
    public let name: String
    /// The element's own characters, those between its children among them, without white space at either end.
    public let text: String
    public let children: [XMLElement]
    /// The values of the attributes by their names; empty where they are not kept.
    public let attributes: [String: String]

    public init(
        _ name: String, text: String = "", children: [XMLElement] = [], attributes: [String: String] = [:]
    ) {
        self.name = name
        self.text = text
        self.children = children
        self.attributes = attributes
    }

    /// The first child of that name.
    public subscript(name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The characters of the element, or of the first element below it that has any, as in `<id><long>7</long></id>`;
    /// nil without any.
    public var value: String? {
        if !text.isEmpty { return text }
        for child in children {
            if let value = child.value { return value }
        }
        return nil
    }
}

/// What a document may have at most.
public struct XMLLimits: Sendable {
    /// Bytes of the document.
    public var bytes = 4 << 20
    /// Elements within elements.
    public var depth = 32
    public var elements = 100_000
    /// Whether the elements keep their attributes; their bytes are part of the document's.
    public var keepsAttributes = false

    public init() {}
}

/// Why a document is not read.
public struct XMLError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        /// A document type, where entities are declared: it is not looked into.
        case documentType
        case tooLarge
        case tooDeep
        case tooManyElements
        /// It is no XML, or ends in the middle.
        case malformed
    }

    public let reason: Reason
    /// "cannot read the XML: why", with the line where that is known.
    public let description: String
    /// From 1; 0 where it has no meaning.
    public let line: Int

    init(_ reason: Reason, _ words: String, line: Int = 0) {
        self.reason = reason
        self.line = line
        description = "cannot read the XML: \(words)" + (line > 0 ? " (line \(line))" : "")
    }
}
