internal import KonzaAPI

/// What belongs to samples, and the regions that they name.
extension StandInStore {
    /// `GET /api/regions/`: free words that were written with any sample, in no order.
    func regions(_ request: StandInRequest) -> StandInAnswer {
        let names = Set(samples.flatMap(\.regions))
        return Self.page(names.map { .object(["id": .string(Self.newID()), "name": .string($0)]) }, request)
    }

    /// `GET /api/subsamples/<id>/`.
    func subsample(_ id: String, _ user: User?) -> StandInAnswer {
        for sample in samples {
            guard let part = sample.subsamples.first(where: { $0.id == id }) else { continue }
            guard sample.isPublic || sample.ownerID == user?.id else {
                return .detail(user == nil ? 401 : 403, "You do not have permission to perform this action.")
            }
            return .json(
                200,
                .object([
                    "id": .string(part.id), "name": .string(part.name), "public_data": .bool(sample.isPublic),
                    "subsample_type": .object(["id": .string(Self.newID()), "name": .string("Thin Section")]),
                ]))
        }
        return .detail(404, "Not found.")
    }

    /// `GET /api/chemical_analyses/`, as far as `subsample_ids`.
    func analyses(_ request: StandInRequest, _ user: User?) -> StandInAnswer {
        let ids = Set((request.query["subsample_ids"] ?? "").split(separator: ",").map(String.init))
        let parts = samples.filter { $0.isPublic || $0.ownerID == user?.id }.flatMap(\.subsamples)
        let items = parts.filter { ids.contains($0.id) }.flatMap(\.analyses).map { mineral -> JSONValue in
            .object([
                "id": .string(Self.newID()),
                "mineral": mineral.map { .object(["id": .string(Self.newID()), "name": .string($0)]) } ?? .null,
            ])
        }
        return Self.page(items, request)
    }
}
