import Testing

@testable import Printing

@Suite("The printer's condition")
struct PrinterConditionTests {
    typealias State = PrinterCondition.State

    static let rows: [(reasons: [String], activity: PrinterAttributes.Activity, state: State)] = [
        ([], .idle, .ready), ([], .processing, .printing),
        // Stopped without a word, and by a person (CUPS).
        ([], .stopped, .paused), (["paused"], .stopped, .paused), (["moving-to-paused"], .processing, .paused),
        // What ippeveprinter says while it idles, while it prints, and when it stands still.
        (["media-empty-report"], .idle, .paperOut),
        (["media-empty-warning", "media-needed-warning"], .processing, .paperOut),
        (["media-empty-error"], .stopped, .paperOut), (["media-needed"], .stopped, .paperOut),
        (["input-tray-missing"], .idle, .paperOut),
        (["marker-supply-empty-error"], .stopped, .inkOut), (["toner-empty"], .idle, .inkOut),
        (["cover-open"], .idle, .doorOpen), (["door-open-report"], .idle, .doorOpen),
        (["interlock-open"], .idle, .doorOpen),
        (["media-jam-error"], .stopped, .jam), (["offline-report"], .idle, .unreachable),
        // What a person has to do first comes first, wherever it stands.
        (["media-empty-error", "cover-open-error"], .stopped, .doorOpen),
        (["paused", "media-empty-error"], .stopped, .paperOut),
        // Faults without a name of their own.
        (["fuser-over-temp"], .stopped, .fault), (["other-error"], .idle, .fault), (["timed-out"], .processing, .fault),
        // What is nothing to stop for.
        (["media-low-warning", "toner-low", "marker-supply-low-report"], .idle, .ready),
        (["cups-remote-stopped", "connecting-to-device"], .processing, .printing), (["other-warning"], .idle, .ready),
        (["cups-missing-filter-warning", "cups-insecure-filter-error"], .idle, .ready),
    ]

    @Test("is told from its state and its reasons, whatever their severity", arguments: rows)
    func state(reasons: [String], activity: PrinterAttributes.Activity, state: State) {
        var attributes = PrinterAttributes()
        attributes.reasons = reasons
        attributes.activity = activity
        let condition = PrinterCondition(attributes)
        #expect(condition.state == state)
        #expect(condition.isResumable == (activity == .stopped))
        #expect(!condition.reason.isEmpty)
        #expect(condition.takesJobs == condition.remedy.isEmpty)
    }

