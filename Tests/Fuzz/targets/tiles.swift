import Glibc
import MapTiles

// A libFuzzer target over files of map tiles (MBTiles). SQLite reads the file itself: the input is one, on the memory file system.

private let path = "/dev/shm/konza-fuzz-\(getpid()).mbtiles"

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { fail("no file") }
    guard unsafe count == 0 || write(file, bytes, count) == count else { fail("no file") }
    close(file)
    do throws(TileError) {
        let archive = try TileArchive(path: path)
        let zooms = archive.facts.zooms
        guard zooms.lowerBound >= 0, zooms.upperBound <= 22 else { fail("zooms beyond all maps") }
        for zoom in zooms.prefix(4) {
            for place in [(0, 0), (1, 0), (1 << zoom / 2, (1 << zoom) - 1)] {
                guard let tile = try archive.tile(zoom: zoom, column: place.0, row: place.1) else { continue }
                guard tile.bytes.count <= TileArchive.largestTile, tile.mediaType.hasPrefix("image/") else {
                    fail("no picture")
                }
            }
        }
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
