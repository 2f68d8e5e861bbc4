/// One template at one size, whatever it says.
struct DrawingKey: Hashable {
    var name: String
    var fingerprint: UInt64
    var folder: String?
    var width: Int
    var height: Int
}

/// The items that layers came to, kept for the next drawing with the same words: setting a text and finding its size
/// takes longer than drawing it.
final class ItemStore {
    struct Key: Hashable {
        var drawing: DrawingKey
        var path: String
        var texts: [String?]
    }

    var items = LeastRecentlyUsed<Key, [DrawItem]>(limit: 48)
}

/// An item with the pixels that it may touch.
struct PlacedItem {
    var item: DrawItem
    var rect: PixelRect
}

extension PixelRect {
    /// The rows that it takes of an area around it, widened to the grid that patches are cut on.
    func rows(of area: PixelRect) -> Range<Int> {
        let tile = PatchCutter.tile
        let top = max(area.y, y / tile * tile)
        let bottom = min(area.y + area.height, (y + height + tile - 1) / tile * tile)
        return top..<max(top, bottom)
    }
}

/// What the fixed items of a part look like, for others to be drawn on: new words leave them as they are.
struct Ground {
    let rect: PixelRect
    /// Premultiplied: B, G, R, A, row after row without padding.
    let pixels: [UInt8]

    /// Parts items into fixed ones that may be drawn before all others without a difference, and the others.
    static func split(_ items: [PlacedItem]) -> (fixed: (items: [PlacedItem], ground: PixelRect?), others: [PlacedItem])
    {
        var fixed: [PlacedItem] = []
        var others: [PlacedItem] = []
        for item in items {
            if item.item.isFixed, others.allSatisfy({ !$0.rect.overlaps(item.rect) }) {
                fixed.append(item)
            } else {
                others.append(item)
            }
        }
        let rects = fixed.map(\.rect)
        return ((fixed, rects.dropFirst().reduce(rects.first) { $0?.union($1) }), others)
    }
}
