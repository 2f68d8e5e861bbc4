/// A printer that is reached by IPP.
public struct IPPPrinter: Printer {
    /// How a card is to lie on the paper.
    public struct Paper: Sendable, Equatable {
        /// The name of the size (PWG 5101.1); empty for the printer's own.
        public var size = ""
        /// Whether the picture goes to the edges of the paper.
        public var isBorderless = false

        public init(size: String = "", isBorderless: Bool = false) {
            self.size = size
            self.isBorderless = isBorderless
        }
    }

    private static let jobAttributes = [
        "job-id", "job-name", "job-state", "job-state-reasons", "job-state-message", "job-impressions-completed",
        "job-media-sheets-completed",
    ]

    let address: PrinterAddress
    let paper: Paper

    public init(_ address: PrinterAddress, paper: Paper = Paper()) {
        self.address = address
        self.paper = paper
    }

    public func attributes() throws(PrinterError) -> PrinterAttributes {
        let request = request(.getPrinterAttributes)
        request.add("requested-attributes", keywords: PrinterAttributes.names)
        let answer = try done(request.send(to: address), "tell how it is")
        return PrinterAttributes(answer.groups.first ?? [:])
    }

    public func createJob(named name: String) throws(PrinterError) -> Int {
        let request = request(.createJob)
        request.add("job-name", text: name)
        // The whole card, lettering and all; a printer that does not know the word ignores it (PWG 5100.16).
        request.add(jobKeyword: "print-scaling", paper.isBorderless ? "fill" : "fit")
        if !paper.size.isEmpty, !(paper.isBorderless && request.add(borderless: paper.size)) {
            request.add(jobKeyword: "media", paper.size)
        }
        let answer = try done(request.send(to: address), "take a job")
        guard case .integer(let id)? = answer.groups.first?["job-id"]?.first else {
            throw PrinterError(.refused, "cannot print: the printer gave the job no number")
        }
        return id
    }

    public func send(_ document: [UInt8], to job: Int) throws(PrinterError) {
        let request = request(.sendDocument, job: job)
        request.add("document-format", mediaType: "image/jpeg")
        request.add("last-document", boolean: true)
        _ = try done(request.send(to: address, document: document), "take the picture")
    }

    public func job(_ id: Int) throws(PrinterError) -> PrinterJob? {
        let request = request(.getJobAttributes, job: id)
        request.add("requested-attributes", keywords: Self.jobAttributes)
        let answer = try request.send(to: address)
        if answer.isNotFound { return nil }
        return Self.job(try done(answer, "say how the job is").groups.first ?? [:])
    }

    public func openJobs(named name: String) throws(PrinterError) -> [PrinterJob] {
        let request = request(.getJobs)
        request.add("which-jobs", keywords: ["not-completed"])
        request.add("requested-attributes", keywords: Self.jobAttributes)
        let answer = try done(request.send(to: address), "list its jobs")
        return answer.groups.filter { $0["job-name"]?.first == .text(name) }.compactMap(Self.job).filter(\.isOpen)
    }

    public func cancel(_ job: Int) throws(PrinterError) {
        let answer = try request(.cancelJob, job: job).send(to: address)
        // Not possible: it is ended already (RFC 8011 section 4.3.3).
        if answer.isNotFound || answer.status == 0x404 { return }
        _ = try done(answer, "cancel the job")
    }

    public func resume() throws(PrinterError) {
        _ = try done(request(.resumePrinter).send(to: address), "go on")
    }

    private func request(_ operation: IPPOperation, job: Int? = nil) -> IPPRequest {
        IPPRequest(operation, printer: address.uri, job: job)
    }

    private func done(_ answer: IPPAnswer, _ action: String) throws(PrinterError) -> IPPAnswer {
        guard answer.status < 0x100 else {
            throw PrinterError(.refused, "the printer does not \(action): \(answer.words)")
        }
        return answer
    }

    /// Reads a job.
    ///
    /// - Returns: nil without a number or a state.
    static func job(_ attributes: IPPAttributes) -> PrinterJob? {
        guard case .integer(let id)? = attributes["job-id"]?.first,
            case .integer(let state)? = attributes["job-state"]?.first
        else { return nil }
        let reasons = attributes["job-state-reasons"] ?? []
        let isIncoming = reasons.contains(.text("job-incoming")) || reasons.contains(.text("job-data-insufficient"))
        let sheets = ["job-impressions-completed", "job-media-sheets-completed"].compactMap { name -> Int? in
            guard case .integer(let count)? = attributes[name]?.first else { return nil }
            return count
        }.max()
        var message = ""
        if case .text(let text)? = attributes["job-state-message"]?.first { message = text }
        let found: PrinterJob.State =
            switch state {
            case 9: .completed
            case 7, 8: .ended
            case 5: isIncoming ? .incoming : .printing
            default: isIncoming ? .incoming : .open
            }
        return PrinterJob(id: id, state: found, sheets: max(0, sheets ?? 0), message: message)
    }
}
