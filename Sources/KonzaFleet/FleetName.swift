package import FleetMessaging
package import KonzaModel
package import MQTTTransfer
internal import Settings

/// Who the station is in its fleet.
package struct FleetName: Sendable, Equatable {
    package let site: String
    package let box: String

    package init(site: String, box: String) {
        self.site = site
        self.box = box
    }

    package func topic(_ kind: FleetKind) -> FleetTopic { FleetTopic(site: site, box: box, kind: kind) }

    /// A message of a kind, as the contract has it published.
    package func publication(_ kind: FleetKind, _ envelope: FleetEnvelope) -> MQTTPublication {
        MQTTPublication(
            topic: topic(kind).description, payload: envelope.encoded,
            quality: kind.isAcknowledged ? .atLeastOnce : .atMostOnce, isRetained: kind.isRetained,
            expirySeconds: kind.expirySeconds)
    }

    /// Whether the broker is reached, as the box itself or its will says.
    package func status(_ state: String, session: String, at instant: UTCInstant) -> MQTTPublication {
        let body = """
            {"session":"\(session)","state":"\(state)","software":"konza \(ProgramVersion.number)"}
            """
        return publication(
            .status,
            FleetEnvelope(
                .status, id: session, box: box, at: instant.rfc3339, timeSource: "system", body: Array(body.utf8)))
    }

    /// A name for something that begins now.
    package static func newID(at instant: UTCInstant) -> String { SpecimenID.random(at: instant).description }
}
