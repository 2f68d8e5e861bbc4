import Foundation
import KonzaModel
import Testing

@testable import Drawing

/// The folder of the templates that the station ships with.
let shippedFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "config/templates").path

func shipped(_ name: String) throws -> Template { try TemplateLibrary(folders: [shippedFolder]).template(named: name) }

/// A template of the given layers.
func template(_ layers: String, _ others: String = "") throws -> Template {
    try Template(
        parsing: ##"{"name":"test","title":"Test","colors":{"ink":"#000"},\##(others) "layers":[\##(layers)]}"##)
}

let wholeFacts = PostcardFacts(
    place: "Konza Nature Trail", time: CivilTime(year: 2026, month: 9, day: 20, hour: 18, minute: 42), zone: "CDT",
    coordinate: Coordinate(latitude: 39.10683, longitude: -96.60917), elevationMetres: 366,
    message: "Wish you were here!")

let bareFacts = PostcardFacts(place: "")

extension Overlay {
    /// The premultiplied pixel at a place; transparent where no patch lies.
    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        for patch in patches
        where (patch.x..<patch.x + patch.width).contains(x) && (patch.y..<patch.y + patch.height).contains(y) {
            let offset = ((y - patch.y) * patch.width + x - patch.x) * 4
            return Array(patch.pixels[offset..<offset + 4])
        }
        return [0, 0, 0, 0]
    }

    var hasOverlaps: Bool {
        patches.indices.contains { first in
            patches.indices.contains { second in
                guard first < second else { return false }
                let (one, two) = (patches[first], patches[second])
                return one.x < two.x + two.width && two.x < one.x + one.width && one.y < two.y + two.height
                    && two.y < one.y + one.height
            }
        }
    }

    var isPremultiplied: Bool {
        patches.allSatisfy { patch in
            stride(from: 0, to: patch.pixels.count, by: 4).allSatisfy { index in
                let alpha = patch.pixels[index + 3]
                return patch.pixels[index] <= alpha && patch.pixels[index + 1] <= alpha
                    && patch.pixels[index + 2] <= alpha
            }
        }
    }
}

/// A temporary folder that is gone when the body returns.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "konza-drawing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}
