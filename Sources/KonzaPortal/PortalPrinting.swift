internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Printing
internal import Settings
internal import Storage

/// The printer of the settings, its wishes in the portal's database, and the pictures that konzad gives.
struct PortalPrinting: Sendable {
    /// On whose behalf konzad is asked for a picture.
    private static let client = "kiosk printer"

    /// Nil where nothing is printed.
    let service: PrintService?

    /// - Parameters:
    ///   - settings: of the station.
    ///   - database: with ``PrintService/migrations``.
    ///   - station: gives the pictures.
    ///   - clock: by which wishes grow old.
    ///   - log: takes lines about trouble with the printer.
    init(
        _ settings: StationSettings.Printing, database: Database, station: StationLink, clock: any StationClock,
        log: Log
    ) {
        guard !settings.printer.isEmpty, let address = PrinterAddress(settings.printer) else {
            service = nil
            return
        }
        let paper = IPPPrinter.Paper(size: settings.mediaSize, isBorderless: settings.borderless)
        let queue = PrintQueue(
            database, printer: IPPPrinter(address, paper: paper), limits: .init(copies: settings.copies), clock: clock,
            isDeleted: { Self.isDeleted($0, station) }
        ) { id throws(PrintQueue.PictureError) in try Self.picture(id, station) }
        let service = PrintService(queue, clock: clock) { log(.warning, "printing: \($0)") }
        self.service = service
        // Wishes that an earlier run left are taken up, or ended.
        service.need()
    }

    /// Cancels what is still to be printed of a postcard that konzad has deleted. Where that cannot be written down, the queue
    /// finds it out by itself.
    func forget(_ postcard: String) {
        guard let service else { return }
        let open = (try? service.queue.cancel(postcard: postcard)) ?? 0
        if open > 0 { service.need() }
    }

    /// Whether konzad says that it has a postcard no longer; nil if it does not answer.
    private static func isDeleted(_ id: String, _ station: StationLink) -> Bool? {
        var request = StationRequest("GET", "/v1/postcards/\(id)")
        request.headers.append(("konza-on-behalf-of", client))
        return (try? station.answer(request, withinSeconds: StationLink.lookSeconds)).map { $0.status == 404 }
    }

    private static func picture(
        _ id: String, _ station: StationLink
    ) throws(PrintQueue.PictureError) -> [UInt8] {
        var request = StationRequest("GET", "/v1/postcards/\(id)/image.jpg")
        request.headers.append(("konza-on-behalf-of", client))
        let answer: HTTPAnswer
        do throws(Problem) {
            answer = try station.answer(request)
        } catch {
            throw PrintQueue.PictureError(error.detail, isLasting: false)
        }
        switch answer.status {
        case 200: return answer.body
        case 404: throw PrintQueue.PictureError("the postcard was deleted", isLasting: true)
        case 400..<500 where answer.status != 429:
            throw PrintQueue.PictureError("konzad gives no picture: status \(answer.status)", isLasting: true)
        default: throw PrintQueue.PictureError("konzad gives no picture now: status \(answer.status)", isLasting: false)
        }
    }
}
