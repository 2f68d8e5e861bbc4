internal import CExpat

/// How a document's characters are written where it does not say so itself.
public enum XMLEncoding: String, Sendable {
    case utf8 = "UTF-8"
    case latin1 = "ISO-8859-1"
}

/// Reads whole documents that strangers wrote.
public enum XMLDocument {
    /// Reads a document.
    ///
    /// A document type is refused before anything in it is looked at, so that no entity is ever declared, expanded or
    /// fetched. What is left are the five that XML itself knows, and numbers of characters.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - encoding: what the transport says; nil to go by the document.
    ///   - limits: what it may have at most.
    /// - Returns: its root.
    /// - Throws: ``XMLError``, which says why it is refused.
    public static func root(
        of bytes: [UInt8], encoding: XMLEncoding? = nil, limits: XMLLimits = XMLLimits()
    ) throws(XMLError) -> XMLElement {
        guard bytes.count <= limits.bytes else {
            throw XMLError(.tooLarge, "it has \(bytes.count) bytes, and \(limits.bytes) are the most that is read")
        }
        let tree = XMLTree(limits)
        let parser = try XMLParser(encoding, tree)
        try parser.read(bytes)
        guard let root = tree.root else { throw XMLError(.malformed, "it holds no element") }
        return root
    }
}

/// Owns expat's parser of one document.
@safe private struct XMLParser: ~Copyable {
    private let handle: OpaquePointer
    private let tree: XMLTree

    /// - Throws: ``XMLError`` if there is no memory.
    init(_ encoding: XMLEncoding?, _ tree: XMLTree) throws(XMLError) {
        guard let handle = unsafe XML_ParserCreate(encoding?.rawValue) else {
            throw XMLError(.malformed, "there is no memory for it")
        }
        unsafe self.handle = unsafe handle
        self.tree = tree
        unsafe XML_SetUserData(handle, Unmanaged.passUnretained(tree).toOpaque())
        unsafe XML_SetElementHandler(
            handle,
            { tree, name, attributes in
                guard let tree = unsafe XMLParser.tree(tree), let name = unsafe name else { return }
                unsafe tree.begin(String(cString: name), attributes)
            },
            { tree, _ in unsafe XMLParser.tree(tree)?.end() })
        unsafe XML_SetCharacterDataHandler(handle) { tree, text, count in
            guard let tree = unsafe XMLParser.tree(tree), let text = unsafe text, count > 0 else { return }
            unsafe UnsafeBufferPointer(start: text, count: Int(count)).withMemoryRebound(to: UInt8.self) {
                unsafe tree.add($0)
            }
        }
        unsafe XML_SetStartDoctypeDeclHandler(handle) { tree, _, _, _, _ in
            unsafe XMLParser.tree(tree)?.refuse(.documentType, "it has a document type, where entities are declared")
        }
        // The handlers tell the tree of the parser, and the tree stops it.
        unsafe tree.parser = unsafe handle
    }

    deinit { unsafe XML_ParserFree(handle) }

    private static func tree(_ pointer: UnsafeMutableRawPointer?) -> XMLTree? {
        unsafe pointer.map { unsafe Unmanaged<XMLTree>.fromOpaque($0).takeUnretainedValue() }
    }

    borrowing func read(_ bytes: [UInt8]) throws(XMLError) {
        let handle = unsafe self.handle
        let status = unsafe bytes.withUnsafeBytes { bytes in
            // `bytes` fits: the limit is far below two gigabytes.
            unsafe XML_Parse(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), 1)
        }
        unsafe tree.parser = nil
        if let error = tree.error { throw error }
        guard status == XML_STATUS_OK else {
            let words = unsafe XML_ErrorString(XML_GetErrorCode(handle)).map { unsafe String(cString: $0) }
            throw XMLError(
                .malformed, words ?? "it is no XML", line: unsafe Int(clamping: XML_GetCurrentLineNumber(handle)))
        }
    }
}

/// The elements of a document while it is read.
@safe private final class XMLTree {
    private struct Open {
        let name: String
        let attributes: [String: String]
        var text: [UInt8] = []
        var children: [XMLElement] = []
    }

    private let limits: XMLLimits
    private var open: [Open] = []
    private var count = 0
    private(set) var root: XMLElement?
    private(set) var error: XMLError?
    /// Set while the parser is at work.
    var parser: OpaquePointer?

    init(_ limits: XMLLimits) { self.limits = limits }

    /// Ends the reading. Some handlers may still be called once.
    func refuse(_ reason: XMLError.Reason, _ words: String) {
        guard error == nil else { return }
        error = XMLError(
            reason, words, line: unsafe parser.map { unsafe Int(clamping: XML_GetCurrentLineNumber($0)) } ?? 0)
        unsafe _ = parser.map { unsafe XML_StopParser($0, 0) }
    }

    /// - Parameters:
    ///   - name: of the element.
    ///   - pairs: names and values of its attributes, one after the other, and null at the end.
    func begin(_ name: String, _ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard error == nil else { return }
        count += 1
        guard count <= limits.elements else {
            return refuse(.tooManyElements, "it has more than \(limits.elements) elements")
        }
        guard open.count < limits.depth else {
            return refuse(.tooDeep, "elements are within more than \(limits.depth) others")
        }
        unsafe open.append(Open(name: name, attributes: limits.keepsAttributes ? Self.attributes(pairs) : [:]))
    }

    private static func attributes(_ pairs: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String: String] {
        var attributes: [String: String] = [:]
        guard var pair = unsafe pairs else { return attributes }
        while let name = unsafe pair[0], let value = unsafe pair[1] {
            unsafe attributes[String(cString: name)] = unsafe String(cString: value)
            unsafe pair += 2
        }
        return attributes
    }

    func add(_ text: UnsafeBufferPointer<UInt8>) {
        guard error == nil, !open.isEmpty else { return }
        unsafe open[open.count - 1].text.append(contentsOf: text)
    }

    func end() {
        guard error == nil, let last = open.popLast() else { return }
        let element = XMLElement(
            last.name, text: Self.trimmed(last.text), children: last.children, attributes: last.attributes)
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let start = bytes.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(decoding: start[...last], as: UTF8.self)
    }
}
