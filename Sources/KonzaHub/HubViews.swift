/// The views that people, Grafana and QGIS look at.
enum HubViews {
    /// Health comes every 15 minutes: a box that has missed two of them is silent, whatever its will said.
    static let silence = "35 minutes"

    static let sql = """
        CREATE VIEW box_states AS SELECT
            box, site, CASE WHEN received_at IS NULL OR received_at < now() - interval '\(silence)' THEN 'silent'
                ELSE coalesce(state, 'unknown') END AS state,
            software, at, received_at, now() - received_at AS silent_for,
            health #>> '{health,level}' AS level, health #>> '{health,kind}' AS kind,
            health #>> '{health,reason}' AS reason, health_parts AS parts, health_at,
            ST_Y(place::geometry) AS latitude, ST_X(place::geometry) AS longitude, position_at,
            place::geometry(Point, 4326) AS place
        FROM boxes;
        COMMENT ON VIEW box_states IS 'One row a box: how it was when it was heard last';

        CREATE VIEW silent_boxes AS SELECT box, site, software, received_at, silent_for, level, reason, place
            FROM box_states WHERE state = 'silent';
        COMMENT ON VIEW silent_boxes IS 'Boxes that have missed two messages of their health';

        CREATE VIEW sequence_gaps AS SELECT
            l.box, l.log, l.ordinal, upper(l.seqs) - 1 AS last_seq, g.missing, g.missing_ranges, l.received_at
        FROM logs l, LATERAL (
            SELECT coalesce(sum(upper(r) - lower(r)), 0)::bigint AS missing, array_agg(r) AS missing_ranges
            FROM unnest(int8multirange(int8range(1, upper(l.seqs))) - l.seqs) AS r
        ) g;
        COMMENT ON VIEW sequence_gaps IS 'One row a log: the numbers of messages that have not come. Messages under way count';

        CREATE VIEW postcard_map AS SELECT
            p.id, p.box, b.site, p.at, p.received_at, p.body ->> 'place' AS caption, p.body ->> 'message' AS message,
            p.body ->> 'template' AS template, (p.body #>> '{position,accuracy}')::float8 AS accuracy,
            p.place::geometry(Point, 4326) AS place
        FROM postcards p LEFT JOIN boxes b USING (box) WHERE p.deleted_at IS NULL AND p.place IS NOT NULL;
        COMMENT ON VIEW postcard_map IS 'Postcards with a position, for a map; id is the key';

        CREATE VIEW specimen_map AS SELECT
            s.id, s.box, b.site, s.at, s.received_at, s.body ->> 'number' AS number,
            s.body ->> 'state' AS state, s.place::geometry(Point, 4326) AS place
        FROM specimens s LEFT JOIN boxes b USING (box) WHERE s.deleted_at IS NULL AND s.place IS NOT NULL;
        COMMENT ON VIEW specimen_map IS 'Specimens with a position, for a map; id is the key';

        CREATE VIEW health_over_time AS SELECT
            box, at, lead(at) OVER (PARTITION BY box ORDER BY at) AS until, level, parts
        FROM health;
        COMMENT ON VIEW health_over_time IS 'How each box was, from one change to the next';

        CREATE VIEW part_health_over_time AS SELECT
            h.box, p.key AS part, h.at, h.until, p.value ->> 'level' AS level, p.value ->> 'kind' AS kind
        FROM health_over_time h, LATERAL jsonb_each(h.parts) AS p;
        COMMENT ON VIEW part_health_over_time IS 'How each part of each box was, from one change to the next';
        """

    /// A box may send whatever it likes: what is no number is left out, and breaks nobody's map.
    static let tracks = """
        CREATE VIEW track_map AS SELECT * FROM (SELECT
            t.id, t.box, b.site, t.at, t.body ->> 'from' AS from_at, t.body ->> 'to' AS to_at,
            t.body -> 'counters' AS counters,
            (SELECT ST_MakeLine(
                    ST_SetSRID(ST_MakePoint((p.value ->> 'longitude')::float8, (p.value ->> 'latitude')::float8), 4326)
                    ORDER BY p.number)
                FROM jsonb_array_elements(CASE jsonb_typeof(t.body -> 'points') WHEN 'array' THEN t.body -> 'points' ELSE '[]' END)
                    WITH ORDINALITY AS p (value, number)
                WHERE CASE WHEN jsonb_typeof(p.value -> 'longitude') = 'number' AND jsonb_typeof(p.value -> 'latitude') = 'number'
                    THEN abs((p.value ->> 'longitude')::numeric) <= 180 AND abs((p.value ->> 'latitude')::numeric) <= 90 END
            )::geometry(LineString, 4326) AS way
        FROM tracks t LEFT JOIN boxes b USING (box) WHERE t.deleted_at IS NULL) hours WHERE ST_NPoints(way) > 1;
        COMMENT ON VIEW track_map IS 'The way of each box, an hour a row, for a map; id is the key';
        """

    /// The pictures that the records tell of: `picture` and `thumbnail` are pending, stored or kept; the keys are names in the
    /// object store.
    static let pictures = """
        CREATE OR REPLACE VIEW postcard_map AS SELECT
            p.id, p.box, b.site, p.at, p.received_at, p.body ->> 'place' AS caption, p.body ->> 'message' AS message,
            p.body ->> 'template' AS template, CASE jsonb_typeof(p.body #> '{position,accuracy}') WHEN 'number'
                THEN least((p.body #>> '{position,accuracy}')::numeric, 1e9)::float8 END AS accuracy,
            p.place::geometry(Point, 4326) AS place,
            p.body ->> 'key' AS key, coalesce(p.body ->> 'picture' = 'stored', false) AS is_stored,
            p.body ->> 'thumbnailKey' AS thumbnail_key,
            coalesce(p.body ->> 'thumbnail' = 'stored', false) AS is_thumbnail_stored, p.body ->> 'sha256' AS sha256
        FROM postcards p LEFT JOIN boxes b USING (box) WHERE p.deleted_at IS NULL AND p.place IS NOT NULL;

        CREATE VIEW pictures AS
            SELECT p.box, p.id AS record, p.id, p.at, p.body ->> 'key' AS key, p.body ->> 'picture' AS picture,
                p.body ->> 'thumbnailKey' AS thumbnail_key, p.body ->> 'thumbnail' AS thumbnail,
                p.body ->> 'sha256' AS sha256,
                CASE jsonb_typeof(p.body -> 'bytes') WHEN 'number' THEN (p.body ->> 'bytes')::numeric END AS bytes
            FROM postcards p WHERE p.deleted_at IS NULL AND p.body ? 'picture'
            UNION ALL
            SELECT s.box, s.id, f ->> 'id', s.at, f ->> 'key', f ->> 'picture', f ->> 'thumbnailKey', f ->> 'thumbnail',
                f ->> 'sha256',
                CASE jsonb_typeof(f -> 'byteCount') WHEN 'number' THEN (f ->> 'byteCount')::numeric END
            FROM specimens s, LATERAL jsonb_array_elements(
                CASE jsonb_typeof(s.body -> 'photographs') WHEN 'array' THEN s.body -> 'photographs' ELSE '[]' END) AS f
            WHERE s.deleted_at IS NULL AND f ? 'picture';
        COMMENT ON VIEW pictures IS 'Postcards and photographs of specimens, and how far the object store has them';
        """
}
