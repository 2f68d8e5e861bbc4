internal import Capture
internal import Drawing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Mounting
internal import Postcards
internal import Stamping

/// The shots of a collage, and how they lie.
struct CollageOrder: Sendable {
    let layout: CollageLayout
    /// In their order; none is missing.
    let shots: [Exposure]

    var instants: [ExposedShot] {
        shots.map { ExposedShot(requestedAt: $0.trigger.instant, exposedAt: $0.time.instant) }
    }
}

extension PostcardMaker {
    /// Composes a collage and keeps it as a postcard: stamped, dressed and written like any other. Its time and place are
    /// those of the shot that was taken last.
    func make(_ order: PostcardOrder, collage: CollageOrder) async throws(Problem) -> PostcardRecord {
        try await onBlockingThread { () throws(Problem) in
            let exposure = try mounted(order, collage)
            guard let record = try finish(order, exposure) else {
                throw Problem(.cannotStamp, "cannot make the collage: its own picture is damaged")
            }
            return record
        }
    }

    /// The card with its pictures, before the lettering.
    func mounted(_ order: PostcardOrder, _ collage: CollageOrder) throws(Problem) -> Exposure {
        guard let first = collage.shots.first,
            let last = collage.shots.max(by: { $0.frame.exposedAt < $1.frame.exposedAt })
        else { throw Problem(.invalidRequest, "cannot make a collage of no shots") }
        let card = CollageCells.cardSize(width: first.frame.width, height: first.frame.height)
        let style: CollageStyle
        do throws(DrawingError) {
            style = try parts.library.template(named: order.template).collageStyle(
                width: card.width, height: card.height)
        } catch {
            throw Problem(error)
        }
        let mounter = CollageMounter(limits: CoefficientEngine.defaultLimits, memory: parts.pictureMemory)
        let pictures = collage.shots.map {
            CollageMounter.Picture($0.frame.data, width: $0.frame.width, height: $0.frame.height)
        }
        do throws(CollageMounter.Failure) {
            let data = try mounter.mount(pictures, collage.layout, style: style, card: card)
            return Exposure(
                frame: last.frame.turned(data, width: card.width, height: card.height), trigger: last.trigger,
                time: last.time, utcOffsetSeconds: last.utcOffsetSeconds, position: last.position)
        } catch {
            switch error {
            case .count(let count):
                throw Problem(.invalidRequest, "cannot make a collage of \(count) shots: take 2 to 4")
            case .coding(let error): throw Problem(StampingError.coding(error))
            case .damaged(let index):
                throw Problem(
                    .cannotStamp, "cannot make the collage: the picture of /shots/\(index) is damaged; take it again")
            }
        }
    }
}
