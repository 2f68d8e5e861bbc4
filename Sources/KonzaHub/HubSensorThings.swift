internal import PostgresAccess

/// Boxes, their ways and their health as entities of the OGC SensorThings API 1.1 (OGC 18-088), written by the database as the
/// requests of a batch (section 9.3.3). Ids are the boxes' and the messages' own, so that what is exported again is the same.
enum HubSensorThings {
    /// What is observed: made once, and referred to by each box.
    static let observedProperties = [
        observedProperty(
            "konza:accuracy", "Horizontal accuracy of the position",
            "https://www.w3.org/TR/geolocation/#dom-geolocationcoordinates-accuracy",
            "Radius of the error of a satellite receiver's position, metres"),
        observedProperty(
            "konza:altitude", "Altitude", "https://www.w3.org/TR/geolocation/#dom-geolocationcoordinates-altitude",
            "Height above the ellipsoid of WGS 84, metres"),
        observedProperty(
            "konza:health", "Health of the station", "urn:konza:health",
            "How the station judges itself: ok, degraded or failed"),
    ]

    private static func observedProperty(
        _ id: String, _ name: String, _ definition: String, _ description: String
    ) -> String {
        """
        {"id":"\(id)","method":"post","url":"ObservedProperties","body":{"@iot.id":"\(id)","name":"\(name)",\
        "definition":"\(definition)","description":"\(description)"}}
        """
    }

    // MARK: - Boxes

    /// The next box after `$1`, or `$2` alone: its name, and its Sensors, and its Thing with Location and Datastreams as one deep insert
    /// (section 10.2.1.1).
    static let thing = """
        SELECT b.box, concat_ws(E'\\n', \(sensors.joined(separator: ", ")), (\(request("b.box", "Things", thingBody)))::text,
            CASE WHEN b.place IS NOT NULL THEN (\(request("b.box || ':station'", "FeaturesOfInterest", feature("b.box || ':station'", "b.place", "The station at its last position"))))::text END)
        FROM boxes b WHERE b.box > $1 AND ($2::text IS NULL OR b.box = $2) ORDER BY b.box LIMIT 1
        """

    private static let thingBody = """
        jsonb_build_object('@iot.id', b.box, 'name', b.box,
            'description', 'Field station ' || b.box || ' of the site ' || b.site,
            'properties', jsonb_strip_nulls(jsonb_build_object('site', b.site, 'software', b.software)),
            'Datastreams', jsonb_build_array(\(accuracy), \(altitude), \(health)))
        || CASE WHEN b.place IS NULL THEN '{}' ELSE jsonb_build_object('Locations', jsonb_build_array(
            \(location("b.box || ':place'", "b.place", "Where the station was heard of last")))) END
        """

    /// Of their own, as several Datastreams have one.
    private static let sensors = [
        sensor("receiver", "Satellite receiver", "A GNSS receiver, read by gpsd"),
        sensor("konzad", "konzad", "What the station says of its own parts"),
    ]
    private static let accuracy = datastream(
        "accuracy", "Horizontal accuracy of the position", "OM_Measurement", inMetres: true, "receiver")
    private static let altitude = datastream(
        "altitude", "Altitude above the ellipsoid", "OM_Measurement", inMetres: true, "receiver")
    private static let health = datastream(
        "health", "Health, where it changed", "OM_Observation", inMetres: false, "konzad")

    /// A sensor's metadata is a page or a document (table 15); a sentence is a page.
    private static func sensor(_ id: String, _ name: String, _ description: String) -> String {
        let body = """
            jsonb_build_object('@iot.id', b.box || ':\(id)', 'name', '\(name) of ' || b.box, 'description', '\(description)',
                'encodingType', 'text/html', 'metadata', '\(description)')
            """
        return "(\(request("b.box || ':\(id)'", "Sensors", body)))::text"
    }

    /// Where there is no unit, its members are null (section 8.2.4).
    private static func datastream(
        _ id: String, _ description: String, _ type: String, inMetres: Bool, _ sensor: String
    ) -> String {
        let unit =
            inMetres
            ? "'name', 'metre', 'symbol', 'm', 'definition', 'http://qudt.org/vocab/unit/M'"
            : "'name', NULL, 'symbol', NULL, 'definition', NULL"
        return """
            jsonb_build_object('@iot.id', b.box || ':\(id)', 'name', '\(id) of ' || b.box, 'description', '\(description)',
                'observationType', 'http://www.opengis.net/def/observationType/OGC-OM/2.0/\(type)',
                'unitOfMeasurement', jsonb_build_object(\(unit)),
                'ObservedProperty', jsonb_build_object('@iot.id', 'konza:\(id)'), 'Sensor', jsonb_build_object('@iot.id', b.box || ':\(sensor)'))
            """
    }

    // MARK: - History

