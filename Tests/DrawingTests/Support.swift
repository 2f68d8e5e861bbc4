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

    /// The premultiplied pixels, row by row; transparent where no patch lies.
    private var canvas: [[UInt8]] {
        var rows = [[UInt8]](repeating: [UInt8](repeating: 0, count: width * 4), count: height)
        for patch in patches {
            for row in 0..<patch.height {
                let line = patch.pixels[row * patch.width * 4..<(row + 1) * patch.width * 4]
                rows[patch.y + row].replaceSubrange(patch.x * 4..<(patch.x + patch.width) * 4, with: line)
            }
        }
        return rows
    }

    /// A place of a picture.
    struct Pixel: Equatable {
        let x: Int
        let y: Int
    }

    /// Where two overlays of one size differ.
    func differences(from other: Overlay) -> [Pixel] {
        var found: [Pixel] = []
        for (y, (own, others)) in zip(canvas, other.canvas).enumerated() where own != others {
            for x in 0..<width where own[x * 4..<x * 4 + 4] != others[x * 4..<x * 4 + 4] {
                found.append(Pixel(x: x, y: y))
            }
        }
        return found
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
