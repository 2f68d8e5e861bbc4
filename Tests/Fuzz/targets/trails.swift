import KonzaModel
import Trails

// A libFuzzer target over the readers of trails (GeoJSON, GPX, OSM XML) and what is made of them.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let place = Coordinate(latitude: 39.1069, longitude: -96.6091) else { return 0 }
    let instant = UTCInstant(nanoseconds: 0)
    do throws(TrailError) {
        let source = try TrailImport.source(of: unsafe input(bytes, count), name: "fuzz", at: instant).source
        let network = TrailNetwork([source])
        let closed = ClosedEdges(network, [], at: instant)
        var matcher = TrailMatcher(network)
        let match = matcher.take(TrailFix(time: instant, place: place))
        _ = network.description(of: match, closed: closed)
        _ = network.junctionAhead(match, closed: closed)
        if let first = source.segments.first?.points.first {
            _ = try? network.way(from: first, to: first, closed: closed)
        }
        // What is written is read back with as many segments, but where lines on one ground were cut: their pieces may be one.
        let text = TrailEncoding.geoJSON(network, closed: closed)
        let again = try TrailImport.source(of: text, name: "fuzz", at: instant).source
        guard again.segments.count == source.segments.count || network.edgeCount > source.segments.count else {
            fail("not as many segments read back")
        }
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
