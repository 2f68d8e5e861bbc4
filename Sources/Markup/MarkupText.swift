internal import CCMark
internal import KonzaModel

/// A text written in CommonMark 0.30, as a tree of its parts, read by cmark.
///
/// Raw HTML is left out, and so is every address but those that ``MarkupAddress`` allows; each is remarked on. What is read is
/// bounded: cmark 0.30.2 takes a time that grows with the square of some texts.
public struct MarkupText: Sendable, Equatable {
    /// The most bytes of a text.
    public static let mostBytes = 64 << 10
    /// The most parts of a text.
    public static let mostParts = 20_000
    /// The most parts within one another.
    public static let deepest = 24

    public let blocks: [MarkupNode]
    /// What is left out.
    public let remarks: [MarkupRemark]

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: of at most ``mostBytes``.
    ///   - allowsPictures: whether pictures may lie beside it; without them the words of a picture are shown.
    /// - Throws: ``MarkupError`` for a text beyond the bounds.
    public init(_ text: String, allowsPictures: Bool = true) throws(MarkupError) {
        try MarkupBounds.check(text)
        var builder = MarkupBuilder(allowsPictures: allowsPictures)
        let parsed = try ParsedMarkup(text)
        try parsed.visit { event throws(MarkupError) in try builder.take(event) }
        blocks = builder.blocks
        remarks = builder.remarks
    }

    /// The text without its markup, blocks apart by an empty line: for e-mail and for looking something up.
    public var plain: String { Self.plain(blocks) }

    private static func plain(_ nodes: [MarkupNode]) -> String {
        nodes.map { node in
            switch node.kind {
            case .text, .verbatim, .image, .code: node.text ?? ""
            case .line: "\n"
            case .emphasis, .strong, .link: plain(node.children ?? [])
            case .paragraph, .heading: plain(node.children ?? []) + "\n\n"
            case .list: listed(node) + "\n"
            case .item, .quote: plain(node.children ?? [])
            case .rule: ""
            }
        }.joined()
    }

    private static func listed(_ list: MarkupNode) -> String {
        (list.children ?? []).enumerated().map { index, item in
            let mark = list.start.map { "\($0 + index). " } ?? "- "
            var words = plain(item.children ?? [])[...]
            while words.last == "\n" { words.removeLast() }
            return mark + words + "\n"
        }.joined()
    }
}

/// A part of a text as cmark gives it.
struct MarkupEvent {
    enum Source {
        case part(MarkupNode.Kind)
        case softBreak
        case html
        case document
    }

    let source: Source
    /// Whether the part ends; one that holds no other begins only.
    let isEnd: Bool
    let line: Int
    var text: String?
    var level: Int?
    var start: Int?
    var isTight: Bool?
    var target: String?
}

/// Owns the tree that cmark made of a text.
@safe private struct ParsedMarkup: ~Copyable {
    private let root: OpaquePointer

    init(_ text: String) throws(MarkupError) {
        var bytes = Array(text.utf8)
        let parsed = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe cmark_parse_document(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, CMARK_OPT_VALIDATE_UTF8)
        }
        guard let root = unsafe parsed else { throw MarkupError(.malformed, "there is no memory for it") }
        unsafe self.root = root
    }

    deinit { unsafe cmark_node_free(root) }

    /// Visits all parts in their order, without recursion.
    borrowing func visit(_ body: (MarkupEvent) throws(MarkupError) -> Void) throws(MarkupError) {
        guard let iterator = unsafe cmark_iter_new(root) else {
            throw MarkupError(.malformed, "there is no memory for it")
        }
        defer { unsafe cmark_iter_free(iterator) }
        while true {
            let step = unsafe cmark_iter_next(iterator)
            guard step == CMARK_EVENT_ENTER || step == CMARK_EVENT_EXIT else { return }
            guard let node = unsafe cmark_iter_get_node(iterator) else { return }
            try body(unsafe Self.event(node, isEnd: step == CMARK_EVENT_EXIT))
        }
    }

    private static func event(_ node: OpaquePointer, isEnd: Bool) -> MarkupEvent {
        let kind = unsafe cmark_node_get_type(node)
        var event = MarkupEvent(
            source: source(kind), isEnd: isEnd, line: Int(unsafe cmark_node_get_start_line(node)))
        guard !isEnd else { return event }
        switch kind {
        case CMARK_NODE_TEXT, CMARK_NODE_CODE, CMARK_NODE_CODE_BLOCK:
            event.text = unsafe string(cmark_node_get_literal(node))
        case CMARK_NODE_HEADING: event.level = Int(unsafe cmark_node_get_heading_level(node))
        case CMARK_NODE_LIST:
            event.isTight = unsafe cmark_node_get_list_tight(node) != 0
            if unsafe cmark_node_get_list_type(node) == CMARK_ORDERED_LIST {
                event.start = Int(unsafe cmark_node_get_list_start(node))
            }
        case CMARK_NODE_LINK, CMARK_NODE_IMAGE: event.target = unsafe string(cmark_node_get_url(node))
        default: break
        }
        return event
    }

    private static func source(_ kind: cmark_node_type) -> MarkupEvent.Source {
        switch kind {
        case CMARK_NODE_DOCUMENT: .document
        case CMARK_NODE_HTML_BLOCK, CMARK_NODE_HTML_INLINE, CMARK_NODE_CUSTOM_BLOCK, CMARK_NODE_CUSTOM_INLINE: .html
        case CMARK_NODE_SOFTBREAK: .softBreak
        case CMARK_NODE_PARAGRAPH: .part(.paragraph)
        case CMARK_NODE_HEADING: .part(.heading)
        case CMARK_NODE_LIST: .part(.list)
        case CMARK_NODE_ITEM: .part(.item)
        case CMARK_NODE_BLOCK_QUOTE: .part(.quote)
        case CMARK_NODE_CODE_BLOCK: .part(.code)
        case CMARK_NODE_THEMATIC_BREAK: .part(.rule)
        case CMARK_NODE_TEXT: .part(.text)
        case CMARK_NODE_LINEBREAK: .part(.line)
        case CMARK_NODE_CODE: .part(.verbatim)
        case CMARK_NODE_EMPH: .part(.emphasis)
        case CMARK_NODE_STRONG: .part(.strong)
        case CMARK_NODE_LINK: .part(.link)
        case CMARK_NODE_IMAGE: .part(.image)
        default: .html
        }
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}
