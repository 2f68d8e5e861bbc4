internal import KonzaModel

/// Makes the tree of a text from cmark's events, within the bounds of ``MarkupText``.
struct MarkupBuilder {
    private struct Open {
        let kind: MarkupNode.Kind?
        var node: MarkupNode?
        var children: [MarkupNode] = []
    }

    /// The most remarks of one text.
    private static let mostRemarks = 20

    private(set) var blocks: [MarkupNode] = []
    private(set) var remarks: [MarkupRemark] = []
    private let allowsPictures: Bool
    private var open: [Open] = []
    private var parts = 0
    /// The line of the last block, as cmark keeps none of inline parts.
    private var line = 1

    init(allowsPictures: Bool) { self.allowsPictures = allowsPictures }

    mutating func take(_ event: MarkupEvent) throws(MarkupError) {
        if event.line > 0 { line = event.line }
        if event.isEnd { return close() }
        parts += 1
        guard parts <= MarkupText.mostParts else {
            throw MarkupError(
                .tooManyParts, line: line, "it has more than \(MarkupText.mostParts) parts; make two texts of it")
        }
        switch event.source {
        case .document: open.append(Open(kind: nil))
        case .html: remark("raw HTML is left out; write CommonMark instead")
        case .softBreak: add(MarkupNode(.text, text: " "))
        case .part(let kind): try take(kind, event)
        }
    }

    private mutating func take(_ kind: MarkupNode.Kind, _ event: MarkupEvent) throws(MarkupError) {
        switch kind {
        case .text, .verbatim, .code:
            add(MarkupNode(kind, text: TextRule.cleaned(event.text ?? "", hasLines: kind == .code)))
        case .line, .rule: add(MarkupNode(kind))
        case .paragraph, .heading, .list, .item, .quote, .emphasis, .strong, .link, .image:
            guard open.count <= MarkupText.deepest else {
                throw MarkupError(
                    .tooDeep, line: line,
                    "more than \(MarkupText.deepest) quotations, lists or emphases stand within one another; "
                        + "take some of them apart")
            }
            open.append(Open(kind: kind, node: node(kind, event)))
        }
    }

    /// - Returns: nil for a part of which only what it holds is shown.
    private mutating func node(_ kind: MarkupNode.Kind, _ event: MarkupEvent) -> MarkupNode? {
        var node = MarkupNode(kind)
        node.level = event.level
        node.start = event.start
        node.isTight = event.isTight
        let target = event.target ?? ""
        switch kind {
        case .link:
            node.target = MarkupAddress.link(target)
            guard node.target != nil else {
                remark(
                    "the address \(Self.short(target)) is left out; links begin with http://, https://, tel: or mailto:"
                )
                return nil
            }
        case .image:
            node.target = allowsPictures ? MarkupAddress.picture(target) : nil
            guard node.target != nil else {
                remark(
                    allowsPictures
                        ? "the picture \(Self.short(target)) is left out; name a .jpg, .png or .webp file that lies "
                            + "beside the text"
                        : "the picture \(Self.short(target)) is left out; there are no pictures here")
                return nil
            }
        default: break
        }
        return node
    }

    private mutating func close() {
        guard let last = open.popLast() else { return }
        guard var node = last.node else {
            // The document itself, or a part of which only its content is shown.
            if last.kind == nil { blocks = last.children } else { last.children.forEach { add($0) } }
            return
        }
        if node.kind == .image {
            node.text = Self.words(last.children)
        } else {
            node.children = last.children
        }
        add(node)
    }

    private mutating func add(_ node: MarkupNode) {
        guard !open.isEmpty else { return }
        let place = open.count - 1
        // cmark gives a text in as many pieces as it looked at.
        if node.kind == .text, let last = open[place].children.indices.last, open[place].children[last].kind == .text {
            open[place].children[last].text? += node.text ?? ""
        } else {
            open[place].children.append(node)
        }
    }

    private mutating func remark(_ detail: String) {
        guard remarks.count < Self.mostRemarks else { return }
        remarks.append(MarkupRemark(line: line, detail: detail))
    }

    private static func words(_ nodes: [MarkupNode]) -> String {
        nodes.map { ($0.text ?? "") + words($0.children ?? []) }.joined()
    }

    private static func short(_ text: String) -> String {
        let clean = TextRule.cleaned(text)
        return "\"" + (clean.count > 60 ? "\(clean.prefix(60))…" : clean) + "\""
    }
}
