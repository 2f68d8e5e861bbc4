import Markup
import Storage

// A libFuzzer target over the reader of pages: front matter and CommonMark.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(ContentError) {
        let page = try StationPage(path: "en/page.md", unsafe input(bytes, count))
        guard page.order >= 0, !page.title.isEmpty || page.text.blocks.isEmpty == false else {
            fail("a page without a title")
        }
        check(page.text.blocks)
    } catch {
        guard !error.detail.isEmpty else { fail("a refusal without words") }
    }
    return 0
}

private func check(_ nodes: [MarkupNode]) {
    for node in nodes {
        if node.kind == .link {
            let schemes = ["http://", "https://", "tel:", "mailto:"]
            guard schemes.contains(where: (node.target ?? "").hasPrefix) else { fail("a link that leads elsewhere") }
        }
        if node.kind == .image, MarkupAddress.picture(node.target ?? "") == nil { fail("a picture from elsewhere") }
        check(node.children ?? [])
    }
}
