internal import KonzaAPI
internal import KonzaModel

/// What has Home Assistant (2024.11 and later) find a station by itself: one retained message about the device and its
/// entities (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery). The states are the fleet's own messages; nothing
/// else is published for it.
public struct HomeAssistantDiscovery: Sendable, Equatable {
    public var site: String
    public var box: String
    /// The station's name, for people.
    public var name: String
    /// Where Home Assistant reads pictures, up to the key, such as `https://store.example.org/konza`; nil where it cannot,
    /// and then there is no picture.
    public var pictures: String?
    /// The prefix that Home Assistant listens to.
    public var prefix = "homeassistant"

    public init(site: String, box: String, name: String, pictures: String? = nil) {
        self.site = site
        self.box = box
        self.name = name
        self.pictures = pictures
    }

    /// Where it is published, retained.
    public var topic: String { "\(prefix)/device/\(id)/config" }

    private var id: String { "konza_\(site)_\(box)" }

    private func topic(_ kind: FleetKind) -> JSONValue {
        .string(FleetTopic(site: site, box: box, kind: kind).description)
    }

    /// The message.
    public var payload: [UInt8] { FleetText.encoded(document) }

    var document: JSONValue {
        var components: [String: JSONValue] = [
            "position": position, "health": health, "problem": problem, "waiting": waiting, "postcards": postcards,
        ]
        if let picture { components["picture"] = picture }
        return .object([
            "device": .object([
                "identifiers": .array([.string(id)]), "name": .string(name.isEmpty ? box : name),
                "manufacturer": .string("Konza"), "model": .string("Konza field station"),
                "sw_version": .string(ProgramVersion.number), "serial_number": .string(box),
            ]),
            "origin": .object(["name": .string("konza-fleet"), "sw_version": .string(ProgramVersion.number)]),
            "components": .object(components),
            "availability": .array([
                .object([
                    "topic": topic(.status), "value_template": .string("{{ value_json.body.state }}"),
                    "payload_available": .string("online"), "payload_not_available": .string("offline"),
                ])
            ]),
            "qos": .number(1),
        ])
    }

    private func component(
        _ platform: String, _ part: String, _ name: String, _ members: [String: JSONValue]
    ) -> JSONValue {
        .object(
            members.merging([
                "platform": .string(platform), "unique_id": .string("\(id)_\(part)"), "name": .string(name),
            ]) { $1 })
    }

    /// Coordinates are numbers, and what is not known is left out: as text they take the tracker off the map, and an accuracy
    /// that is not there becomes 0.
    static let attributes = """
        {%- set b = value_json.body -%}\
        {%- set a = {'state': b.state} -%}\
        {%- if b.latitude is number and b.longitude is number -%}\
        {%- set a = dict(a, latitude=b.latitude, longitude=b.longitude) -%}\
        {%- if b.accuracy is number -%}{%- set a = dict(a, gps_accuracy=b.accuracy) -%}{%- endif -%}\
        {%- if b.altitude is number -%}{%- set a = dict(a, altitude=b.altitude) -%}{%- endif -%}\
        {%- endif -%}\
        {{ a | tojson }}
        """

    private var position: JSONValue {
        component(
            "device_tracker", "position", "Position",
            [
                "json_attributes_topic": topic(.position), "json_attributes_template": .string(Self.attributes),
                "source_type": .string("gps"),
            ])
    }

    private var picture: JSONValue? {
        guard let pictures, !pictures.contains("'") else { return nil }
        return component(
            "image", "picture", "Latest postcard",
            [
                "url_topic": topic(.latest),
                // Without content_type, which is for pictures in messages: with url_topic the entity is refused.
                "url_template": .string("{{ '\(pictures)/' ~ value_json.body.thumbnail }}"),
            ])
    }

    private var health: JSONValue {
        component(
            "sensor", "health", "Health",
            [
                "state_topic": topic(.health), "value_template": .string("{{ value_json.body.health.level }}"),
                "device_class": .string("enum"),
                "options": .array(["ok", "degraded", "failed"].map(JSONValue.string)),
                "json_attributes_topic": topic(.health),
                "json_attributes_template": .string("{{ value_json.body.health | tojson }}"),
                "entity_category": .string("diagnostic"), "expire_after": .number(3600),
            ])
    }

    private var problem: JSONValue {
        component(
            "binary_sensor", "problem", "Problem",
            [
                "state_topic": topic(.health),
                "value_template": .string("{{ 'OFF' if value_json.body.health.level == 'ok' else 'ON' }}"),
                "device_class": .string("problem"), "expire_after": .number(3600),
            ])
    }

    private var waiting: JSONValue {
        component(
            "sensor", "waiting", "Submissions waiting",
            [
                "state_topic": topic(.health),
                "value_template": .string(
                    "{{ value_json.body.outbox.waiting if value_json.body.outbox is defined else 0 }}"),
                "state_class": .string("measurement"), "entity_category": .string("diagnostic"),
                "expire_after": .number(3600),
            ])
    }

    private var postcards: JSONValue {
        component(
            "sensor", "postcards", "Postcards kept",
            [
                "state_topic": topic(.health), "value_template": .string("{{ value_json.body.archive.postcards }}"),
                "state_class": .string("measurement"), "expire_after": .number(3600),
            ])
    }
}