    /// Positions of the box `$1` from `$2` to `$3` after (`$4`, `$5`), at most `$6`: each with the place that it was taken at, what was
    /// measured there, and where the station had moved by more than its accuracy a HistoricalLocation. Three columns:
    /// id, time, requests.
    static let positions = """
        SELECT p.id, \(cursorTime), concat_ws(E'\\n',
            (\(request("p.box || ':point:' || p.id", "FeaturesOfInterest", feature("p.box || ':point:' || p.id", "p.place", "Where the station stood"))))::text,
            CASE WHEN NOT coalesce(ST_DWithin(p.place, b.place, greatest(coalesce(p.accuracy, 0), 1)), false) THEN
                (\(request("p.box || ':was:' || p.id", "HistoricalLocations", historicalLocation)))::text END,
            CASE WHEN p.accuracy IS NOT NULL THEN (\(observation("accuracy", "to_jsonb(p.accuracy)", at: "p.box || ':point:' || p.id")))::text END,
            CASE WHEN p.altitude IS NOT NULL THEN (\(observation("altitude", "to_jsonb(p.altitude)", at: "p.box || ':point:' || p.id")))::text END)
        FROM (SELECT id, at, box, place, \(figure("accuracy", from: 0)) AS accuracy, \(figure("altitude", from: -1e6)) AS altitude
            FROM positions WHERE box = $1 AND place IS NOT NULL AND \(range) ORDER BY at, id LIMIT $6) p
        LEFT JOIN LATERAL (SELECT q.place FROM positions q WHERE q.box = p.box AND q.place IS NOT NULL AND q.at < p.at
            ORDER BY q.at DESC LIMIT 1) b ON true
        ORDER BY p.at, p.id
        """

    /// Changes of health, likewise. A box that never knew where it is has nothing that an Observation could be of.
    static let healths = """
        SELECT p.id, \(cursorTime), \(observation("health", "to_jsonb(coalesce(p.level, 'unknown'))", at: "p.box || ':station'",
            more: " || CASE WHEN pg_column_size(p.parts) < 8192 THEN jsonb_build_object('parameters', p.parts) ELSE '{}' END"))::text
        FROM (SELECT id, at, box, level, parts FROM health WHERE box = $1 AND \(range)
            AND EXISTS (SELECT FROM boxes WHERE box = $1 AND place IS NOT NULL) ORDER BY at, id LIMIT $6) p
        ORDER BY p.at, p.id
        """

    private static let range = """
        ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
            AND ($4::timestamptz IS NULL OR (at, id) > ($4, $5::text))
        """
    /// To the microsecond, as PostgreSQL keeps it.
    private static let cursorTime = "to_char(p.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"

    /// A box may send whatever it likes: what is no number, or none that can be, is left out.
    private static func figure(_ name: String, from least: Double) -> String {
        """
        CASE jsonb_typeof(body -> '\(name)') WHEN 'number' THEN
            CASE WHEN (body ->> '\(name)')::numeric BETWEEN \(least) AND 1e6 THEN (body ->> '\(name)')::float8 END END
        """
    }

    private static let historicalLocation = """
        jsonb_build_object('@iot.id', p.box || ':was:' || p.id, 'time', \(HubRoutes.instant("p.at")),
            'Thing', jsonb_build_object('@iot.id', p.box),
            'Locations', jsonb_build_array(\(location("p.box || ':place:' || p.id", "p.place", "Where the station was"))))
        """

    private static func observation(
        _ stream: String, _ result: String, at feature: String, more: String = ""
    ) -> String {
        request(
            "p.box || ':\(stream):' || p.id", "Observations",
            """
            jsonb_build_object('@iot.id', p.box || ':\(stream):' || p.id, 'phenomenonTime', \(HubRoutes.instant("p.at")),
                'resultTime', \(HubRoutes.instant("p.at")), 'result', \(result),
                'Datastream', jsonb_build_object('@iot.id', p.box || ':\(stream)'),
                'FeatureOfInterest', jsonb_build_object('@iot.id', \(feature)))\(more)
            """)
    }

    // MARK: - What all have

    private static func location(_ id: String, _ place: String, _ description: String) -> String {
        """
        jsonb_build_object('@iot.id', \(id), 'name', \(id), 'description', '\(description)',
            'encodingType', 'application/geo+json', 'location', ST_AsGeoJSON(\(place))::jsonb)
        """
    }

    private static func feature(_ id: String, _ place: String, _ description: String) -> String {
        """
        jsonb_build_object('@iot.id', \(id), 'name', \(id), 'description', '\(description)',
            'encodingType', 'application/geo+json', 'feature', ST_AsGeoJSON(\(place))::jsonb)
        """
    }

    private static func request(_ id: String, _ url: String, _ body: String) -> String {
        "json_build_object('id', \(id), 'method', 'post', 'url', '\(url)', 'body', \(body))"
    }
}
