/// Cameras that go and come: vivid's driver, its node and the events of it.
extension Scenario {
    static let cameraPlugs: [Scenario] = [
        Scenario(
            "camera-disconnect", .guest,
            promise: """
                The camera answers every call with "no such device" while its node stays: it is counted as a \
                disconnect, and a postcard is acknowledged again within 20 s of the camera's return.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                // vivid returns when its last user has closed it.
                try vivid.set("disconnect")
                try station.until("the disconnect is counted", within: 10) {
                    try station.cameraCount("disconnects") == 1
                }
                let recovery = try station.untilPostcard(within: 20)
                station.note("recovery \(recovery.inTenths) s")
            }
        },
        Scenario(
            "camera-unplugged", .guest, .short,
            promise: """
                The plug is pulled, the node is gone: the status says camera-disconnected within 5 s and postcards are \
                refused with it. Plugged in again, at rest or while watched, a postcard is acknowledged within 10 s.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                try vivid.unbind()
                let seen = try station.untilCamera("camera-disconnected", within: 5)
                station.note("seen after \(seen.inTenths) s")
                try station.expectRefusal(while: "camera-disconnected")
                try vivid.bind()
                let recovery = try station.untilPostcard(within: 10)
                station.note("recovery \(recovery.inTenths) s")
                try station.expect(try station.cameraCount("disconnects") == 1, "one disconnect was not counted as one")
            }
        },
        Scenario(
            "camera-unplugged-at-rest", .guest,
            promise: """
                A camera that nobody watches is unplugged: the status does not go on saying that it answers, and names \
                camera-disconnected within 5 s; plugged in again it is idle within 10 s.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.configure(smallPicture)
            try station.start()
            try station.untilCamera("idle", within: 30)
            try vivid.unbind()
            let seen = try station.untilCamera("camera-disconnected", within: 5)
            try vivid.bind()
            let recovery = try station.untilCamera("idle", within: 10)
            station.note("seen after \(seen.inTenths) s, recovery \(recovery.inTenths) s")
            try station.expectPostcard()
        },
        Scenario(
            "camera-renumbered", .guest,
            promise: """
                The camera comes back under another number, since another program holds the old node: it is found \
                without a word of configuration, and a postcard is acknowledged within 10 s.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                let old = try vivid.path
                try vivid.holdingNode {
                    try vivid.unbind()
                    try station.untilCamera("camera-disconnected", within: 5)
                    try vivid.bind()
                    let new = try vivid.path
                    try station.expect(new != old, "the number did not change")
                    let recovery = try station.untilPostcard(within: 10)
                    station.note("\(old) became \(new), recovery \(recovery.inTenths) s")
                }
            }
        },
    ]
}
