internal import FleetMessaging
internal import KonzaModel
internal import PostgresAccess

/// What boxes say of themselves: the last of each kind in the box's row, positions and changes of health in their tables.
/// What the broker had kept counts only where it is newer than what is known; else the order of arrival does, since a
/// box's clock may be set.
enum HubStates {
    static func keep(_ state: HubState, in connection: inout PostgresConnection) throws(PostgresError) {
        switch state.topic.kind {
        case .status: try keepStatus(state, &connection)
        case .health: try keepHealth(state, &connection)
        case .position: try keepPosition(state, &connection)
        case .reported, .latest, .metrics: try keepLast(state, &connection)
        default: break
        }
    }

    /// An offline is the will of a session: it says nothing of a later one.
    private static func keepStatus(
        _ state: HubState, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        try connection.run(
            """
            UPDATE boxes SET id = $2, rev = $3, at = $4, state = $5, software = coalesce($6, software)
            WHERE box = $1 AND (id IS NULL OR CASE WHEN $5 = 'offline' THEN id = $2 ELSE NOT $7 OR $4 > at END)
            """,
            [
                .text(state.topic.box), .optional(state.session), .integer(state.rev), .text(state.at.rfc3339),
                .text(state.isOnline ? "online" : "offline"), .optional(state.software), .boolean(state.isRetained),
            ])
    }

    /// A box that says how it is while nobody knows whether it is there is there: that it came went by before there was a
    /// hub to hear it. Its will names a session that is not known either, and counts.
    private static func keepHealth(
        _ state: HubState, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        let summary = state.health ?? HealthSummary([:])
        try connection.run(
            """
            WITH changed AS (
                INSERT INTO health (box, id, rev, at, day, time_source, level, parts, body)
                SELECT b.box, $2, $3, $4::timestamptz, $4::timestamptz::date, $5::jsonb ->> 'timeSource', $6, $7::jsonb, $5::jsonb -> 'body'
                FROM boxes b WHERE b.box = $1 AND (NOT $8 OR b.health_at IS NULL OR $4 > b.health_at)
                    AND (b.health #>> '{health,level}' IS DISTINCT FROM $6 OR b.health_parts IS DISTINCT FROM $7::jsonb)
                ON CONFLICT DO NOTHING
            )
            UPDATE boxes SET health = $5::jsonb -> 'body', health_parts = $7::jsonb, health_at = $4,
                state = CASE WHEN $8 THEN state ELSE coalesce(state, 'online') END
            WHERE box = $1 AND (NOT $8 OR health_at IS NULL OR $4 > health_at)
            """,
            [
                .text(state.topic.box), .text(state.id), .integer(state.rev), .text(state.at.rfc3339),
                .text(state.payload), .optional(summary.level), .text(summary.parts), .boolean(state.isRetained),
            ])
    }

    private static func keepPosition(
        _ state: HubState, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        try connection.run(
            """
            WITH point AS (SELECT ST_SetSRID(ST_MakePoint($6::float8, $7::float8), 4326)::geography AS place),
            history AS (
                INSERT INTO positions (box, id, rev, at, day, time_source, body, place)
                SELECT $1, $2, $3, $4::timestamptz, $4::timestamptz::date, $5::jsonb ->> 'timeSource', $5::jsonb -> 'body', place FROM point
                ON CONFLICT DO NOTHING
            )
            UPDATE boxes SET position = $5::jsonb -> 'body', position_at = $4,
                place = coalesce((SELECT place FROM point), place)
            WHERE box = $1 AND (NOT $8 OR position_at IS NULL OR $4 > position_at)
            """,
            [
                .text(state.topic.box), .text(state.id), .integer(state.rev), .text(state.at.rfc3339),
                .text(state.payload), .optional(state.place?.longitude), .optional(state.place?.latitude),
                .boolean(state.isRetained),
            ])
    }

    private static func keepLast(
        _ state: HubState, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        let column = state.topic.kind.rawValue
        try connection.run(
            """
            UPDATE boxes SET \(column) = $2::jsonb -> 'body', \(column)_at = $3
            WHERE box = $1 AND (NOT $4 OR \(column)_at IS NULL OR $3 > \(column)_at)
            """,
            [
                .text(state.topic.box), .text(state.payload), .text(state.at.rfc3339), .boolean(state.isRetained),
            ])
    }
}
