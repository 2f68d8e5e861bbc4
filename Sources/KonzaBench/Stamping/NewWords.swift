internal import Drawing
internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// Postcards with a message, a time and coordinates that nobody had before, drawing included, as konzad makes them: what
/// was kept for the last one is used.
final class NewWords: Contestant {
    static let name: String = "konzad, new words, drawing included"
    let name: String = NewWords.name
    private let template: Template
    private let artist = PostcardArtist()
    private var last: PreparedOverlay?
    private var number = 0

    init(_ template: Template) {
        self.template = template
    }

    func measure(_ task: StampingTask) throws -> Double? {
        number += 1
        return try processorMilliseconds { _ = try stamp(task, OverlayStudio.facts(number: number)) }
    }

    /// With the usual words, which are new to this artist.
    func result(_ task: StampingTask) throws -> ContestResult? {
        let stamped = try stamp(task, OverlayStudio.facts())
        return ContestResult(picture: stamped.data, way: stamped.way.rawValue)
    }

    private func stamp(_ task: StampingTask, _ facts: PostcardFacts) throws -> StampedPicture {
        let overlay = try artist.overlay(
            template: template, width: task.overlay.width, height: task.overlay.height, facts: facts)
        let prepared = PreparedOverlay(overlay, after: last)
        last = prepared
        return try StampingLadder().stamp(task.frame, with: prepared)
    }
}
