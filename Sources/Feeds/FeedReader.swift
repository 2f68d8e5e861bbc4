internal import JSONCoding
internal import KonzaModel
internal import XMLReading

/// Reads Atom (RFC 4287), JSON Feed 1.1, CAP 1.2 (OASIS) and the alerts of the National Weather Service (GeoJSON). The bytes
/// come from strangers: whatever is malformed, too large or of another kind is refused as a whole, so that a login page or
/// half an answer is never taken for an empty feed.
public enum FeedReader {
    /// Reads a whole feed.
    ///
    /// - Parameter bytes: as they came, at most ``FeedBounds/bytes``.
    /// - Returns: its items, each id once, in the feed's order.
    /// - Throws: ``FeedError``.
    public static func read(_ bytes: [UInt8]) throws(FeedError) -> Feed {
        guard bytes.count <= FeedBounds.bytes else {
            throw FeedError("it has \(bytes.count) bytes; \(FeedBounds.bytes) are the most that is read")
        }
        var body = bytes[...]
        // A byte order mark (RFC 8259 section 8.1 lets readers ignore it).
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
        guard let first = body.first(where: { !($0 == 0x20 || (0x09...0x0D).contains($0)) }) else {
            throw FeedError("it is empty")
        }
        let feed =
            switch first {
            case UInt8(ascii: "{"): try JSONFeedReader.read(Array(body))
            case UInt8(ascii: "<"): try XMLFeedReader.read(Array(body))
            default: throw FeedError("it is neither XML nor JSON")
            }
        guard feed.items.count <= FeedBounds.items else {
            throw FeedError("it has \(feed.items.count) entries; \(FeedBounds.items) are the most that is taken")
        }
        var seen: Set<String> = []
        let items = feed.items.compactMap { $0.bounded() }.filter { seen.insert($0.id).inserted }
        let title = TextRule.beginning(of: TextRule.cleaned(feed.title), scalars: FeedBounds.title)
        return Feed(title: title, items: items)
    }
}

