internal import Drawing
internal import KonzaModel
internal import Stamping

/// A drawing that is laid on frames: a template's, or one that is made of it.
struct OverlayChoice: Hashable, Sendable {
    enum Change: String, CaseIterable, Sendable {
        /// As the template draws it.
        case none
        /// The picture shines through all of it.
        case halfTransparent
        /// It lies at the top.
        case top
    }

    let template: String
    var change = Change.none

    var name: String {
        switch change {
        case .none: template
        case .halfTransparent: "\(template), semi-transparent"
        case .top: "\(template), at the top"
        }
    }
}

/// Draws the overlays that all contestants lay on the frames.
struct OverlayStudio {
    let templates: [Template]
    private let artist = PostcardArtist(cacheBytes: 0)

    /// - Parameter folder: With the templates.
    /// - Throws: What is wrong with a template, or that there is none.
    init(folder: String) throws {
        let library = TemplateLibrary(folders: ["\(folder)/templates"])
        if let problem = library.problems.first { throw problem }
        templates = library.templates
        guard !templates.isEmpty else {
            throw BenchError("cannot stamp: there are no templates in \(folder)/templates")
        }
    }

    /// Draws anew each time.
    func draw(_ drawing: OverlayChoice, _ size: PixelSize) throws -> Overlay {
        guard let template = templates.first(where: { $0.name == drawing.template }) else {
            throw BenchError("cannot stamp: there is no template \(drawing.template)")
        }
        let overlay = try artist.overlay(
            template: template, width: size.width, height: size.height, facts: Self.facts())
        return switch drawing.change {
        case .none: overlay
        case .halfTransparent: overlay.faded(to: 0.6)
        case .top: overlay.atTheTop
        }
    }

    /// What a postcard says. With a number it has a message, a time and coordinates of its own.
    static func facts(number: Int? = nil) -> PostcardFacts {
        PostcardFacts(
            place: "Konza Prairie",
            time: CivilTime(year: 2026, month: 8, day: 28, hour: 18, minute: 30 + (number ?? 0) % 30), zone: "CDT",
            coordinate: Coordinate(latitude: 39.1069 + 0.0003 * Double(number ?? 0), longitude: -96.6091),
            elevationMetres: 443 + Double(number ?? 0),
            message: number.map { "Card number \($0) from the bench" } ?? "The bluestem is taller than we are")
    }
}

extension Overlay {
    /// The overlay with a share of its alpha.
    func faded(to share: Double) -> Overlay {
        changed { patch in
            let pixels = patch.pixels.map { UInt8((Double($0) * share).rounded()) }
            return Patch(x: patch.x, y: patch.y, width: patch.width, height: patch.height, pixels: pixels)
        }
    }

    /// The overlay moved up as far as it goes.
    var atTheTop: Overlay {
        let top = patches.map(\.y).min() ?? 0
        return changed { patch in
            Patch(x: patch.x, y: patch.y - top, width: patch.width, height: patch.height, pixels: patch.pixels)
        }
    }

    private func changed(_ change: (Patch) -> Patch) -> Overlay {
        Overlay(width: width, height: height, patches: patches.map(change))
    }
}
