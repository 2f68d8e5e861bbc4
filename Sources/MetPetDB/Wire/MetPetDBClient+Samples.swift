internal import FoundationEssentials
internal import HTTPTransfer
internal import KonzaModel

/// A list as the server pages it, or the bare list that it gives for no hits.
struct Page<Item: Decodable>: Decodable {
    let items: [Item]
    let hasMore: Bool
    /// How many there are on all pages.
    let total: Int

    private enum Key: String, CodingKey { case count, results, next }

    init(from decoder: any Decoder) throws {
        if let list = try? decoder.singleValueContainer().decode([Item].self) {
            items = list
            hasMore = false
            total = list.count
            return
        }
        let members = try decoder.container(keyedBy: Key.self)
        items = try members.decode([Item].self, forKey: .results)
        hasMore = try members.decodeIfPresent(String.self, forKey: .next) != nil
        total = max(items.count, (try? members.decodeIfPresent(Int.self, forKey: .count)) ?? 0)
    }
}

extension MetPetDBClient {
    /// The account's own sample of that number, letter case included: a number is unique for each owner only.
    ///
    /// - Returns: nil if there is none.
    func findSample(number: String) throws(MetPetDBError) -> RemoteSample? {
        let me = try account()
        let query = [
            ("numbers", number), ("numbers_exact", "True"), ("emails", me.email), ("page_size", "100"),
            ("format", "json"),
        ]
        let answer = try get("/api/samples/", query, what: "look for the sample's number")
        let found = try decode(Page<RemoteSample>.self, answer).items
        return found.first { $0.content.number == number && $0.ownerID == me.id }
    }

    /// A sample by its id.
    func sample(id: String) throws(MetPetDBError) -> RemoteSample {
        let answer = try get("/api/samples/\(percentEncoded(id))/", what: "read the sample")
        return try decode(RemoteSample.self, answer)
    }

    func createSample(_ body: SampleBody) throws(MetPetDBError) -> RemoteSample {
        let answer = try send("POST", "/api/samples/", json: body.json, isRepeatable: false, what: "create the sample")
        return try decode(RemoteSample.self, answer)
    }

    func updateSample(id: String, _ body: SampleBody) throws(MetPetDBError) -> RemoteSample {
        let answer = try send(
            "PUT", "/api/samples/\(percentEncoded(id))/", json: body.json, isRepeatable: true, what: "update the sample"
        )
        return try decode(RemoteSample.self, answer)
    }
}
