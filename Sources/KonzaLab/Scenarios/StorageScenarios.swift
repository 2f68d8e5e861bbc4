internal import Foundation
internal import KonzaTesting

/// Disks that are full, read-only, slow or stuck, under the installed service.
extension Scenario {
    static let storage: [Scenario] =
        [storageFull, storageFullUnderWay, storageNoFiles, storageReadOnly, storageGivenUp] + storageSlow
        + storageIndex

    /// A station that needs no device, so that the disk is all that can be wrong.
    static let recordedStation = """
        [Camera]
        Source=recorded
        Width=640
        Height=480
        [Position]
        Source=recorded
        [Postcards]
        SpaceReserve=0

        """

    private static let storageFull = Scenario(
        "storage-full", .guest,
        promise: """
            Without room a postcard is refused with 507 and the numbers, the status says disk-full, nothing of it is \
            left; as soon as there is room the status is ok again and a postcard is acknowledged within 10 s. With older \
            postcards on the disk these make room for it.
            """
    ) { station in
        let disk = try ScratchDisk(megabytes: 16)
        try station.configure(recordedStation)
        try station.start()
        for left in [0, 4096, 65_536, 131_072] {
            try disk.fill(leaving: left)
            try station.expectNoRoom("with \(left) bytes left")
            try station.expectArchive(holds: [])
        }
        try station.expect(try station.health("archive").level == "failed", "the status does not call it a failure")
        disk.makeRoom()
        let recovery = try station.untilPostcard(within: 10)
        try station.untilArchive("ok", within: 5)
        let oldest = try station.allListed()
        try station.expect(oldest.count == 1, "\(oldest.count) postcards are listed, not one")
        // No two are of one size: one that goes may be too little, and none goes in vain.
        let older = try (0..<2).map { _ in try station.expectPostcard() }
        try disk.fill(leaving: 4096)
        let next = try station.expectPostcard()
        let left = try station.allListed()
        try station.expect(
            left.isDisjoint(with: oldest) && left.contains(next.id), "the oldest has not made room for the newest")
        try station.expectArchive(holds: (older + [next]).filter { left.contains($0.id) })
        station.note("recovery \(recovery.inTenths) s")
    }

