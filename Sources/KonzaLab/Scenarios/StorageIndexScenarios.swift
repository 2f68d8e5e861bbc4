internal import Foundation

/// The index of the postcards: gone, damaged, of another version.
extension Scenario {
    static let storageIndex: [Scenario] = [
        Scenario(
            "storage-index-deleted", .guest,
            promise: """
                The index is deleted while konzad is off: at the start it is made anew from the files, the status says \
                archive-index-recovered, every acknowledged postcard is listed and opens, and new ones are taken.
                """
        ) { station in
            let kept = try station.postcardsThenStop()
            try station.removeIndex()
            let seconds = try station.restarted()
            try station.untilArchive("archive-index-recovered", within: 5)
            try station.expectAll(kept)
            station.note("answered after \(seconds.inTenths) s")
        },
        Scenario(
            "storage-index-corrupt", .guest,
            promise: """
                The index is damaged while konzad is off: at the start the damaged one is put into lost+found, a new \
                one is made from the files, the status says archive-corrupt-recovered, and every acknowledged postcard \
                is listed and opens.
                """
        ) { station in
            let kept = try station.postcardsThenStop()
            // What is only in the log would be lost with it, and made good from the files without a word.
            try Program("sqlite3", "\(station.state)/konza.db", "PRAGMA wal_checkpoint(TRUNCATE)").succeed()
            try station.damageIndex()
            let seconds = try station.restarted()
            try station.untilArchive("archive-corrupt-recovered", within: 5)
            let lost = (try? FileManager.default.contentsOfDirectory(atPath: "\(station.state)/lost+found")) ?? []
            try station.expect(lost.contains { $0.hasPrefix("konza.db.corrupt") }, "lost+found holds \(lost)")
            try station.expectAll(kept)
            station.note("answered after \(seconds.inTenths) s")
        },
        Scenario(
            "storage-index-corrupt-under-way", .guest,
            promise: """
                The index is damaged under a konzad that runs: within 30 s and without a restart it is made anew, \
                postcards are acknowledged again, and every one that was acknowledged is listed and opens.
                """
        ) { station in
            try station.configure(recordedStation)
            try station.start()
            var kept = try (0..<3).map { _ in try station.expectPostcard() }
            try station.damageIndex()
            let recovery = try station.until("a postcard is acknowledged", within: 30) {
                guard let taken = try station.postcard() else { return false }
                kept.append(taken)
                return true
            }
            // The damage may show only when one of them is opened.
            let all = kept
            try station.until("all are listed and open", within: 30) {
                let listed = try station.get("/v1/postcards")["postcards"]?.elements.compactMap { $0["id"]?.text } ?? []
                return try Set(all.map(\.id)).isSubset(of: listed)
                    && all.allSatisfy { try station.get("/v1/postcards/\($0.id)/image.jpg").status == 200 }
            }
            for postcard in all { try station.verify(postcard) }
            try station.expect(try station.unit()["NRestarts"] == "0", "konzad was restarted")
            station.note("recovery \(recovery.inTenths) s")
        },
        Scenario(
            "storage-index-newer", .guest,
            promise: """
                The index was written by a newer konzad: it is not touched, postcards are refused with 503 and \
                archive-newer in the status, all that there are are served; with the index moved away, as the status \
                says, all are listed and new ones are taken.
                """
        ) { station in
            let kept = try station.postcardsThenStop()
            let path = "\(station.state)/konza.db"
            try Program("sqlite3", path, "INSERT INTO migrations (name) VALUES ('2099-01 colours')").succeed()
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            try station.restarted()
            try station.untilArchive("archive-newer", within: 5)
            var reply = try station.post("/v1/postcards")
            // The painted camera may miss its time on a busy machine, and is asked first.
            for _ in 0..<3 where reply["kind"]?.text == "camera-unavailable" {
                reply = try station.post("/v1/postcards")
            }
            try station.expect(
                reply.status == 503 && reply["kind"]?.text == "archive-unavailable",
                "answered with \(reply.status): \(reply["detail"]?.text ?? "")")
            for postcard in kept { try station.verify(postcard) }
            try station.expectListed(kept.map(\.id))
            try station.stop()
            try station.expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before, "the index was changed")
            try station.removeIndex()
            try station.restarted()
            try station.expectAll(kept)
        },
    ]
}

extension LabStation {
    fileprivate func postcardsThenStop() throws -> [LabPostcard] {
        try configure(Scenario.recordedStation)
        try start()
        let kept = try (0..<3).map { _ in try expectPostcard() }
        try stop()
        return kept
    }

    @discardableResult fileprivate func restarted() throws -> Double {
        let start = ContinuousClock.now
        try self.start()
        return start.duration(to: .now).inSeconds
    }

    fileprivate func removeIndex() throws {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: "\(state)/konza.db\(suffix)") }
    }

    /// Every page but the first is overwritten, in the file and in its log.
    fileprivate func damageIndex() throws {
        for suffix in ["", "-wal"] {
            guard let handle = FileHandle(forWritingAtPath: "\(state)/konza.db\(suffix)") else { continue }
            let size = try handle.seekToEnd()
            let start = UInt64(suffix.isEmpty ? 4096 : 0)
            guard size > start else { continue }
            try handle.seek(toOffset: start)
            try handle.write(contentsOf: Data(repeating: 0x5A, count: Int(size - start)))
            try handle.synchronize()
        }
    }

    /// Lists and opens all of them, and takes one more.
    fileprivate func expectAll(_ kept: [LabPostcard]) throws {
        try expectListed(kept.map(\.id))
        for postcard in kept { try verify(postcard) }
        let next = try expectPostcard()
        try expectListed(kept.map(\.id) + [next.id])
    }
}