    @Test("a printer that takes no jobs, or no JPEG, says so with what to do")
    func unable() {
        var attributes = PrinterAttributes()
        attributes.isAccepting = false
        #expect(PrinterCondition(attributes).state == .rejecting)
        attributes.takesJPEG = false
        let condition = PrinterCondition(attributes)
        #expect(
            condition.state == .fault && condition.reason.contains("JPEG") && condition.remedy.contains("CUPS queue"))
    }

    @Test("a job without a change for three minutes is a fault, and a known cause comes before it")
    func stalled() {
        var attributes = PrinterAttributes()
        attributes.activity = .processing
        #expect(PrinterCondition(attributes, stallSeconds: 179).state == .printing)
        let condition = PrinterCondition(attributes, stallSeconds: 180)
        #expect(condition.state == .noProgress && !condition.takesJobs && !condition.remedy.isEmpty)
        attributes.reasons = ["media-empty"]
        #expect(PrinterCondition(attributes, stallSeconds: 180).state == .paperOut)
    }

    @Test("the printer's attributes are read, and what is left out or odd is taken to be well")
    func attributes() {
        let read = PrinterAttributes([
            "printer-state": [.integer(5)], "printer-state-reasons": [.text("media-empty"), .text("paused")],
            "printer-state-message": [.text("Load paper")], "printer-is-accepting-jobs": [.boolean(false)],
            "document-format-supported": [.text("application/pdf"), .text("image/JPEG")],
            // RFC 3805: below zero is not known.
            "marker-names": [.text("Ribbon"), .text("Paper"), .text("Waste")],
            "marker-levels": [.integer(84), .integer(-3), .integer(300)],
            "marker-message": [.text("84 native prints remaining")],
        ])
        #expect(read.activity == .stopped && read.reasons == ["media-empty", "paused"] && !read.isAccepting)
        #expect(read.takesJPEG && read.message == "Load paper" && read.supplyMessage == "84 native prints remaining")
        #expect(read.supplies.map(\.level) == [84, nil, nil])
        #expect(PrinterAttributes([:]) == PrinterAttributes())
        #expect(
            PrinterAttributes(["printer-state-reasons": [.text("none")], "printer-state": [.text("5")]]).reasons == [])
        #expect(!PrinterAttributes(["document-format-supported": [.text("application/pdf")]]).takesJPEG)
        let supplies = PrinterAttributes([
            "printer-supply": [
                .text("index=1;class=receptacleThatIsFilled;type=wasteToner;maxcapacity=100;level=25;"),
                .text("index=2;class=supplyThatIsConsumed;type=toner;unit=percent;maxcapacity=200;level=50;"),
                .text("class=supplyThatIsConsumed;type=ink;level=-2;maxcapacity=0;colorantname=cyan"), .text(";;=;"),
            ]
        ]).supplies
        #expect(supplies == [.init(name: "toner", level: 25), .init(name: "cyan", level: nil)])
    }

    @Test("a job's state is read as far as it matters")
    func jobs() {
        func job(_ state: Int, _ more: IPPAttributes = [:]) -> PrinterJob? {
            let usual: IPPAttributes = ["job-id": [.integer(7)], "job-state": [.integer(state)]]
            return IPPPrinter.job(usual.merging(more) { $1 })
        }
        #expect(
            [3, 4, 5, 6, 7, 8, 9].map { job($0)?.state } == [
                .open, .open, .printing, .open, .ended, .ended, .completed,
            ])
        #expect(job(4, ["job-state-reasons": [.text("job-incoming")]])?.state == .incoming)
        #expect(
            job(8, ["job-impressions-completed": [.integer(1)], "job-media-sheets-completed": [.integer(0)]])?.sheets
                == 1)
        #expect(IPPPrinter.job(["job-state": [.integer(9)]]) == nil)
    }
}

@Suite("A printer's address")
struct PrinterAddressTests {
    @Test(
        "is a queue of this machine's CUPS, or a URI",
        arguments: [
            ("selphy", nil, 631, "/printers/selphy", "ipp://localhost/printers/selphy"),
            ("ipp://10.0.0.7", "10.0.0.7", 631, "/ipp/print", "ipp://10.0.0.7/ipp/print"),
            ("ipp://10.0.0.7:8631/", "10.0.0.7", 8631, "/ipp/print", "ipp://10.0.0.7:8631/ipp/print"),
            ("ipps://p.lan/ipp/print/2", "p.lan", 631, "/ipp/print/2", "ipps://p.lan/ipp/print/2"),
            ("ipp://[fe80::1]:632/x", "fe80::1", 632, "/x", "ipp://[fe80::1]:632/x"),
        ] as [(String, String?, UInt16, String, String)])
    func address(text: String, host: String?, port: UInt16, resource: String, uri: String) throws {
        let address = try #require(PrinterAddress(text))
        #expect(address.host == host && address.port == port && address.resource == resource && address.uri == uri)
        #expect(address.encrypts == text.hasPrefix("ipps"))
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "a b", "a/b", "http/x", "ipp://", "ipp://:631/x", "ipp://h:0/", "ipp://h:x/", "ipp://u:p@h/x",
            "ipp://h/ x",
            String(repeating: "q", count: 128),
        ])
    func nothing(text: String) { #expect(PrinterAddress(text) == nil) }
}