/// Atom, and CAP messages as XML.
enum XMLFeedReader {
    static func read(_ bytes: [UInt8]) throws(FeedError) -> Feed {
        var limits = XMLLimits()
        limits.bytes = FeedBounds.bytes
        limits.elements = 50_000
        limits.depth = 24
        limits.keepsAttributes = true
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLDocument.root(of: bytes, limits: limits)
        } catch {
            throw FeedError(error.description)
        }
        switch local(root.name) {
        case "feed": return try atom(root)
        case "alert": return Alerts.feed([try cap(root)], title: "")
        default:
            throw FeedError("it is <\(root.name.prefix(40))>, neither an Atom feed nor a CAP alert")
        }
    }

    /// A name without its prefix: what a document binds a prefix to is not known here, and no element of these forms has the
    /// same name as another.
    static func local(_ name: String) -> Substring { name.split(separator: ":").last ?? "" }

    private static func child(_ element: XMLElement, _ name: String) -> XMLElement? {
        element.children.first { local($0.name) == name }
    }

    private static func text(_ element: XMLElement, _ name: String) -> String? {
        child(element, name).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func atom(_ root: XMLElement) throws(FeedError) -> Feed {
        var feed = Feed(title: text(root, "title") ?? "")
        let language = root.attributes["xml:lang"]
        var alerts: [Alert] = []
        for entry in root.children where local(entry.name) == "entry" {
            // Alerts may be in a feed as the content of its entries.
            if let content = child(entry, "content"), let alert = child(content, "alert") {
                alerts.append(try cap(alert))
                continue
            }
            guard let id = text(entry, "id") else { throw FeedError("an entry has no id") }
            let content = child(entry, "content").map(words)
            let summary = child(entry, "summary").map(words)
            feed.items.append(
                FeedItem(
                    id: id, title: child(entry, "title").map(words) ?? "", body: content ?? summary ?? "",
                    link: link(of: entry),
                    language: child(entry, "content")?.attributes["xml:lang"] ?? entry.attributes["xml:lang"]
                        ?? language,
                    // `updated` is often missing or the time of the request: it says nothing of the text.
                    published: text(entry, "published").flatMap { UTCInstant(rfc3339: $0) }))
        }
        if !alerts.isEmpty { feed.items += Alerts.feed(alerts, title: "").items }
        return feed
    }

    /// A text construct (RFC 4287 section 3.1).
    private static func words(_ element: XMLElement) -> String {
        switch element.attributes["type"] ?? "text" {
        case "html", "text/html": PlainText.of(html: element.text)
        case "xhtml", "application/xhtml+xml": flat(element)
        default: element.text
        }
    }

    private static func flat(_ element: XMLElement) -> String {
        let inner = element.children.map(flat).filter { !$0.isEmpty }
        return ([element.text] + inner).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func link(of entry: XMLElement) -> String? {
        let links = entry.children.filter { local($0.name) == "link" }
        return (links.first { ($0.attributes["rel"] ?? "alternate") == "alternate" })?.attributes["href"]
    }

    private static func cap(_ element: XMLElement) throws(FeedError) -> Alert {
        guard let id = text(element, "identifier"), let status = text(element, "status"),
            let kind = text(element, "msgType")
        else { throw FeedError("an alert lacks identifier, status or msgType (CAP 1.2 section 3.2.1)") }
        let infos = element.children.filter { local($0.name) == "info" }
        let info = infos.first { (text($0, "language") ?? "en-US").lowercased().hasPrefix("en") } ?? infos.first
        var alert = Alert(id: id, status: status, kind: kind)
        alert.sent = text(element, "sent").flatMap { UTCInstant(rfc3339: $0) }
        alert.references = Alert.identifiers(text(element, "references") ?? "")
        guard let info else { return alert }
        alert.language = text(info, "language")
        alert.event = text(info, "event") ?? ""
        alert.headline = text(info, "headline") ?? ""
        alert.description = text(info, "description") ?? ""
        alert.instruction = text(info, "instruction") ?? ""
        alert.effective = text(info, "effective").flatMap { UTCInstant(rfc3339: $0) }
        alert.expires = text(info, "expires").flatMap { UTCInstant(rfc3339: $0) }
        alert.severity = text(info, "severity") ?? ""
        alert.urgency = text(info, "urgency") ?? ""
        alert.certainty = text(info, "certainty") ?? ""
        alert.link = text(info, "web")
        return alert
    }
}

/// JSON Feed 1.1, and the GeoJSON of the National Weather Service.
enum JSONFeedReader {
    private struct Head: Decodable {
        let version: String?
        let type: String?
    }

    private struct JSONFeed: Decodable {
        struct Item: Decodable {
            let id: TextOrNumber
            let url: String?
            let title: String?
            let content_html: String?
            let content_text: String?
            let summary: String?
            let date_published: String?
            let language: String?
        }

        let title: String?
        let language: String?
        let items: [Item]
    }

    /// Readers should take a number for an id (JSON Feed 1.1, "id").
    private struct TextOrNumber: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self.text = text
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else {
                text = String(try container.decode(Double.self))
            }
        }
    }

    private struct Collection: Decodable {
        struct Feature: Decodable { let properties: Properties }

        struct Properties: Decodable {
            struct Reference: Decodable { let identifier: String? }
            struct Parameters: Decodable { let expiredReferences: [String]? }

            let id: String
            let status: String
            let messageType: String
            let sent: String?
            let effective: String?
            let expires: String?
            let ends: String?
            let severity: String?
            let urgency: String?
            let certainty: String?
            let event: String?
            let headline: String?
            let description: String?
            let instruction: String?
            let references: [Reference]?
            let parameters: Parameters?
        }

        let title: String?
        let features: [Feature]
    }

    static func read(_ bytes: [UInt8]) throws(FeedError) -> Feed {
        let head = try decode(Head.self, bytes)
        if head.version?.hasPrefix("https://jsonfeed.org/version/1") == true {
            return feed(try decode(JSONFeed.self, bytes))
        }
        if head.type == "FeatureCollection" {
            let collection = try decode(Collection.self, bytes)
            return Alerts.feed(collection.features.map { alert($0.properties) }, title: collection.title ?? "")
        }
        throw FeedError("it is neither JSON Feed (version) nor a collection of alerts (FeatureCollection)")
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(FeedError) -> Value {
        do {
            return try JSONText.decode(type, from: bytes)
        } catch {
            throw FeedError("its JSON is damaged or lacks what its form requires")
        }
    }

    private static func feed(_ feed: JSONFeed) -> Feed {
        Feed(
            title: feed.title ?? "",
            items: feed.items.map { item in
                FeedItem(
                    id: item.id.text, title: item.title ?? "",
                    body: item.content_text ?? item.content_html.map { PlainText.of(html: $0) } ?? item.summary ?? "",
                    link: item.url, language: item.language ?? feed.language,
                    published: item.date_published.flatMap { UTCInstant(rfc3339: $0) })
            })
    }

    private static func alert(_ properties: Collection.Properties) -> Alert {
        var alert = Alert(id: properties.id, status: properties.status, kind: properties.messageType)
        alert.sent = properties.sent.flatMap { UTCInstant(rfc3339: $0) }
        alert.references =
            (properties.references ?? []).compactMap(\.identifier)
            + (properties.parameters?.expiredReferences ?? []).flatMap { Alert.identifiers($0) }
        alert.event = properties.event ?? ""
        alert.headline = properties.headline ?? ""
        alert.description = properties.description ?? ""
        alert.instruction = properties.instruction ?? ""
        alert.effective = properties.effective.flatMap { UTCInstant(rfc3339: $0) }
        alert.expires = properties.expires.flatMap { UTCInstant(rfc3339: $0) }
        alert.ends = properties.ends.flatMap { UTCInstant(rfc3339: $0) }
        alert.severity = properties.severity ?? ""
        alert.urgency = properties.urgency ?? ""
        alert.certainty = properties.certainty ?? ""
        return alert
    }
}