    private static let storageFullUnderWay = Scenario(
        "storage-full-under-way", .guest, limitSeconds: 600,
        promise: """
            Somebody else fills the disk after a random step of a write, from its first file made to its last renamed, and \
            leaves random room: a postcard is acknowledged and whole, or refused with 507 and nothing of it is left. The seed \
            is printed; with room again the next postcard is acknowledged.
            """
    ) { station in
        let seed = UInt64.random(in: 0...UInt64.max)
        station.note("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let disk = try ScratchDisk(megabytes: 24)
        try station.configure(recordedStation)
        try station.start()
        var kept = [try station.expectPostcard()]
        let size = try disk.bytesOf(postcard: kept[0].id)
        let folder = try disk.folder(of: kept[0].id)
        let steps = try disk.stepsOfWriting(in: folder) { kept.append(try station.expectPostcard()) }
        var refused = 0
        var without = 0
        for trial in 1...40 {
            let room = Int.random(in: 0...(size * 5 / 4), using: &generator)
            let step = Int.random(in: 1...steps, using: &generator)
            let filling = try disk.fillUnderWay(leaving: room, after: step, in: folder)
            let reply = try station.post("/v1/postcards", #"{"message":"Lab"}"#)
            filling.end()
            if let postcard = LabPostcard(reply, seconds: 0) {
                kept.append(postcard)
            } else if reply["kind"]?.text == "camera-unavailable" {
                // The machine has stood still for longer than a frame is waited for, which is not the disk's doing.
                without += 1
                try station.expect(without <= 6, "\(without) requests found no frame")
            } else {
                refused += 1
                try station.expect(
                    reply.status == 507 && reply["kind"]?.text == "insufficient-storage",
                    "trial \(trial): answered with \(reply.status): \(reply["detail"]?.text ?? "")")
            }
            try station.expectArchive(holds: kept)
            disk.makeRoom()
            if trial % 6 == 0 { kept.append(try station.expectPostcard()) }
        }
        for postcard in kept { try station.verify(postcard) }
        // Many a step comes when the kernel has given the write its room.
        try station.expect(refused >= 4, "only \(refused) of 40 postcards met a full disk")
        station.note("\(steps) steps of a write, \(refused) refused, \(kept.count) acknowledged")
    }

    private static let storageNoFiles = Scenario(
        "storage-no-files", .guest,
        promise: """
            The disk has room and no inode, from the start or in the middle of a write: a postcard is refused with 507, \
            the status says disk-full, nothing of it is left; with inodes again the next one is acknowledged within \
            10 s. Older postcards make room for files too.
            """
    ) { station in
        let disk = try ScratchDisk(megabytes: 16, files: 64)
        try station.configure(recordedStation)
        try station.start()
        // Five are asked for. The first day of a station takes seven: four files, three folders.
        for left in 0...5 {
            try disk.useFiles(leaving: left)
            try station.expectNoRoom("with \(left) inodes left")
            try station.expectArchive(holds: [])
        }
        disk.giveFilesBack()
        let recovery = try station.untilPostcard(within: 10)
        try station.untilArchive("ok", within: 5)
        try station.expectPostcard()
        try disk.useFiles(leaving: 0)
        let next = try station.expectPostcard()
        try station.expectArchive(holds: [next])
        station.note("recovery \(recovery.inTenths) s")
    }

    private static let storageReadOnly = Scenario(
        "storage-read-only", .guest,
        promise: """
            The kernel makes the disk read-only under way: postcards are refused with 503, the status says \
            disk-read-only, every acknowledged postcard is still served. Writable again, a postcard is acknowledged \
            within 10 s without a restart.
            """
    ) { station in
        let disk = try ScratchDisk(megabytes: 16)
        try station.configure(recordedStation)
        try station.start()
        let kept = try (0..<2).map { _ in try station.expectPostcard() }
        try disk.makeReadOnly()
        let reply = try station.post("/v1/postcards")
        try station.expect(
            reply.status == 503 && reply["kind"]?.text == "archive-unavailable",
            "answered with \(reply.status): \(reply["detail"]?.text ?? "")")
        try station.untilArchive("disk-read-only", within: 5)
        for postcard in kept { try station.verify(postcard) }
        try station.expectListed(kept.map(\.id))
        try disk.makeWritable()
        let recovery = try station.untilPostcard(within: 10)
        try station.untilArchive("ok", within: 5)
        for postcard in kept { try station.verify(postcard) }
        try station.expect(try station.unit()["NRestarts"] == "0", "konzad was restarted")
        station.note("recovery \(recovery.inTenths) s")
    }

    private static let storageGivenUp = Scenario(
        "storage-given-up", .guest, limitSeconds: 240,
        promise: """
            ext4 gives the disk up in the middle of a storm: once the status says so postcards are refused with 503, \
            none is acknowledged, positions are answered. Repaired by e2fsck and mounted again, every acknowledged \
            postcard is there and opens, and a new one is acknowledged within 10 s of the start.
            """
    ) { station in
        let disk = try ScratchDisk(megabytes: 48)
        try station.configure(recordedStation)
        try station.start()
        let storm = PostcardStorm(station.socket, clients: 2)
        try station.until("postcards are taken", within: 60) { storm.acknowledged.count >= 6 }
        try disk.abort()
        _ = try station.positionAnswered(within: 20) {
            try station.until("the archive says that it cannot write", within: 30) {
                try station.health("archive").level == "failed"
            }
            var refused = 0
            for _ in 0..<8 where refused < 3 {
                let reply = try station.post("/v1/postcards")
                let kind = reply["kind"]?.text ?? ""
                // A machine that stands still for longer than a frame is waited for is not the disk's doing.
                try station.expect(
                    reply.status == 503 && ["archive-unavailable", "camera-unavailable"].contains(kind),
                    "a disk that is given up was answered with \(reply.status): \(reply["detail"]?.text ?? "")")
                if kind == "archive-unavailable" { refused += 1 }
            }
            try station.expect(refused == 3, "only \(refused) of 8 postcards were refused for the disk")
        }
        let kept = storm.end().acknowledged
        try station.stop()
        try disk.repair()
        try station.start()
        let recovery = try station.untilPostcard(within: 10)
        for postcard in kept { try station.verify(postcard) }
        station.note("\(kept.count) acknowledged, recovery \(recovery.inTenths) s")
    }
}

extension LabStation {
    /// Asks for a postcard that has no room, and expects to be told so.
    fileprivate func expectNoRoom(_ circumstance: String) throws {
        let (reply, _) = try answerToPostcard()
        try expect(
            reply.status == 507 && reply["kind"]?.text == "insufficient-storage",
            "\(circumstance): answered with \(reply.status): \(reply["detail"]?.text ?? "")")
        let health = try health("archive")
        try expect(health.kind == "disk-full", "\(circumstance): the archive is \(health.kind): \(health.reason)")
    }
}
