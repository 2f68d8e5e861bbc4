internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer

extension HubWorker {
    /// The longest wait for the broker's word, seconds.
    private static let connectSeconds = 30.0

    static let subscriptionRefused = MQTTError(
        .refused,
        "the broker does not let konza-hub read konza/1/+/+/...: let its user read all topics of boxes (acl_file: "
            + "topic read konza/1/+/+/postcard, and so on)")

    // MARK: - Connecting

    /// MQTT 5, and 3.1.1 with a broker that does not speak it: such a one says so, or hangs up.
    func connect() throws(Failure) -> MQTTConnection {
        let (connection, refusal) = try connect(isVersion5: place.broker.triesVersion5)
        if let connection { return connection }
        let error = refusal ?? MQTTError(.unreachable, "the broker did not answer")
        guard place.broker.triesVersion5, error.reason == .version || error.reason == .unreachable, !stop.isSet else {
            throw .broker(error)
        }
        let (older, _) = try connect(isVersion5: false)
        if let older { return older }
        throw .broker(error)
    }

    /// - Returns: the connection, or why the broker, which was reached, did not take it.
    private func connect(isVersion5: Bool) throws(Failure) -> (MQTTConnection?, MQTTError?) {
        let connection: MQTTConnection
        do throws(MQTTError) {
            connection = try MQTTConnection(place.broker, isVersion5: isVersion5, wakeup: stop.wakeup)
        } catch {
            throw .broker(error)
        }
        let end = clock.monotonic().advanced(bySeconds: Self.connectSeconds)
        while !stop.isSet, clock.monotonic() < end {
            for event in connection.turn(seconds: 1) {
                switch event {
                case .connected: return (connection, nil)
                case .disconnected(let error): return (nil, error)
                default: break
                }
            }
        }
        return (nil, MQTTError(.unreachable, "the broker \(place.broker.host) took the connection and says nothing"))
    }

    /// Asks for what boxes send.
    ///
    /// - Returns: the numbers of the answers to come.
    func subscribe(_ broker: MQTTConnection) throws(Failure) -> Set<Int32> {
        let share = place.workers > 1 ? "$share/konza-hub/" : ""
        var filters = Self.recordKinds.map { "\(share)\(FleetTopic.prefix)/+/+/\($0.rawValue)" }
        if number == 0 { filters += Self.stateKinds.map { "\(FleetTopic.prefix)/+/+/\($0.rawValue)" } }
        var ids: Set<Int32> = []
        do throws(MQTTError) {
            for filter in filters { ids.insert(try broker.subscribe(filter, .atLeastOnce)) }
        } catch {
            throw .broker(error)
        }
        return ids
    }

    // MARK: - Receipts

    /// - Returns: how many messages they took.
    func send(
        _ receipts: [FleetTopic: [FleetReceipts.Pair]], _ broker: MQTTConnection
    ) throws(Failure) -> Int {
        var messages = 0
        for (topic, pairs) in receipts {
            for start in stride(from: 0, to: pairs.count, by: FleetReceipts.mostPairs) {
                let part = Array(pairs[start..<min(start + FleetReceipts.mostPairs, pairs.count)])
                let publication = MQTTPublication(
                    topic: topic.description, payload: FleetReceipts(box: topic.box, pairs: part).encoded,
                    quality: .atLeastOnce, expirySeconds: topic.kind.expirySeconds)
                do throws(MQTTError) { _ = try broker.publish(publication) } catch { throw .broker(error) }
                messages += 1
            }
            figures.count { $0.receipts += pairs.count }
        }
        return messages
    }

    /// What the broker says of a receipt: that nobody listens (0x10) is no fault, a box may be away.
    func judge(_ reason: Int32) {
        guard reason >= 0x80 else { return }
        let isFirst = figures.refusedReceipt()
        guard isFirst else { return }
        log(
            .error,
            "the broker does not let konza-hub publish receipts (reason \(reason)): boxes send everything again; let its "
                + "user write konza/1/+/+/receipt")
    }
}
