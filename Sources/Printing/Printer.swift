/// A job as its printer reports it.
public struct PrinterJob: Sendable, Equatable {
    /// RFC 8011 section 5.3.7, as far as it matters here.
    public enum State: Sendable {
        /// It waits: pending, held or stopped.
        case open
        /// A sheet is under way.
        case printing
        /// Its document did not arrive whole.
        case incoming
        case completed
        /// Canceled or aborted.
        case ended
    }

    public var id: Int
    public var state: State
    /// Sheets that came out, as far as the printer counts them.
    public var sheets: Int
    /// The printer's own words.
    public var message: String

    public init(id: Int, state: State, sheets: Int = 0, message: String = "") {
        self.id = id
        self.state = state
        self.sheets = sheets
        self.message = message
    }

    /// Whether it may still print.
    var isOpen: Bool { state == .open || state == .incoming || state == .printing }
}

/// A printer, or a test's. The calls block.
public protocol Printer: Sendable {
    /// How the printer is.
    func attributes() throws(PrinterError) -> PrinterAttributes
    /// Makes a job without a document, which prints nothing. Gives its number.
    func createJob(named name: String) throws(PrinterError) -> Int
    /// Sends the one document of a job, a JPEG: the job is printed then.
    func send(_ document: [UInt8], to job: Int) throws(PrinterError)
    /// The job with a number; nil if the printer knows of none.
    func job(_ id: Int) throws(PrinterError) -> PrinterJob?
    /// The jobs with a name that are not ended yet.
    func openJobs(named name: String) throws(PrinterError) -> [PrinterJob]
    /// Cancels a job; nothing happens to one that is ended.
    func cancel(_ job: Int) throws(PrinterError)
    /// Has a printer that was stopped go on.
    func resume() throws(PrinterError)
}
