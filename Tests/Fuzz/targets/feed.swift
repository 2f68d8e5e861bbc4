import Feeds
import KonzaModel

// A libFuzzer target over the reader of feeds: Atom, JSON Feed, CAP and the alerts of the Weather Service.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(FeedError) {
        let feed = try FeedReader.read(unsafe input(bytes, count))
        guard feed.items.count <= FeedBounds.items else { fail("too many items") }
        guard Set(feed.items.map(\.id)).count == feed.items.count else { fail("an id comes twice") }
        for item in feed.items {
            guard (1...FeedBounds.idBytes).contains(item.id.utf8.count) else { fail("an id out of bounds") }
            guard item.title.unicodeScalars.count <= FeedBounds.title else { fail("a title is too long") }
            let link = item.link ?? "https://"
            guard link.lowercased().hasPrefix("http://") || link.lowercased().hasPrefix("https://") else {
                fail("a link that leads elsewhere")
            }
        }
    } catch {
        guard !error.description.isEmpty else { fail("a refusal without words") }
    }
    return 0
}
