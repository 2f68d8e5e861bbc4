internal import KonzaModel
internal import Stamping

/// How the figures of stamping are shown.
enum StampingTable {
    static func empty(subject: String) -> Table {
        Table(
            name: "stamping", title: "Stamping a JPEG",
            columns: [
                Column("way", "way"), Column("medianMs", "ms"), Column("spreadPercent", "±%"),
                Column("netMs", "less start"), Column("toLibrary", "/RGB"), Column("toCopy", "/memcpy"),
                Column("peakMegabytes", "MB"), Column("bytes", "bytes out"), Column("outsideDecibels", "dB outside"),
                Column("insideDecibels", "dB inside"),
            ],
            notes: [
                "Frames are of \(subject), reduced to each size, quality \(FrameStudio.quality); cold: the first stamp "
                    + "with a drawing; cached: a later one.",
                "ms: median of rounds in which all take turns; in process and in Python processor time of the one thread, "
                    + "which is what the clock says if the machine is idle; of processes the clock's.",
                "±%: between the quartiles, as a share of the median; less start: without what the same program takes "
                    + "for a picture of 64x64.",
                "/RGB: to \(LibraryContestant.name), decode + blend + encode strip by strip in C; /memcpy: to copying the "
                    + "frame once, in warm caches.",
                "MB: in process, the most that one stamp had allocated (malloc) beyond what there was, its picture "
                    + "included; of programs, the most resident memory of the whole process.",
                "dB outside: PSNR against the frame, beyond the MCUs that the overlay touches and the two pixels that "
                    + "chroma is smoothed over, ∞ where nothing changed; dB inside: the inked pixels against the drawing "
                    + "laid on the frame.",
                "Programs get frame and overlay as files, and frames without restart markers only, which are nothing to "
                    + "them.",
                "semi-transparent: the template's drawing with 60 % of its alpha; at the top: moved there as it is.",
            ])
    }

    static func timing(_ way: String, _ summary: Summary) -> [String: Value] {
        [
            "way": .text(way), "medianMs": .figure(summary.median),
            "spreadPercent": .number(summary.spread * 100, decimals: 0), "rounds": .count(summary.count),
        ]
    }

    static func quality(_ result: ContestResult, _ fidelity: borrowing Fidelity) throws -> [String: Value] {
        let verdict = try fidelity.judge(result.picture)
        var values: [String: Value] = ["bytes": .count(result.picture.count)]
        if let way = result.way { values["engine"] = .text(way) }
        if let outside = verdict.outside { values["outsideDecibels"] = .number(outside, decimals: 1) }
        if let inside = verdict.inside { values["insideDecibels"] = .number(inside, decimals: 1) }
        return values
    }

    /// What only JSON shows, where headings are no help.
    static func about(_ each: StampingCase, frameBytes: Int) -> [String: Value] {
        [
            "drawing": .text(each.drawing.name), "size": .text("\(each.kind.size)"),
            "sampling": .text(each.kind.subsamplingName), "restarts": .text(each.kind.restartName),
            "frameBytes": .count(frameBytes),
        ]
    }
}
