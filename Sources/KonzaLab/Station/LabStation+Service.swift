internal import Foundation
internal import KonzaTesting

extension LabStation {
    /// What systemd says of the installed service: `ActiveState`, `NRestarts`, `Result`, `MainPID`...
    ///
    /// - Returns: values by name.
    /// - Throws: ``Complaint`` if systemd does not answer.
    func unit() throws -> [String: String] {
        let text = try Program(
            "systemctl", "show", "konzad.service", "-p",
            "ActiveState,SubState,UnitFileState,WatchdogUSec,NRestarts,Result,MainPID"
        ).succeed().text
        return Dictionary(
            text.split(separator: "\n").compactMap { line in
                let halves = line.split(separator: "=", maxSplits: 1).map(String.init)
                return halves.count == 2 ? (halves[0], halves[1]) : nil
            }, uniquingKeysWith: { $1 })
    }

    /// Asks for the position again and again while the body runs; each time it must be answered, by the same konzad.
    ///
    /// - Parameters:
    ///   - seconds: the longest wait for one answer.
    ///   - body: what happens meanwhile.
    /// - Returns: how many answers there were, and the seconds of the slowest.
    /// - Throws: ``Complaint`` for one that was not answered, and what the body throws.
    func positionAnswered(within seconds: Double, _ body: () throws -> Void) throws -> (count: Int, longest: Double) {
        let process = try processID()
        let seen = LockedValue((count: 0, longest: 0.0, failure: String?.none))
        let isDone = LockedValue(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isDone.value {
                let start = ContinuousClock.now
                let result = Result { try self.get("/v1/position", seconds: seconds) }
                let taken = start.duration(to: .now).inSeconds
                seen.change { seen in
                    seen.count += 1
                    seen.longest = max(seen.longest, taken)
                    switch result {
                    case .success(let reply) where reply.status == 200: break
                    case .success(let reply): seen.failure = seen.failure ?? "it was answered with \(reply.status)"
                    case .failure(let error): seen.failure = seen.failure ?? "\(error)"
                    }
                }
                usleep(100_000)
            }
            ended.signal()
        }
        let outcome = Result { try body() }
        isDone.set(true)
        ended.wait()
        try outcome.get()
        let all = seen.value
        if let failure = all.failure { throw Complaint("the position was not answered: \(failure)") }
        try expect(try processID() == process, "konzad was restarted meanwhile")
        return (all.count, all.longest)
    }

    /// The archive's folder and its list hold these postcards and nothing else: no half file, no forgotten one.
    ///
    /// - Parameter postcards: all that were acknowledged and not deleted.
    /// - Throws: ``Complaint`` with what is amiss.
    func expectArchive(holds postcards: [LabPostcard]) throws {
        try expectWholeFiles(of: Set(postcards.map(\.id)))
        try expectListed(postcards.map(\.id))
    }

    /// The archive's folder holds every file of these postcards, and no other.
    ///
    /// - Parameter ids: theirs.
    /// - Throws: ``Complaint`` with what is amiss.
    func expectWholeFiles(of ids: Set<String>) throws {
        let root = "\(state)/postcards"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        // The folders of days have digits for names.
        let files = Set(paths.map { URL(fileURLWithPath: $0).lastPathComponent }.filter { !$0.allSatisfy(\.isNumber) })
        let wanted = Set(ids.flatMap { id in [".jpg", ".original.jpg", ".thumb.jpg", ".json"].map { id + $0 } })
        let missing = wanted.subtracting(files)
        let extra = files.subtracting(wanted)
        try expect(missing.isEmpty, "files of postcards are missing: \(missing.sorted().prefix(4))")
        try expect(extra.isEmpty, "files belong to no postcard: \(extra.sorted().prefix(4))")
    }

    /// The list holds these postcards and no other.
    ///
    /// - Parameter ids: theirs.
    /// - Throws: ``Complaint`` with what is amiss.
    func expectListed(_ ids: [String]) throws {
        let listed = try allListed()
        let missing = Set(ids).subtracting(listed)
        let extra = listed.subtracting(ids)
        try expect(missing.isEmpty, "acknowledged postcards are not listed: \(missing.sorted().prefix(4))")
        try expect(extra.isEmpty, "postcards are listed that were not acknowledged: \(extra.sorted().prefix(4))")
    }

    /// The list, page by page.
    ///
    /// - Returns: the ids of all postcards.
    /// - Throws: ``Complaint`` if it is not answered.
    func allListed() throws -> Set<String> {
        var listed: Set<String> = []
        var next: String?
        repeat {
            let page = try get("/v1/postcards?limit=200" + (next.map { "&cursor=\($0)" } ?? ""))
            try expect(page.status == 200, "the list is answered with \(page.status): \(page["detail"]?.text ?? "")")
            listed.formUnion((page["postcards"]?.elements ?? []).compactMap { $0["id"]?.text })
            next = page["next"]?.text
        } while next != nil
        return listed
    }

    /// Waits until the archive says a kind of health.
    ///
    /// - Parameters:
    ///   - kind: its stable name.
    ///   - seconds: the longest wait.
    /// - Returns: how many seconds it took.
    /// - Throws: ``Complaint`` with what it says instead.
    @discardableResult func untilArchive(_ kind: String, within seconds: Double) throws -> Double {
        try until("the archive is \(kind)", within: seconds, every: 0.1) {
            let health = try self.health("archive")
            guard health.kind == kind else { throw Complaint("it is \(health.kind): \(health.reason)") }
            return true
        }
    }
}
